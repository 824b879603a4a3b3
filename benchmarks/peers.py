"""The libraries that are compared: one function and one row of a table for each.

A function fits the samples and returns its answer: labels for a clusterer, the distance to the k-th
nearest sample for a neighbor search. Libraries are imported where they are used, so that a missing
one costs only its own row, and each process holds only the library it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Samples: TypeAlias = npt.NDArray[np.floating[Any]]
Answer: TypeAlias = npt.NDArray[Any]
Judgment: TypeAlias = dict[str, Any]

REFERENCE = "quickshiftpp"

WARM_UP_SAMPLES = 500

# Densities estimated from 20 neighbors vary by a third and more, so that with the default beta of
# 0.3 noise would count as clusters here.
BETA = 0.7

# Rounding differs between searches; a larger relative difference is a different neighbor.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Settings:
    """The settings of a fit.

    Attributes
    ----------
    k : int
        The number of neighbors, each sample counted as its own first.
    threads : int
        The number of threads or worker processes.
    radius : float
        The median distance to the k-th neighbor, for peers that need a scale.
    """

    k: int
    threads: int
    radius: float = float("nan")


@dataclass(frozen=True)
class Peer:
    """One row of a table of peers.

    Attributes
    ----------
    name : str
        Its name on the command line and in the tables.
    distribution : str
        The package whose version is recorded.
    module : str
        The module that is importable if the package is installed.
    computes : str
        What it computes, with which settings, and whether exactly.
    fit : callable
        Takes samples and settings, returns the answer.
    requirement : str
        What to install where it is missing.
    needs_radius : bool
        Whether `fit` reads ``settings.radius``.
    warm_up_samples : int
        The size of the fit before the timed one, if there are so many samples.
    exact : bool
        Whether its answer must be right up to the rounding of float64.
    """

    name: str
    distribution: str
    module: str
    computes: str
    fit: Callable[[Samples, Settings], Answer]
    requirement: str = "quickshiftpp[bench]"
    needs_radius: bool = False
    warm_up_samples: int = WARM_UP_SAMPLES
    exact: bool = True

    @property
    def installed(self) -> bool:
        """Whether the library can be imported."""
        return find_spec(self.module) is not None


def fit_quickshiftpp(X: Samples, settings: Settings) -> Answer:
    """Fit ``quickshiftpp.QuickshiftPP``."""
    from quickshiftpp import QuickshiftPP

    model = QuickshiftPP(
        k=settings.k, beta=BETA, min_cluster_size=settings.k, n_jobs=settings.threads
    )
    labels: Answer = model.fit(X).labels_
    return labels


def fit_tomato(X: Samples, settings: Settings) -> Answer:
    """Fit ``gudhi.clustering.tomato.Tomato``."""
    from gudhi.clustering.tomato import Tomato

    labels: Answer = Tomato(k=settings.k, n_jobs=settings.threads).fit(X).labels_
    return labels


def fit_fast_hdbscan(X: Samples, settings: Settings) -> Answer:
    """Fit ``fast_hdbscan.HDBSCAN``; its threads follow the environment."""
    from fast_hdbscan import HDBSCAN

    labels: Answer = HDBSCAN(min_cluster_size=settings.k, min_samples=settings.k).fit(X).labels_
    return labels


def fit_hdbscan(X: Samples, settings: Settings) -> Answer:
    """Fit ``hdbscan.HDBSCAN``."""
    from hdbscan import HDBSCAN

    model = HDBSCAN(
        min_cluster_size=settings.k,
        min_samples=settings.k,
        core_dist_n_jobs=settings.threads,
    )
    labels: Answer = model.fit(X).labels_
    return labels


def fit_sklearn_hdbscan(X: Samples, settings: Settings) -> Answer:
    """Fit ``sklearn.cluster.HDBSCAN``."""
    from sklearn.cluster import HDBSCAN

    model = HDBSCAN(
        min_cluster_size=settings.k, min_samples=settings.k, n_jobs=settings.threads, copy=False
    )
    labels: Answer = model.fit(X).labels_
    return labels


def fit_sklearn_dbscan(X: Samples, settings: Settings) -> Answer:
    """Fit ``sklearn.cluster.DBSCAN``."""
    from sklearn.cluster import DBSCAN

    model = DBSCAN(
        eps=settings.radius,
        min_samples=settings.k,
        algorithm="kd_tree",
        n_jobs=settings.threads,
    )
    labels: Answer = model.fit(X).labels_
    return labels


def search_quickshiftpp(X: Samples, settings: Settings) -> Answer:
    """Search with ``quickshiftpp.all_neighbors``."""
    from quickshiftpp import all_neighbors

    distances, _ = all_neighbors(X, settings.k, n_jobs=settings.threads)
    return distances[:, -1]


def search_scipy(X: Samples, settings: Settings) -> Answer:
    """Search with ``scipy.spatial.cKDTree``."""
    from scipy.spatial import cKDTree

    distances, _ = cKDTree(X).query(X, settings.k, workers=settings.threads)
    return np.reshape(distances, (len(X), -1))[:, -1]


def search_pykdtree(X: Samples, settings: Settings) -> Answer:
    """Search with ``pykdtree.kdtree.KDTree``; its threads follow the environment."""
    tree = import_module("pykdtree.kdtree").KDTree(X)
    distances, _ = tree.query(X, k=settings.k)
    return np.reshape(distances, (len(X), -1))[:, -1]


def search_sklearn(X: Samples, settings: Settings) -> Answer:
    """Search with ``sklearn.neighbors.NearestNeighbors``: a tree up to 15 columns, else pairs."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=settings.k, n_jobs=settings.threads).fit(X)
    distances: Answer = search.kneighbors(X)[0]
    return distances[:, -1]


