"""Quickshift++ and MCores for many k from one neighbor search, as in the paper and in its code.

The paper's code departs from the paper in one point: a sample whose level, ``(1 - beta)`` times its
density, is below the lowest density of all never founds a cluster-core. `reference` repeats that,
to show which differences it causes.

This is the only file of the experiments that uses internals of the package's search and tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quickshiftpp import ModeTree
from quickshiftpp._search.pipeline import Neighbors, find_neighbors
from quickshiftpp._threads import resolve_threads
from quickshiftpp._tree.build import build_trees

from .common import FloatArray

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True)
class CoreClustering:
    """The clusterings with cluster-cores at one k and beta."""

    k: int
    core_labels: Labels  # the cluster-core of each sample, -1 outside
    quickshiftpp: Labels  # the labels of Quickshift++: samples outside cores climb to a core
    mcores: Labels  # the labels of MCores: samples outside cores join the nearest core
    modes: npt.NDArray[np.int64]  # the sample at the mode of each core


@dataclass(frozen=True)
class CoreFit:
    """What was found with one k."""

    # By the paper, and by the rule of its code.
    literal: CoreClustering
    reference: CoreClustering
    # The share of samples whose nearest denser sample is one of the k nearest.
    denser_in_reach: float


def fit_cores(
    X: FloatArray, ks: list[int], beta: float, n_jobs: int | None = None
) -> Iterator[CoreFit]:
    """Cluster with every k, the largest first."""
    threads = resolve_threads(n_jobs)
    with find_neighbors(X, max(ks), algorithm="auto", threads=threads) as neighbors:
        for tree in build_trees(neighbors, ks, None):
            cut = tree._cut(beta, 1)
            mcores = nearest_cores(neighbors, tree, cut.core_labels)
            literal = CoreClustering(tree.k, cut.core_labels, cut.labels, mcores, cut.mode_rows)
            reference_clustering = reference(neighbors, tree, literal, beta)
            yield CoreFit(literal, reference_clustering, denser_in_reach(X, tree))


def denser_shares(X: FloatArray, ks: list[int], n_jobs: int | None = None) -> dict[int, float]:
    """Return `CoreFit.denser_in_reach` for every k, without clustering."""
    threads = resolve_threads(n_jobs)
    with find_neighbors(X, max(ks), algorithm="auto", threads=threads) as neighbors:
        return {tree.k: denser_in_reach(X, tree) for tree in build_trees(neighbors, ks, None)}


def nearest_cores(neighbors: Neighbors, tree: ModeTree, core_labels: Labels) -> Labels:
    """Label every sample by the nearest sample inside a core; all 0 where there is no core."""
    is_core = core_labels >= 0
    if not is_core.any():
        return np.zeros_like(core_labels)
    key = np.where(is_core, tree._squared_radii, np.inf)
    limit = np.where(is_core, -1.0, np.inf)  # a core sample keeps its label, without a search
    nearest = neighbors.nearest_below(key, limit, None)
    return np.where(is_core, core_labels, core_labels[nearest])


def reference(
    neighbors: Neighbors, tree: ModeTree, literal: CoreClustering, beta: float
) -> CoreClustering:
    """Remove the cores that the paper's own code does not find."""
    densities = tree._log_density
    founds = densities[literal.modes] + np.log1p(-beta) >= densities.min()
    if founds.all():
        return literal
    number = np.where(founds, np.cumsum(founds) - 1, -1).astype(np.int32)
    core_labels = np.where(literal.core_labels >= 0, number[literal.core_labels], -1)
    return CoreClustering(
        literal.k,
        core_labels,
        climb(core_labels, tree._parents),
        nearest_cores(neighbors, tree, core_labels),
        literal.modes[founds],
    )


def climb(core_labels: Labels, parents: npt.NDArray[np.int32]) -> Labels:
    """Follow the parents into the cores; a sample that finds none gets label 0."""
    up = np.where((core_labels >= 0) | (parents < 0), np.arange(len(parents)), parents)
    while not np.array_equal(up, up[up]):
        up = up[up]
    return np.maximum(core_labels[up], 0)


def denser_in_reach(X: FloatArray, tree: ModeTree) -> float:
    """Return the share of samples whose nearest denser sample is one of the k nearest.

    Of all samples that have a denser one. Samples at exactly the distance of the k-th nearest
    belong to its neighborhood, as they do in the mutual neighbor graph.
    """
    has_denser = tree._parents >= 0
    steps = X[has_denser] - X[tree._parents[has_denser]]
    squared = np.zeros(len(steps))
    for column in steps.T:  # in the order in which the search adds them up
        squared += column * column
    return float(np.mean(squared <= tree._squared_radii[has_denser])) if len(steps) else 1.0
