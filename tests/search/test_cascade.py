"""The search for many columns: it discards by a few principal axes, and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import SIMD_LEVELS, force_instruction_set
from quickshiftpp import QuickshiftPP, _core, all_neighbors
from quickshiftpp._search.algorithm import choose_algorithm
from quickshiftpp._search.new_samples import CASCADE_QUERIES, _InOneCascade, _InTwoIndices
from quickshiftpp._search.projection import project


def low_rank(rng, n, d, rank, noise):
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) + noise * rng.normal(size=(n, d))


def many_columns(name):
    rng = np.random.default_rng(0)
    return {
        "noise": lambda: rng.normal(size=(700, 300)),
        "low rank": lambda: low_rank(rng, 900, 250, 5, 0.01),
        "exactly low rank": lambda: np.repeat(rng.normal(size=(600, 3)), 40, axis=1),
        "clusters": lambda: rng.integers(0, 2, (900, 1)) * 9 + rng.normal(size=(900, 60)),
        "binary": lambda: rng.integers(0, 2, (400, 64)).astype(float),
        "counts": lambda: rng.poisson(0.2, (500, 200)).astype(float),
        "far from the origin": lambda: 1e8 + rng.normal(size=(400, 50)),
        "one wide column": lambda: rng.normal(size=(500, 40)) * np.r_[1e9, np.ones(39)],
        "many sizes": lambda: rng.normal(size=(400, 30)) * np.logspace(-12, 12, 30),
        "copies": lambda: rng.normal(size=(12, 80))[rng.integers(0, 12, 500)],
        "near copies": lambda: (
            rng.normal(size=(12, 80))[rng.integers(0, 12, 500)]
            + 1e-9 * rng.integers(0, 3, (500, 80))
        ),
        "tiny": lambda: rng.normal(size=(300, 40)) * 1e-30,
        "huge": lambda: rng.uniform(-3e38, 3e38, size=(300, 40)),
        "equal": lambda: np.ones((300, 30)),
    }[name]().astype(np.float64)


NAMES = [
    "noise",
    "low rank",
    "exactly low rank",
    "clusters",
    "binary",
    "counts",
    "far from the origin",
    "one wide column",
    "many sizes",
    "copies",
    "near copies",
    "tiny",
    "huge",
    "equal",
]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_same_as_brute_force(name, dtype):
    X = many_columns(name).astype(dtype)
    for k in (1, 40):
        cascade = all_neighbors(X, k, algorithm="cascade", n_jobs=2)
        brute = all_neighbors(X, k, algorithm="brute", n_jobs=2)
        np.testing.assert_array_equal(cascade[0], brute[0])
        np.testing.assert_array_equal(cascade[1], brute[1])
    one, other = (QuickshiftPP(5, 0.4, algorithm=a).fit(X) for a in ("cascade", "brute"))
    np.testing.assert_array_equal(one.parents_, other.parents_)
    np.testing.assert_array_equal(one.labels_, other.labels_)


# Beyond 2,048 samples pairs of blocks are compared once, for both: the lists of all samples are
# shared by all threads.
LARGE = {
    "noise": lambda rng: rng.normal(size=(3000, 12)),
    "clusters": lambda rng: rng.integers(0, 40, (3500, 1)) * 9 + rng.normal(size=(3500, 30)),
    "ties": lambda rng: rng.integers(0, 2, (2500, 14)).astype(float),
    "copies and others": lambda rng: np.r_[
        np.full((2200, 12), 0.5), rng.normal(size=(900, 12)), rng.integers(0, 2, (300, 12))
    ],
}


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", LARGE)
def test_pairs_of_blocks(name, threads):
    rng = np.random.default_rng(1)
    X = LARGE[name](rng)
    X = X[rng.permutation(len(X))]
    for k in (2, 15, 60):
        expected = all_neighbors(X, k, algorithm="brute")
        found = all_neighbors(X, k, algorithm="cascade", n_jobs=threads)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])
    labels = QuickshiftPP(15, 0.4, algorithm="cascade", n_jobs=threads).fit(X).labels_
    np.testing.assert_array_equal(labels, QuickshiftPP(15, 0.4, algorithm="brute").fit(X).labels_)


@pytest.mark.parametrize("name", ["ties", "clusters"])  # compared in integers, and in float32
@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_pairs_of_blocks_with_every_instruction_set(level, name, monkeypatch):
    X = LARGE[name](np.random.default_rng(2)).astype(np.float32)
    expected = all_neighbors(X, 15, algorithm="brute")
    force_instruction_set(level, monkeypatch)
    for found, wanted in zip(all_neighbors(X, 15, algorithm="cascade"), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("axes", [1, 7, 192])
@pytest.mark.parametrize("name", NAMES)
def test_axes_lengthen_nothing(name, axes):
    X = many_columns(name)
    for samples in (X, X.astype(np.float32)):
        coordinates, scale, error, _ = project(samples, axes)
        assert coordinates.dtype == np.float32
        assert coordinates.shape == (len(X), min(axes, *X.shape))
        assert np.abs(coordinates).max() <= 1
        rows = samples.astype(np.float64)
        true = np.sqrt(oracle.squared_distances(rows, rows)) * scale
        along = np.sqrt(oracle.squared_distances(coordinates, coordinates))
        assert (along - error <= true * (1 + 1e-12)).all()


def test_rounding_hides_no_neighbors():
    """Where one sample lies far out, what lies between the others is little beside it."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(3000, 40))
    projection = project(X, 20)
    X[7] *= 1e5
    with_outlier = project(X, 20)
    assert with_outlier.error < 0.1 * projection.error  # in units of the farthest
    assert with_outlier.tolerance < 1e-4 * projection.tolerance
    np.testing.assert_array_equal(
        all_neighbors(X, 10, algorithm="cascade")[1], all_neighbors(X, 10, algorithm="brute")[1]
    )


