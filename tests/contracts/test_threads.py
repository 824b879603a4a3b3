"""How many threads a number of jobs, and the environment, stand for."""

from __future__ import annotations

import numpy as np
import pytest

from quickshiftpp import QuickshiftPP, _core, _threads


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch):
    _threads._most_threads.cache_clear()
    monkeypatch.setattr(_threads, "cpu_count", lambda: 8)
    yield
    _threads._most_threads.cache_clear()


@pytest.mark.parametrize(
    ("n_jobs", "threads"),
    [(1, 1), (3, 3), (20, 20), (10**6, 64), (-1, 8), (-2, 7), (-8, 1), (-9, 1), (-100, 1)],
)
def test_numbers_of_jobs(n_jobs, threads):
    assert _threads.resolve_threads(n_jobs) == threads


def test_none_is_the_default(monkeypatch):
    monkeypatch.setattr(_core, "default_threads", lambda: 5)
    assert _threads.resolve_threads(None) == 5
    assert _threads.threads_on_this_machine(60) == 5
    assert _threads.threads_on_this_machine(2) == 2


@pytest.mark.parametrize(
    ("value", "threads"),
    [(None, 8), ("", 8), ("3", 3), (" 3 ", 3), ("3,2,1", 3), ("0", 8), ("-2", 8), ("all", 8)],
)
def test_the_environment(value, threads, monkeypatch):
    if value is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert _threads._initial_threads() == threads


def test_small_fits_start_no_threads():
    rng = np.random.default_rng(0)
    assert QuickshiftPP(n_jobs=4).fit(rng.normal(size=(500, 2))).tree_._threads == 1
    assert QuickshiftPP(n_jobs=4).fit(rng.normal(size=(500, 50))).tree_._threads == 4
