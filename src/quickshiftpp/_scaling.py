"""Multiplying samples by a power of two, so that squared differences stay within float64.

Such a product is exact. Where float64 cannot hold the smallest values beside the largest, the
smallest are rounded. Samples that only such values tell apart are refused: distances are either
those of the given samples or none at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from . import _core
from ._validation import FloatArray

# Squares and their sums stay within float64 while coordinates keep below this power of two ...
_LARGEST_EXPONENT = 490
# ... and above this one. It is 53 bits above the square root of the smallest normal number, since
# the difference of two numbers can be that much smaller than either.
_SMALLEST_EXPONENT = -450
# The samples of a fit keep below this power of two wherever that rounds none of their values. A new
# sample beyond _LARGEST_EXPONENT is then 2**90 times as large as all of them: its differences to
# them are its own values, to the last bit.
_ROOMY_EXPONENT = 400
# If it does round some of them, they keep below this one.
_FIT_EXPONENT = 480
# Values from here on are so much larger than rounded ones that distances over them are not affected
# by the rounding, to the last bit.
_TELLING_EXPONENT = -300
_CHUNK = 1 << 17  # values whose magnitudes are computed at a time


class IndistinctSamplesError(ValueError):
    """Float64 cannot hold the squares of all values, and tells some samples apart no more."""


def scale_samples(X: FloatArray) -> tuple[FloatArray, int]:
    """Return the samples of a fit, times a power of two, and its exponent.

    The exponent is 0 and X is returned as it is for all but extreme data.

    Raises
    ------
    IndistinctSamplesError
        Where samples are told apart only by values that are too small beside the largest one.
    """
    if X.dtype == np.float32:  # its squares always fit float64
        return X, 0
    smallest = _smallest_magnitude(X)
    exponent = _exponent_for(smallest, _largest_magnitude(X))
    scaled, is_rounded = _scaled(X, exponent, smallest)
    if is_rounded is not None:
        _refuse_indistinct(X, scaled, exponent, is_rounded)
    return scaled, exponent


def scale_new_samples(X: FloatArray, exponent: int) -> FloatArray:
    """Return new samples in the scale of a fit; none of them may be beyond it.

    Values too small for that scale are rounded, each by itself: what becomes of a sample does not
    depend on the others.
    """
    return X if X.dtype == np.float32 else _scaled(X, exponent, _smallest_magnitude(X))[0]


def rows_beyond(X: FloatArray, exponent: int) -> npt.NDArray[np.bool_]:
    """Return which rows of X are too large for the scale of a fit."""
    is_beyond = np.zeros(X.shape[0], dtype=bool)
    if math.frexp(_largest_magnitude(X))[1] + exponent > _LARGEST_EXPONENT:
        # Of float64, for otherwise it would be rounded to the precision of X.
        limit = np.float64(math.ldexp(1, _LARGEST_EXPONENT - exponent))
        for rows, magnitude in _magnitudes(X):
            is_beyond[rows] = (magnitude >= limit).any(axis=1)
    return is_beyond


def has_room(scaled: FloatArray) -> bool:
    """Return whether the samples of a fit are negligible beside new ones beyond their scale."""
    return math.frexp(_largest_magnitude(scaled))[1] <= _ROOMY_EXPONENT


def _exponent_for(smallest: float, largest: float) -> int:
    """Return the exponent for samples whose magnitudes, other than 0, have this range."""
    if largest == 0:
        return 0
    smallest_exponent, largest_exponent = math.frexp(smallest)[1], math.frexp(largest)[1]
    if largest_exponent <= _ROOMY_EXPONENT and smallest_exponent > _SMALLEST_EXPONENT:
        return 0
    roomy = _ROOMY_EXPONENT - largest_exponent
    if smallest_exponent + roomy > _SMALLEST_EXPONENT:
        return roomy
    return _FIT_EXPONENT - largest_exponent


def _scaled(
    X: FloatArray, exponent: int, smallest: float
) -> tuple[FloatArray, npt.NDArray[np.bool_] | None]:
    """Return X times 2**exponent, and which rows had to be rounded; None for none.

    Values whose squares would vanish are rounded to a grid on which they do not: only equal samples
    may be at distance zero. X itself is returned where it stays the same.
    """
    least = math.ldexp(1, _SMALLEST_EXPONENT)
    if exponent == 0 and smallest >= least:
        return X, None
    scaled: FloatArray = np.ldexp(X, exponent)
    is_tiny = np.abs(scaled) < least
    tiny = scaled[is_tiny]
    grid = _SMALLEST_EXPONENT - 53
    scaled[is_tiny] = np.ldexp(np.rint(np.ldexp(tiny, -grid)), grid)
    is_tiny[is_tiny] = np.ldexp(scaled[is_tiny], -exponent) != X[is_tiny]
    return scaled, np.any(is_tiny, axis=1) if is_tiny.any() else None


def unscale(lengths: npt.NDArray[np.float64], exponent: int) -> npt.NDArray[np.float64]:
    """Return lengths in the units of the user's samples, infinite beyond the largest float."""
    if exponent == 0:
        return lengths
    with np.errstate(over="ignore"):
        return np.ldexp(lengths, -exponent)


