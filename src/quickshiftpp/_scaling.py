"""Multiplying samples by a power of two, so that squared differences stay within float64."""

from __future__ import annotations

import math

import numpy as np

from ._validation import FloatArray

# Squares and their sums stay within float64 while coordinates keep to these powers of two. The
# lower one is 53 bits above the square root of the smallest normal number, since the difference of
# two numbers can be that much smaller than either.
_LARGEST_EXPONENT = 480
_SMALLEST_EXPONENT = -450
_CHUNK = 1 << 16


def scale_exponent(X: FloatArray) -> int:
    """Return the power of two to multiply X by so that squared differences stay in range.

    Multiplying by a power of two is exact. The exponent is 0 for all but extreme data.
    """
    if X.dtype == np.float32:  # its squares always fit float64
        return 0
    largest = _largest_magnitude(X)
    if largest == 0:
        return 0
    smallest = largest
    for start in range(0, X.shape[0], _CHUNK):
        magnitude = np.abs(X[start : start + _CHUNK])
        smallest = min(smallest, float(np.min(magnitude, where=magnitude > 0, initial=np.inf)))
    largest_exponent = math.frexp(largest)[1]
    if largest_exponent <= _LARGEST_EXPONENT and math.frexp(smallest)[1] > _SMALLEST_EXPONENT:
        return 0
    return _LARGEST_EXPONENT - largest_exponent


def scale(X: FloatArray, exponent: int) -> FloatArray:
    """Return X times 2**exponent; X itself where the exponent is 0.

    Values whose squares would still vanish are rounded to a grid on which they do not: only equal
    samples may be at distance zero.
    """
    if exponent == 0:
        return X
    scaled = np.ldexp(X, exponent)
    tiny = np.abs(scaled) < math.ldexp(1, _SMALLEST_EXPONENT)
    grid = _SMALLEST_EXPONENT - 53
    scaled[tiny] = np.ldexp(np.rint(np.ldexp(scaled[tiny], -grid)), grid)
    return scaled


def joint_exponent(X: FloatArray, exponent: int) -> int:
    """Return the exponent, or a lower one where X times 2**exponent would be too large."""
    return min(exponent, _LARGEST_EXPONENT - math.frexp(_largest_magnitude(X))[1])


def _largest_magnitude(X: FloatArray) -> float:
    return max(float(X.max()), -float(X.min()))
