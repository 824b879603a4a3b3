"""Stage 1: the exact join."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import SEARCHES, random_case
from quickshiftpp import _core, all_neighbors


def expected_neighbors(X, k):
    """Sort by distance, the sample itself first, then by row number."""
    squared = oracle.squared_distances(X, X)
    rows = np.tile(np.arange(len(X)), (len(X), 1))
    np.fill_diagonal(rows, -1)
    order = np.lexsort((rows, squared))[:, :k]
    return np.sqrt(np.take_along_axis(squared, order, axis=1)), order


@pytest.mark.parametrize("algorithm", SEARCHES)
@pytest.mark.parametrize("seed", range(120))
def test_against_sorting(seed, algorithm):
    case = random_case(seed, largest=200)
    distances, indices = all_neighbors(case.X, case.k, algorithm=algorithm)
    expected = expected_neighbors(case.X, case.k)
    np.testing.assert_array_equal(distances, expected[0])
    np.testing.assert_array_equal(indices, expected[1])


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 15, 16, 17, 31, 32, 33, 47, 48, 64, 100, 300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns(d, dtype):
    X = np.random.default_rng(d).normal(size=(150, d)).astype(dtype)
    expected = expected_neighbors(X, 9)
    for algorithm in SEARCHES:
        distances, indices = all_neighbors(X, 9, algorithm=algorithm)
        np.testing.assert_array_equal(distances, expected[0])
        np.testing.assert_array_equal(indices, expected[1])


@pytest.mark.parametrize("k", [1, 2, 31, 32, 33, 100, 399, 400])
def test_many_neighbors(k):
    X = np.random.default_rng(k).normal(size=(400, 3)).round(1)
    distances, indices = all_neighbors(X, k)
    expected = expected_neighbors(X, k)
    np.testing.assert_array_equal(distances, expected[0])
    np.testing.assert_array_equal(indices, expected[1])


def test_the_join_of_two_sets():
    rng = np.random.default_rng(0)
    for n, m, d in ((1, 50, 2), (300, 40, 3), (70, 70, 40)):
        queries, targets = rng.normal(size=(n, d)).round(1), rng.normal(size=(m, d)).round(1)
        expected = oracle.kth_smallest(oracle.squared_distances(queries, targets), 7)
        for tree in (True, False):
            kth = _core.kth_squared_distances(
                _core.IndexFloat64(queries, tree, 2), _core.IndexFloat64(targets, tree, 2), 7, 2
            )
            np.testing.assert_array_equal(kth, expected)


def test_the_index_gives_the_rows_back():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    for tree in (True, False):
        np.testing.assert_array_equal(_core.IndexFloat64(X, tree, 2).rows(2), X)


@pytest.mark.parametrize("exponent", [-1000, -500, 500, 1000])
def test_every_unit(exponent):
    X = np.random.default_rng(0).normal(size=(60, 3))
    distances, indices = all_neighbors(X, 5)
    scaled = all_neighbors(np.ldexp(X, exponent), 5)
    np.testing.assert_array_equal(scaled[0], np.ldexp(distances, exponent))
    np.testing.assert_array_equal(scaled[1], indices)
