"""The estimator QuickShift: a kernel density, and links to the nearest denser sample."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._progress import stage
from .._scaling import unscale
from .._search.cascade import Cascade, build_cascade
from .._search.index import IndexedSamples
from .._search.pipeline import index_samples
from .._threads import resolve_threads
from .._tree.density import gaussian_density
from .._validation import (
    DISTANCE,
    NONE,
    POSITIVE,
    Allowed,
    FloatArray,
    choice,
    resolve_k,
    validate_samples,
)
from .base import SEARCH_PARAMETERS, DensityClusterer


class QuickShift(DensityClusterer):
    """Quick Shift clustering: link each sample to the nearest denser one.

    The density is a Gaussian kernel estimate. Each sample links to its nearest sample of strictly
    higher density if that lies within `tau`; the samples without a link are modes. A cluster is all
    samples whose links lead to the same mode [1]_. Equal samples count as one of greater weight.

    The kernel sum runs over all samples; only terms below 2**-52 of the sample's own are left out.

    Parameters
    ----------
    bandwidth : float or None, default=None
        The standard deviation of the kernel. Larger values smooth the density. None uses the median
        distance to the k-th nearest sample, k being the square root of the number of samples, but
        at least 8 and at most 64.
    tau : float or None, default=None
        The longest link. Larger values give fewer clusters. None uses three times the bandwidth.
    algorithm : {"auto", "kd_tree", "brute"}, default="auto"
        How neighbors are searched for. All give the same result.
    n_jobs : int or None, default=None
        The number of threads. None uses all cores, or fewer where ``OMP_NUM_THREADS``
        or threadpoolctl says so; -1 uses all cores.
    verbose : bool, default=False
        Print the time that each stage takes.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, numbered from 0 in decreasing density of their modes.
    n_clusters_ : int
        The number of clusters.
    log_density_ : ndarray of shape (n_samples,)
    parents_ : ndarray of shape (n_samples,)
        The nearest sample of strictly higher density, at any distance; -1 if there is none.
    parent_distances_ : ndarray of shape (n_samples,)
        The distance to that sample; infinite if there is none.
    mode_indices_ : ndarray of shape (n_clusters_,)
        The sample at the mode of each cluster.
    bandwidth_, tau_ : float
        The values used.
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns, if X had any.

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

    _allowed: ClassVar[dict[str, Allowed]] = {
        "bandwidth": POSITIVE | NONE,
        "tau": DISTANCE | NONE,
        **SEARCH_PARAMETERS,
        "algorithm": choice("auto", "kd_tree", "brute"),
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
        with self._fitting():
            samples = validate_samples(X, estimator=self)
            indexed, scaled = index_samples(
                samples, 0, algorithm=self.algorithm, threads=threads, verbose=self.verbose
            )
            index: Any = indexed.index
            exponent = indexed.scale_exponent
            cascade = None
            if indexed.algorithm == "cascade":
                with stage("cascade", self.verbose) as progress:
                    cascade = build_cascade(scaled, threads, progress, index=index)
            self.bandwidth_ = (
                self._typical_radius(indexed, cascade, threads)
                if self.bandwidth is None
                else float(self.bandwidth)
            )
            self.tau_ = 3 * self.bandwidth_ if self.tau is None else float(self.tau)
            with stage("density", self.verbose) as progress:
                sums, self.log_density_ = gaussian_density(
                    index, self.bandwidth_, exponent, threads, progress
                )
            with stage("parents", self.verbose) as progress:
                self.parents_, squared = (
                    _core.nearest_below(index, index, -sums, -sums, threads, progress)
                    if cascade is None
                    else cascade.nearest_below(-sums, -sums, threads, progress)
                )
                self.parent_distances_ = unscale(np.sqrt(squared), exponent)
            with stage("labels", self.verbose):
                self._rank, self._first_equal = coordinate_ranks(samples)
                self.labels_, roots = self._cut(self.tau_)
                self.mode_indices_ = roots.astype(np.int64)
                self.n_clusters_ = len(roots)
        return self

    def cut(self, tau: float) -> npt.NDArray[np.int32]:
        """Return the labels for another `tau`, without fitting again."""
        check_is_fitted(self)
        DISTANCE.check("tau", tau)
        return self._cut(float(tau))[0]

    def _cut(self, tau: float) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return labels, and the row of each cluster's mode in label order."""
        linked = (self.parents_ >= 0) & (self.parent_distances_ <= tau)
        link = np.where(linked, self.parents_, self._first_equal)
        root_of = _core.link_roots(link, resolve_threads(self.n_jobs))
        roots = np.flatnonzero(root_of == np.arange(len(root_of), dtype=np.int32)).astype(np.int32)
        roots = roots[np.lexsort((self._rank[roots], -self.log_density_[roots]))]
        label_of_root = np.empty(len(root_of), dtype=np.int32)
        label_of_root[roots] = np.arange(len(roots), dtype=np.int32)
        return label_of_root[root_of], roots

    def _typical_radius(
        self, indexed: IndexedSamples, cascade: Cascade | None, threads: int
    ) -> float:
        index: Any = indexed.index
        with stage("bandwidth", self.verbose) as progress:
            k = resolve_k(None, index.samples)
            if cascade is None:
                distances = np.sqrt(_core.kth_squared_distances(index, index, k, threads, progress))
            else:
                lists = cascade.neighbor_lists(k, threads, progress)
                distances = _core.list_table(index, lists, threads)[0][:, -1]
            radii = unscale(distances, indexed.scale_exponent)
        positive = radii[radii > 0]  # equal samples say nothing about scale
        return float(np.median(positive)) if positive.size else 1.0


def coordinate_ranks(
    X: FloatArray,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return each row's place in the order of coordinates, and the first row that is equal to it.

    Equal rows share a place.
    """
    order = np.lexsort(X.T[::-1])  # stable: equal rows by row number
    differs = (X[order[1:]] != X[order[:-1]]).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], differs]))
    place = np.repeat(starts, np.diff(starts, append=len(X)))
    rank = np.empty(len(X), dtype=np.int32)
    first_equal = np.empty(len(X), dtype=np.int32)
    rank[order], first_equal[order] = place, order[place]
    return rank, first_equal
