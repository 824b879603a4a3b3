"""The estimators: validate, find neighbours, build the tree, label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._ascent import denser_parents, forest_labels, nearest_below
from ._density import gaussian_density, knn_log_density
from ._modes import ModeTree, build_tree
from ._neighbors import ALGORITHMS, Index, as_float64, build_index, wants_tree
from ._progress import stage
from ._validation import (
    FloatArray,
    resolve_k,
    resolve_threads,
    scale,
    scaling_exponent,
    validate_samples,
)

_SEARCH_CONSTRAINTS: dict[str, Any] = {
    "algorithm": [StrOptions(set(ALGORITHMS))],
    "n_jobs": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Integral, None, -1, closed="right"),
        None,
    ],
    "verbose": ["verbose"],
}
_CORE_CONSTRAINTS: dict[str, Any] = {
    "k": [Interval(Integral, 1, None, closed="left"), None],
    "beta": [Interval(Real, 0, 1, closed="neither")],
    "metric": [StrOptions({"euclidean"})],
    "dimension": [Interval(Real, 0, None, closed="neither"), None],
    **_SEARCH_CONSTRAINTS,
}


@contextmanager
def _all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Put the estimator back as it was if the block fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class _IndexedClusterer(ClusterMixin, BaseEstimator):
    """Keeps the samples of the fit in a native index, and pickles them as an array."""

    algorithm: str
    n_jobs: int | None
    verbose: bool

    _index: Index
    _unit: int

    def _build_index(self, X: Any, threads: int) -> FloatArray:
        samples = validate_samples(X, estimator=self)
        self._unit = scaling_exponent(samples)
        with stage("index", self.verbose) as progress:
            tree = wants_tree(self.algorithm, samples.shape[0])
            self._index = build_index(scale(samples, self._unit), tree, threads, progress)
        return samples

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        index = state.pop("_index", None)
        if index is not None:
            state["_index_rows"], state["_index_has_tree"] = index.rows(), index.has_tree
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows, tree = state.pop("_index_rows", None), state.pop("_index_has_tree", None)
        super().__setstate__(state)
        if rows is not None:
            self._index = build_index(rows, tree, resolve_threads(None))


class _CoreClusterer(_IndexedClusterer):
    """What QuickshiftPP and MCores share: everything up to the tree of modes."""

    k_: int
    dimension_: float
    radii_: npt.NDArray[np.float64]
    log_density_: npt.NDArray[np.float64]
    parents_: npt.NDArray[np.int32]
    tree_: ModeTree
    labels_: npt.NDArray[np.int32]
    core_labels_: npt.NDArray[np.int32]
    mode_indices_: npt.NDArray[np.int64]
    n_clusters_: int

    def __init__(
        self,
        k: int | None = None,
        beta: float = 0.3,
        *,
        metric: str = "euclidean",
        dimension: float | None = None,
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

    def _fit_tree(self, X: Any, threads: int) -> None:
        samples = self._build_index(X, threads)
        n_samples, n_features = samples.shape
        self.k_ = resolve_k(self.k, n_samples)
        self.dimension_ = float(n_features if self.dimension is None else self.dimension)
        index: Any = self._index
        with stage("neighbors", self.verbose) as progress:
            lists = _core.neighbor_lists(index, self.k_, threads, progress)
        with stage("density", self.verbose):
            self._squared_radii = _core.squared_radii(index, lists, threads)
            self.radii_ = np.ldexp(np.sqrt(self._squared_radii), -self._unit)
            self.log_density_ = knn_log_density(
                self._squared_radii, self.k_, self.dimension_, self._unit, threads
            )
        with stage("ascent", self.verbose) as progress:
            self.parents_ = denser_parents(index, lists, threads, progress)
        with stage("modes", self.verbose) as progress:
            self.tree_ = build_tree(
                index,
                lists,
                self._squared_radii,
                self.log_density_,
                self.parents_,
                self.dimension_,
                threads,
                progress,
            )

    def _take_labels(self, min_cluster_size: int) -> None:
        self.labels_, self.core_labels_, modes = self.tree_.cut(self.beta, min_cluster_size)
        self.mode_indices_ = self.tree_.modes["index"][modes]
        self.n_clusters_ = len(modes)


class QuickshiftPP(_CoreClusterer):
    """Quickshift++ clustering: cluster-cores of the density, and a climb to them.

    The density at a sample is estimated from the distance to its k-th nearest sample. A
    *cluster-core* is a connected region around a mode in which the density stays above ``1 - beta``
    times that of the mode; every other sample climbs, from one nearest denser sample to the next,
    until it reaches a core. The number of clusters comes out; it does not go in.

    The labels are exactly those of the paper's algorithm [1]_, whatever the number of threads, the
    order of the rows or the processor. One fit holds the clustering for every beta: see `tree_`.

    Parameters
    ----------
    k : int or None, default=None
        The number of neighbours for the density, each sample counted as its own first. Small values
        follow fine structure, large ones smooth it. None for the square root of the number of
        samples, from 8 to 64.
    beta : float, default=0.3
        The share of a mode's density that may be lost inside its core, strictly between 0 and 1.
        The larger, the fewer clusters. The paper uses 0.3 for tables and 0.9 for photographs.
    metric : {"euclidean"}, default="euclidean"
        The distance.
    dimension : float or None, default=None
        The dimension that relates radii to densities; None for the number of columns, as in the
        paper. With many columns that are not independent, a smaller number restores the
        influence of `beta`.
    min_cluster_size : int, default=1
        Clusters of fewer samples lose their core, and their samples climb on to another cluster. 1
        is the paper's algorithm, which makes a cluster of every outlier.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How to search for neighbours. The result is the same.
    n_jobs : int or None, default=None
        The number of threads; None for as many as OpenMP would use, -1 for all cores.
    verbose : bool, default=False
        Print the time that each stage took.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample; 0 is the cluster of the densest mode, and so on down.
    core_labels_ : ndarray of shape (n_samples,)
        The same inside cluster-cores, -1 outside.
    n_clusters_ : int
    radii_ : ndarray of shape (n_samples,)
        The distance to the k-th nearest sample.
    log_density_ : ndarray of shape (n_samples,)
        The logarithm of the estimated density; infinite where k or more samples coincide.
    parents_ : ndarray of shape (n_samples,)
        The nearest sample of strictly higher density; -1 for the densest.
    mode_indices_ : ndarray of shape (n_clusters_,)
        The sample at the mode of each cluster.
    tree_ : ModeTree
        Every mode with its saddle and prominence; gives the labels for any other beta at once.
    k_ : int
        The number of neighbours used.
    dimension_ : float
        The dimension used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where the columns of X had names.

    See Also
    --------
    MCores : The same cores; other samples go to the nearest core.
    QuickShift : The climb alone, without cores.
    all_neighbors : The neighbour search by itself.

    References
    ----------
    .. [1] H. Jiang, J. Jang, S. Kpotufe. Quickshift++: Provably Good Initializations for
       Sample-Based Mean Shift. ICML 2018.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from quickshiftpp import QuickshiftPP
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> model = QuickshiftPP(k=20, beta=0.7).fit(X)
    >>> model.n_clusters_
    2
    >>> model.tree_.n_clusters([0.1, 0.5, 0.9]).tolist()
    [13, 4, 2]
    >>> model.predict([[0.0, 1.0], [1.0, -0.5]]).tolist()
    [0, 1]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CORE_CONSTRAINTS,
        "min_cluster_size": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        k: int | None = None,
        beta: float = 0.3,
        *,
        metric: str = "euclidean",
        dimension: float | None = None,
        min_cluster_size: int = 1,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            k,
            beta,
            metric=metric,
            dimension=dimension,
            algorithm=algorithm,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.min_cluster_size = min_cluster_size

    @_fit_context(prefer_skip_nested_validation=True)
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
        with _all_or_nothing(self):
            self._fit_tree(X, resolve_threads(self.n_jobs))
            with stage("labels", self.verbose):
                self._take_labels(self.min_cluster_size)
        return self

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Label new samples by the clusters of the fit.

        A new sample gets the label of the nearest sample of the fit that is at least as dense as
        the new one, whose density is estimated from the samples of the fit. A new sample denser
        than all of those goes to the nearest. ``predict`` of the fit's own samples gives
        ``labels_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        samples = scale(validate_samples(X, estimator=self, reset=False), self._unit)
        threads = resolve_threads(self.n_jobs)
        with stage("predict", self.verbose) as progress:
            targets: Any = self._index
            if not isinstance(targets, _core.IndexFloat32) or samples.dtype != np.float32:
                targets = as_float64(self._index, threads)
                samples = samples.astype(np.float64, copy=False)
            queries: Any = build_index(samples, targets.has_tree, threads)
            radii = _core.kth_squared_distances(queries, targets, self.k_, threads, progress)
            at_least_as_dense = np.nextafter(radii, np.inf)
            row, _ = nearest_below(
                queries, targets, self._squared_radii, at_least_as_dense, threads, progress
            )
            if (row < 0).any():
                anyone = np.where(row < 0, np.inf, -1.0)
                nearest, _ = nearest_below(queries, targets, self._squared_radii, anyone, threads)
                row = np.where(row < 0, nearest, row)
        return self.labels_[row]


