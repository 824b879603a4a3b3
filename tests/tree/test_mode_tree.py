"""Stage 3: the tree of modes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster import hierarchy

import oracle
from cases import random_case
from comparators import assert_same_fit
from quickshiftpp import ModeTree, QuickshiftPP


@pytest.mark.parametrize("seed", range(120))
def test_every_beta_from_one_tree(seed):
    """The number of cores of Algorithm 1 at many betas, the breakpoints among them."""
    case = random_case(seed, largest=25)
    tree = QuickshiftPP(case.k, 0.3).fit(case.X).tree_
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


@pytest.mark.parametrize("size", [1, 6])
def test_asking_for_a_number_of_clusters(size):
    X = np.random.default_rng(3).normal(size=(400, 2))
    tree = QuickshiftPP(6, 0.3, min_cluster_size=size).fit(X).tree_
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
        refit = QuickshiftPP(6, beta, min_cluster_size=size).fit(X)
        np.testing.assert_array_equal(labels, refit.labels_)
    assert reached > 20


@pytest.mark.parametrize("seed", range(40))
def test_the_number_of_clusters_that_a_fit_has_can_be_had(seed):
    case = random_case(seed, largest=80)
    for parameters in ({}, {"beta": case.beta, "min_cluster_size": 3}, {"beta": case.beta}):
        model = QuickshiftPP(case.k, **parameters).fit(case.X)
        labels, n_clusters = model.labels_.copy(), model.n_clusters_
        np.testing.assert_array_equal(model.tree_.labels(beta=model.beta_), labels)
        np.testing.assert_array_equal(model.tree_.core_labels(beta=model.beta_), model.core_labels_)
        assert model.tree_.n_clusters(model.beta_) == n_clusters
        assert model.relabel(n_clusters=n_clusters).n_clusters_ == n_clusters
        np.testing.assert_array_equal(model.tree_.labels(beta=model.beta_), model.labels_)


def test_relabel_gives_the_tree_its_least_size():
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = QuickshiftPP(8, 0.3).fit(X)
    tree = model.tree_
    model.relabel(beta=0.3, min_cluster_size=20)
    np.testing.assert_array_equal(model.tree_.labels(beta=0.3), model.labels_)
    assert (tree.min_cluster_size, model.tree_.min_cluster_size) == (1, 20)


def test_ties_with_a_decimal_beta():
    """Squared radii of 7 and 10 in the plane: the density ratio is exactly 1 - 0.3."""
    tree = QuickshiftPP(2).fit(np.arange(8.0)[:, None] ** 2).tree_
    assert tree.n_clusters(0.3) >= 1
    # Two pairs, 1 and 2 apart, in one dimension: the second is at half the density of the first.
    X = np.array([[0.0], [1.0], [3.0]])
    model = QuickshiftPP(2, 0.5).fit(X)
    expected = oracle.quickshiftpp(X, 2, 0.5)
    np.testing.assert_array_equal(model.core_labels_, expected.core_labels)


def example(seed=0, n=300, k=8):
    return QuickshiftPP(k, 0.4).fit(np.random.default_rng(seed).normal(size=(n, 2)))


def test_breakpoints():
    tree = example().tree_
    betas = tree.betas()
    assert (np.diff(betas) > 0).all()
    assert ((betas > 0) & (betas < 1)).all()
    middles = (betas[:-1] + betas[1:]) / 2
    counts = tree.n_clusters(middles)
    assert (np.diff(counts) < 0).all()
    assert tree.n_clusters(betas[0] / 2) > counts[0]


def test_counting_with_a_least_size():
    tree = example().tree_
    counts = tree.n_clusters([0.2, 0.5], min_cluster_size=10)
    assert counts.tolist() == [
        len(set(tree.labels(beta=beta, min_cluster_size=10))) for beta in (0.2, 0.5)
    ]
    assert tree.n_clusters(0.2, min_cluster_size=10) == counts[0]


@pytest.mark.parametrize("seed", range(40))
def test_linkage(seed):
    case = random_case(seed)
    tree = QuickshiftPP(case.k, 0.3).fit(case.X).tree_
    linkage = tree.linkage()
    assert linkage.shape == (len(tree.modes) - 1, 4)
    if len(tree.modes) == 1:
        return
    assert hierarchy.is_valid_linkage(linkage)
    np.testing.assert_array_equal(tree.children, linkage[:, :2])
    sizes = [1] * len(tree.modes)
    for one, other, _, size in linkage:
        sizes.append(sizes[int(one)] + sizes[int(other)])
        assert size == sizes[-1]
    for beta in (0.2, 0.5, 0.9):
        groups = hierarchy.fcluster(linkage, beta, "distance")
        assert len(set(groups)) == tree.n_clusters(beta)
    hierarchy.dendrogram(linkage, no_plot=True)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library):
    tree = example().tree_
    frame = tree.to_frame(library)
    assert type(frame).__module__.split(".")[0] in (library, "pyarrow")
    column = frame["prominence"]
    np.testing.assert_array_equal(np.asarray(column), tree.modes["prominence"])
    assert tree.to_frame() is not None
    with pytest.raises(ValueError, match="library is 'excel'"):
        tree.to_frame("excel")


def test_networkx():
    tree = example().tree_
    graph = tree.to_networkx()
    assert graph.number_of_nodes() == len(tree.modes)
    assert graph.number_of_edges() == (tree.modes["parent"] >= 0).sum()
    assert all(graph.out_degree(node) <= 1 for node in graph)
    for child, parent, saddle in graph.edges(data="saddle"):
        assert parent == tree.modes["parent"][child]
        assert saddle == tree.modes["saddle"][child]


def test_paths_explain_labels():
    model = example()
    labels, core_labels = model.labels_, model.core_labels_
    for sample in range(0, 300, 7):
        path = model.tree_.path(sample, beta=0.4)
        assert path["index"][0] == sample
        assert (np.diff(path["log_density"]) >= 0).all()
        assert path["core_label"][-1] == labels[sample]
        assert path["index"][-1] == model.mode_indices_[labels[sample]]
        climbing = path["index"][path["core_label"] < 0]
        assert (core_labels[climbing] < 0).all()
        whole = model.tree_.path(sample)
        assert whole["index"][-1] == model.tree_.modes["index"][0]
    assert model.tree_.path(-1)["index"][0] == 299
    with pytest.raises(ValueError, match="sample is 300"):
        model.tree_.path(300)


def test_relabel_equals_refit():
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = QuickshiftPP(8, 0.4).fit(X)
    for beta, size in ((0.2, 1), (0.6, 5), (0.9, 1)):
        refit = QuickshiftPP(8, beta, min_cluster_size=size).fit(X)
        assert_same_fit(X, model.relabel(beta=beta, min_cluster_size=size), refit)
        assert (model.beta_, model.min_cluster_size_) == (beta, size)
        np.testing.assert_array_equal(model.predict(X[:50]), refit.predict(X[:50]))
    assert model.beta == 0.4  # the parameter stays what the user gave
    wanted = model.tree_.n_clusters(0.5)
    assert model.relabel(n_clusters=wanted, min_cluster_size=1).n_clusters_ == wanted
    assert model.relabel(beta=0.5).min_cluster_size_ == 1
    with pytest.raises(ValueError, match="give one of the two"):
        model.relabel()
    with pytest.raises(ValueError, match="min_cluster_size is 0"):
        model.relabel(beta=0.5, min_cluster_size=0)
