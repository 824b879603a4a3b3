"""Clusterings over a grid of k and beta, from one neighbour search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._search.neighbors import index_and_search
from .._tree.landscape import Surveyor
from .._tree.terrain import positions_of
from .._validation import (
    check_beta,
    check_min_cluster_size,
    resolve_k,
    resolve_threads,
    validate_samples,
)
from .rand_index import adjusted_rand, subsample
from .vote import candidate_ks

DEFAULT_BETAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, eq=False)
class Sweep:
    """What :func:`sweep` found over its grid.

    Attributes
    ----------
    ks : ndarray of shape (K,)
        Ascending.
    betas : ndarray of shape (B,)
        Ascending.
    n_clusters : ndarray of shape (K, B)
    sizes : list of K lists of B ndarrays
        The number of samples of each cluster, in label order.
    agreement_k : ndarray of shape (K - 1, B)
        The adjusted Rand index between one k and the next, at the same beta.
    agreement_beta : ndarray of shape (K, B - 1)
        The adjusted Rand index between one beta and the next, at the same k.
    labels : ndarray of shape (K, B, n_samples) or None
        Where asked for.
    """

    ks: npt.NDArray[np.int64]
    betas: npt.NDArray[np.float64]
    n_clusters: npt.NDArray[np.int64]
    sizes: list[list[npt.NDArray[np.int64]]]
    agreement_k: npt.NDArray[np.float64]
    agreement_beta: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int32] | None = None

    @property
    def stability(self) -> npt.NDArray[np.float64]:
        """The mean agreement of each clustering with its neighbours in the grid, (K, B)."""
        total = np.zeros(self.n_clusters.shape)
        number = np.zeros(self.n_clusters.shape)
        for low, high, agreement in (
            (np.s_[:-1, :], np.s_[1:, :], self.agreement_k),
            (np.s_[:, :-1], np.s_[:, 1:], self.agreement_beta),
        ):
            for side in (low, high):
                total[side] += agreement
                number[side] += 1
        with np.errstate(invalid="ignore"):
            return total / number  # NaN for a grid of one cell, about which nothing is known


def sweep(
    X: npt.ArrayLike,
    ks: Sequence[int] | None = None,
    betas: Sequence[float] = DEFAULT_BETAS,
    *,
    dimension: float | str | None = None,
    min_cluster_size: int | str = 1,
    return_labels: bool = False,
    algorithm: str = "auto",
    n_jobs: int | None = None,
) -> Sweep:
    """Cluster with every k and every beta of a grid, after one neighbour search.

    Each clustering is the one that :class:`QuickshiftPP` gives with the same parameters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    ks : sequence of int, optional
        The numbers of neighbours; by default those among which ``k="auto"`` chooses.
    betas : sequence of float, default=(0.1, 0.2, ..., 0.9)
        Each strictly between 0 and 1.
    dimension : float, "intrinsic" or None, default=None
        As of :class:`QuickshiftPP`; None for the number of columns.
    min_cluster_size : int or "k", default=1
        As of :class:`QuickshiftPP`.
    return_labels : bool, default=False
        Keep the labels of all clusterings, ``len(ks) * len(betas) * n_samples`` numbers.
    algorithm : {"auto", "kd_tree", "cascade", "brute"}, default="auto"
    n_jobs : int or None, default=None

    Returns
    -------
    Sweep
        Agreements are measured on at most 2,000 samples, chosen by their coordinates.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from quickshiftpp import sweep
    >>> X, _ = make_blobs(500, centers=4, cluster_std=0.6, random_state=0)
    >>> result = sweep(X, ks=[10, 20, 40], betas=[0.5, 0.7, 0.9], min_cluster_size="k")
    >>> result.n_clusters.tolist()
    [[4, 4, 4], [4, 4, 3], [4, 4, 2]]
    """
    samples = validate_samples(X)
    if isinstance(dimension, str) and dimension != "intrinsic":
        raise ValueError(
            f"dimension is {dimension!r}, but it must be a number, 'intrinsic' or None."
        )
    wanted = candidate_ks(samples.shape[0]) if ks is None else ks
    sorted_ks = sorted({resolve_k(k, samples.shape[0]) for k in wanted})
    sorted_betas = sorted({check_beta(beta) for beta in betas})
    if not sorted_ks or not sorted_betas:
        raise ValueError(f"ks is {ks} and betas is {betas}, but both need at least one value.")
    if min_cluster_size != "k":
        check_min_cluster_size(min_cluster_size)
    threads = resolve_threads(n_jobs)
    unit, found = index_and_search(samples, sorted_ks[-1], algorithm, threads, len(sorted_ks))
    surveyor = Surveyor(found, unit, dimension, threads)
    result = _collect(samples, surveyor, sorted_ks, sorted_betas, min_cluster_size, return_labels)
    surveyor.finish()
    return result


def _collect(
    samples: Any,
    surveyor: Surveyor,
    ks: list[int],
    betas: list[float],
    min_cluster_size: int | str,
    return_labels: bool,
) -> Sweep:
    rows = subsample(samples)
    positions = None if return_labels else positions_of(rows, surveyor.order())
    shape = (len(ks), len(betas))
    n_clusters = np.empty(shape, dtype=np.int64)
    agreement_k = np.empty((len(ks) - 1, len(betas)))
    agreement_beta = np.empty((len(ks), len(betas) - 1))
    kept = np.empty((*shape, len(samples)), dtype=np.int32) if return_labels else None
    sizes: list[list[npt.NDArray[np.int64]]] = [[] for _ in ks]
    above: list[npt.NDArray[np.int32]] = []  # the labels of the next larger k
    for i, landscape in zip(reversed(range(len(ks))), surveyor.survey_all(ks), strict=True):
        size = ks[i] if isinstance(min_cluster_size, str) else min_cluster_size
        current: list[npt.NDArray[np.int32]] = []
        for j, beta in enumerate(betas):
            found = landscape.tree.cut(beta, size, positions)
            n_clusters[i, j] = len(found.modes)
            sizes[i].append(found.sizes)
            current.append(found.labels if kept is None else found.labels[rows])
            if kept is not None:
                kept[i, j] = found.labels
            if above:
                agreement_k[i, j] = adjusted_rand(current[j], above[j])
            if j > 0:
                agreement_beta[i, j - 1] = adjusted_rand(current[j - 1], current[j])
        above = current
    return Sweep(
        np.array(ks), np.array(betas), n_clusters, sizes, agreement_k, agreement_beta, kept
    )
