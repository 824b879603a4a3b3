"""For many columns: the samples along a few leading axes, by which most pairs are told apart."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from .. import _core
from .._progress import Progress
from .._validation import FloatArray

Cascade: TypeAlias = _core.CascadeFloat32 | _core.CascadeFloat64

# Rows that the axes are found from, and rows that are turned to them at a time: few enough to stay
# in the processor's cache.
SAMPLED_ROWS = 2048
_CHUNK = 512
# Columns that one product sums over, and the share of the distance between close neighbours that
# float32 may hide: on MNIST it hides 0.3%, and the search takes about 1% longer for it; 3% longer
# at 0.8%.
_COLUMNS = 256
_HIDDEN = 0.01
# The share that rounding to integers of 16 bits may hide: on MNIST it hides 0.2%, and the search
# takes 20% less time than in float32; coarser integers, that hide 3% and 6%, take 12% less and as
# long.
_ROUNDED = 0.05
# Close neighbours: one sample in so many has a closer one. Where rounding hides all that lies
# between the samples of a cluster, they are all compared exactly: a few may be.
_CLOSE = 10


class LeadingAxes(NamedTuple):
    """The samples along leading axes.

    A distance there, less `error`, is at most the distance between the samples times `scale`. The
    search may add up to `tolerance` to the error where that makes it faster.
    """

    coordinates: npt.NDArray[np.float32]
    scale: float
    error: float
    tolerance: float


def build_cascade(
    index: Any, X: FloatArray, threads: int, progress: Progress | None = None
) -> Cascade:
    """Prepare exact searches among the samples of an index without a tree.

    `X` are the same samples.
    """
    with threadpool_limits(threads, user_api="blas"):
        leading = find_leading_axes(X, _core.CASCADE_AXES)
    if X.dtype == np.float32:
        return _core.CascadeFloat32(index, X.view(np.float32), *leading, threads, progress)
    return _core.CascadeFloat64(index, X.view(np.float64), *leading, threads, progress)


def leading_directions(
    rows: npt.NDArray[np.float64], axes: int
) -> tuple[npt.NDArray[np.float32], float]:
    """Return directions, about those in which centred rows vary most, and what they lengthen by.

    Any directions would do; the better they are, the more pairs are discarded by them.
    """
    wanted = min(axes, *rows.shape)
    _, _, found = randomized_svd(
        rows, n_components=wanted, n_oversamples=16, n_iter=1, random_state=0
    )
    directions = found.astype(np.float32)
    exact = directions.astype(np.float64)
    excess = np.linalg.norm(exact @ exact.T - np.eye(wanted))
    return directions, 1 + float(excess)


def find_leading_axes(X: FloatArray, axes: int) -> LeadingAxes:
    """Return the samples along so many axes, in which they differ most, or about so."""
    n_samples, n_features = X.shape
    sampled = X[:: max(1, n_samples // SAMPLED_ROWS)].astype(np.float64)
    centre = sampled.mean(axis=0)
    farthest = np.linalg.norm(np.maximum(X.max(axis=0) - centre, centre - X.min(axis=0)))
    # Lengths of at most 1, so that float32 neither overflows nor loses what matters.
    scale = math.ldexp(1.0, -math.frexp(farthest)[1])
    sampled = (sampled - centre) * scale
    directions, lengthening = leading_directions(sampled, axes)
    # Float32 is twice as fast; float64 where its rounding would hide what lies between neighbours.
    precision: Any = np.float32
    close = _close_distance(sampled)
    if 2 * _rounding(precision, n_features, axes) > _HIDDEN * close:
        precision = np.float64
    coordinates = np.empty((n_samples, len(directions)), dtype=np.float32)
    turn = directions.T.astype(precision)
    rows = np.empty((_CHUNK, n_features))
    centred = np.empty((_CHUNK, n_features), dtype=precision)
    for start in range(0, n_samples, _CHUNK):
        these = slice(start, min(start + _CHUNK, n_samples))
        here = slice(these.stop - these.start)
        np.subtract(X[these], centre, out=rows[here])
        np.multiply(rows[here], scale, out=centred[here], casting="same_kind")
        coordinates[these] = _product(centred[here], turn)
    error = _rounding(precision, n_features, len(directions)) * lengthening
    return LeadingAxes(coordinates, scale * lengthening, 2 * error, _ROUNDED * close)


def _product(rows: FloatArray, axes: FloatArray) -> FloatArray:
    """Return rows @ axes, summed over some columns at a time: short sums are more exact."""
    total: FloatArray = rows[:, :_COLUMNS] @ axes[:_COLUMNS]
    for start in range(_COLUMNS, rows.shape[1], _COLUMNS):
        columns = slice(start, start + _COLUMNS)
        total += rows[:, columns] @ axes[columns]
    return total


def _rounding(precision: Any, n_features: int, axes: int) -> float:
    """Return by how much rounding may move a sample of length 1 along the axes.

    By the textbook: the longest chain of sums, for each of the axes; and the rounding of each
    sample, before or after it, to float32.
    """
    chain = min(n_features, _COLUMNS) + -(-n_features // _COLUMNS)
    unit = float(np.finfo(precision).eps) / 2
    return 1.01 * unit * chain * math.sqrt(axes) + 2.0**-23


def _close_distance(rows: npt.NDArray[np.float64]) -> float:
    """Return a distance to the nearest other that few rows fall below, 0 where all are equal."""
    some = rows[:: max(1, len(rows) // 128)]
    squared = (some**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1) - 2 * some @ rows.T
    different = squared[(squared > 1e-14).any(axis=1)]  # lengths are at most 1
    if len(different) == 0:
        return 0.0
    nearest = np.where(different > 1e-14, different, np.inf).min(axis=1)
    return math.sqrt(float(np.quantile(nearest, 1 / _CLOSE)))
