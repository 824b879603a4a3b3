"""What the estimators with cluster-cores share: attributes that come from the mode tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .._tree.mode_tree import Clustering, ModeTree
from .._validation import BETA, DIMENSION, NONE, Allowed, choice, whole_number
from .base import SEARCH_PARAMETERS, DensityClusterer

CORE_PARAMETERS: dict[str, Allowed] = {
    "k": whole_number(1) | NONE,
    "beta": BETA,
    "metric": choice("euclidean"),
    "dimension": DIMENSION,
    **SEARCH_PARAMETERS,
}


class CoreClusterer(DensityClusterer):
    """Base of QuickshiftPP and MCores."""

    k_: int
    beta_: float
    dimension_: float
    tree_: ModeTree
    labels_: npt.NDArray[np.int32]
    mode_indices_: npt.NDArray[np.int64]
    n_clusters_: int
    _clustering: Clustering

    def _set_clustering(self, tree: ModeTree, beta: float, min_cluster_size: int) -> None:
        """Set the attributes of a clustering at one beta."""
        self.tree_ = tree._with_min_cluster_size(min_cluster_size)
        self.k_ = tree.k
        self.dimension_ = tree.dimension
        self.beta_ = beta
        self._clustering = self.tree_._cut(beta, min_cluster_size)
        self.labels_ = self._clustering.labels
        self.mode_indices_ = self._clustering.mode_rows
        self.n_clusters_ = self._clustering.n_clusters

    # Not every user looks at these; they are computed on first use.

    @property
    def core_labels_(self) -> npt.NDArray[np.int32]:
        """The label of every sample inside cluster-cores, -1 outside."""
        self._fitted_tree("core_labels_")
        return self._clustering.core_labels

    @property
    def radii_(self) -> npt.NDArray[np.float64]:
        """The distance of every sample to its k-th nearest."""
        return self._fitted_tree("radii_")._radii

    @property
    def log_density_(self) -> npt.NDArray[np.float64]:
        """The logarithm of the density at every sample."""
        return self._fitted_tree("log_density_")._log_density

    @property
    def parents_(self) -> npt.NDArray[np.int32]:
        """The nearest denser sample of every sample, -1 for the densest."""
        return self._fitted_tree("parents_")._parents

    def _fitted_tree(self, name: str) -> ModeTree:
        if "tree_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r} before fit.")
        return self.tree_