class MCores(_CoreClusterer):
    """Cluster-cores of the density, every other sample going to the nearest one.

    The cores are those of :class:`QuickshiftPP`: Algorithm 1 of [2]_, a variant of MCores [1]_
    whose `beta` is relative to the density of the mode. A sample outside of them gets the label
    of the nearest sample inside one.

    Parameters
    ----------
    k : int or None, default=None
        The number of neighbours for the density, each sample counted as its own first; None for
        the square root of the number of samples, from 8 to 64.
    beta : float, default=0.3
        The share of a mode's density that may be lost inside its core, strictly between 0 and 1.
    metric : {"euclidean"}, default="euclidean"
        The distance.
    dimension : float or None, default=None
        The dimension that relates radii to densities; None for the number of columns.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How to search for neighbours. The result is the same.
    n_jobs : int or None, default=None
        The number of threads; None for as many as OpenMP would use, -1 for all cores.
    verbose : bool, default=False
        Print the time that each stage took.

    Attributes
    ----------
    labels_, core_labels_, n_clusters_, radii_, log_density_, parents_, mode_indices_, tree_, k_, \
dimension_
        As of :class:`QuickshiftPP`.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = _CORE_CONSTRAINTS

    @_fit_context(prefer_skip_nested_validation=True)
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
        threads = resolve_threads(self.n_jobs)
        with _all_or_nothing(self):
            self._fit_tree(X, threads)
            with stage("labels", self.verbose) as progress:
                self._take_labels(min_cluster_size=1)
                is_core = self.core_labels_ >= 0
                core, _ = nearest_below(
                    self._index,
                    self._index,
                    np.where(is_core, self._squared_radii, np.inf),
                    np.where(
                        is_core, -1.0, np.inf
                    ),  # a core sample keeps its label, without a search
                    threads,
                    progress,
                )
                self.labels_ = np.where(is_core, self.core_labels_, self.core_labels_[core])
        return self


class QuickShift(_IndexedClusterer):
    """Quick Shift clustering: link each sample to the nearest denser one.

    The density is a Gaussian kernel estimate. Each sample links to its nearest sample of strictly
    higher density, if that lies within `tau`; the others are modes, and each cluster is what leads
    to one mode [1]_. Samples that coincide count as one of greater weight.

    The kernel sum is computed over all samples, up to terms below 2**-52 of the sample's own.

    Parameters
    ----------
    bandwidth : float or None, default=None
        The standard deviation of the kernel. None for the median distance to the k-th nearest
        sample, where k is the square root of the number of samples, from 8 to 64.
    tau : float or None, default=None
        The longest link. None for three times the bandwidth.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How to search for neighbours. The result is the same.
    n_jobs : int or None, default=None
        The number of threads; None for as many as OpenMP would use, -1 for all cores.
    verbose : bool, default=False
        Print the time that each stage took.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample; 0 is the cluster of the densest mode, and so on down.
    n_clusters_ : int
    log_density_ : ndarray of shape (n_samples,)
    parents_ : ndarray of shape (n_samples,)
        The nearest sample of strictly higher density, however far; -1 for none.
    parent_distances_ : ndarray of shape (n_samples,)
        The distance to it; infinite for none.
    mode_indices_ : ndarray of shape (n_clusters_,)
        The sample at the mode of each cluster.
    bandwidth_, tau_ : float
        The values used.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only where the columns of X had names.

    See Also
    --------
    QuickshiftPP : Climbs to cluster-cores instead, and needs no `tau`.

    References
    ----------
    .. [1] A. Vedaldi, S. Soatto. Quick Shift and Kernel Methods for Mode Seeking. ECCV 2008.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from quickshiftpp import QuickShift
    >>> X, _ = make_blobs(300, centers=3, random_state=1)
    >>> model = QuickShift(bandwidth=1.0, tau=3.0).fit(X)
    >>> model.n_clusters_
    3
    >>> len(set(model.cut(tau=100.0)))
    1
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bandwidth": [Interval(Real, 0, None, closed="neither"), None],
        "tau": [Interval(Real, 0, np.inf, closed="both"), None],
        **_SEARCH_CONSTRAINTS,
    }

    labels_: npt.NDArray[np.int32]
    mode_indices_: npt.NDArray[np.int64]
    n_clusters_: int

    def __init__(
        self,
        bandwidth: float | None = None,
        tau: float | None = None,
        *,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.bandwidth = bandwidth
        self.tau = tau
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
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
        threads = resolve_threads(self.n_jobs)
        with _all_or_nothing(self):
            self._build_index(X, threads)
            self.bandwidth_ = (
                self._typical_radius(threads) if self.bandwidth is None else float(self.bandwidth)
            )
            self.tau_ = 3 * self.bandwidth_ if self.tau is None else float(self.tau)
            with stage("density", self.verbose) as progress:
                sums, self.log_density_ = gaussian_density(
                    self._index, self.bandwidth_, self._unit, threads, progress
                )
            with stage("ascent", self.verbose) as progress:
                self.parents_, squared = nearest_below(
                    self._index, self._index, -sums, -sums, threads, progress
                )
                self.parent_distances_ = np.ldexp(np.sqrt(squared), -self._unit)
            with stage("labels", self.verbose):
                self._rank, self._first_equal = _core.coordinate_ranks(self._index, threads)
                self.labels_, roots = self._cut(self.tau_)
                self.mode_indices_ = roots.astype(np.int64)
                self.n_clusters_ = len(roots)
        return self

    def cut(self, tau: float) -> npt.NDArray[np.int32]:
        """Return the labels for another `tau`, without fitting again."""
        check_is_fitted(self)
        if not tau >= 0:
            raise ValueError(f"tau is {tau}, but it must be a distance: 0 or more.")
        return self._cut(float(tau))[0]

    def _cut(self, tau: float) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        linked = (self.parents_ >= 0) & (self.parent_distances_ <= tau)
        up = np.where(linked, self.parents_, self._first_equal)
        return forest_labels(up, self.log_density_, self._rank, resolve_threads(self.n_jobs))

    def _typical_radius(self, threads: int) -> float:
        index: Any = self._index
        with stage("bandwidth", self.verbose) as progress:
            k = resolve_k(None, index.samples)
            squared = _core.kth_squared_distances(index, index, k, threads, progress)
            radii = np.ldexp(np.sqrt(squared), -self._unit)
        positive = radii[radii > 0]  # coinciding samples say nothing about scale
        return float(np.median(positive)) if positive.size else 1.0