def test_rounding_hides_no_cluster():
    """A cluster much tighter than the rest decides how coarse integers may be."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 12))
    loose = project(X, 12)
    X[::3] *= 1e-3
    assert project(X, 12).tolerance < 1e-2 * loose.tolerance


def test_axes_carry_what_varies():
    """So that the search is worth its name: five directions hold nearly all of these data."""
    rng = np.random.default_rng(1)
    X = low_rank(rng, 2000, 100, 5, 0.01)
    coordinates, scale, _, _ = project(X, 5)
    true = scale**2 * oracle.squared_distances(X[:200], X[200:400])
    along = oracle.squared_distances(coordinates[:200], coordinates[200:400])
    assert np.median(along / true) > 0.99


def test_auto_takes_the_cascade_where_a_tree_prunes_nothing():
    rng = np.random.default_rng(2)
    n, d = _core.CASCADE_SAMPLES, _core.CASCADE_COLUMNS
    noise = rng.normal(size=(n, d + 5))
    assert choose_algorithm("auto", noise, 2) == "cascade"
    assert choose_algorithm("auto", noise, 2, can_cascade=False) == "kd_tree"
    assert choose_algorithm("auto", noise[:-1], 2) == "kd_tree"
    assert choose_algorithm("auto", noise[:, : d - 1], 2) == "kd_tree"
    clusters = noise + 100 * rng.normal(size=(40, d + 5))[rng.integers(0, 40, n)]
    assert choose_algorithm("auto", clusters, 2) == "kd_tree"
    for algorithm in ("kd_tree", "cascade", "brute"):
        assert choose_algorithm(algorithm, clusters, 2) == algorithm


def test_the_rows_must_be_those_of_the_index():
    X = np.random.default_rng(3).normal(size=(50, 4))
    coordinates = X.astype(np.float32)
    index = _core.IndexFloat64(X, False, 1)
    with pytest.raises(ValueError, match="another index"):
        _core.CascadeFloat64(index, X[:40], coordinates, 1.0, 1e-6, 0.0, 1)
    with pytest.raises(ValueError, match="one row of coordinates"):
        _core.CascadeFloat64(index, X, coordinates[:40], 1.0, 1e-6, 0.0, 1)
    with pytest.raises(ValueError, match="orders the samples itself"):
        _core.CascadeFloat64(_core.IndexFloat64(X, True, 1), X, coordinates, 1.0, 1e-6, 0.0, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_new_samples(name, dtype):
    """Predictions after a fit with the cascade are those of all pairs, ties and copies included."""
    X = many_columns(name).astype(dtype)
    fitted, new = X[:200], np.concatenate([X[150:], X[:80] / 2 + X[80:160] / 2])
    assert len(new) >= CASCADE_QUERIES
    for k in (1, 7, 40):
        brute = QuickshiftPP(k, 0.5, algorithm="brute").fit(fitted)
        cascade = QuickshiftPP(k, 0.5, algorithm="cascade").fit(fitted)
        expected = brute.predict(new)
        np.testing.assert_array_equal(cascade.predict(new), expected)
        np.testing.assert_array_equal(cascade.predict(new[:10]), expected[:10])
        np.testing.assert_array_equal(cascade.predict(fitted), cascade.labels_)
        # The nearest rows themselves, by density and by any key.
        scaled, index = cascade._samples.align(new.astype(np.float64), 1)
        keys = np.random.default_rng(k).integers(0, 9, len(fitted)).astype(float)
        limits = np.random.default_rng(k + 1).integers(0, 11, len(new)).astype(float)
        one, two = _InOneCascade(index, scaled, 2), _InTwoIndices(index, scaled, 2)
        np.testing.assert_array_equal(
            one.kth_squared_distances(k, None), two.kth_squared_distances(k, None)
        )
        keys = _equal_rows_share(fitted, keys)
        np.testing.assert_array_equal(
            one.nearest_below(keys, limits, None), two.nearest_below(keys, limits, None)
        )


def _equal_rows_share(rows, values):
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return values[first][group.reshape(-1)]
