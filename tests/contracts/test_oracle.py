"""Label for label against the paper's algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from cases import SEARCHES, random_case
from comparators import assert_same_rows
from quickshiftpp import MCores, QuickShift, QuickshiftPP
from quickshiftpp._search import memory


def check(case, **options):
    expected = oracle.quickshiftpp(case.X, case.k, case.beta)
    model = QuickshiftPP(case.k, case.beta, **options).fit(case.X)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    np.testing.assert_array_equal(model.core_labels_, expected.core_labels)
    np.testing.assert_array_equal(model.radii_, np.sqrt(expected.squared_radii))
    np.testing.assert_array_equal(model.parents_, expected.parents)
    assert_same_rows(case.X, model.mode_indices_, expected.modes)
    assert model.n_clusters_ == len(expected.modes) == model.tree_.n_clusters(case.beta)
    return model, expected


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), algorithm=st.sampled_from(SEARCHES))
def test_any_case(seed, algorithm):
    check(random_case(seed), algorithm=algorithm)


@pytest.mark.parametrize("block", range(4))
def test_without_lists(block, monkeypatch):
    monkeypatch.setattr(memory, "LARGE_LISTS", 0)
    for seed in range(3000 + 100 * block, 3100 + 100 * block):
        check(random_case(seed), algorithm="kd_tree")


@pytest.mark.parametrize("block", range(20))
def test_two_thousand_cases(block):
    for seed in range(100 * block, 100 * (block + 1)):
        check(random_case(seed))


@pytest.mark.parametrize("seed", range(30))
def test_more_samples_than_a_block(seed):
    check(random_case(seed, largest=150))


@pytest.mark.parametrize("seed", range(150))
def test_small_clusters_dissolve(seed):
    case = random_case(seed)
    size = 1 + seed % 7
    expected = oracle.quickshiftpp(case.X, case.k, case.beta, min_cluster_size=size)
    model = QuickshiftPP(case.k, case.beta, min_cluster_size=size).fit(case.X)
    np.testing.assert_array_equal(model.labels_, expected.labels)
    np.testing.assert_array_equal(model.core_labels_, expected.core_labels)
    assert_same_rows(case.X, model.mode_indices_, expected.modes)


@pytest.mark.parametrize("seed", range(100))
def test_given_dimension(seed):
    case = random_case(seed)
    expected = oracle.quickshiftpp(case.X, case.k, case.beta, d=2)
    model = QuickshiftPP(case.k, case.beta, dimension=2).fit(case.X)
    np.testing.assert_array_equal(model.labels_, expected.labels)


@pytest.mark.parametrize("seed", range(150))
def test_predict(seed):
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    model, expected = check(case)
    np.testing.assert_array_equal(model.predict(case.X), model.labels_)
    new = case.X[rng.integers(0, len(case.X), 20)] + rng.integers(-1, 2, (20, case.X.shape[1])) / 2
    np.testing.assert_array_equal(model.predict(new), oracle.predict(case.X, expected, case.k, new))


@pytest.mark.parametrize("seed", range(150))
def test_mcores(seed):
    case = random_case(seed)
    labels, core_labels = oracle.mcores(case.X, case.k, case.beta)
    model = MCores(case.k, case.beta).fit(case.X)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.core_labels_, core_labels)


@pytest.mark.parametrize("seed", range(150))
def test_quick_shift(seed):
    case = random_case(seed)
    rng = np.random.default_rng(seed)
    bandwidth, tau = rng.uniform(1, 3), rng.uniform(0, 3)
    labels, sums, parents = oracle.quick_shift(case.X, bandwidth, tau)
    model = QuickShift(bandwidth, tau=100).fit(case.X)
    np.testing.assert_array_equal(model.cut(tau), labels)
    n, d = case.X.shape
    log_density = np.log(sums) - np.log(n) - 0.5 * d * np.log(2 * np.pi * bandwidth**2)
    np.testing.assert_allclose(model.log_density_, log_density, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(model.parents_, parents)