def search_faiss(X: Samples, settings: Settings) -> Answer:
    """Search with ``faiss.IndexFlatL2``; its threads follow the environment."""
    from faiss import IndexFlatL2

    samples = np.ascontiguousarray(X, dtype=np.float32)  # its only type
    index = IndexFlatL2(samples.shape[1])
    index.add(samples)
    squared_distances, _ = index.search(samples, settings.k)
    distances: Answer = np.sqrt(np.maximum(squared_distances[:, -1], 0))
    return distances


CLUSTERERS = (
    Peer(
        REFERENCE,
        "quickshiftpp",
        "quickshiftpp",
        f"Quickshift++, exact; beta={BETA}, min_cluster_size=k",
        fit_quickshiftpp,
        requirement="quickshiftpp",
    ),
    Peer(
        "tomato",
        "gudhi",
        "gudhi",
        "gudhi's ToMATo on the k-NN graph, density logDTM, every mode kept as a cluster; exact",
        fit_tomato,
    ),
    Peer(
        "fast_hdbscan",
        "fast_hdbscan",
        "fast_hdbscan",
        "HDBSCAN, min_cluster_size=min_samples=k; exact up to 30 columns",
        fit_fast_hdbscan,
    ),
    Peer(
        "hdbscan",
        "hdbscan",
        "hdbscan",
        "HDBSCAN, min_cluster_size=min_samples=k; spanning tree approximate, its default",
        fit_hdbscan,
        # Above 16,384 samples it uses worker processes, which the warm-up should have started.
        warm_up_samples=17_000,
    ),
    Peer(
        "sklearn-hdbscan",
        "scikit-learn",
        "sklearn",
        "HDBSCAN, min_cluster_size=min_samples=k; exact",
        fit_sklearn_hdbscan,
        requirement="scikit-learn",
    ),
    Peer(
        "sklearn-dbscan",
        "scikit-learn",
        "sklearn",
        "DBSCAN, min_samples=k, eps the median distance to the k-th neighbor; exact",
        fit_sklearn_dbscan,
        requirement="scikit-learn",
        needs_radius=True,
    ),
)

NEIGHBOR_SEARCHES = (
    Peer(
        REFERENCE,
        "quickshiftpp",
        "quickshiftpp",
        "all_neighbors, distances and indices; exact",
        search_quickshiftpp,
        requirement="quickshiftpp",
    ),
    Peer(
        "pykdtree",
        "pykdtree",
        "pykdtree",
        "KDTree.query, distances and indices; exact",
        search_pykdtree,
        requirement="pykdtree",
    ),
    Peer(
        "scipy",
        "scipy",
        "scipy",
        "cKDTree.query, distances and indices; exact",
        search_scipy,
        requirement="scipy",
    ),
    Peer(
        "scikit-learn",
        "scikit-learn",
        "sklearn",
        "NearestNeighbors.kneighbors, distances and indices; all pairs above 15 columns; exact",
        search_sklearn,
        requirement="scikit-learn",
    ),
    Peer(
        "faiss",
        "faiss-cpu",
        "faiss",
        "IndexFlatL2, squared distances and indices; all pairs, in float32",
        search_faiss,
        exact=False,
    ),
)


def count_clusters(labels: Answer, reference: Answer | None) -> Judgment:  # noqa: ARG001
    """Return the number of clusters and the share of noise."""
    return {
        "clusters": len(np.unique(labels[labels >= 0])),
        "noise": float(np.mean(labels < 0)),
    }


def compare_distances(distances: Answer, reference: Answer | None) -> Judgment:
    """Return the largest relative difference of the k-th distances, and whether it is rounding.

    Parameters
    ----------
    distances : ndarray of shape (n_samples,)
        The distance from every sample to its k-th nearest.
    reference : ndarray of shape (n_samples,) or None
        The same by quickshiftpp; None where it did not take part.
    """
    if reference is None:
        return {"difference": None, "agrees": None}
    scale = np.maximum(np.abs(reference), np.finfo(np.float64).tiny)
    difference = float(np.max(np.abs(distances - reference) / scale))
    return {"difference": difference, "agrees": difference <= TOLERANCE}


@dataclass(frozen=True)
class Table:
    """Peers that compute the same kind of answer.

    Attributes
    ----------
    name, title : str
    peers : sequence of Peer
    judge : callable
        Turns an answer, and that of this package, into figures for the report.
    columns : mapping of str to str
        The format of each of these figures.
    """

    name: str
    title: str
    peers: Sequence[Peer]
    judge: Callable[[Answer, Answer | None], Judgment]
    columns: Mapping[str, str]

    def find(self, name: str) -> Peer:
        """Return the row of that name."""
        return next(peer for peer in self.peers if peer.name == name)


FIT, SEARCH = "CLUSTERERS", "NEIGHBOR_SEARCHES"
TABLES = {
    FIT: Table(
        FIT,
        "Density clustering: fit time and peak memory",
        CLUSTERERS,
        count_clusters,
        {"clusters": "{:,}", "noise": "{:.1%}"},
    ),
    SEARCH: Table(
        SEARCH,
        "Exact k nearest neighbors of every sample: time and peak memory",
        NEIGHBOR_SEARCHES,
        compare_distances,
        {"difference": "{:.1e}", "agrees": "{}"},
    ),
}
