"""The search for many columns: it discards by cheap bounds, and changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import SIMD_LEVELS, force_instruction_set
from plans import PLANS, by_plan, project_on
from quickshiftpp import QuickshiftPP, _core, all_neighbors
from quickshiftpp._search import cascade as cascade_module
from quickshiftpp._search.algorithm import choose_algorithm
from quickshiftpp._search.cascade import PILOTED_SAMPLES, PROJECTED_SAMPLES, choose_plan
from quickshiftpp._search.new_samples import CASCADE_QUERIES, _InOneCascade, _InTwoIndices
from quickshiftpp._search.pilot import Pilot


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
    brute = QuickshiftPP(5, 0.4, algorithm="brute").fit(X)
    for k in (1, 40):
        expected = all_neighbors(X, k, algorithm="brute", n_jobs=2)
        for plan in PLANS:
            with by_plan(plan):
                found = all_neighbors(X, k, algorithm="cascade", n_jobs=2)
            np.testing.assert_array_equal(found[0], expected[0], err_msg=plan)
            np.testing.assert_array_equal(found[1], expected[1], err_msg=plan)
    for plan in PLANS:
        with by_plan(plan):
            cascade = QuickshiftPP(5, 0.4, algorithm="cascade").fit(X)
        np.testing.assert_array_equal(cascade.parents_, brute.parents_, err_msg=plan)
        np.testing.assert_array_equal(cascade.labels_, brute.labels_, err_msg=plan)


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
        for plan in PLANS:
            with by_plan(plan):
                found = all_neighbors(X, k, algorithm="cascade", n_jobs=threads)
            np.testing.assert_array_equal(found[0], expected[0], err_msg=plan)
            np.testing.assert_array_equal(found[1], expected[1], err_msg=plan)
    labels = QuickshiftPP(15, 0.4, algorithm="cascade", n_jobs=threads).fit(X).labels_
    np.testing.assert_array_equal(labels, QuickshiftPP(15, 0.4, algorithm="brute").fit(X).labels_)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_pairs_of_blocks_with_every_instruction_set(level, plan, monkeypatch):
    X = LARGE["ties"](np.random.default_rng(2)).astype(np.float32)
    expected = all_neighbors(X, 15, algorithm="brute")
    force_instruction_set(level, monkeypatch)
    with by_plan(plan):
        found = all_neighbors(X, 15, algorithm="cascade")
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("axes", [1, 7, 192])
@pytest.mark.parametrize("name", NAMES)
def test_axes_lengthen_nothing(name, axes):
    X = many_columns(name)
    for samples in (X, X.astype(np.float32)):
        coordinates, scale, error = project_on(samples, axes)
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
    X = rng.normal(size=(5000, 40))
    error = project_on(X, 20).error
    assert choose_plan(X, 1).in_integers
    X[::100] *= 1e5
    assert project_on(X, 20).error < 0.1 * error  # in units of the farthest
    assert not choose_plan(X, 1).in_integers
    np.testing.assert_array_equal(
        all_neighbors(X, 10, algorithm="cascade")[1], all_neighbors(X, 10, algorithm="brute")[1]
    )


def test_close_neighbors():
    """A cluster much tighter than the rest decides how coarse numbers may be."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 12))
    loose = Pilot(X, 1).close_distance()
    X[::3] *= 1e-3
    assert 0 < Pilot(X, 1).close_distance() < 1e-2 * loose
    assert Pilot(np.ones((300, 3)), 1).close_distance() == 0


def test_the_plan():
    """Leading axes where they hold most of what varies, otherwise all columns."""
    rng = np.random.default_rng(5)
    n, d = PROJECTED_SAMPLES, 256
    few = choose_plan(low_rank(rng, n, d, 8, 0.01).astype(np.float32), 2)
    assert few.coordinates is not None
    assert few.in_integers
    flat = choose_plan(rng.normal(size=(n, d)).astype(np.float32), 2)
    assert flat.coordinates is None
    assert flat.order is not None
    small = choose_plan(rng.normal(size=(1000, d)), 2)
    assert small.order is None
    assert small.in_integers


def test_axes_carry_what_varies():
    """So that the search is worth its name: five directions hold nearly all of these data."""
    rng = np.random.default_rng(1)
    X = low_rank(rng, 2000, 100, 5, 0.01)
    coordinates, scale, _ = project_on(X, 5)
    true = scale**2 * oracle.squared_distances(X[:200], X[200:400])
    along = oracle.squared_distances(coordinates[:200], coordinates[200:400])
    assert np.median(along / true) > 0.99


def test_auto_takes_the_cascade_where_a_tree_prunes_nothing():
    rng = np.random.default_rng(2)
    n, d = 10_000, 32
    noise = rng.normal(size=(n, d))
    assert choose_algorithm("auto", noise, 2) == "cascade"
    assert choose_algorithm("auto", noise, 2, k=500) == "kd_tree"
    assert choose_algorithm("auto", noise[:1000, :20].copy(), 2) == "kd_tree"
    assert choose_algorithm("auto", noise[:1000].repeat(8, axis=1), 2) == "cascade"
    assert choose_algorithm("auto", noise, 2, can_cascade=False) == "kd_tree"
    assert choose_algorithm("auto", noise[:, : _core.CASCADE_COLUMNS - 1].copy(), 2) == "kd_tree"
    clusters = noise + 100 * rng.normal(size=(40, d))[rng.integers(0, 40, n)]
    assert choose_algorithm("auto", clusters, 2) == "kd_tree"
    assert choose_algorithm("auto", noise[:100], 2) == "brute"
    for algorithm in ("kd_tree", "cascade", "brute"):
        assert choose_algorithm(algorithm, clusters, 2) == algorithm


def test_auto_takes_no_cascade_where_one_sample_hides_the_others():
    X = np.random.default_rng(6).standard_normal((PILOTED_SAMPLES, 256), dtype=np.float32)
    assert choose_algorithm("auto", X, 2) == "cascade"
    X[1] *= 1e4
    assert choose_algorithm("auto", X, 2) == "kd_tree"


def test_bounds_hold_for_a_million_columns_at_most():
    wide = np.broadcast_to(np.float32(0), (200, _core.MOST_CASCADE_COLUMNS + 1))
    assert choose_algorithm("auto", wide, 1) == "kd_tree"
    assert choose_algorithm("cascade", wide, 1) == "brute"
    assert choose_algorithm("cascade", wide[:, 1:], 1) == "cascade"


def test_the_rows_must_be_those_of_the_index():
    X = np.random.default_rng(3).normal(size=(50, 4))
    coordinates = X.astype(np.float32)
    index = _core.IndexFloat64(X, False, 1)
    with pytest.raises(ValueError, match="another index"):
        _core.CascadeFloat64(index, X[:40], None, coordinates, 1.0, 1e-6, True, False, 1)
    with pytest.raises(ValueError, match="one row of coordinates"):
        _core.CascadeFloat64(index, X, None, coordinates[:40], 1.0, 1e-6, True, False, 1)
    with pytest.raises(ValueError, match="orders the samples itself"):
        _core.CascadeFloat64(
            _core.IndexFloat64(X, True, 1), X, None, coordinates, 1.0, 1e-6, True, False, 1
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("plan", ["columns, 8 and 16 bits", "leading axes, 16 bits"])
def test_new_samples(name, dtype, plan, monkeypatch):
    """Predictions after a fit with the cascade are those of all pairs, ties and copies included."""
    monkeypatch.setattr(cascade_module, "choose_plan", PLANS[plan])
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
