"""What `None` stands for. Chosen with ``python -m experiments.segmentation``."""

from __future__ import annotations

from dataclasses import dataclass

# The paper's protocol: plain colours, position in pixels, and a beta for photographs.
_PAPER_BETA = 0.9


@dataclass(frozen=True)
class Defaults:
    """The parameters of those who did not choose, for an image of so many pixels."""

    k: int
    beta: float
    min_size: int

    @classmethod
    def of(cls, n_pixels: int, *, paper: bool) -> Defaults:
        """Return the defaults for an image, the paper's or the package's own."""
        k = min(n_pixels, 120)
        if paper:
            return cls(k, beta=_PAPER_BETA, min_size=1)
        return cls(k, beta=0.95, min_size=300)


def default_ratio(*, is_lab: bool, paper: bool) -> float:
    """Return the weight of colours against positions.

    Plain colours run to 255 where Lab's lightness runs to 100.
    """
    if paper:
        return 1.0
    return 6.0 if is_lab else 6.0 / 2.55


def default_sigma(*, paper: bool) -> float:
    """Return the width of the blur, in pixels."""
    return 0.0 if paper else 2.0
