"""Parameters that choose themselves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from cases import random_case
from comparators import assert_same_fit
from quickshiftpp import QuickshiftPP, _core
from quickshiftpp._selection.rand_index import adjusted_rand, pairwise_agreement, subsample
from quickshiftpp._selection.vote import candidate_ks, elect
from quickshiftpp._tree.density import significant_beta


def test_adjusted_rand_is_scikit_learns():
    rng = np.random.default_rng(0)
    for clusters in (1, 2, 5, 60):
        first, second = rng.integers(0, clusters, (2, 60)).astype(np.int32)
        assert adjusted_rand(first, second) == pytest.approx(adjusted_rand_score(first, second))
    few, many = (rng.integers(0, count, 60).astype(np.int32) for count in (2, 9))
    assert adjusted_rand(few, many) == pytest.approx(adjusted_rand_score(few, many))
    assert adjusted_rand(many, few) == pytest.approx(adjusted_rand_score(few, many))
    labelings = [rng.integers(0, c, 40).astype(np.int32) for c in (1, 3, 4, 4)]
    labelings.append(labelings[1].copy())
    agreement = pairwise_agreement(labelings)
    for i, one in enumerate(labelings):
        for j, other in enumerate(labelings):
            assert agreement[i, j] == pytest.approx(adjusted_rand_score(one, other))


def test_the_subsample_follows_the_samples():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3000, 2)), 2, axis=0)
    X[0, 0] = 0.0
    rows = subsample(X, 500)
    order = rng.permutation(len(X))
    moved = X[order]
    moved[moved == 0] = -0.0
    chosen, again = np.sort(X[rows], axis=0), np.sort(moved[subsample(moved, 500)], axis=0)
    np.testing.assert_array_equal(chosen, again)
    np.testing.assert_array_equal(subsample(X[:400], 500), np.arange(400))


@pytest.mark.parametrize("n", [1, 2, 5, 30, 200, 5000, 10**5, 10**6, 10**8])
def test_candidate_ks(n):
    ks = candidate_ks(n)
    assert ks == sorted(set(ks))
    assert 1 <= ks[0] <= ks[-1] <= max(n, 1)
    assert n * ks[-1] <= max(1e8, 16 * n)


def test_election():
    a, b, c = (
        np.repeat(np.array(x, dtype=np.int32), 50) for x in ([0, 1, 2], [0, 1, 1], [0, 0, 0])
    )
    middle = np.zeros(5)
    counts = np.array([3, 3, 3, 2, 1])
    assert elect([a, a, a, b, c], counts, middle)[0] == 0
    assert elect([b, a, b, b, c], np.array([2, 3, 2, 2, 1]), middle)[0] == 0
    # Voters far from the center count little: three distant ones lose to two in the middle.
    winner, _ = elect([a, a, b, b, b], np.array([3, 3, 2, 2, 2]), np.array([0, 0, 3, 3, 3.0]))
    assert winner == 0
    # One cluster wins when next to nobody sees more.
    winner, support = elect([c] * 30 + [a], np.array([1] * 30 + [3]), np.zeros(31))
    assert counts[-1] == 1
    assert winner < 30
    assert support == pytest.approx(1 / 31)


def test_equal_votes_go_to_the_first():
    """Two labelings with the same two voters each: only the order of summation differs."""
    rng = np.random.default_rng(0)
    octaves = np.array([0.0, 0.5, 0.5, 0.0])
    for _ in range(100):
        a, b = rng.permutation(np.arange(24) % 3).reshape(2, 12).astype(np.int32)
        assert elect([a, b, a, b], np.full(4, 3), octaves)[0] == 0


@pytest.mark.parametrize(
    "options", [{}, {"k": "auto"}, {"beta": "auto"}, {"k": "auto", "beta": "auto"}]
)
def test_a_chosen_setting_can_be_given(options):
    """What was chosen, given as numbers, is the same clustering."""
    for seed in range(4):
        X, _ = make_blobs(400, centers=5, random_state=seed)
        model = QuickshiftPP(**options).fit(X)
        given = QuickshiftPP(
            model.k_,
            model.beta_,
            dimension="intrinsic",
            min_cluster_size="k",
        ).fit(X)
        assert_same_fit(X, model, given)
        assert given.dimension_ == model.dimension_
        assert given.min_cluster_size_ == model.k_


@pytest.mark.parametrize("options", [{}, {"k": "auto", "beta": "auto"}])
def test_choices_do_not_depend_on_rows_threads_or_precision(options):
    for make in (
        lambda: make_moons(3000, noise=0.07, random_state=0)[0],
        lambda: np.repeat(
            np.random.default_rng(1).integers(0, 30, (900, 2)).astype(float), 3, axis=0
        ),
    ):
        X = make().astype(np.float32).astype(np.float64)
        reference = QuickshiftPP(**options, n_jobs=1).fit(X)
        assert_same_fit(X, reference, QuickshiftPP(**options, n_jobs=2).fit(X))
        assert_same_fit(X, reference, QuickshiftPP(**options).fit(X.astype(np.float32)))
        rows = np.random.default_rng(2).permutation(len(X))
        other = QuickshiftPP(**options).fit(X[rows])
        assert (other.k_, other.beta_, other.dimension_) == (
            reference.k_,
            reference.beta_,
            reference.dimension_,
        )
        assert_same_fit(X, reference, other, rows)


def test_auto_finds_what_is_there():
    for centers in (2, 4, 7):
        X, y = make_blobs(800, centers=np.eye(centers) * 12, cluster_std=1.0, random_state=0)
        model = QuickshiftPP(k="auto", beta="auto").fit(X)
        assert adjusted_rand_score(y, model.labels_) > 0.98
        assert adjusted_rand_score(y, QuickshiftPP().fit_predict(X)) > 0.98


def test_one_bump_is_one_cluster():
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(1000, 4))
        assert QuickshiftPP().fit(X).n_clusters_ == 1


def test_given_k_or_beta_stays():
    X, _ = make_blobs(300, random_state=0)
    model = QuickshiftPP(k="auto", beta=0.6).fit(X)
    assert model.beta_ == 0.6
    assert model.k_ in candidate_ks(300)
    assert (model.dimension_, model.min_cluster_size_) == (2.0, 1)
    model = QuickshiftPP(k=17, beta="auto").fit(X)
    assert model.k_ == model.min_cluster_size_ == 17
    assert QuickshiftPP(k=17).fit(X).beta_ == significant_beta(17)


@pytest.mark.parametrize("columns", [1, 2, 5, 30])
def test_intrinsic_dimension(columns):
    """Samples on a plane, a line and in space, turned into many columns."""
    rng = np.random.default_rng(columns)
    for dimension in (1, 2, 5):
        if dimension > columns:
            continue
        turn = np.linalg.qr(rng.normal(size=(columns, columns)))[0][:dimension]
        X = rng.uniform(size=(3000, dimension)) @ turn
        estimate = QuickshiftPP(k=20, dimension="intrinsic").fit(X).dimension_
        assert estimate == pytest.approx(dimension, rel=0.15)
        assert estimate <= columns
        # Duplicates make samples, not dimensions.
        doubled = np.repeat(X, 2, axis=0)
        again = QuickshiftPP(k=40, dimension="intrinsic").fit(doubled).dimension_
        assert again == pytest.approx(estimate, rel=0.05)


def test_intrinsic_dimension_from_a_part_of_the_samples():
    """Which part depends neither on the order of the rows nor on how often they are given."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(2 * _core.DIMENSION_SAMPLES, 1)) * [1.0, 2.0]
    estimate = QuickshiftPP(k=8, dimension="intrinsic").fit(X).dimension_
    assert estimate == pytest.approx(1, rel=0.02)
    shuffled = X[rng.permutation(len(X))]
    assert QuickshiftPP(k=8, dimension="intrinsic").fit(shuffled).dimension_ == estimate
    few_sites = np.repeat(rng.normal(size=(3, 2)), _core.DIMENSION_SAMPLES, axis=0)
    assert 0 < QuickshiftPP(k=8, dimension="intrinsic").fit(few_sites).dimension_ <= 2


def test_intrinsic_dimension_of_degenerate_data():
    for X in (np.zeros((50, 3)), np.ones((1, 2)), np.arange(5.0)[:, None], np.eye(20)):
        assert 0 < QuickshiftPP(dimension="intrinsic").fit(X).dimension_ <= X.shape[1]


@pytest.mark.parametrize("seed", range(60))
def test_auto_survives_anything(seed):
    case = random_case(seed)
    model = QuickshiftPP(k="auto", beta="auto").fit(case.X)
    assert model.labels_.shape == (len(case.X),)
    assert set(model.labels_) == set(range(model.n_clusters_))
