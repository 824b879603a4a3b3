"""DBSCAN for every eps, from one minimum spanning tree.

Core samples at eps are connected through distances of at most eps, so that their clusters are those
of single linkage on mutual reachability distances, which scikit-learn's ``HDBSCAN`` keeps. A sample
that is not core has fewer than `min_samples` samples within eps, all of them in its list of nearest
neighbors: the rest of DBSCAN can be read off those lists.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import HDBSCAN

from quickshiftpp import all_neighbors

from ..common import FloatArray, IntArray

# scikit-learn's default; the paper tunes eps alone.
MIN_SAMPLES = 5
_PRECISION = 1.01
_BRUTE_FEATURES = 100  # beyond, trees only cost


class EveryDBSCAN:
    """DBSCAN for all values of eps.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    min_samples : int, default=5
        The number of samples within eps that make a core sample, itself counted.

    Attributes
    ----------
    core_distances : ndarray of shape (n_samples,)
        The eps from which on each sample is core.
    """

    def __init__(self, X: FloatArray, min_samples: int = MIN_SAMPLES) -> None:
        distances, indices = all_neighbors(X, min_samples)
        self._distances, self._neighbors = distances[:, 1:-1], indices[:, 1:-1]
        self.core_distances = distances[:, -1]
        algorithm = "brute" if X.shape[1] > _BRUTE_FEATURES else "auto"
        self._tree = HDBSCAN(min_samples=min_samples, algorithm=algorithm, copy=True).fit(X)

    def labels(self, eps: float) -> IntArray:
        """Return the labels of ``DBSCAN(eps, min_samples=...)``; -1 is noise."""
        is_core = self.core_distances <= eps
        if not is_core.any():
            return np.full(len(is_core), -1)
        parts = self._tree.dbscan_clustering(cut_distance=eps, min_cluster_size=1)
        # Clusters are numbered by their first core sample, as DBSCAN comes upon them.
        _, first, which = np.unique(parts[is_core], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        labels = np.full(len(is_core), -1)
        labels[is_core] = rank[which]
        return np.where(is_core, labels, self._border(labels, eps))

    def _border(self, labels: IntArray, eps: float) -> IntArray:
        """Return, for every sample, the first cluster with a core sample within eps, or -1."""
        nobody = len(labels)
        reached = np.where(self._distances <= eps, labels[self._neighbors], nobody)
        first = np.where(reached < 0, nobody, reached).min(axis=1)
        return np.where(first == nobody, -1, first)

    def eps_range(self) -> tuple[float, float]:
        """Return the eps below which all is noise, and the eps above which all is one cluster."""
        positive = self.core_distances[self.core_distances > 0]
        low = high = float(positive.min())
        while len(np.unique(self.labels(high))) > 1:
            high *= 2
        # The components of single linkage only grow, so that halving finds where they are one.
        apart = high / 2
        while high / apart > _PRECISION:
            middle = float(np.sqrt(high * apart))
            if len(np.unique(self.labels(middle))) > 1:
                apart = middle
            else:
                high = middle
        return low, high
