"""One neighbor search, every k and every beta."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from cases import random_case
from quickshiftpp import QuickshiftPP, Sweep, sweep


@pytest.mark.parametrize("seed", range(250))
def test_sweeps_equal_refits(seed):
    case = random_case(seed, largest=60)
    rng = np.random.default_rng(seed)
    n = len(case.X)
    ks = sorted({int(k) for k in rng.integers(1, n + 1, 3)})
    betas = sorted({case.beta, 0.5})
    size = ("k", 1, 3)[seed % 3]
    dimension = (None, "intrinsic")[seed % 2]
    result = sweep(
        case.X, ks, betas, min_cluster_size=size, dimension=dimension, return_labels=True
    )
    for i, k in enumerate(ks):
        for j, beta in enumerate(betas):
            model = QuickshiftPP(k, beta, min_cluster_size=size, dimension=dimension).fit(case.X)
            np.testing.assert_array_equal(result.labels[i, j], model.labels_)
            assert result.n_clusters[i, j] == model.n_clusters_
            np.testing.assert_array_equal(result.sizes[i][j], np.bincount(model.labels_))


def test_agreements():
    X = np.random.default_rng(0).normal(size=(600, 2))
    result = sweep(X, [5, 10, 20], [0.2, 0.4, 0.6, 0.8], return_labels=True)
    for i in range(2):
        for j in range(4):
            expected = adjusted_rand_score(result.labels[i, j], result.labels[i + 1, j])
            assert result.agreement_k[i, j] == pytest.approx(expected)
    for i in range(3):
        for j in range(3):
            expected = adjusted_rand_score(result.labels[i, j], result.labels[i, j + 1])
            assert result.agreement_beta[i, j] == pytest.approx(expected)
    expected = np.mean(
        [result.agreement_k[0, 1], result.agreement_beta[0, 0], result.agreement_beta[0, 1]]
    )
    assert result.stability[0, 1] == pytest.approx(expected)
    assert result.stability.shape == (3, 4)


def test_defaults_and_a_single_cell():
    X = np.random.default_rng(0).normal(size=(200, 2))
    result = sweep(X)
    assert result.labels is None
    assert result.n_clusters.shape == (len(result.ks), 9)
    single = sweep(X, [10], [0.5])
    assert np.isnan(single.stability).tolist() == [[True]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ks": []}, "ks is"),
        ({"betas": []}, "betas is"),
        ({"ks": [0]}, "k is 0"),
        ({"ks": [500]}, "k is 500"),
        ({"betas": [1.0]}, "beta is 1"),
        ({"dimension": "low"}, "dimension is 'low'"),
        ({"min_cluster_size": 0}, "min_cluster_size is 0"),
        ({"min_cluster_size": "n"}, "min_cluster_size is 'n'"),
        ({"algorithm": "magic"}, "algorithm is 'magic'"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        sweep(np.zeros((20, 2)), **arguments)


def test_repr_fits_on_a_line():
    X = np.random.default_rng(0).normal(size=(100, 2))
    assert repr(sweep(X, [5, 9], [0.2, 0.8])).startswith("Sweep(k=5..9, beta=0.2..0.8, n_clusters=")
    assert repr(sweep(X, [5], [0.5])).count("..") == 0


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frame_has_a_row_for_every_setting(library):
    X = np.random.default_rng(1).normal(size=(150, 2))
    result = sweep(X, [5, 9, 20], [0.2, 0.8])
    frame = result.to_frame(library)
    assert type(frame).__module__.partition(".")[0] == library
    assert np.asarray(frame["k"]).tolist() == [5, 5, 9, 9, 20, 20]
    assert np.asarray(frame["beta"]).tolist() == [0.2, 0.8] * 3
    assert np.asarray(frame["n_clusters"]).tolist() == result.n_clusters.ravel().tolist()
    largest = [sizes.max() for row in result.sizes for sizes in row]
    assert np.asarray(frame["largest"]).tolist() == largest
    np.testing.assert_array_equal(np.asarray(frame["stability"]), result.stability.ravel())
    with pytest.raises(ValueError, match=r"library is 'excel'.*pandas"):
        result.to_frame("excel")


def test_best_is_the_most_stable_with_several_clusters():
    X, _ = make_blobs(600, centers=4, cluster_std=0.5, random_state=0)
    result = sweep(X, [10, 20, 30], [0.3, 0.5, 0.7, 0.95], min_cluster_size="k")
    best = result.best()
    several = np.where(result.n_clusters > 1, result.stability, -1)
    assert best.stability == several.max()
    i, j = result.ks.tolist().index(best.k), result.betas.tolist().index(best.beta)
    assert (best.n_clusters, best.stability) == (result.n_clusters[i, j], result.stability[i, j])
    assert best.n_clusters == 4
    one = sweep(np.random.default_rng(0).normal(size=(50, 2)), [40], [0.9, 0.95]).best()
    assert one.n_clusters == 1


def test_a_single_cluster_is_the_best_only_where_there_are_no_more():
    def best(n_clusters):
        return Sweep(
            ks=np.array([5, 10]),
            betas=np.array([0.2, 0.9]),
            n_clusters=np.array(n_clusters),
            sizes=[],
            agreement_k=np.array([[0.5, 1.0]]),
            agreement_beta=np.array([[0.3], [0.4]]),
        ).best()

    assert best([[3, 1], [2, 1]]) == (10, 0.2, 2, pytest.approx(0.45))
    assert best([[1, 1], [1, 1]]) == (10, 0.9, 1, pytest.approx(0.7))
