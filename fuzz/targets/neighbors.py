"""all_neighbors against sorted distances between all pairs, on every path."""

from __future__ import annotations

from typing import Any

import numpy as np

import oracle
from quickshiftpp import all_neighbors

from ..checks import Checks
from ..paths import on_path
from .base import register
from .sampled import SampledTarget, scaled, scaled_distances


@register
class NeighborsTarget(SampledTarget):
    """Distances and row numbers to the last bit, ties included."""

    name = "neighbors"
    largest = 300
    widest = 200

    def check(
        self, checks: Checks, *, X: Any, k: int, exponent: int = 0, algorithm: str = "auto",
        n_jobs: int = 1, simd: str | None = None, beta: float = 0.5, lists: bool = True,
    ) -> None:  # fmt: skip
        """Search."""
        del beta, lists  # of no effect here
        squared = oracle.squared_distances(X, X)
        np.fill_diagonal(squared, -1)  # the sample itself comes first
        rows = np.argsort(squared, axis=1, kind="stable")[:, :k]
        nearest = np.maximum(np.take_along_axis(squared, rows, axis=1), 0)
        with on_path(simd):
            distances, indices = all_neighbors(
                scaled(X, exponent), k, algorithm=algorithm, n_jobs=n_jobs
            )
        checks.equal("indices", indices, rows)
        checks.equal("distances", distances, scaled_distances(nearest, exponent))
