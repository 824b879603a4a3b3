"""The same answer for any thread count, precision, layout, row order, instruction set."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info, threadpool_limits

from cases import SEARCHES, SIMD_LEVELS, force_instruction_set, random_case
from comparators import assert_same_fit
from quickshiftpp import MCores, QuickShift, QuickshiftPP, _core, all_neighbors
from quickshiftpp._search import memory


def blobs(n, d, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-10, 10, (8, d))
    labels = rng.integers(0, 8, n)
    return centers[labels] + rng.normal(size=(n, d)) * rng.uniform(0.2, 2, 8)[labels, None]


def pixels(side=40, seed=0):
    """An image as (row, column, three small integers): ties are the rule."""
    rng = np.random.default_rng(seed)
    row, column = np.mgrid[:side, :side]
    colors = rng.integers(0, 4, (3, side, side)) + 20 * (row > column)
    return np.stack([row, column, *colors], axis=-1).reshape(-1, 5).astype(float)


DATA = {
    "blobs 2-D": (blobs(5000, 2), 20),
    "long lists": (blobs(3000, 2), 40),
    "blobs 12-D": (blobs(2000, 12), 10),
    "blobs 80-D": (blobs(700, 80), 15),
    "pixels": (pixels(), 30),
    "duplicates": (np.repeat(blobs(150, 3), 20, axis=0), 12),
    "one-hot": (np.repeat(np.eye(120), 2, axis=0), 5),
    "sorted line": (np.geomspace(1, 1e6, 3000)[:, None], 3),
}


@pytest.fixture(params=DATA, scope="module")
def problem(request):
    X, k = DATA[request.param]
    X = X.astype(np.float32).astype(np.float64)  # so that float32 holds the same numbers
    return X, k, QuickshiftPP(k, 0.5, n_jobs=1).fit(X)


@pytest.mark.parametrize("n_jobs", [2, 3, -1, None])
def test_threads(problem, n_jobs):
    X, k, reference = problem
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5, n_jobs=n_jobs).fit(X))


def test_threadpoolctl_limits_the_threads():
    assert any(pool["user_api"] == "openmp" for pool in threadpool_info())
    with threadpool_limits(1, user_api="openmp"):
        assert _core.default_threads() == 1
    with threadpool_limits(3, user_api="openmp"):
        assert _core.default_threads() == 3


def test_float32(problem):
    X, k, reference = problem
    model = QuickshiftPP(k, 0.5).fit(X.astype(np.float32))
    assert_same_fit(X, reference, model)
    for dtype in (np.float32, np.float64):
        np.testing.assert_array_equal(model.predict(X.astype(dtype)), model.labels_)


@pytest.mark.parametrize("algorithm", SEARCHES)
def test_algorithm(problem, algorithm):
    X, k, reference = problem
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5, algorithm=algorithm).fit(X))


def test_predictions(problem, monkeypatch):
    """New samples get the same labels by every search, thread count, batch, order and processor."""
    X, k, reference = problem
    rng = np.random.default_rng(0)
    new = (X[rng.integers(0, len(X), 300)] + X[rng.integers(0, len(X), 300)]) / 2
    expected = reference.predict(new)
    rows, order = rng.permutation(len(X)), rng.permutation(len(new))
    for algorithm in SEARCHES:
        model = QuickshiftPP(k, 0.5, algorithm=algorithm, n_jobs=3).fit(X[rows])
        np.testing.assert_array_equal(model.predict(new[order]), expected[order])
        np.testing.assert_array_equal(model.predict(new[:7]), expected[:7])
        np.testing.assert_array_equal(model.predict(X), reference.labels_)
        with monkeypatch.context() as patch:
            patch.setenv("QUICKSHIFTPP_SIMD", "baseline")
            np.testing.assert_array_equal(model.predict(new), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_without_lists(problem, n_jobs, monkeypatch):
    X, k, reference = problem
    monkeypatch.setattr(memory, "LARGE_LISTS", 0)
    for dtype in (np.float32, np.float64):
        model = QuickshiftPP(k, 0.5, algorithm="kd_tree", n_jobs=n_jobs).fit(X.astype(dtype))
        assert_same_fit(X, reference, model)


def test_permuted_rows(problem):
    X, k, reference = problem
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(X))
        assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(X[rows]), rows)


def test_layout(problem, tmp_path):
    X, k, reference = problem
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(np.asfortranarray(X)))
    wide = np.zeros((len(X), 2 * X.shape[1]))
    wide[:, ::2] = X
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(wide[:, ::2]))
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(mapped))
    frozen = X.copy()
    frozen.setflags(write=False)
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(frozen))


def test_input_is_not_written_to(problem):
    X, k, _ = problem
    before = X.copy()
    for model in (QuickshiftPP(k), MCores(k), QuickShift()):
        model.fit(X)
    all_neighbors(X, k)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("level", SIMD_LEVELS)
def test_instruction_set(problem, level, monkeypatch):
    X, k, reference = problem
    force_instruction_set(level, monkeypatch)
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(X))
    single = X.astype(np.float32)
    assert_same_fit(X, reference, QuickshiftPP(k, 0.5).fit(single))


def test_unknown_instruction_set_is_named(monkeypatch):
    monkeypatch.setenv("QUICKSHIFTPP_SIMD", "mmx")
    with pytest.raises(ValueError, match=r"QUICKSHIFTPP_SIMD is 'mmx'.*baseline"):
        QuickshiftPP().fit(np.zeros((5, 2)))


@pytest.mark.parametrize(
    "estimator", [MCores(beta=0.5), QuickShift()], ids=["MCores", "QuickShift"]
)
def test_the_other_estimators(problem, estimator, monkeypatch):
    X, _, _ = problem
    reference = clone(estimator).set_params(n_jobs=1).fit(X)

    def same(model, rows=slice(None)):
        np.testing.assert_array_equal(reference.labels_[rows], model.labels_)
        np.testing.assert_array_equal(reference.log_density_[rows], model.log_density_)

    same(clone(estimator).set_params(n_jobs=2).fit(X))
    for algorithm in SEARCHES:
        if algorithm != "cascade" or not isinstance(estimator, QuickShift):
            same(clone(estimator).set_params(algorithm=algorithm).fit(X))
    same(clone(estimator).fit(X.astype(np.float32)))
    rows = np.random.default_rng(0).permutation(len(X))
    same(clone(estimator).fit(X[rows]), rows)
    monkeypatch.setenv("QUICKSHIFTPP_SIMD", "baseline")
    same(clone(estimator).fit(X))


def test_neighbors_are_the_same_for_every_path(problem, monkeypatch):
    X, k, _ = problem
    distances, indices = all_neighbors(X, k, n_jobs=1)
    assert (indices[:, 0] == np.arange(len(X))).all()
    for options in (*({"algorithm": algorithm} for algorithm in SEARCHES), {"n_jobs": 2}):
        other = all_neighbors(X, k, **options)
        np.testing.assert_array_equal(distances, other[0])
        np.testing.assert_array_equal(indices, other[1])
    monkeypatch.setenv("QUICKSHIFTPP_SIMD", "baseline")
    other = all_neighbors(X.astype(np.float32), k)
    np.testing.assert_array_equal(distances, other[0])
    np.testing.assert_array_equal(indices, other[1])


@pytest.mark.parametrize("exponent", [-700, -60, 60, 700])
def test_power_of_two_units(exponent):
    for seed in range(60):
        case = random_case(seed)
        reference = QuickshiftPP(case.k, case.beta).fit(case.X)
        model = QuickshiftPP(case.k, case.beta).fit(np.ldexp(case.X, exponent))
        np.testing.assert_array_equal(model.labels_, reference.labels_)
        np.testing.assert_array_equal(model.core_labels_, reference.core_labels_)
        np.testing.assert_array_equal(model.parents_, reference.parents_)
        np.testing.assert_array_equal(model.radii_, np.ldexp(reference.radii_, exponent))
        np.testing.assert_allclose(
            model.log_density_,
            reference.log_density_ - case.X.shape[1] * exponent * np.log(2),
            atol=1e-9,
        )
        np.testing.assert_array_equal(model.predict(np.ldexp(case.X, exponent)), reference.labels_)


def test_pickle_and_clone(problem):
    X, _, reference = problem
    copy = pickle.loads(pickle.dumps(reference))
    assert_same_fit(X, reference, copy)
    np.testing.assert_array_equal(copy.predict(X), reference.labels_)
    np.testing.assert_array_equal(copy.tree_.labels(beta=0.9), reference.tree_.labels(beta=0.9))
    assert_same_fit(X, reference, clone(reference).fit(X))
    shift = QuickShift().fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(shift)).cut(shift.tau_), shift.labels_)


def test_cuts_equal_refits(problem):
    X, k, reference = problem
    for beta in (0.05, 0.3, 0.8, 0.99):
        for size in (1, 7):
            refit = QuickshiftPP(k, beta, min_cluster_size=size).fit(X)
            labels = reference.tree_.labels(beta=beta, min_cluster_size=size)
            np.testing.assert_array_equal(labels, refit.labels_)
            cores = reference.tree_.core_labels(beta=beta, min_cluster_size=size)
            np.testing.assert_array_equal(cores, refit.core_labels_)


def test_import_is_clean():
    """The package loads none of its extras; what scikit-learn loads is scikit-learn's business."""
    code = (
        "import sys, sklearn.base, sklearn.utils.validation; before = set(sys.modules);"
        "import quickshiftpp; print(sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    for extra in ("matplotlib", "pyarrow", "click", "rich", "PIL", "pandas"):
        assert f"'{extra}'" not in result.stdout
