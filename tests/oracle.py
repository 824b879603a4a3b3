"""The paper's algorithms, literal and slow: what every fast path is judged by.

Distances are sums of squared differences in the order that the package promises. Everything after
that is exact: densities are compared as rational numbers, so that no rounding decides a case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


def squared_distances(X, Y):
    """Sum of squared differences, in float64: every eighth column, from each of the first eight."""
    X = np.asarray(X, dtype=np.float64)
    Y = np.asarray(Y, dtype=np.float64)
    total = np.zeros((len(X), len(Y)))
    for first in range(8):
        part = np.zeros_like(total)
        for column in range(first, X.shape[1], 8):
            difference = X[:, column, None] - Y[None, :, column]
            part += difference * difference
        total += part
    return total


def kth_smallest(squared, k):
    """The squared radius r_k(x)^2 of the paper's Definition 1, for every row."""
    return np.sort(squared, axis=1)[:, k - 1]


def log_density(radius, n, k, d):
    """Log f_k of Definition 1, by math.log and math.lgamma."""
    log_volume = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1)
    if radius == 0:
        return math.inf
    return math.log(k) - math.log(n) - log_volume - d * math.log(radius)


class Levels:
    """Compares densities exactly: f_j >= (1 - beta) f_i iff r_j^d (1 - beta) <= r_i^d.

    Both sides squared, so that squared radii will do. Beta is the decimal number it prints as.
    """

    def __init__(self, squared_radii, d, beta):
        self.power = [Fraction(r) ** d for r in squared_radii]
        self.share = (1 - Fraction(repr(float(beta)))) ** 2

    def at_least_share(self, j, i):
        """Whether f_j >= (1 - beta) f_i."""
        if self.power[i] == 0:  # infinite density: its share is infinite too
            return self.power[j] == 0
        return self.power[j] * self.share <= self.power[i]


@dataclass
class Clustering:
    """What the estimators report."""

    labels: np.ndarray
    core_labels: np.ndarray
    modes: list[int]
    squared_radii: np.ndarray
    parents: np.ndarray


def density_order(X, squared_radii):
    """Samples from the densest down; ties by coordinates, then by row number."""
    return sorted(range(len(X)), key=lambda i: (squared_radii[i], tuple(X[i]), i))


def component(start, members, adjacency):
    """The connected component of `start` in the graph restricted to `members`."""
    seen, stack = {start}, [start]
    while stack:
        i = stack.pop()
        for j in np.flatnonzero(adjacency[i]):
            if j in members and j not in seen:
                seen.add(int(j))
                stack.append(int(j))
    return seen


def cluster_cores(X, k, beta, d=None):
    """Algorithm 1: the cluster-cores, with the sample that founded each, and squared radii."""
    n = len(X)
    squared = squared_distances(X, X)
    radii = kth_smallest(squared, k)
    adjacency = squared <= np.minimum(radii[:, None], radii[None, :])
    levels = Levels(radii, X.shape[1] if d is None else d, beta)
    cores: list[tuple[int, set[int]]] = []
    for i in density_order(X, radii):
        members = {j for j in range(n) if levels.at_least_share(j, i)}
        candidate = component(i, members, adjacency)
        if all(candidate.isdisjoint(core) for _, core in cores):
            cores.append((i, candidate))
    return cores, radii, squared


def nearest(distances, candidates, radii, X):
    """The nearest candidate; ties: the denser, then smaller coordinates, then the lower row."""
    return min(candidates, key=lambda j: (distances[j], radii[j], tuple(X[j]), j))


def climb(cores, parents, n):
    """The second half of Algorithm 2: follow the directed paths into the cores."""
    core_labels = np.full(n, -1)
    for label, (_, core) in enumerate(cores):
        core_labels[list(core)] = label
    labels = np.empty(n, dtype=int)
    for i in range(n):
        at = i
        while core_labels[at] < 0:
            at = parents[at]
        labels[i] = core_labels[at]
    return labels, core_labels


def quickshiftpp(X, k, beta, d=None, min_cluster_size=1):
    """Algorithm 2, with small clusters dissolved where asked."""
    X = np.asarray(X, dtype=np.float64)
    n = len(X)
    cores, radii, squared = cluster_cores(X, k, beta, d)
    parents = np.full(n, -1)
    for i in range(n):
        denser = [j for j in range(n) if radii[j] < radii[i]]
        if denser:
            parents[i] = nearest(squared[i], denser, radii, X)
    labels, _ = climb(cores, parents, n)
    sizes = np.bincount(labels, minlength=len(cores))
    cores = [
        core
        for core, size in zip(cores, sizes, strict=True)
        if size >= min_cluster_size or parents[core[0]] < 0
    ]
    labels, core_labels = climb(cores, parents, n)
    return Clustering(labels, core_labels, [mode for mode, _ in cores], radii, parents)


def mcores(X, k, beta, d=None):
    """Algorithm 1, every other sample to the core of its nearest core sample."""
    X = np.asarray(X, dtype=np.float64)
    cores, radii, squared = cluster_cores(X, k, beta, d)
    core_labels = np.full(len(X), -1)
    for label, (_, core) in enumerate(cores):
        core_labels[list(core)] = label
    members = np.flatnonzero(core_labels >= 0)
    labels = np.array(
        [
            core_labels[i] if core_labels[i] >= 0 else core_labels[nearest(row, members, radii, X)]
            for i, row in enumerate(squared)
        ]
    )
    return labels, core_labels


def predict(X, clustering, k, X_new):
    """The label of the nearest sample at least as dense as the new one, or else of the nearest."""
    X = np.asarray(X, dtype=np.float64)
    squared = squared_distances(X_new, X)
    radii = kth_smallest(squared, k)
    everyone = range(len(X))
    labels = []
    for row, radius in zip(squared, radii, strict=True):
        dense = [j for j in everyone if clustering.squared_radii[j] <= radius]
        labels.append(
            clustering.labels[nearest(row, dense or everyone, clustering.squared_radii, X)]
        )
    return np.array(labels)


def quick_shift(X, bandwidth, tau):
    """Quick Shift: Gaussian kernel sums, links to the nearest denser sample within tau.

    Samples that coincide share one mode. Returns labels, kernel sums and parents.
    """
    X = np.asarray(X, dtype=np.float64)
    n = len(X)
    squared = squared_distances(X, X)
    sums = np.array([math.fsum(math.exp(-s / (2 * bandwidth**2)) for s in row) for row in squared])
    parents = np.full(n, -1)
    up = np.arange(n)
    for i in range(n):
        up[i] = min(j for j in range(n) if squared[i, j] == 0)
        denser = [j for j in range(n) if sums[j] > sums[i]]
        if denser:
            parents[i] = nearest(squared[i], denser, -sums, X)
            if math.sqrt(squared[i, parents[i]]) <= tau:
                up[i] = parents[i]
    roots = sorted({i for i in range(n) if up[i] == i}, key=lambda i: (-sums[i], tuple(X[i])))
    labels = np.empty(n, dtype=int)
    for i in range(n):
        at = i
        while up[at] != at:
            at = up[at]
        labels[i] = roots.index(at)
    return labels, sums, parents
