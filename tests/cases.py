"""Random inputs that look for trouble, and the paths that must agree on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from quickshiftpp import _core

SEARCHES = ["kd_tree", "cascade", "brute"]
SIMD_LEVELS = ["baseline", "avx2", "avx512", "avx512vnni"]


def force_instruction_set(level, monkeypatch):
    """Let the core use these instructions for the test, which is skipped where there are none."""
    monkeypatch.setenv("QUICKSHIFTPP_SIMD", level)
    try:
        assert _core.simd_level() == level
    except ValueError as error:
        pytest.skip(str(error))


@dataclass
class Case:
    """One clustering problem."""

    X: np.ndarray
    k: int
    beta: float
    kind: str


def random_case(seed, largest=40):
    """Draw a problem; two thirds are full of ties: integer grids, duplicated rows, both."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, largest + 1))
    d = int(rng.integers(1, 5))
    kind = ("continuous", "grid", "duplicates")[seed % 3]
    if kind == "continuous":
        X = rng.normal(size=(n, d)) * rng.uniform(0.1, 3, size=d)
    elif kind == "grid":
        X = rng.integers(0, rng.integers(2, 8), size=(n, d)).astype(float)
    else:
        sites = rng.normal(size=(max(1, n // 3), d))
        if rng.random() < 0.5:
            sites = np.round(sites, 1)
        X = sites[rng.integers(0, len(sites), n)]
    k = int(rng.integers(1, n + 1)) if rng.random() < 0.5 else int(rng.integers(1, min(n, 8) + 1))
    nice = rng.choice([0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.875, 0.9, 0.96])
    beta = float(nice) if rng.random() < 0.6 else float(rng.uniform(0.001, 0.999))
    return Case(X, k, beta, kind)
