"""The ways to the same result: searches, threads, instruction sets, stored lists or none."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from cases import SEARCHES, SIMD_LEVELS
from plans import PLANS
from quickshiftpp import _core
from quickshiftpp._search import cascade, memory, new_samples
from quickshiftpp._search.cascade import Plan

_VARIABLE = "QUICKSHIFTPP_SIMD"
ALGORITHMS = ("auto", *SEARCHES)
MOST_THREADS = 4


def draw_path(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a search, a number of threads, an instruction set, and whether lists are stored."""
    return {
        "algorithm": str(rng.choice(ALGORITHMS)),
        "n_jobs": 1 if rng.random() < 0.5 else int(rng.integers(1, MOST_THREADS + 1)),
        "simd": None if rng.random() < 0.5 else str(rng.choice(SIMD_LEVELS)),
        "lists": bool(rng.random() < 0.8),
    }


@contextmanager
def on_path(simd: str | None, lists: bool = True) -> Iterator[None]:
    """Force an instruction set, where the processor has it; store neighbor lists or search again.

    The core reads the environment variable at every call. The cascade compares samples by any of
    its plans; after a fit with it, predictions use it for any number of new samples.
    """
    before, limit = os.environ.get(_VARIABLE), memory.LARGE_LISTS
    queries, choose_plan = new_samples.CASCADE_QUERIES, cascade.choose_plan
    new_samples.CASCADE_QUERIES = 1
    cascade.choose_plan = _plan_by_shape
    if simd is not None and _is_supported(simd):
        os.environ[_VARIABLE] = simd
    if not lists:
        memory.LARGE_LISTS = 0
    try:
        yield
    finally:
        memory.LARGE_LISTS = limit
        new_samples.CASCADE_QUERIES = queries
        cascade.choose_plan = choose_plan
        if before is None:
            os.environ.pop(_VARIABLE, None)
        else:
            os.environ[_VARIABLE] = before


def _plan_by_shape(X: Any, threads: int) -> Plan:
    n_samples, n_features = X.shape
    plans = list(PLANS.values())
    plan: Plan = plans[(31 * n_samples + n_features) % len(plans)](X, threads)
    return plan


@cache
def _is_supported(level: str) -> bool:
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = level
    try:
        return _core.simd_level() == level
    except ValueError:
        return False
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
