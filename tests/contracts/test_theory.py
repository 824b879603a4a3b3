"""The statements of docs/theory.md that no other test asserts, on small data full of ties."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import random_case
from quickshiftpp import QuickshiftPP, all_neighbors


class Graph:
    """The mutual k-nearest-neighbor graph and the order of densities, from all distances."""

    def __init__(self, X, k):
        self.X = X
        self.squared = oracle.squared_distances(X, X)
        self.squared_radii = oracle.kth_smallest(self.squared, k)
        self.order = oracle.density_order(X, self.squared_radii)
        self.rank = np.argsort(self.order)
        self.is_edge = self.squared <= np.minimum.outer(self.squared_radii, self.squared_radii)

    def denser_neighbors(self, i):
        return [j for j in np.flatnonzero(self.is_edge[i]).tolist() if self.rank[j] < self.rank[i]]


class Sets:
    """Disjoint sets of samples, each named by its densest."""

    def __init__(self, rank):
        self.rank = rank
        self.above = list(range(len(rank)))

    def find(self, i):
        while self.above[i] != i:
            i = self.above[i]
        return i

    def join(self, i, j):
        """Return the names of both, the denser first; None where they are one set already."""
        elder, younger = sorted((self.find(i), self.find(j)), key=self.rank.__getitem__)
        if elder == younger:
            return None
        self.above[younger] = elder
        return elder, younger


def merge_tree(graph):
    """Modes; for each that ends, its saddle and the eldest mode there. Samples come in order."""
    sets = Sets(graph.rank)
    modes, saddle, eldest = [], {}, {}
    for i in graph.order:
        met = {sets.find(j) for j in graph.denser_neighbors(i)}
        if not met:
            modes.append(i)
            continue
        oldest = min(met, key=graph.rank.__getitem__)
        for mode in met - {oldest}:
            saddle[mode], eldest[mode] = i, oldest
        for mode in met | {i}:
            sets.join(mode, oldest)
    return modes, saddle, eldest


@pytest.mark.parametrize("block", range(10))
def test_the_tree_is_that_of_a_falling_level(block):
    """Section 2: also where three and more components meet in one sample."""
    for seed in range(60 * block, 60 * (block + 1)):
        case = random_case(seed, largest=120)
        k = min(case.k, 3 + seed % 6)
        modes, saddle, eldest = merge_tree(Graph(case.X, k))
        found = QuickshiftPP(k, 0.3).fit(case.X).tree_.modes
        np.testing.assert_array_equal(found["index"], modes)
        np.testing.assert_array_equal(found["saddle"], [saddle.get(m, -1) for m in modes])
        for number, mode in enumerate(modes):
            if mode not in saddle:
                assert found["parent"][number] == -1
                continue
            above = found["parent"][number]
            while found["saddle"][above] == saddle[mode]:  # ends at the same sample
                above = found["parent"][above]
            assert modes[above] == eldest[mode]


@pytest.mark.parametrize("seed", range(150))
def test_any_links_and_any_split_of_the_edges_give_the_tree(seed):
    """Sections 5 and 6: random denser neighbors, and forests of random parts of the edges."""
    case = random_case(seed, largest=60)
    k = min(case.k, 8)
    graph, rng = Graph(case.X, k), np.random.default_rng(seed)
    n = len(case.X)
    basin = np.arange(n)
    for i in graph.order:
        denser = graph.denser_neighbors(i)
        if denser:
            basin[i] = basin[rng.choice(denser)]
    edges = [
        (i, int(basin[i]), int(basin[j]))
        for i in range(n)
        for j in graph.denser_neighbors(i)
        if basin[i] != basin[j]
    ]

    def forest(part):
        sets = Sets(graph.rank)
        part = sorted(part, key=lambda edge: (graph.rank[edge[0]], graph.rank[edge[2]]))
        joined = [(edge, sets.join(edge[1], edge[2])) for edge in part]
        return [(edge, both) for edge, both in joined if both is not None]

    part_of = rng.integers(0, 4, len(edges))
    parts = [[e for e, p in zip(edges, part_of, strict=True) if p == part] for part in range(4)]
    kept = [edge for part in parts for edge, _ in forest(part)]
    saddle = {younger: edge[0] for edge, (_, younger) in forest(kept)}
    found = QuickshiftPP(k, 0.3).fit(case.X).tree_.modes
    assert set(found["index"].tolist()) == set(basin.tolist())
    np.testing.assert_array_equal(found["saddle"], [saddle.get(m, -1) for m in found["index"]])


@pytest.mark.parametrize("seed", range(150))
def test_cores_do_not_depend_on_the_order_among_equal_densities(seed, monkeypatch):
    """Section 3: which sample founds a core does, the set of samples does not."""
    case = random_case(seed, largest=60)
    core_labels = QuickshiftPP(case.k, case.beta).fit(case.X).core_labels_
    found = {frozenset(np.flatnonzero(core_labels == c)) for c in range(core_labels.max() + 1)}
    monkeypatch.setattr(
        oracle,
        "density_order",
        lambda X, radii: sorted(range(len(X)), key=lambda i: (radii[i], tuple(-X[i]), -i)),
    )
    cores, _, _ = oracle.cluster_cores(case.X, case.k, case.beta)
    assert found == {frozenset(core) for _, core in cores}


@pytest.mark.parametrize("seed", range(150))
def test_small_clusters_dissolve_one_by_one_in_any_order(seed):
    """Section 8: sizes are counted once; what remains only grows, and a second time nothing."""
    case, size = random_case(seed, largest=60), 2 + seed % 6
    cores, squared_radii, _ = oracle.cluster_cores(case.X, case.k, case.beta)
    plain = QuickshiftPP(case.k, case.beta).fit(case.X)
    remaining = dict(enumerate(core for _, core in cores))
    labels = plain.labels_.copy()
    sizes = np.bincount(labels)
    least = squared_radii.min()
    small = [
        c for c, (mode, _) in enumerate(cores) if sizes[c] < size and squared_radii[mode] > least
    ]
    for c in np.random.default_rng(seed).permutation(small):
        del remaining[c]
        for i in np.flatnonzero(labels == c):
            at = i
            while not any(at in core for core in remaining.values()):
                at = plain.parents_[at]
            labels[i] = next(other for other, core in remaining.items() if at in core)
    model = QuickshiftPP(case.k, case.beta, min_cluster_size=size).fit(case.X)
    kept = np.array(sorted(remaining))
    np.testing.assert_array_equal(kept[model.labels_], labels)
    stays = np.isin(plain.labels_, kept)
    np.testing.assert_array_equal(labels[stays], plain.labels_[stays])
    modes = [cores[c][0] for c in kept]
    assert ((np.bincount(model.labels_) >= size) | (squared_radii[modes] == least)).all()


def weighted_quickshiftpp(sites, weights, k, beta, size):
    """Algorithm 2 for distinct samples with weights: radii and sizes count weights."""
    n = len(sites)
    squared = oracle.squared_distances(sites, sites)
    nearest = np.argsort(squared, axis=1, kind="stable")
    enough = np.argmax(np.cumsum(weights[nearest], axis=1) >= k, axis=1)
    radii = squared[np.arange(n), nearest[np.arange(n), enough]]
    adjacency = squared <= np.minimum.outer(radii, radii)
    levels = oracle.Levels(radii, sites.shape[1], beta)
    cores, parents = [], np.full(n, -1)
    for i in oracle.density_order(sites, radii):
        members = {j for j in range(n) if levels.at_least_share(j, i)}
        candidate = oracle.component(i, members, adjacency)
        if all(candidate.isdisjoint(core) for _, core in cores):
            cores.append((i, candidate))
        denser = [j for j in range(n) if radii[j] < radii[i]]
        if denser:
            parents[i] = oracle.nearest(squared[i], denser, radii, sites)
    labels, _ = oracle.climb(cores, parents, n)
    sizes = np.bincount(labels, weights=weights, minlength=len(cores))
    cores = [
        core for core, s in zip(cores, sizes, strict=True) if s >= size or parents[core[0]] < 0
    ]
    return radii, parents, *oracle.climb(cores, parents, n)


@pytest.mark.parametrize("seed", range(300))
def test_copies_are_weights(seed):
    """Section 10."""
    case, size = random_case(seed, largest=60), 1 + seed % 6
    rng = np.random.default_rng(seed)
    sites = rng.permutation(np.unique(case.X, axis=0))
    weights = rng.integers(1, 5, len(sites))
    site = rng.permutation(np.repeat(np.arange(len(sites)), weights))
    k = min(case.k, len(site))
    radii, parents, labels, core_labels = weighted_quickshiftpp(sites, weights, k, case.beta, size)
    model = QuickshiftPP(k, case.beta, min_cluster_size=size).fit(sites[site])
    np.testing.assert_array_equal(model.radii_, np.sqrt(radii)[site])
    np.testing.assert_array_equal(model.labels_, labels[site])
    np.testing.assert_array_equal(model.core_labels_, core_labels[site])
    of_copies = np.where(model.parents_ < 0, -1, site[model.parents_])
    np.testing.assert_array_equal(of_copies, parents[site])


@pytest.mark.parametrize("seed", range(150))
def test_only_ties_are_missing_from_lists(seed):
    """Section 9: lists are prefixes of longer ones, and what they lack of denser neighbors ties."""
    case = random_case(seed, largest=60)
    graph = Graph(case.X, case.k)
    longer = all_neighbors(case.X, len(case.X))
    distances, rows = all_neighbors(case.X, case.k)
    np.testing.assert_array_equal(longer[0][:, : case.k], distances)
    np.testing.assert_array_equal(longer[1][:, : case.k], rows)
    for i, row in enumerate(rows):
        for j in set(graph.denser_neighbors(i)) - set(row.tolist()):
            assert graph.squared[i, j] == graph.squared_radii[i] == graph.squared_radii[j]
