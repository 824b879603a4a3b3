"""Degenerate and extreme data: the right labels, no crash, bounded memory."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import oracle
from cases import SEARCHES
from comparators import assert_same_fit
from quickshiftpp import MCores, QuickShift, QuickshiftPP, all_neighbors


def test_all_rows_equal():
    X = np.full((200_000, 3), 2.5)
    model = QuickshiftPP().fit(X)
    assert model.n_clusters_ == 1
    assert (model.labels_ == 0).all()
    assert (model.core_labels_ == 0).all()
    assert (model.radii_ == 0).all()
    assert np.isposinf(model.log_density_).all()
    assert (model.parents_ == -1).all()
    assert (model.predict([[2.5, 2.5, 2.5], [0.0, 0.0, 0.0]]) == 0).all()
    assert MCores().fit(X).n_clusters_ == 1


def test_two_rows_repeated():
    X = np.repeat([[0.0, 0.0], [3.0, 4.0]], 100_000, axis=0)
    truth = np.repeat([0, 1], 100_000)
    rows = np.random.default_rng(0).permutation(len(X))
    for k in (2, 20, None):
        model = QuickshiftPP(k).fit(X[rows])
        np.testing.assert_array_equal(model.labels_, truth[rows])
        assert model.tree_.modes["size"].tolist() == [100_000, 100_000]
    np.testing.assert_array_equal(MCores().fit(X).labels_, truth)


def test_equal_rows_have_the_lowest_neighbors():
    X = np.zeros((50_000, 2))
    distances, indices = all_neighbors(X, 4)
    assert (distances == 0).all()
    assert indices[7].tolist() == [7, 0, 1, 2]
    assert indices[1].tolist() == [1, 0, 2, 3]


def test_one_outlier_far_away():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(300, 2)), [[1e9, 1e9]]])
    expected = oracle.quickshiftpp(X, 15, 0.5)
    model = QuickshiftPP(15, 0.5).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert (model.labels_ == model.labels_[-1]).sum() == 1  # the mutual graph isolates it
    joined = QuickshiftPP(15, 0.5, min_cluster_size=2).fit(X)
    assert joined.labels_[-1] in joined.labels_[:-1]


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e160, 1e200, 1e300])
@pytest.mark.parametrize("algorithm", SEARCHES)
def test_extreme_coordinates(size, algorithm):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-5, 1, (60, 2)), rng.normal(5, 1, (60, 2))])
    reference = QuickshiftPP(12, 0.6).fit(X)
    model = QuickshiftPP(12, 0.6, algorithm=algorithm).fit(X * size)
    assert model.n_clusters_ == reference.n_clusters_ == 2
    np.testing.assert_array_equal(model.labels_, reference.labels_)
    np.testing.assert_allclose(model.radii_, reference.radii_ * size, rtol=1e-14)
    np.testing.assert_array_equal(model.predict(X * size), model.labels_)
    shift = QuickShift(bandwidth=size, tau=4 * size).fit(X * size)
    np.testing.assert_array_equal(shift.labels_, QuickShift(1.0, 4.0).fit(X).labels_)


def test_tiny_differences_among_ordinary_numbers():
    X = np.array([[0.0], [1e-170], [2e-170], [1.0], [1.0 + 2**-52], [5.0]])
    model = QuickshiftPP(2, 0.5).fit(X)
    np.testing.assert_allclose(
        model.radii_, [1e-170, 1e-170, 1e-170, 2**-52, 2**-52, 4], rtol=1e-15
    )


@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("estimator", [QuickshiftPP, MCores, QuickShift])
def test_few_samples(n, estimator):
    X = np.random.default_rng(n).normal(size=(n, 2))
    model = estimator().fit(X)
    assert model.labels_.shape == (n,)
    assert 1 <= model.n_clusters_ <= n
    assert set(model.labels_) == set(range(model.n_clusters_))


@pytest.mark.parametrize("k", [1, 70])
def test_smallest_and_largest_k(k):
    X = np.random.default_rng(1).normal(size=(70, 3))
    model = QuickshiftPP(k, 0.3).fit(X)
    expected = oracle.quickshiftpp(X, k, 0.3)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    assert model.n_clusters_ == (70 if k == 1 else len(expected.modes))


def test_one_column():
    X = np.concatenate([np.linspace(0, 1, 500), np.linspace(10, 11, 300)])[:, None]
    model = QuickshiftPP(20, 0.9).fit(X)
    assert set(model.labels_[:500]).isdisjoint(model.labels_[500:])


def test_two_thousand_columns():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(2, 2000)), 60, axis=0) + 0.3 * rng.normal(size=(120, 2000))
    model = QuickshiftPP(20, 0.9, dimension=5, min_cluster_size=5).fit(X)
    assert model.n_clusters_ == 2
    assert len(set(model.labels_[:60])) == len(set(model.labels_[60:])) == 1
    assert np.isfinite(model.log_density_).all()
    literal = QuickshiftPP(20, 0.5).fit(X)
    assert np.isfinite(literal.log_density_).all()
    np.testing.assert_array_equal(
        all_neighbors(X, 9)[0], np.sqrt(np.sort(oracle.squared_distances(X, X), axis=1)[:, :9])
    )


def test_a_long_ascent():
    """Every sample's parent is the one before it: 100,000 steps, and no recursion."""
    X = np.geomspace(1.0, 2.0**900, 100_000)[:, None]
    model = QuickshiftPP(2, 0.5, dimension=1000).fit(X)
    assert model.labels_.shape == (100_000,)
    assert (model.parents_[1:] >= 0).sum() > 99_000


