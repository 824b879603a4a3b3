"""Projections of the samples on a few axes, along which they vary most.

`docs/exactness.md` derives the bounds ("The cascade: the projection").
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._validation import FloatArray

Single: TypeAlias = npt.NDArray[np.float32]

# Rounding errors: the relative error of one operation, and a factor that covers products of errors
# and underflow.
UNIT = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
PROJECTION_SLACK = 1 + 2.0**-20
# Columns that a matrix product sums over at a time: short sums have small errors.
SUMMED_COLUMNS = _core.SUMMED_COLUMNS

# Rows that the axes are computed from, and rows that are projected at a time: few enough to stay in
# the processor's cache.
SAMPLED_ROWS = 2048
_CHUNK = 1024
_SPARE_AXES = 16
_ITERATIONS = 2
_SPAN_ITERATIONS = 8
# The errors of a projection in float32 are at most so much beside the distance between close
# neighbors. On MNIST they are 0.3%; 0.8% make the search 2% slower.
_FLOAT32_ERROR_SHARE = 0.01


class Frame(NamedTuple):
    """Where the samples lie: none is farther from the center than 1, once it is scaled."""

    center: npt.NDArray[np.float64]
    scale: float


class Projection(NamedTuple):
    """The samples along some axes.

    A distance there is at most `scale` times the distance between the samples, plus `error`.
    """

    coordinates: Single
    scale: float
    error: float


def find_frame(X: FloatArray) -> Frame:
    """Return a center near the mean, and a power of two."""
    center = _sampled(X).mean(axis=0, dtype=np.float64)
    extent = np.maximum(X.max(axis=0) - center, center - X.min(axis=0))
    farthest = math.sqrt((extent**2).sum())
    # Lengths of at most 1, so that float32 neither overflows nor loses what matters.
    return Frame(center, math.ldexp(1.0, -math.frexp(farthest)[1]))


def find_axes(X: FloatArray, frame: Frame, n_axes: int, threads: int = 1) -> Single:
    """Return up to `n_axes` axes, about those along which the samples vary most."""
    rows = (_sampled(X) - frame.center) * frame.scale
    return principal_axes(rows.astype(np.float32), n_axes, threads)


def project(
    X: FloatArray, frame: Frame, axes: Single, close: float, threads: int = 1
) -> Projection:
    """Project the samples, with errors that are small beside a distance between `close` samples.

    Matrices are multiplied by our own core: BLAS has one number of threads for the whole process,
    and ends the process where it finds no memory.
    """
    lengthening = lengthening_bound(axes)
    # Float32 is twice as fast; float64 where its errors would exceed what lies between neighbors.
    precision: np.dtype[Any] = np.dtype(np.float32)
    error = 2 * lengthening * projection_error(precision, *axes.shape)
    if error > _FLOAT32_ERROR_SHARE * close * frame.scale:
        precision = np.dtype(np.float64)
        error = 2 * lengthening * projection_error(precision, *axes.shape)
    coordinates = project_rows(X, *frame, axes, precision, threads)
    return Projection(coordinates, frame.scale * lengthening, error)


def principal_axes(rows: Single, n_axes: int, threads: int = 1) -> Single:
    """Return about the axes along which centered rows vary most, one per row.

    Any axes would do; the better they are, the more pairs are discarded. By orthogonal iteration:
    multiplying axes by the covariance of the rows turns them toward those of large variance.
    """
    wanted = min(n_axes, *rows.shape)
    columns = np.ascontiguousarray(rows.T)

    def product(a: Single, b: Single) -> Single:
        return _core.product_float32(a, b, threads)

    def orthonormal(vectors: FloatArray) -> Single:
        exact = _core.orthonormalize(vectors.astype(np.float64), threads)
        return exact.astype(np.float32)

    # A few more than wanted, so that the wanted ones are better.
    count = min(wanted + _SPARE_AXES, rows.shape[1])
    axes = orthonormal(np.random.default_rng(0).standard_normal((count, rows.shape[1])))
    for _ in range(_ITERATIONS):
        axes = orthonormal(product(product(axes, columns), rows))
    # The same within their span, where it costs little, to bring them into the order of variance.
    along = product(axes, columns)
    covariance = product(along, np.ascontiguousarray(along.T))
    rotation = np.eye(count, dtype=np.float32)
    for _ in range(_SPAN_ITERATIONS):
        rotation = orthonormal(product(rotation, covariance))
    return product(rotation, axes)[:wanted]


def lengthening_bound(axes: Single) -> float:
    """Return the most by which a projection on nearly orthonormal axes lengthens a vector."""
    exact = axes.astype(np.float64)
    gram = _core.product_float64(exact, np.ascontiguousarray(exact.T), 1)
    excess = math.sqrt(((gram - np.eye(len(axes))) ** 2).sum())
    rounding = _gamma(axes.shape[1], np.dtype(np.float64)) * float(np.trace(gram))
    return 1 + (excess + rounding) / 2 * PROJECTION_SLACK


def projection_error(precision: np.dtype[Any], n_axes: int, n_features: int) -> float:
    """Return by how much rounding may move the projection of a sample of length 1.

    It is to be multiplied by the lengthening bound.
    """
    roundings = min(n_features, SUMMED_COLUMNS) + -(-n_features // SUMMED_COLUMNS) - 1
    conversion = UNIT[np.dtype(np.float32)]
    return (_gamma(roundings, precision) * math.sqrt(n_axes) + conversion) * PROJECTION_SLACK


def project_rows(
    X: FloatArray,
    center: npt.NDArray[np.float64],
    scale: float,
    axes: Single,
    precision: np.dtype[Any],
    threads: int = 1,
) -> Single:
    """Return (X - center) * scale @ axes.T, computed in float32 or float64."""
    n_samples, n_features = X.shape
    coordinates = np.empty((n_samples, len(axes)), dtype=np.float32)
    columns = np.ascontiguousarray(axes.T.astype(precision))
    product: Any = _core.product_float32 if precision == np.float32 else _core.product_float64
    centered = np.empty((_CHUNK, n_features))
    rows = np.empty((_CHUNK, n_features), dtype=precision)
    for start in range(0, n_samples, _CHUNK):
        these = slice(start, min(start + _CHUNK, n_samples))
        here = slice(these.stop - these.start)
        np.subtract(X[these], center, out=centered[here])
        np.multiply(centered[here], scale, out=rows[here], casting="same_kind")
        coordinates[these] = product(rows[here], columns, threads)
    return coordinates


def _gamma(roundings: int, precision: np.dtype[Any]) -> float:
    """Return the largest relative error of so many operations in a row."""
    error = roundings * UNIT[precision]
    return error / (1 - error)


def _sampled(X: FloatArray) -> FloatArray:
    return X[:: max(1, X.shape[0] // SAMPLED_ROWS)]
