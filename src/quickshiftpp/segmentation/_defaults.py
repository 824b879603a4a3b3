"""Default parameter values, chosen with ``python -m experiments.segmentation``."""

from __future__ import annotations

from dataclasses import dataclass

# The paper's protocol: RGB colors as they are, positions in pixels.
_PAPER_BETA = 0.9
_PAPER_K = 100
# Plain colors range to 255, the lightness of CIELAB to 100.
_PLAIN_UNIT = 2.55


@dataclass(frozen=True)
class Defaults:
    """Values for parameters that are not given.

    Attributes
    ----------
    k : int
        The number of neighbors.
    beta : float
        The beta of the cut; a small one, if segments are merged afterwards.
    min_size : int
        The smallest segment of the cut.
    merge : float
        The difference up to which neighboring segments are merged; 0 to merge none.
    """

    k: int
    beta: float
    min_size: int
    merge: float


def default_parameters(*, is_lab: bool, paper: bool) -> Defaults:
    """Return the values of the paper, or those of this package."""
    if paper:
        return Defaults(_PAPER_K, _PAPER_BETA, min_size=1, merge=0.0)
    return Defaults(k=100, beta=0.5, min_size=100, merge=9.0 if is_lab else 9.0 * _PLAIN_UNIT)


def default_ratio(*, is_lab: bool, paper: bool) -> float:
    """Return the weight of colors relative to positions."""
    if paper:
        return 1.0
    return 6.0 if is_lab else 6.0 / _PLAIN_UNIT


def default_sigma(*, paper: bool) -> float:
    """Return the standard deviation of the blur, in pixels."""
    return 0.0 if paper else 2.0
