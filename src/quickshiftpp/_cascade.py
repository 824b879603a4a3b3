"""For many columns: the samples along a few leading axes, by which most pairs are told apart."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from . import _core
from ._progress import Progress
from ._validation import FloatArray

Cascade: TypeAlias = _core.CascadeFloat32 | _core.CascadeFloat64

# Rows that the axes are found from, and rows that are turned to them at a time: few enough to stay
# in the processor's cache.
_SAMPLED = 2048
_CHUNK = 512


def build_cascade(
    index: Any, X: FloatArray, threads: int, progress: Progress | None = None
) -> Cascade:
    """Prepare exact searches among the samples of an index without a tree.

    `X` are the same samples.
    """
    with threadpool_limits(threads, user_api="blas"):
        coordinates, scale, error = leading_coordinates(X, _core.CASCADE_AXES)
    if X.dtype == np.float32:
        return _core.CascadeFloat32(
            index, X.view(np.float32), coordinates, scale, error, threads, progress
        )
    return _core.CascadeFloat64(
        index, X.view(np.float64), coordinates, scale, error, threads, progress
    )


def leading_directions(rows: npt.NDArray[np.float64], axes: int) -> npt.NDArray[np.float64]:
    """Return orthonormal directions, about those in which centred rows vary most.

    Any directions would do, as long as they lengthen nothing; the better they are, the more pairs
    are discarded by them.
    """
    wanted = min(axes, *rows.shape)
    _, _, directions = randomized_svd(
        rows, n_components=wanted, n_oversamples=16, n_iter=1, random_state=0
    )
    excess = np.linalg.norm(directions @ directions.T - np.eye(wanted))
    found: npt.NDArray[np.float64] = directions / (1 + excess)
    return found


def leading_coordinates(X: FloatArray, axes: int) -> tuple[npt.NDArray[np.float32], float, float]:
    """Return the samples along leading axes, their scale, and what a difference may be off by.

    A distance along the axes, less the error, is at most the distance between the samples times
    the scale.
    """
    n_samples, n_features = X.shape
    sampled = X[:: max(1, n_samples // _SAMPLED)].astype(np.float64)
    centre = sampled.mean(axis=0)
    farthest = np.linalg.norm(np.maximum(X.max(axis=0) - centre, centre - X.min(axis=0)))
    # Lengths of at most 1, so that float32 neither overflows nor loses what matters.
    scale = math.ldexp(1.0, -math.frexp(farthest)[1])
    directions = leading_directions((sampled - centre) * scale, axes)
    coordinates = np.empty((n_samples, len(directions)), dtype=np.float32)
    turn = np.ascontiguousarray(directions.T * scale)  # a power of two changes no digit
    centred, turned = np.empty((_CHUNK, n_features)), np.empty((_CHUNK, len(directions)))
    for start in range(0, n_samples, _CHUNK):
        rows = slice(min(_CHUNK, n_samples - start))
        np.subtract(X[start : start + _CHUNK], centre, out=centred[rows])
        coordinates[start : start + _CHUNK] = np.matmul(centred[rows], turn, out=turned[rows])
    # Rounding: of each coordinate to float32, and of sums of n_features products in float64.
    magnitude = scale * (farthest + np.linalg.norm(centre))
    error = 2.0**-23 + 2.0**-50 * n_features * math.sqrt(len(directions)) * magnitude
    return coordinates, scale, float(2 * error)
