"""Clusterings over a grid of k and beta, from one neighbor search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._frames import to_frame
from .._search.pipeline import Neighbors, find_neighbors
from .._threads import resolve_threads
from .._tree.build import build_trees
from .._validation import (
    DIMENSION,
    InvalidParameterError,
    check_beta,
    choice,
    resolve_k,
    validate_samples,
    whole_number,
)
from .rand_index import adjusted_rand, subsample
from .vote import candidate_ks

DEFAULT_BETAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class Setting(NamedTuple):
    """One cell of a sweep."""

    k: int
    beta: float
    n_clusters: int
    stability: float


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """The clusterings of :func:`sweep` over a grid of k and beta.

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
        Only with ``return_labels=True``.
    """

    ks: npt.NDArray[np.int64]
    betas: npt.NDArray[np.float64]
    n_clusters: npt.NDArray[np.int64]
    sizes: list[list[npt.NDArray[np.int64]]]
    agreement_k: npt.NDArray[np.float64]
    agreement_beta: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int32] | None = None

    def __repr__(self) -> str:
        return (
            f"Sweep(k={_extent(self.ks)}, beta={_extent(self.betas)}, "
            f"n_clusters={_extent(self.n_clusters.ravel())})"
        )

    def best(self) -> Setting:
        """Return the most stable setting that gives more than one cluster.

        Of equally stable ones the one with the smallest k, then the smallest beta. Where every
        setting gives one cluster, the most stable of those.
        """
        eligible = self.n_clusters > 1
        stability = np.nan_to_num(self.stability, nan=0.0)
        score = np.where(eligible, stability, -1.0) if eligible.any() else stability
        i, j = (int(at) for at in np.unravel_index(np.argmax(score), score.shape))
        return Setting(
            int(self.ks[i]),
            float(self.betas[j]),
            int(self.n_clusters[i, j]),
            float(self.stability[i, j]),
        )

    def to_frame(self, library: str | None = None) -> Any:
        """Return the grid as a data frame, one row for each k and beta.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default the first of these that is already imported, or else installed.

        Returns
        -------
        data frame
            Columns: ``k``, ``beta``, ``n_clusters``, ``largest`` and ``smallest`` (sizes of
            clusters), ``stability``.
        """
        shape = self.n_clusters.shape
        sizes = [of_beta for of_k in self.sizes for of_beta in of_k]
        columns = {
            "k": np.repeat(self.ks, shape[1]),
            "beta": np.tile(self.betas, shape[0]),
            "n_clusters": self.n_clusters.ravel(),
            "largest": np.array([size.max() for size in sizes]),
            "smallest": np.array([size.min() for size in sizes]),
            "stability": self.stability.ravel(),
        }
        return to_frame(columns, library)

    @property
    def stability(self) -> npt.NDArray[np.float64]:
        """The mean agreement of each clustering with its neighbors in the grid, (K, B)."""
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
            return total / number  # NaN for a grid of one cell, which has no neighbors


def _extent(values: npt.NDArray[Any]) -> str:
    """Return the range of some values, in brief."""
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"


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
    """Cluster with every k and every beta of a grid, after one neighbor search.

    Each clustering is the one that :class:`QuickshiftPP` gives with the same parameters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    ks : sequence of int, optional
        The numbers of neighbors; by default those among which ``k="auto"`` chooses.
    betas : sequence of float, default=(0.1, 0.2, ..., 0.9)
        Each strictly between 0 and 1.
    dimension : float, "intrinsic" or None, default=None
        The dimension that relates radii to densities, as in :class:`QuickshiftPP`; None for the
        number of columns.
    min_cluster_size : int or "k", default=1
        Clusters with fewer samples are dissolved, as in :class:`QuickshiftPP`; "k" for the number
        of neighbors.
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
    DIMENSION.check("dimension", dimension)
    (whole_number(1) | choice("k")).check("min_cluster_size", min_cluster_size)
    wanted = candidate_ks(samples.shape[0]) if ks is None else ks
    sorted_ks = sorted({resolve_k(k, samples.shape[0]) for k in wanted})
    sorted_betas = sorted({check_beta(beta) for beta in betas})
    if not sorted_ks or not sorted_betas:
        raise InvalidParameterError(
            f"ks is {ks} and betas is {betas}, but both must have at least one value."
        )
    with find_neighbors(
        samples,
        sorted_ks[-1],
        algorithm=algorithm,
        threads=resolve_threads(n_jobs),
        n_ks=len(sorted_ks),
    ) as neighbors:
        return _collect(
            samples,
            neighbors,
            sorted_ks,
            sorted_betas,
            dimension,
            min_cluster_size,
            return_labels,
        )


def _collect(
    samples: Any,
    neighbors: Neighbors,
    ks: list[int],
    betas: list[float],
    dimension: float | str | None,
    min_cluster_size: int | str,
    return_labels: bool,
) -> Sweep:
    rows = subsample(samples)
    positions = None
    shape = (len(ks), len(betas))
    n_clusters = np.empty(shape, dtype=np.int64)
    agreement_k = np.empty((len(ks) - 1, len(betas)))
    agreement_beta = np.empty((len(ks), len(betas) - 1))
    kept = np.empty((*shape, len(samples)), dtype=np.int32) if return_labels else None
    sizes: list[list[npt.NDArray[np.int64]]] = [[] for _ in ks]
    above: list[npt.NDArray[np.int32]] = []  # the labels of the next larger k
    trees = build_trees(neighbors, ks, dimension)
    for i, tree in zip(reversed(range(len(ks))), trees, strict=True):
        if positions is None and not return_labels:
            positions = tree._positions(rows)  # the same in all trees of one search
        size = ks[i] if isinstance(min_cluster_size, str) else min_cluster_size
        current: list[npt.NDArray[np.int32]] = []
        for j, beta in enumerate(betas):
            found = tree._cut(beta, size, positions)
            n_clusters[i, j] = found.n_clusters
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
