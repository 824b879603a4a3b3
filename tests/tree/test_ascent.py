"""Parents: the nearest denser sample, and the climb."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import SEARCHES, random_case
from quickshiftpp import QuickshiftPP, _core
from quickshiftpp._search import memory


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_nearest_below(seed, tree):
    case = random_case(seed, largest=150)
    rng = np.random.default_rng(seed)
    X, n = case.X, len(case.X)
    site = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    key = rng.integers(0, 5, site.max() + 1).astype(float)[site]  # equal rows share a key
    key[key == 4] = np.inf
    limit = rng.choice([0.0, 1.0, 2.5, np.inf], n)
    index = _core.IndexFloat64(X, tree, 2)
    row, squared = _core.nearest_below(index, index, key, limit, 2)
    distances = oracle.squared_distances(X, X)
    for i in range(n):
        eligible = np.flatnonzero(key < limit[i])
        if not eligible.size:
            assert row[i] == -1
            assert squared[i] == np.inf
            continue
        best = oracle.nearest(distances[i], eligible, key, X)
        assert row[i] == best
        assert squared[i] == distances[i, best]


def literal_parents(X, k):
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    radii = np.sort(squared, axis=1)[:, k - 1]
    return [
        min(
            (j for j in range(len(X)) if radii[j] < radii[i]),
            key=lambda j: (squared[i, j], radii[j], tuple(X[j]), j),
            default=-1,
        )
        for i in range(len(X))
    ]


TIED = {
    # The sample at 0 is at distance 3 from both sides.
    "the denser side": ([-4, -3, 0, 3, 3.5], 2, 3.0),
    "the smaller coordinate": ([-4, -3, 0, 3, 4], 2, -3.0),
    "the smaller coordinate, all in the list": ([-5, -4, -3, 0, 3, 4, 5], 3, -3.0),
    "copies on both sides": ([-4, -3, -3, 0, 3, 3, 4], 3, -3.0),
}


@pytest.mark.parametrize("lists", [True, False])
@pytest.mark.parametrize("algorithm", SEARCHES)
@pytest.mark.parametrize("name", TIED)
def test_ties_among_parents(name, algorithm, lists, monkeypatch):
    """The nearest denser sample; then the denser, the smaller coordinates, the lower row."""
    if not lists:
        monkeypatch.setattr(memory, "LARGE_LISTS", 0)
    values, k, expected = TIED[name]
    for seed in range(20):
        X = np.random.default_rng(seed).permutation(values)[:, None].astype(float)
        parents = QuickshiftPP(k, 0.5, algorithm=algorithm).fit(X).parents_
        parent = parents[np.flatnonzero(X == 0)[0]]
        assert X[parent, 0] == expected
        assert parent == np.flatnonzero(expected == X)[0]  # of equal samples the first
        assert parents.tolist() == literal_parents(X, k)


@pytest.mark.parametrize("algorithm", SEARCHES)
@pytest.mark.parametrize("k", [2, 4, 9])
def test_ties_among_parents_on_grids(algorithm, k):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 6, (60, 2)).astype(float)
        parents = QuickshiftPP(k, 0.5, algorithm=algorithm).fit(X).parents_
        assert parents.tolist() == literal_parents(X, k)


def test_parents_climb_to_the_densest():
    X = np.random.default_rng(0).normal(size=(3000, 2))
    model = QuickshiftPP(10).fit(X)
    has_parent = model.parents_ >= 0
    assert has_parent.sum() == 2999
    climbed = model.radii_[model.parents_[has_parent]] < model.radii_[has_parent]
    assert climbed.all()


def test_link_roots():
    up = np.array([0, 0, 1, 3, 3, 4, 5], dtype=np.int32)
    assert _core.link_roots(up, 2).tolist() == [0, 0, 0, 3, 3, 3, 3]
    chain = np.maximum(np.arange(1_000_000, dtype=np.int32) - 1, 0)
    assert (_core.link_roots(chain, 2) == 0).all()
    assert (_core.link_roots(chain[::-1].copy() * 0 + 999_999, 2) == 999_999).all()
    with pytest.raises(ValueError, match="number of an entry"):
        _core.link_roots(np.array([5], dtype=np.int32), 1)
