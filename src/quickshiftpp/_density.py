"""Stage 2: radii into densities, and beta into a quotient of radii.

Decisions are never taken on densities, which overflow and round, but on squared radii, which are
sums of squares and so the same bits everywhere:

    f_j >= (1 - beta) f_i    iff    r_j^2 / r_i^2 <= (1 - beta)^(-2 / d)

The right-hand side is rounded correctly once, and so is the quotient. Both sides of a tie in real
numbers are therefore the same float, and a tie is a tie.
"""

from __future__ import annotations

import decimal
import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._progress import Progress

_LARGEST = np.finfo(np.float64).max


@lru_cache(maxsize=4096)
def radius_ratio_limit(beta: float, dimension: float) -> float:
    """Return the largest quotient of squared radii inside a core, (1 - beta)^(-2 / dimension).

    Beta is taken as the decimal number that it prints as: 0.3 means three tenths.
    """
    with decimal.localcontext(prec=50):
        share = 1 - decimal.Decimal(repr(beta))
        limit = share ** (decimal.Decimal(-2) / decimal.Decimal(repr(dimension)))
    return min(float(limit), float(_LARGEST))


def radius_ratios(
    outer: npt.NDArray[np.float64], inner: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return outer / inner of squared radii, where 0 / 0 is 1 and anything else / 0 infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(outer == inner, 1.0, outer / inner)


def prominences(ratios: npt.NDArray[np.float64], dimension: float) -> npt.NDArray[np.float64]:
    """Return 1 - f(saddle) / f(mode) from the quotients of squared radii."""
    return -np.expm1(-0.5 * dimension * np.log(ratios))


def knn_log_density(
    squared_radii: npt.NDArray[np.float64], k: int, dimension: float, unit: int, threads: int
) -> npt.NDArray[np.float64]:
    """Return log f of every sample, infinite where the radius is 0."""
    return _core.knn_log_density(squared_radii, k, dimension, unit, threads)


def gaussian_density(
    index: Any, bandwidth: float, unit: int, threads: int, progress: Progress | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the kernel sums at every sample, and the log of the density that they amount to."""
    rate = 0.5 / math.ldexp(bandwidth, unit) ** 2
    sums = _core.gaussian_sums(index, rate, threads, progress)
    log_mass = math.log(index.samples) + index.columns * (
        0.5 * math.log(2 * math.pi) + math.log(bandwidth)
    )
    return sums, np.log(sums) - log_mass
