"""The estimator that gives every sample to the nearest cluster-core."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .._progress import stage
from .._search.pipeline import find_neighbors
from .._threads import resolve_threads
from .._tree.build import build_tree
from .._validation import Allowed, resolve_k, validate_samples
from .core_clusterer import CORE_PARAMETERS, CoreClusterer


class MCores(CoreClusterer):
    """Cluster-cores of the density; every other sample goes to the nearest core.

    The cores are those of :class:`QuickshiftPP`: Algorithm 1 of [2]_, a variant of MCores [1]_
    whose `beta` is relative to the density of the mode. A sample outside the cores gets the label
    of the nearest sample inside one.

    Parameters
    ----------
    k : int or None, default=None
        The number of neighbors that the density is estimated from, including the sample itself.
        None uses the square root of the number of samples, but at least 8 and at most 64.
    beta : float, default=0.3
        How far the density may fall below that of the mode inside a core, as a share strictly
        between 0 and 1. Larger values give fewer clusters.
    metric : {"euclidean"}, default="euclidean"
        The distance between samples.
    dimension : float, "intrinsic" or None, default=None
        The dimension that turns radii into densities; None for the number of columns.
    algorithm : {"auto", "kd_tree", "cascade", "brute"}, default="auto"
        How neighbors are searched for. All give the same result.
    n_jobs : int or None, default=None
        The number of threads. None uses all cores, or fewer where ``OMP_NUM_THREADS``
        or threadpoolctl says so; -1 uses all cores.
    verbose : bool, default=False
        Print the time that each stage takes.

    Attributes
    ----------
    labels_, core_labels_, n_clusters_, radii_, log_density_, parents_, mode_indices_, tree_, k_, \
dimension_
        The same as those of :class:`QuickshiftPP`. ``tree_`` knows the cores, not the nearest-core
        labels: ``tree_.core_labels(beta=beta_)`` equals `core_labels_`.

    References
    ----------
    .. [1] H. Jiang, S. Kpotufe. Modal-set estimation with an application to clustering. AISTATS
       2017.
    .. [2] H. Jiang, J. Jang, S. Kpotufe. Quickshift++: Provably Good Initializations for
       Sample-Based Mean Shift. ICML 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from quickshiftpp import MCores
    >>> X, _ = make_blobs(300, centers=3, random_state=1)
    >>> MCores(k=30, beta=0.6).fit(X).n_clusters_
    3
    """

    _allowed: ClassVar[dict[str, Allowed]] = CORE_PARAMETERS

    def __init__(
        self,
        k: int | None = None,
        beta: float = 0.3,
        *,
        metric: str = "euclidean",
        dimension: float | str | None = None,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.k = k
        self.beta = beta
        self.metric = metric
        self.dimension = dimension
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:  # noqa: ARG002
        """Cluster the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        with self._fitting():
            samples = validate_samples(X, estimator=self)
            k = resolve_k(self.k, samples.shape[0])
            with find_neighbors(
                samples,
                k,
                algorithm=self.algorithm,
                threads=resolve_threads(self.n_jobs),
                needs_lists=isinstance(self.dimension, str),
                verbose=self.verbose,
            ) as neighbors:
                tree = build_tree(neighbors, k, self.dimension)
                with stage("labels", self.verbose) as progress:
                    self._set_clustering(tree, float(self.beta), min_cluster_size=1)
                    is_core = self.core_labels_ >= 0
                    key = np.where(is_core, tree._squared_radii, np.inf)
                    # A core sample keeps its label, without a search.
                    limit = np.where(is_core, -1.0, np.inf)
                    nearest = neighbors.nearest_below(key, limit, progress)
                    self.labels_ = np.where(is_core, self.core_labels_, self.core_labels_[nearest])
        return self