def _refuse_indistinct(
    X: FloatArray, scaled: FloatArray, exponent: int, is_rounded: npt.NDArray[np.bool_]
) -> None:
    """Raise where a rounded sample differs from another one in nothing but tiny values."""
    telling = np.where(np.abs(scaled) < math.ldexp(1, _TELLING_EXPONENT), 0.0, scaled)
    hashes = _core.coordinate_hashes(telling, 1)
    _, place, count = np.unique(hashes, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(count[place.reshape(-1)] > 1)
    if shared.size == 0:
        return
    _, group = np.unique(telling[shared], axis=0, return_inverse=True)
    group = group.reshape(-1)  # NumPy 2.0 returns a column
    # In each group of samples that nothing but tiny values tells apart, compare a rounded sample
    # with all others.
    rounded_one = np.full(len(shared), -1)
    rounded_one[group[is_rounded[shared]]] = shared[is_rounded[shared]]
    partner = rounded_one[group]
    shared, partner = shared[partner >= 0], partner[partner >= 0]
    differs = np.flatnonzero((X[shared] != X[partner]).any(axis=1))
    if differs.size == 0:
        return
    pair = sorted((int(shared[differs[0]]), int(partner[differs[0]])))
    row, column = np.unravel_index(np.argmax(np.abs(X)), X.shape)
    large = f"{X[row, column]:g} (row {row}, column {column})"
    if exponent < 0:
        raise IndistinctSamplesError(
            f"beside the value {large} float64 cannot tell other samples apart, such as those in "
            f"rows {pair[0]} and {pair[1]}: their squared distance would vanish. So large a value "
            "mostly stands for a missing one: remove such rows, or replace the value."
        )
    limit = math.ldexp(1, _TELLING_EXPONENT - exponent)
    raise IndistinctSamplesError(
        f"the samples in rows {pair[0]} and {pair[1]} differ only in values below "
        f"{limit:.0e}, whose squares float64 cannot hold beside the largest value, {large}: set "
        "such values to 0 if these samples are the same for you, or use logarithms."
    )


def _largest_magnitude(X: FloatArray) -> float:
    return max(float(X.max()), -float(X.min()))


def _smallest_magnitude(X: FloatArray) -> float:
    """Return the smallest magnitude that is not 0, infinity if there is none."""
    return min(
        float(np.min(magnitude, where=magnitude > 0, initial=np.inf))
        for _, magnitude in _magnitudes(X)
    )


def _magnitudes(X: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the magnitudes of some rows at a time, so that they take little memory."""
    count = max(1, _CHUNK // X.shape[1])
    for start in range(0, X.shape[0], count):
        rows = slice(start, start + count)
        yield rows, np.abs(X[rows])
