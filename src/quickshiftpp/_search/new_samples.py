"""New samples among those of a fit: their densities, and the nearest denser sample."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress
from .._validation import FloatArray
from .cascade import Cascade, build_cascade
from .index import IndexedSamples, build_index

# New samples from which on a cascade over all samples pays. With 60,000 samples of 784 columns it
# is made in the time that comparing 110 new samples with all others takes.
CASCADE_QUERIES = 128

Values: TypeAlias = npt.NDArray[np.float64]


def find_new_samples(
    fitted: IndexedSamples, samples: FloatArray, threads: int
) -> _InTwoIndices | _InOneCascade:
    """Prepare searches for new samples, which must not be beyond the scale of the fitted ones."""
    scaled, index = fitted.align(samples, threads)
    if fitted.algorithm == "cascade" and len(scaled) >= CASCADE_QUERIES:
        return _InOneCascade(index, scaled, threads)
    return _InTwoIndices(index, scaled, threads)


class _InTwoIndices:
    """New samples, searched for among those of a fit; each in an index of its own."""

    def __init__(self, index: Any, samples: FloatArray, threads: int) -> None:
        self._targets = index
        self._queries: Any = build_index(samples, index.has_tree, threads)
        self._threads = threads

    def kth_squared_distances(self, k: int, progress: Progress | None) -> Any:
        """Return from each new sample the squared distance to the k-th nearest of the fit."""
        return _core.kth_squared_distances(self._queries, self._targets, k, self._threads, progress)

    def nearest_below(self, key: Values, limit: Values, progress: Progress | None) -> Any:
        """Return the nearest sample of the fit whose key is below each new sample's limit.

        By row; -1 for none. Among equally near ones it is the one of the smallest key.
        """
        return _core.nearest_below(
            self._queries, self._targets, key, limit, self._threads, progress
        )[0]


class _InOneCascade:
    """The same, with all samples in one cascade, those of the fit first."""

    def __init__(self, index: Any, samples: FloatArray, threads: int) -> None:
        self._n_fitted = index.samples
        self._threads = threads
        together = np.concatenate([index.rows(threads), samples])
        self._cascade: Cascade = build_cascade(together, threads)

    def kth_squared_distances(self, k: int, progress: Progress | None) -> Any:
        return self._cascade.kth_squared_distances(self._n_fitted, k, self._threads, progress)

    def nearest_below(self, key: Values, limit: Values, progress: Progress | None) -> Any:
        # An infinite key is never below a limit: new samples do not find each other.
        keys = np.concatenate([key, np.full(len(limit), np.inf)])
        limits = np.concatenate([np.zeros(self._n_fitted), limit])
        found = self._cascade.nearest_below(keys, limits, self._threads, progress, self._n_fitted)
        return found[0]
