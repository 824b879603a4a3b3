"""What `None` stands for. Chosen with ``python -m experiments.segmentation``."""

from __future__ import annotations

from dataclasses import dataclass

# The paper's protocol: plain colors, position in pixels, and a beta for photographs.
_PAPER_BETA = 0.9
_PAPER_K = 100
# Plain colors run to 255 where Lab's lightness runs to 100.
_PLAIN_UNIT = 2.55


@dataclass(frozen=True)
class Defaults:
    """The parameters of those who did not choose.

    Attributes
    ----------
    k : int
    beta : float
        A fine cut, where segments are merged afterwards.
    min_size : int
        Of the segments of that cut.
    merge : float
        The difference in color up to which neighboring segments are merged; 0 for never.
    """

    k: int
    beta: float
    min_size: int
    merge: float


def default_parameters(*, is_lab: bool, paper: bool) -> Defaults:
    """Return the paper's or the package's own."""
    if paper:
        return Defaults(_PAPER_K, _PAPER_BETA, min_size=1, merge=0.0)
    return Defaults(k=100, beta=0.5, min_size=100, merge=9.0 if is_lab else 9.0 * _PLAIN_UNIT)


def default_ratio(*, is_lab: bool, paper: bool) -> float:
    """Return the weight of colors against positions."""
    if paper:
        return 1.0
    return 6.0 if is_lab else 6.0 / _PLAIN_UNIT


def default_sigma(*, paper: bool) -> float:
    """Return the width of the blur, in pixels."""
    return 0.0 if paper else 2.0
