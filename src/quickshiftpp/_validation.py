"""The entrance: arrays and parameters are checked here, before any work."""

from __future__ import annotations

import math
import os
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import cpu_count
from sklearn.utils.validation import check_array, validate_data

from . import _core

FloatArray = npt.NDArray[np.float64] | npt.NDArray[np.float32]

# Squares and their sums stay within float64 while coordinates keep to these powers of two. The
# lower one is 53 bits above the square root of the smallest normal number, since the difference of
# two numbers can be that much smaller than either.
_LARGEST_EXPONENT = 480
_SMALLEST_EXPONENT = -450
_CHUNK = 1 << 16


def validate_samples(X: Any, *, estimator: Any = None, reset: bool = True) -> FloatArray:
    """Return X as a finite C-contiguous matrix of float32 or float64, the user's own if it is."""
    options: dict[str, Any] = {"dtype": (np.float64, np.float32), "order": "C"}
    # The sum by which scikit-learn looks for what is not finite may leave the range of float32.
    with np.errstate(invalid="ignore"):
        if estimator is None:
            samples: FloatArray = check_array(X, input_name="X", **options)
        else:
            samples = validate_data(estimator, X, reset=reset, **options)
    if samples.shape[0] >= 2**31 - 64:
        raise ValueError(
            f"X has {samples.shape[0]} samples, but fewer than 2**31 are supported: "
            "fit a random part of them and use predict for the rest."
        )
    return samples


def _largest_magnitude(X: FloatArray) -> float:
    return max(float(X.max()), -float(X.min()))


def scaling_exponent(X: FloatArray) -> int:
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

    What is then still so small that its squares would vanish is rounded to a grid on which they do
    not: only equal samples may be at distance zero.
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


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads: None as OpenMP would, a negative number as joblib does."""
    if n_jobs is None:
        return usable_threads(_core.default_threads())
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            f"n_jobs is {n_jobs!r}: give a positive whole number, -1 for all cores, or None."
        )
    # Far more threads than cores are a slip, and each has memory of its own.
    most = max(64, 4 * cpu_count())
    return usable_threads(
        min(int(n_jobs), most) if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)
    )


class _Pool:
    """OpenMP's threads do not survive a fork: a child that waits for them would wait forever."""

    started = False
    lost = False

    @classmethod
    def after_fork(cls) -> None:
        cls.lost = cls.started


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Pool.after_fork)


def usable_threads(threads: int) -> int:
    """Return the number of threads, but 1 in a process forked from one that has used several."""
    if _Pool.lost:
        return 1
    _Pool.started = _Pool.started or threads > 1
    return threads


def default_k(n_samples: int) -> int:
    """Return the number of neighbours for those who did not choose: about sqrt(n), from 8 to 64."""
    return min(n_samples, max(8, min(64, round(math.sqrt(n_samples)))))


def resolve_k(k: int | None, n_samples: int) -> int:
    """Return the number of neighbours to use, the sample itself counted."""
    if k is None:
        return default_k(n_samples)
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise TypeError(f"k is {k!r}: it must be a whole number from 1 to the number of samples.")
    if not 1 <= k <= n_samples:
        raise ValueError(
            f"k is {k}, but it must be from 1 to the number of samples, here n_samples={n_samples} "
            "(k counts each sample as its own first neighbour). Leave k=None to have it chosen."
        )
    return int(k)


def check_beta(beta: Any) -> float:
    """Return beta as a float strictly between 0 and 1."""
    try:
        value = float(beta)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value < 1:
        raise ValueError(
            f"beta is {beta!r}, but it must lie strictly between 0 and 1: it is the share of a "
            "mode's density that may be lost inside its cluster-core."
        )
    return value


def check_min_cluster_size(size: Any) -> int:
    """Return the least size of a cluster as an int of 1 or more."""
    if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
        raise ValueError(f"min_cluster_size is {size!r}, but it must be a whole number from 1 on.")
    return int(size)
