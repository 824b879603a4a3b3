"""Distances between a few samples, by which the fastest search for all of them is chosen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._validation import FloatArray

# Samples that are compared, and samples that they are compared with: a part of all, so that this
# takes little time beside the search itself, and no more than these.
_QUERIES, _ROWS = 64, 2048
_QUERY_SHARE, _ROW_SHARE = 1 / 32, 1 / 16
# Neighbors that a search looks for, about.
_NEIGHBORS = 16
_ROUNDING = 1e-12
# Close neighbors: this share of the samples have closer ones.
_CLOSE_QUANTILE = 0.1


class Pilot:
    """Distances from some samples to others.

    Attributes
    ----------
    length, coordinate : float
        The greatest length of a sample, and its greatest coordinate, relative to an approximate
        mean.
    typical : float
        The length of a typical sample.
    """

    def __init__(self, X: FloatArray, threads: int) -> None:
        n_samples = len(X)
        wanted = min(n_samples, _ROWS, max(128, int(n_samples * _ROW_SHARE)))
        queries = min(_QUERIES, max(8, int(n_samples * _QUERY_SHARE)))
        self._threads = threads
        self._rows = X[:: n_samples // wanted].astype(np.float64)
        center = self._rows.mean(axis=0)
        self._rows -= center
        self._step = max(1, len(self._rows) // queries)
        lengths = np.sqrt((self._rows**2).sum(axis=1))
        self.typical = float(np.median(lengths))
        extent: Any = _core.extent_float32 if X.dtype == np.float32 else _core.extent_float64
        length, coordinate = extent(X, center, threads)
        self.length, self.coordinate = float(length), float(coordinate)
        self._distances = self._distances_between(self._rows)
        neighbor = round(_NEIGHBORS * len(self._rows) / n_samples)
        neighbor = min(max(1, neighbor), len(self._rows) - 1) - 1
        self._radii = np.partition(self._distances, neighbor, axis=1)[:, neighbor, None]

    def share_within(self, error: float, squared_error: float = 0.0) -> float:
        """Return the share of pairs that are no farther apart than neighbors plus an error.

        The other error is one of squared distances.
        """
        reach = np.sqrt((self._radii + error) ** 2 + squared_error)
        return float(np.mean(self._distances <= reach))

    def share_along(self, axes: npt.NDArray[np.float32]) -> float:
        """Return the share of pairs that are no farther apart along some axes than neighbors."""
        columns = np.ascontiguousarray(axes.T.astype(np.float64))
        along = _core.product_float64(self._rows, columns, self._threads)
        return float(np.mean(self._distances_between(along) <= self._radii))

    def close_distance(self) -> float:
        """Return a distance that few samples have another one within; 0 where all are equal."""
        apart = np.where(self._distances > 0, self._distances, np.inf).min(axis=1)
        found = float(np.quantile(apart, _CLOSE_QUANTILE, method="lower"))
        return found if math.isfinite(found) else 0.0

    def _distances_between(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        queries = np.ascontiguousarray(rows[:: self._step])
        products = _core.product_float64(queries, np.ascontiguousarray(rows.T), self._threads)
        squares = (rows**2).sum(axis=1)
        squared = squares[:: self._step, None] + squares - 2 * products
        # What remains of equal samples after rounding counts as zero.
        squared[squared < _ROUNDING * squares.max()] = 0
        squared[np.arange(len(queries)), np.arange(len(queries)) * self._step] = np.inf  # itself
        distances: npt.NDArray[np.float64] = np.sqrt(squared)
        return distances
