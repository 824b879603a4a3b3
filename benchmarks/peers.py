"""The libraries that are compared: one function and one row of a table for each.

A function fits the samples and returns its answer: labels for a clusterer, the distance to the k-th
nearest sample for a neighbor search. Libraries are imported where they are used, so that a missing
one costs only its own row, and each process holds only the library it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
    """The settings of a fit."""

    k: int  # the number of neighbors, each sample counted as its own first
    threads: int
    # The median distance to the k-th neighbor, for peers that need a scale.
    radius: float = float("nan")


@dataclass(frozen=True)
class Peer:
    """One row of a table of peers."""

    name: str
    # The package whose version is recorded, and the module that it installs.
    distribution: str
    module: str
    computes: str  # what it computes, with which settings, and whether exactly
    fit: Callable[[Samples, Settings], Answer]  # takes samples and settings, returns the answer
    needs_radius: bool = False  # whether `fit` reads ``settings.radius``
    # The size of the fit before the timed one, if there are enough samples.
    warm_up_samples: int = WARM_UP_SAMPLES
    exact: bool = True  # whether its answer must be right up to the rounding of float64

    @property
    def installed(self) -> bool:
        """Whether the library can be imported."""
        return find_spec(self.module) is not None


def labels_of(
    module: str, estimator: str, parameters: Callable[[Settings], Mapping[str, Any]]
) -> Callable[[Samples, Settings], Answer]:
    """Return the fit of an estimator, which is imported when it is used."""

    def fit(X: Samples, settings: Settings) -> Answer:
        model = getattr(import_module(module), estimator)(**parameters(settings))
        labels: Answer = model.fit(X).labels_
        return labels

    return fit


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


def search_sklearn(X: Samples, settings: Settings, algorithm: str = "auto") -> Answer:
    """Search with ``sklearn.neighbors.NearestNeighbors``: a tree up to 15 columns, else pairs."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(
        n_neighbors=settings.k, algorithm=algorithm, n_jobs=settings.threads
    ).fit(X)
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
        labels_of(
            "quickshiftpp",
            "QuickshiftPP",
            lambda s: {"k": s.k, "beta": BETA, "min_cluster_size": s.k, "n_jobs": s.threads},
        ),
    ),
    Peer(
        "tomato",
        "gudhi",
        "gudhi",
        "gudhi's ToMATo on the k-NN graph, density logDTM, every mode kept as a cluster; exact",
        labels_of(
            "gudhi.clustering.tomato", "Tomato", lambda s: {"k": s.k, "n_jobs": s.threads}
        ),
    ),
    Peer(
        "fast_hdbscan",
        "fast_hdbscan",
        "fast_hdbscan",
        "HDBSCAN, min_cluster_size=min_samples=k; exact up to 30 columns",
        # Its threads follow the environment.
        labels_of(
            "fast_hdbscan", "HDBSCAN", lambda s: {"min_cluster_size": s.k, "min_samples": s.k}
        ),
    ),
    Peer(
        "hdbscan",
        "hdbscan",
        "hdbscan",
        "HDBSCAN, min_cluster_size=min_samples=k; spanning tree approximate, its default",
        labels_of(
            "hdbscan",
            "HDBSCAN",
            lambda s: {
                "min_cluster_size": s.k, "min_samples": s.k, "core_dist_n_jobs": s.threads
            },
        ),
        # Above 16,384 samples it uses worker processes, which the warm-up should have started.
        warm_up_samples=17_000,
    ),
    Peer(
        "sklearn-hdbscan",
        "scikit-learn",
        "sklearn",
        "HDBSCAN, min_cluster_size=min_samples=k; exact",
        labels_of(
            "sklearn.cluster",
            "HDBSCAN",
            lambda s: {
                "min_cluster_size": s.k, "min_samples": s.k, "n_jobs": s.threads, "copy": False
            },
        ),
    ),
    Peer(
        "sklearn-dbscan",
        "scikit-learn",
        "sklearn",
        "DBSCAN, min_samples=k, eps the median distance to the k-th neighbor; exact",
        labels_of(
            "sklearn.cluster",
            "DBSCAN",
            lambda s: {
                "eps": s.radius, "min_samples": s.k, "algorithm": "kd_tree", "n_jobs": s.threads
            },
        ),
        needs_radius=True,
    ),
)  # fmt: skip

NEIGHBOR_SEARCHES = (
    Peer(
        REFERENCE,
        "quickshiftpp",
        "quickshiftpp",
        "all_neighbors, distances and indices; exact",
        search_quickshiftpp,
    ),
    Peer(
        "pykdtree",
        "pykdtree",
        "pykdtree",
        "KDTree.query, distances and indices; exact",
        search_pykdtree,
    ),
    Peer(
        "scipy",
        "scipy",
        "scipy",
        "cKDTree.query, distances and indices; exact",
        search_scipy,
    ),
    Peer(
        "scikit-learn",
        "scikit-learn",
        "sklearn",
        "NearestNeighbors.kneighbors, distances and indices; all pairs above 15 columns; exact",
        search_sklearn,
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

# Both searches of scikit-learn, whichever it would choose by itself: the better one counts.
MAP_SEARCHES = (
    *(peer for peer in NEIGHBOR_SEARCHES if peer.name != "scikit-learn"),
    Peer(
        "scikit-learn brute",
        "scikit-learn",
        "sklearn",
        'NearestNeighbors.kneighbors with algorithm="brute"; all pairs; exact',
        partial(search_sklearn, algorithm="brute"),
    ),
    Peer(
        "scikit-learn tree",
        "scikit-learn",
        "sklearn",
        'NearestNeighbors.kneighbors with algorithm="kd_tree"; exact',
        partial(search_sklearn, algorithm="kd_tree"),
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
    """Peers that compute the same kind of answer."""

    name: str
    title: str
    peers: Sequence[Peer]
    # Turns an answer, and that of this package, into figures for the report.
    judge: Callable[[Answer, Answer | None], Judgment]
    columns: Mapping[str, str]  # the format of each of these figures

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
