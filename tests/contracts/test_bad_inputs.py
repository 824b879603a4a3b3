"""Each bad input gets a sentence that names the value and what is allowed, and changes nothing."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
import scipy.sparse

from quickshiftpp import (
    InvalidParameterError,
    MCores,
    QuickShift,
    QuickshiftPP,
    all_neighbors,
)

ESTIMATORS = [QuickshiftPP, MCores, QuickShift]
X = np.random.default_rng(0).normal(size=(30, 2))


def with_value(value):
    bad = X.copy()
    bad[3, 1] = value
    return bad


BAD_ARRAYS = {
    "NaN": (with_value(np.nan), "NaN"),
    "infinity": (with_value(np.inf), "infinity"),
    "minus infinity": (with_value(-np.inf), "infinity"),
    "no samples": (np.empty((0, 2)), "0 sample"),
    "no columns": (np.empty((5, 0)), "0 feature"),
    "one-dimensional": (X[:, 0], "Expected 2D array, got 1D array"),
    "three-dimensional": (X[None], "dim 3"),
    "a scalar": (np.float64(3), "Expected 2D array, got scalar"),
    "strings": (np.array([["a", "b"], ["c", "d"]]), "'a'|strings"),
    "strings as objects": (np.array([["spam", 1], [2, 3]], dtype=object), "spam"),
    "dictionaries": (np.array([[{}, 1], [2, 3]], dtype=object), "dict"),
    "ragged": ([[1, 2], [3]], "inhomogeneous|sequence"),
    "complex": (X + 1j, "Complex data not supported"),
    "sparse": (scipy.sparse.csr_array(X), "[Ss]parse"),
    "None": (None, "nan|None"),
    "infinity in float32": (with_value(np.inf).astype(np.float32), "infinity"),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_arrays(estimator, name):
    array, message = BAD_ARRAYS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        estimator().fit(array)


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_arrays_for_all_neighbors(name):
    array, message = BAD_ARRAYS[name]
    with pytest.raises((ValueError, TypeError), match=message):
        all_neighbors(array, 1)


BAD_PARAMETERS = [
    ("k", 0, "0"),
    ("k", -3, "-3"),
    ("k", 2.5, "2.5"),
    ("k", "many", "many"),
    ("k", 31, "is 31.*1 to the number of samples, here n_samples=30"),
    ("beta", 0, "0"),
    ("beta", 1, "1"),
    ("beta", -0.1, "-0.1"),
    ("beta", 1.5, "1.5"),
    ("beta", float("nan"), "nan"),
    ("beta", "high", "high"),
    ("metric", "cosine", "cosine"),
    ("dimension", 0, "0"),
    ("dimension", -1, "-1"),
    ("dimension", "low", "low"),
    ("algorithm", "magic", "magic"),
    ("n_jobs", 0, "0"),
    ("n_jobs", 1.5, "1.5"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD_PARAMETERS)
@pytest.mark.parametrize("estimator", [QuickshiftPP, MCores])
def test_parameters(estimator, name, value, message):
    with pytest.raises((ValueError, TypeError), match=f"{name}.*{message}"):
        estimator(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_cluster_size", 0), ("min_cluster_size", -1), ("min_cluster_size", 1.5)],
)
def test_quickshiftpp_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        QuickshiftPP(**{name: value}).fit(X)


@pytest.mark.parametrize(
    ("name", "value"),
    [("bandwidth", 0), ("bandwidth", -1.0), ("bandwidth", "wide"), ("tau", -0.5), ("tau", "far")],
)
def test_quick_shift_parameters(name, value):
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        QuickShift(**{name: value}).fit(X)
    with pytest.raises(ValueError, match="tau is -1"):
        QuickShift().fit(X).cut(-1)


@pytest.mark.parametrize(
    ("k", "error", "message"),
    [
        (0, ValueError, "k is 0"),
        (31, ValueError, "k is 31"),
        (2.0, TypeError, "k is 2.0"),
        ("two", TypeError, "k is 'two'"),
        (True, TypeError, "k is True"),
    ],
)
def test_all_neighbors_k(k, error, message):
    with pytest.raises(error, match=message):
        all_neighbors(X, k)


def test_all_neighbors_options():
    with pytest.raises(ValueError, match=r"algorithm is 'magic'.*kd_tree"):
        all_neighbors(X, 3, algorithm="magic")
    for n_jobs in (0, 2.5, "many"):
        with pytest.raises(ValueError, match=f"n_jobs is {n_jobs!r}"):
            all_neighbors(X, 3, n_jobs=n_jobs)


def test_far_too_many_threads():
    reference = QuickshiftPP(5, n_jobs=1).fit(X)
    for n_jobs in (10**6, 2**40, -(10**6)):
        np.testing.assert_array_equal(
            QuickshiftPP(5, n_jobs=n_jobs).fit(X).labels_, reference.labels_
        )


def test_numbers_beyond_reason():
    for bandwidth in (1e-200, 1e200):
        with pytest.raises(ValueError, match=re.escape(f"bandwidth is {bandwidth}")):
            QuickShift(bandwidth).fit(X)
    assert QuickshiftPP(5, 0.5, dimension=1e-300).fit(X).n_clusters_ >= 1
    assert QuickshiftPP(5, 0.5, min_cluster_size=10**30).fit(X).n_clusters_ == 1


@pytest.mark.parametrize("beta", [0, 1, -1, 2, float("nan"), "x"])
def test_tree_beta(beta):
    tree = QuickshiftPP(5).fit(X).tree_
    for method in (tree.labels, tree.core_labels, partial(tree.path, 0)):
        with pytest.raises(ValueError, match=f"beta is {beta!r}.*between 0 and 1"):
            method(beta)


def test_tree_sizes_and_numbers():
    tree = QuickshiftPP(5).fit(X).tree_
    for size in (0, -1, 2.5, "k", True):
        with pytest.raises(ValueError, match=f"min_cluster_size is {size!r}"):
            tree.labels(beta=0.5, min_cluster_size=size)
    for number in (2.5, True, "two"):
        with pytest.raises(ValueError, match=f"n_clusters is {number!r}"):
            tree.labels(n_clusters=number)


def test_tree_wants_one_of_beta_and_n_clusters():
    tree = QuickshiftPP(5).fit(X).tree_
    with pytest.raises(ValueError, match="beta is None and n_clusters is None"):
        tree.labels()
    with pytest.raises(ValueError, match=r"beta is 0.3 and n_clusters is 2"):
        tree.labels(beta=0.3, n_clusters=2)
    for impossible in (0, -1, 10_000):
        with pytest.raises(ValueError, match=f"n_clusters is {impossible}.*nearest"):
            tree.labels(n_clusters=impossible)


def test_predict():
    model = QuickshiftPP(5).fit(X)
    with pytest.raises(ValueError, match="X has 3 features, but QuickshiftPP is expecting 2"):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="NaN"):
        model.predict(with_value(np.nan))
    with pytest.raises(ValueError, match="not fitted"):
        QuickshiftPP().predict(X)


@pytest.mark.parametrize("bad", [{"k": 31}, {"beta": 2.0}, {"metric": "cosine"}])
def test_a_failed_fit_leaves_the_old_one(bad):
    model = QuickshiftPP(5).fit(X)
    labels, state = model.labels_.copy(), set(vars(model))
    with pytest.raises(ValueError):
        model.set_params(**bad).fit(np.zeros((30, 5)))
    np.testing.assert_array_equal(model.labels_, labels)
    assert set(vars(model)) == state
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.predict(X), labels)


@pytest.mark.parametrize(
    ("parameter", "value"), [("k", 0), ("k", "many"), ("beta", 2), ("n_jobs", 1.5), ("verbose", [])]
)
def test_one_exception_type_for_all_parameters(parameter, value):
    for kind in (InvalidParameterError, ValueError, TypeError):
        with pytest.raises(kind, match=f"^{parameter} is "):
            QuickshiftPP(**{parameter: value}).fit(X)
