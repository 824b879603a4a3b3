"""Radii into densities, and beta into a quotient of radii.

No decision is made on densities, which overflow and round. Decisions are made on squared radii,
which are sums of squares with the same bits everywhere:

    f_j >= (1 - beta) f_i    iff    r_j^2 / r_i^2 <= (1 - beta)^(-2 / d)

Both the right-hand side and the quotient are correctly rounded, once. So if the two are equal as
real numbers, they are equal as floats. Values that differ by less than that rounding, one part in
10^15, may count as equal too, such as a beta copied from a printed prominence.
"""

from __future__ import annotations

import decimal
import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress
from .._scaling import unscale
from .._validation import InvalidParameterError

_LARGEST = np.finfo(np.float64).max

# How far a mode must rise above its saddle to be significant, in standard errors.
# Chosen with `python -m experiments.selection`, where 2 to 2.5 do best and the optimum is flat.
SIGNIFICANCE = 2.5


@lru_cache(maxsize=4096)
def radius_ratio_limit(beta: float, dimension: float) -> float:
    """Return the largest quotient of squared radii inside a core, (1 - beta)^(-2 / dimension).

    Beta is taken as the decimal number that it prints as: 0.3 means three tenths.
    """
    with decimal.localcontext(prec=50) as context:
        context.traps[decimal.Overflow] = False
        share = 1 - decimal.Decimal(repr(beta))
        limit = share ** (decimal.Decimal(-2) / decimal.Decimal(repr(dimension)))
    return min(float(limit), float(_LARGEST))


@lru_cache(maxsize=4096)
def least_beta(ratio: float, dimension: float) -> float:
    """Return the least beta whose radius_ratio_limit is at least `ratio`, 1 if there is none."""
    # Positive floats are ordered like their bits, read as integers.
    smallest, one = 1, _bits(1.0)
    guess = _bits(float(prominences(np.maximum(ratio, 1.0), dimension)))
    low = high = min(max(guess, smallest), one - 1)
    step = 1
    while low >= smallest and _reaches(low, ratio, dimension):
        low, high, step = low - step, low, 2 * step
    low, step = max(low, smallest - 1), 1
    while high < one and not _reaches(high, ratio, dimension):
        low, high, step = high, min(high + step, one), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        if _reaches(middle, ratio, dimension):
            high = middle
        else:
            low = middle
    return _float_of(high)


def _reaches(bits: int, ratio: float, dimension: float) -> bool:
    return radius_ratio_limit(_float_of(bits), dimension) >= ratio


def _bits(value: float) -> int:
    return int(np.float64(value).view(np.int64))


def _float_of(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


def prominences(ratios: npt.NDArray[np.float64], dimension: float) -> npt.NDArray[np.float64]:
    """Return 1 - f(saddle) / f(mode) from the quotients of squared radii."""
    return -np.expm1(-0.5 * dimension * np.log(ratios))


def significant_beta(k: int, significance: float = SIGNIFICANCE) -> float:
    """Return the beta that separates modes from the noise of a k-nearest-neighbor density.

    The logarithm of such a density has a standard error of about 1 / sqrt(k), so the logarithm of
    the quotient of two, mode over saddle, has one of sqrt(2 / k).
    """
    return -math.expm1(-significance * math.sqrt(2 / k))


def intrinsic_dimension(index: Any, lists: _core.NeighborLists, threads: int) -> float:
    """Estimate the dimension that the samples fill, from the distances to their neighbors.

    This is the maximum-likelihood estimate of Levina and Bickel [1]_, with inverses averaged as
    MacKay and Ghahramani advise [2]_. Equal samples are left out. The estimate is at most the
    number of columns, and rounded to three decimals: more would be noise.

    References
    ----------
    .. [1] E. Levina, P. Bickel. Maximum Likelihood Estimation of Intrinsic Dimension. NIPS 2004.
    .. [2] D. MacKay, Z. Ghahramani. Comments on "Maximum Likelihood Estimation of Intrinsic
       Dimension" by E. Levina and P. Bickel. 2005.
    """
    total, count = _core.log_radius_sum(index, lists, threads)
    columns = float(index.columns)
    return columns if count == 0 or total <= 0 else min(columns, max(0.1, round(count / total, 3)))


def radii(squared_radii: npt.NDArray[np.float64], scale_exponent: int) -> npt.NDArray[np.float64]:
    """Return the radii in the units of the user's samples."""
    return unscale(np.sqrt(squared_radii), scale_exponent)


def knn_log_density(
    squared_radii: npt.NDArray[np.float64],
    n_samples: int,
    k: int,
    dimension: float,
    scale_exponent: int,
) -> npt.NDArray[np.float64]:
    """Return log f for the radii of some of the samples, infinite where the radius is 0.

    f = k / (n v_d r^d), v_d being the volume of the unit ball in d dimensions.
    """
    log_volume = 0.5 * dimension * math.log(math.pi) - math.lgamma(0.5 * dimension + 1)
    constant = math.log(k) - math.log(n_samples) - log_volume
    with np.errstate(divide="ignore"):
        log_radii = 0.5 * np.log(squared_radii) - scale_exponent * math.log(2)
    return constant - dimension * log_radii


def gaussian_density(
    index: Any, bandwidth: float, scale_exponent: int, threads: int, progress: Progress | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the kernel sums at every sample, and the logarithm of the density."""
    with np.errstate(all="ignore"):
        rate = float(0.5 / np.ldexp(np.float64(bandwidth), scale_exponent) ** 2)
    if not 0 < rate < np.inf:
        raise InvalidParameterError(
            f"bandwidth is {bandwidth}, but it must be comparable to the distances between "
            "neighboring samples. With bandwidth=None it is chosen for you."
        )
    sums = _core.gaussian_sums(index, rate, threads, progress)
    log_mass = math.log(index.samples) + index.columns * (
        0.5 * math.log(2 * math.pi) + math.log(bandwidth)
    )
    return sums, np.log(sums) - log_mass
