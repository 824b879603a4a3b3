"""Quickshift++ and MCores for many k from one neighbor search, as in the paper and in its code.

The paper's code departs from the paper in one point: a sample whose level, ``(1 - beta)`` times its
density, is below the lowest density of all never founds a cluster-core. `reference` repeats that,
to show which differences it causes.

This is the only file of the experiments that uses internals of the package's search and tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from quickshiftpp._search.neighbors import index_and_search
from quickshiftpp._tree.ascent import nearest_below
from quickshiftpp._tree.landscape import Landscape, Surveyor
from quickshiftpp._validation import resolve_threads

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
    surveyor = survey(X, max(ks), threads)
    index = surveyor.found.index
    for k in sorted(ks, reverse=True):
        landscape = surveyor.survey(k)
        cut = landscape.tree.cut(beta)
        mode_samples = landscape.tree.mode_rows(cut)
        core_labels = landscape.terrain.core_labels(cut.cores)
        mcores = nearest_cores(index, landscape, core_labels, threads)
        literal = CoreClustering(k, core_labels, cut.labels, mcores, mode_samples)
        yield CoreFit(
            literal,
            reference(index, landscape, literal, beta, threads),
            denser_in_reach(X, landscape),
        )


def denser_shares(X: FloatArray, ks: list[int], n_jobs: int | None = None) -> dict[int, float]:
    """Return `CoreFit.denser_in_reach` for every k, without clustering."""
    surveyor = survey(X, max(ks), resolve_threads(n_jobs))
    return {k: denser_in_reach(X, surveyor.survey(k)) for k in sorted(ks, reverse=True)}


def survey(X: FloatArray, k: int, threads: int) -> Surveyor:
    """Search for the neighbors once; return what builds landscapes for this k and smaller ones."""
    unit, found = index_and_search(X, k, "auto", threads)
    return Surveyor(found, unit, None, threads)


def nearest_cores(index: Any, landscape: Landscape, core_labels: Labels, threads: int) -> Labels:
    """Label every sample by the nearest sample inside a core; all 0 where there is no core."""
    is_core = core_labels >= 0
    if not is_core.any():
        return np.zeros_like(core_labels)
    key = np.where(is_core, landscape.squared_radii, np.inf)
    limit = np.where(is_core, -1.0, np.inf)  # a core sample keeps its label, without a search
    nearest, _ = nearest_below(index, index, key, limit, threads)
    return np.where(is_core, core_labels, core_labels[nearest])


def reference(
    index: Any, landscape: Landscape, literal: CoreClustering, beta: float, threads: int
) -> CoreClustering:
    """Remove the cores that the paper's own code does not find."""
    densities = landscape.log_density
    founds = densities[literal.modes] + np.log1p(-beta) >= densities.min()
    if founds.all():
        return literal
    number = np.where(founds, np.cumsum(founds) - 1, -1).astype(np.int32)
    core_labels = np.where(literal.core_labels >= 0, number[literal.core_labels], -1)
    return CoreClustering(
        literal.k,
        core_labels,
        climb(core_labels, landscape.parents),
        nearest_cores(index, landscape, core_labels, threads),
        literal.modes[founds],
    )


def climb(core_labels: Labels, parents: npt.NDArray[np.int32]) -> Labels:
    """Follow the parents into the cores; a sample that finds none gets label 0."""
    up = np.where((core_labels >= 0) | (parents < 0), np.arange(len(parents)), parents)
    while not np.array_equal(up, up[up]):
        up = up[up]
    return np.maximum(core_labels[up], 0)


def denser_in_reach(X: FloatArray, landscape: Landscape) -> float:
    """Return the share of samples whose nearest denser sample is one of the k nearest.

    Of all samples that have a denser one. Samples at exactly the distance of the k-th nearest
    belong to its neighborhood, as they do in the mutual neighbor graph.
    """
    has_denser = landscape.parents >= 0
    steps = X[has_denser] - X[landscape.parents[has_denser]]
    squared = np.zeros(len(steps))
    for column in steps.T:  # in the order in which the search adds them up
        squared += column * column
    return float(np.mean(squared <= landscape.squared_radii[has_denser])) if len(steps) else 1.0