def test_equidistant_samples_need_little_memory():
    """1,500 unit vectors: over a million pairs tie, and none of them is stored."""
    code = """
        import resource
        import numpy as np
        from quickshiftpp import QuickshiftPP
        X = np.eye(1500, dtype=np.float32)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = QuickshiftPP(4).fit(X)
        assert model.n_clusters_ == 1, model.n_clusters_
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    index_kib = 1500 * 1500 * 4 // 1024
    ties_kib = 1500 * 1500 * 12 // 1024
    assert int(result.stdout) < index_kib + ties_kib // 2


def test_memory_is_linear_in_n_times_k():
    code = """
        import resource
        import numpy as np
        from quickshiftpp import QuickshiftPP
        X = np.random.default_rng(0).normal(size=(300_000, 2))
        QuickshiftPP(2).fit(X[:1000])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        QuickshiftPP(20).fit(X)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    lists_kib = 300_000 * 20 * 12 // 1024
    assert int(result.stdout) < 2.5 * lists_kib


@pytest.mark.parametrize("n", [60, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predict_far_away(n, dtype):
    X = np.random.default_rng(0).normal(size=(n, 2)).astype(dtype)
    X[n // 2 :] += 20
    model = QuickshiftPP(10, 0.5, min_cluster_size=10).fit(X)
    high, low = model.labels_[-1], model.labels_[0]
    assert model.predict([[1e9, 1e9], [-1e9, -1e9]]).tolist() == [high, low]
    # Farther than float64 tells the samples apart, all are equally near, and the densest has it.
    for far in (1e30, 1e200, 1e300):
        assert model.predict([[far, far], [-far, -far]]).tolist() == [0, 0]
    tiny = QuickshiftPP(10, 0.5, min_cluster_size=10).fit(X.astype(np.float64) * 1e-200)
    assert tiny.predict([[1e-191, 1e-191], [-1e-191, -1e-191]]).tolist() == [high, low]
    for precision in (np.float32, np.float64):
        assert tiny.predict(np.array([[1, 1], [-1, -1]], precision)).tolist() == [0, 0]


@pytest.mark.parametrize("copies", [40, 3000])
def test_copies_among_others(copies):
    """Few of many equal rows are looked at; the answer is as if all were."""
    rng = np.random.default_rng(copies)
    X = np.vstack([rng.integers(0, 6, (150, 2)), np.full((copies, 2), 3)]).astype(float)
    X = X[rng.permutation(len(X))]
    site = (X == 3).all(axis=1)
    for k in (5, 33):
        tree, cascade, brute = (QuickshiftPP(k, 0.5, algorithm=a).fit(X) for a in SEARCHES)
        for other in (cascade, brute):
            assert_same_fit(X, other, tree)
            np.testing.assert_array_equal(other.parents_, tree.parents_)
        assert len(set(tree.labels_[site])) == 1
        new = rng.integers(0, 13, (60, 2)) / 2
        np.testing.assert_array_equal(tree.predict(new), brute.predict(new))
        first, *others = (all_neighbors(X, k, algorithm=a) for a in SEARCHES)
        for distances, indices in others:
            np.testing.assert_array_equal(distances, first[0])
            np.testing.assert_array_equal(indices, first[1])
        cores, *others = (MCores(k, 0.5, algorithm=a).fit(X).labels_ for a in SEARCHES)
        for labels in others:
            np.testing.assert_array_equal(labels, cores)
    shifts = [QuickShift(0.8, 2.0, algorithm=a).fit(X) for a in ("kd_tree", "brute")]
    np.testing.assert_array_equal(shifts[0].log_density_, shifts[1].log_density_)
    np.testing.assert_array_equal(shifts[0].labels_, shifts[1].labels_)
