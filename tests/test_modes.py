"""Stage 3: the tree of modes."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import random_case
from quickshiftpp import ModeTree, QuickshiftPP


@pytest.mark.parametrize("seed", range(120))
def test_every_beta_from_one_tree(seed):
    """The number of cores of Algorithm 1 at many betas, the breakpoints among them."""
    case = random_case(seed, largest=25)
    tree = QuickshiftPP(case.k).fit(case.X).tree_
    inner = tree.modes["prominence"][
        (tree.modes["prominence"] > 0) & (tree.modes["prominence"] < 1)
    ]
    betas = np.concatenate([[0.1, 0.5, 0.9], inner[:6] * (1 - 1e-9), inner[:6] * (1 + 1e-9)])
    betas = betas[betas < 1]
    counts = tree.n_clusters(betas)
    for beta, count in zip(betas, counts, strict=True):
        expected = oracle.quickshiftpp(case.X, case.k, beta)
        assert count == len(expected.modes)
        np.testing.assert_array_equal(tree.labels(beta=beta), expected.labels)
        np.testing.assert_array_equal(tree.core_labels(beta=beta), expected.core_labels)


@pytest.mark.parametrize("seed", range(60))
def test_the_shape_of_the_tree(seed):
    case = random_case(seed)
    model = QuickshiftPP(case.k).fit(case.X)
    modes = model.tree_.modes
    n = len(case.X)
    assert (np.diff(modes["log_density"][np.isfinite(modes["log_density"])]) <= 0).all()
    assert ((modes["parent"] >= 0) == (modes["saddle"] >= 0)).all()
    children = np.flatnonzero(modes["parent"] >= 0)
    assert (modes["parent"][children] < children).all()  # a parent is denser
    assert (modes["saddle_log_density"] <= modes["log_density"]).all()
    roots = modes["parent"] < 0
    assert (modes["prominence"][roots] == 1).all()
    assert modes["size"][roots].sum() == n
    assert ((modes["prominence"] >= 0) & (modes["prominence"] <= 1)).all()
    np.testing.assert_array_equal(modes["log_density"], model.log_density_[modes["index"]])


def test_asking_for_a_number_of_clusters():
    X = np.random.default_rng(3).normal(size=(400, 2))
    tree = QuickshiftPP(6).fit(X).tree_
    assert isinstance(tree, ModeTree)
    assert "n_modes=" in repr(tree)
    reached = 0
    for n_clusters in range(1, len(tree.modes) + 1):
        try:
            labels = tree.labels(n_clusters=n_clusters)
        except ValueError:
            continue
        reached += 1
        assert len(set(labels)) == n_clusters
        beta = tree.beta_for(n_clusters)
        np.testing.assert_array_equal(labels, QuickshiftPP(6, beta).fit(X).labels_)
    assert reached > 20


def test_ties_with_a_decimal_beta():
    """Squared radii of 7 and 10 in the plane: the density ratio is exactly 1 - 0.3."""
    tree = QuickshiftPP(2).fit(np.arange(8.0)[:, None] ** 2).tree_
    assert tree.n_clusters(0.3) >= 1
    # Two pairs, 1 and 2 apart, in one dimension: the second is at half the density of the first.
    X = np.array([[0.0], [1.0], [3.0]])
    model = QuickshiftPP(2, 0.5).fit(X)
    expected = oracle.quickshiftpp(X, 2, 0.5)
    np.testing.assert_array_equal(model.core_labels_, expected.core_labels)
