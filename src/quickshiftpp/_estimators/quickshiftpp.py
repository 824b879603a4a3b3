"""The main estimator: validate, find neighbors, build the tree, label, predict."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from .._progress import Progress, stage
from .._search.index import IndexedSamples
from .._search.new_samples import find_new_samples
from .._search.pipeline import find_neighbors
from .._selection.vote import candidate_ks, choose, significant_betas
from .._threads import resolve_threads
from .._tree.build import build_tree
from .._tree.density import significant_beta
from .._tree.mode_tree import ModeTree
from .._validation import (
    BETA,
    NONE,
    Allowed,
    FloatArray,
    check_min_cluster_size,
    choice,
    resolve_k,
    validate_samples,
    whole_number,
)
from .core_clusterer import CORE_PARAMETERS, CoreClusterer


class DegenerateClusteringWarning(UserWarning):
    """The given parameters hide nearly all structure in the data.

    The message says which parameter is the cause, and what to use instead.
    """


class QuickshiftPP(CoreClusterer):
    """Quickshift++ density clustering.

    The density at a sample is estimated from the distance to its k-th nearest sample. A
    *cluster-core* is a connected region around a mode in which the density stays above ``1 - beta``
    times that of the mode. Every other sample climbs from one nearest denser sample to the next
    until it reaches a core. The number of clusters need not be known.

    The labels are exactly those of the paper's algorithm [1]_, for any number of threads, any order
    of the rows and any processor. One fit holds the clusterings for all values of beta: see
    `tree_`.

    Parameters
    ----------
    k : int, "auto" or None, default=None
        The number of neighbors that the density is estimated from, including the sample itself.
        Small values follow fine structure, large values smooth it. None uses the square root of
        the number of samples, but at least 8 and at most 64. "auto" lets the data choose, see
        Notes.
    beta : float, "auto" or None, default=None
        How far the density may fall below that of the mode inside a cluster-core, as a share
        strictly between 0 and 1. Larger values give fewer, coarser clusters. The paper uses 0.3 for
        tables and 0.9 for photographs. None uses ``1 - exp(-2.5 * sqrt(2 / k))``, so that only
        modes 2.5 standard errors above their saddle become clusters. "auto" lets the data choose,
        see Notes.
    metric : {"euclidean"}, default="euclidean"
        The distance between samples.
    dimension : float, "intrinsic" or None, default=None
        The dimension that turns radii into densities. "intrinsic" estimates it from the distances
        between neighbors [2]_; with many dependent columns, `beta` has little effect otherwise.
        None uses the number of columns, as in the paper, if `beta` is a number, and "intrinsic"
        if it is not.
    min_cluster_size : int, "k" or None, default=None
        Clusters with fewer samples are dissolved: their samples climb on to another cluster. None
        uses 1 if `beta` is a number, which is the paper's algorithm and makes every outlier a
        cluster of its own, and "k" if it is not.
    algorithm : {"auto", "kd_tree", "cascade", "brute"}, default="auto"
        How neighbors are searched for. All give the same result.
    n_jobs : int or None, default=None
        The number of threads. None uses all cores, or fewer where ``OMP_NUM_THREADS``
        or threadpoolctl says so; -1 uses all cores.
    verbose : bool, default=False
        Print the time that each stage takes.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample. Clusters are numbered from 0, in decreasing density of their
        modes.
    core_labels_ : ndarray of shape (n_samples,)
        The same for samples inside cluster-cores, -1 outside.
    n_clusters_ : int
        The number of clusters.
    radii_ : ndarray of shape (n_samples,)
        The distance to the k-th nearest sample.
    log_density_ : ndarray of shape (n_samples,)
        The logarithm of the estimated density; infinite where k or more samples are equal.
    parents_ : ndarray of shape (n_samples,)
        The nearest sample of strictly higher density; -1 if there is none.
    mode_indices_ : ndarray of shape (n_clusters_,)
        The sample at the mode of each cluster.
    tree_ : ModeTree
        Every mode with its saddle and prominence. It gives the labels for any other beta without
        another search; ``tree_.labels(beta=beta_)`` equals `labels_`.
    k_ : int
        The value of `k` used.
    beta_ : float
        The value of `beta` used.
    dimension_ : float
        The dimension used.
    min_cluster_size_ : int
        The value of `min_cluster_size` used.
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if X had any.

    Notes
    -----
    ``QuickshiftPP(k=..., beta=...)`` with two numbers is exactly the paper's algorithm.

    X may hold values of any size, but distances are squared in float64. Samples that differ only in
    values below ``1e-235`` times the largest one of all are refused with a ValueError that names
    them. A sentinel such as ``1e300`` for a missing value causes this: remove or replace it.

    ``k="auto"`` tries up to eight values of k around the square root of the number of samples;
    ``beta="auto"`` tries five values of beta for each k. Every clustering votes for every other,
    with a weight that grows with their agreement, and the clustering with the most votes is taken.
    It is the middle of the widest range of settings that agree. All of this takes one neighbor
    search, for the largest k.

    See Also
    --------
    sweep : All clusterings over a grid of k and beta.
    MCores : The same cores; every other sample goes to the nearest core.
    QuickShift : Climbs to modes of a kernel density, without cores.
    all_neighbors : The neighbor search by itself.

    References
    ----------
    .. [1] H. Jiang, J. Jang, S. Kpotufe. Quickshift++: Provably Good Initializations for
       Sample-Based Mean Shift. ICML 2018.
    .. [2] E. Levina, P. Bickel. Maximum Likelihood Estimation of Intrinsic Dimension. NIPS 2004.

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

    _allowed: ClassVar[dict[str, Allowed]] = {
        **CORE_PARAMETERS,
        "k": whole_number(1) | choice("auto") | NONE,
        "beta": BETA | choice("auto") | NONE,
        "min_cluster_size": whole_number(1) | choice("k") | NONE,
    }

    min_cluster_size_: int
    _samples: IndexedSamples

    def __init__(
        self,
        k: int | str | None = None,
        beta: float | str | None = None,
        *,
        metric: str = "euclidean",
        dimension: float | str | None = None,
        min_cluster_size: int | str | None = None,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.k = k
        self.beta = beta
        self.metric = metric
        self.dimension = dimension
        self.min_cluster_size = min_cluster_size
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
            tree, beta = self._find_tree(samples)
            with stage("labels", self.verbose):
                self.min_cluster_size_ = self._least_size(tree.k)
                self._set_clustering(tree, beta, self.min_cluster_size_)
            self._warn_if_degenerate()
        return self

    def _find_tree(self, samples: FloatArray) -> tuple[ModeTree, float]:
        """Return the tree and the beta to cut it at, given or chosen."""
        n_samples = samples.shape[0]
        is_auto = isinstance(self.k, str) or isinstance(self.beta, str)
        ks = candidate_ks(n_samples) if isinstance(self.k, str) else [resolve_k(self.k, n_samples)]
        dimension = self.dimension
        if dimension is None and not isinstance(self.beta, Real):
            dimension = "intrinsic"
        with find_neighbors(
            samples,
            ks[-1],
            algorithm=self.algorithm,
            threads=resolve_threads(self.n_jobs),
            needs_lists=len(ks) > 1 or isinstance(dimension, str),
            n_ks=len(ks),
            verbose=self.verbose,
        ) as neighbors:
            self._samples = neighbors.samples
            if is_auto:
                chosen = choose(
                    samples, neighbors, ks, dimension, self._betas_for, self._least_size
                )
                return chosen.tree, chosen.beta
            return build_tree(neighbors, ks[0], dimension), self._betas_for(ks[0])[0]

    def _betas_for(self, k: int) -> tuple[float, ...]:
        if self.beta is None:
            return (significant_beta(k),)
        return significant_betas(k) if isinstance(self.beta, str) else (float(self.beta),)

    def _least_size(self, k: int) -> int:
        if self.min_cluster_size is None:
            return 1 if isinstance(self.beta, Real) else k
        return k if isinstance(self.min_cluster_size, str) else self.min_cluster_size

    def relabel(
        self,
        beta: float | None = None,
        n_clusters: int | None = None,
        *,
        min_cluster_size: int | None = None,
    ) -> Self:
        """Label the samples at another beta, without a neighbor search.

        Parameters
        ----------
        beta : float, optional
            Strictly between 0 and 1.
        n_clusters : int, optional
            Ask for this number of clusters instead. It counts the clusters that come out, after
            `min_cluster_size` has taken effect. Where no beta gives it, the error lists the nearest
            numbers that can be had.
        min_cluster_size : int, optional
            The least size of a cluster; by default that of the last fit or relabel.

        Returns
        -------
        self
            With the labels, cores, modes, ``n_clusters_``, ``beta_`` and ``min_cluster_size_`` that
            a fit with that beta would give.
        """
        check_is_fitted(self)
        size = self.min_cluster_size_
        if min_cluster_size is not None:
            size = check_min_cluster_size(min_cluster_size)
        if beta is None and n_clusters is not None:
            chosen = self.tree_._beta_for(n_clusters, size, first_guess=self.beta_)
        else:
            chosen = self.tree_._resolve_beta(beta, n_clusters, size)
        self._set_clustering(self.tree_, chosen, size)
        self.min_cluster_size_ = size
        return self

    def _warn_if_degenerate(self) -> None:
        """Warn where the user's own setting hides all structure, and say what would help."""
        n_samples, sizes = len(self.labels_), self._clustering.sizes
        if n_samples < 3:
            return
        advice = None
        if isinstance(self.k, Integral) and self.k > n_samples // 2:
            advice = (
                f"k={self.k} neighbors are more than half of the {n_samples} samples, so every "
                "neighborhood spans the data: use a smaller k, or k=None to have it chosen."
            )
        elif isinstance(self.beta, Real) and self.n_clusters_ == 1:
            advice = (
                f"beta={self.beta} and k={self.k_} give one cluster only: use a smaller beta or "
                "k, or ask for a number of clusters with relabel(n_clusters=...)."
            )
        elif isinstance(self.beta, Real) and 2 * (sizes == 1).sum() > len(sizes):
            advice = (
                f"over half of the {len(sizes)} clusters are single samples: these are outliers, "
                'which min_cluster_size="k" adds to other clusters, or k is too small.'
            )
        if advice is not None:
            warnings.warn(advice, DegenerateClusteringWarning, stacklevel=3)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.int32]:
        """Label new samples by the clusters of the fit.

        The density at a new sample is estimated from the samples of the fit. The new sample gets
        the label of the nearest of them that is at least as dense, or of the nearest one if none
        is. ``predict`` of the samples of the fit returns ``labels_``.

        New samples are searched for as in the fit: in its k-d tree, with a cascade over all
        samples, or by comparing every new sample with every sample of the fit.

        The label of a new sample does not depend on the others in X. One that is so far away that
        all samples of the fit are at the same distance in float64 gets the label of the densest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        samples = validate_samples(X, estimator=self, reset=False)
        threads = resolve_threads(self.n_jobs)
        with stage("predict", self.verbose) as progress:
            is_beyond = self._samples.rows_beyond(samples, threads)
            if not is_beyond.any():
                rows = self._nearest_rows(samples, threads, progress)
            else:
                # Where all samples of the fit are equally near, the densest has it.
                rows = np.full(samples.shape[0], self.tree_.modes["index"][0])
                if not is_beyond.all():
                    rows[~is_beyond] = self._nearest_rows(samples[~is_beyond], threads, progress)
        labels: npt.NDArray[np.int32] = self.labels_[rows]
        return labels

    def _nearest_rows(self, samples: FloatArray, threads: int, progress: Progress | None) -> Any:
        """Return for each new sample the nearest sample of the fit that is at least as dense."""
        new = find_new_samples(self._samples, samples, threads)
        squared_radii = self.tree_._squared_radii
        own = new.kth_squared_distances(self.k_, progress)
        at_least_as_dense = np.nextafter(own, np.inf)
        row = new.nearest_below(squared_radii, at_least_as_dense, progress)
        if (row < 0).any():  # denser than every sample of the fit
            any_density = np.where(row < 0, np.inf, -1.0)
            nearest = new.nearest_below(squared_radii, any_density, progress)
            row[row < 0] = nearest[row < 0]
        return row
