"""What the estimators with cluster-cores share: everything up to the tree of modes."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

from .._progress import stage
from .._search.neighbors import search
from .._tree.landscape import Landscape, Surveyor
from .._tree.mode_tree import ModeTree
from .._tree.terrain import CoreLabels
from .._validation import FloatArray, scale
from .base import SEARCH_CONSTRAINTS, IndexedClusterer

CORE_CONSTRAINTS: dict[str, Any] = {
    "k": [Interval(Integral, 1, None, closed="left"), None],
    "beta": [Interval(Real, 0, 1, closed="neither")],
    "metric": [StrOptions({"euclidean"})],
    "dimension": [Interval(Real, 0, None, closed="neither"), StrOptions({"intrinsic"}), None],
    **SEARCH_CONSTRAINTS,
}


class CoreClusterer(IndexedClusterer):
    """What QuickshiftPP and MCores share: everything up to the tree of modes."""

    k_: int
    beta_: float
    dimension_: float
    tree_: ModeTree
    labels_: npt.NDArray[np.int32]
    mode_indices_: npt.NDArray[np.int64]
    n_clusters_: int
    _landscape: Landscape
    _core_labels: CoreLabels

    def _keeps_lists(self, n_samples: int) -> bool:  # noqa: ARG002
        return isinstance(self.dimension, str)

    def _search(
        self, samples: FloatArray, k: int, dimension: float | str | None, threads: int
    ) -> Surveyor:
        """Find the k nearest of every sample: what landscapes are made from."""
        scaled = scale(samples, self._unit)
        keep = self._keeps_lists(samples.shape[0])
        with stage("neighbors", self.verbose) as progress:
            found = search(
                self._index, scaled, k, self._algorithm, threads, progress, keep_lists=keep
            )
        return Surveyor(found, self._unit, dimension, threads, self.verbose)

    def _take_landscape(self, landscape: Landscape) -> None:
        self.k_ = landscape.k
        self.dimension_ = landscape.dimension
        self.tree_ = landscape.tree
        self._landscape = landscape

    # Not every user looks at these; they are made when they are asked for.

    @property
    def core_labels_(self) -> npt.NDArray[np.int32]:
        """The label of every sample inside cluster-cores, -1 outside."""
        self._fitted_landscape("core_labels_")
        return self._core_labels.by_row

    @property
    def radii_(self) -> npt.NDArray[np.float64]:
        """The distance of every sample to its k-th nearest."""
        return self._fitted_landscape("radii_").radii

    @property
    def log_density_(self) -> npt.NDArray[np.float64]:
        """The log of the density at every sample."""
        return self._fitted_landscape("log_density_").log_density

    @property
    def parents_(self) -> npt.NDArray[np.int32]:
        """The nearest denser sample of every sample, -1 for the densest."""
        return self._fitted_landscape("parents_").parents

    def _fitted_landscape(self, name: str) -> Landscape:
        if "_landscape" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r} before fit.")
        return self._landscape

    @property
    def _squared_radii(self) -> npt.NDArray[np.float64]:
        """By row, in the unit of the index."""
        return self._landscape.squared_radii

    def _take_labels(self, beta: float, min_cluster_size: int) -> npt.NDArray[np.int64]:
        """Label the samples; return the sizes of the clusters."""
        found = self.tree_.cut(beta, min_cluster_size)
        modes = self.tree_.mode_rows(found)
        self.labels_, self.mode_indices_ = found.labels, modes
        self._core_labels = CoreLabels(self._landscape.terrain, found.cores)
        self.n_clusters_ = len(found.modes)
        self.beta_ = beta
        return found.sizes
