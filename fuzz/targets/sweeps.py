"""Sweeps over k and beta against the oracle, cell by cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

import oracle
from quickshiftpp import sweep

from ..checks import Checks
from ..paths import on_path
from ..samples import draw_beta, draw_k
from ..ties import is_near_tie
from .base import Case, register
from .sampled import SampledTarget, scaled


@register
class SweepTarget(SampledTarget):
    """Labels, numbers of clusters, sizes and agreements."""

    name = "sweep"
    largest = 40
    widest = 12

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:
        """Draw the grid."""
        n = len(case["X"])
        return {
            "ks": [draw_k(rng, n) for _ in range(int(rng.integers(1, 4)))],
            "betas": [draw_beta(rng) for _ in range(int(rng.integers(1, 4)))],
            "min_cluster_size": "k" if rng.random() < 0.3 else int(rng.integers(1, 5)),
        }

    def with_samples(self, case: Case, X: Any) -> Case:
        """Keep to the k that the samples allow."""
        smaller = super().with_samples(case, X)
        return {**smaller, "ks": [min(k, len(X)) for k in case["ks"]]}

    def check(
        self, checks: Checks, *, X: Any, ks: list[int], betas: list[float],
        min_cluster_size: int | str = 1, exponent: int = 0, algorithm: str = "auto",
        n_jobs: int = 1, simd: str | None = None, k: int = 1, beta: float = 0.5,
        lists: bool = True,
    ) -> None:  # fmt: skip
        """Sweep, with labels and without."""
        del k, beta, lists  # of no effect here
        with on_path(simd):
            kept, found = (
                sweep(
                    scaled(X, exponent),
                    ks,
                    betas,
                    min_cluster_size=min_cluster_size,
                    return_labels=return_labels,
                    algorithm=algorithm,
                    n_jobs=n_jobs,
                )
                for return_labels in (True, False)
            )
        checks.equal("ks", found.ks, sorted(set(ks)))
        checks.equal("betas", found.betas, sorted(set(betas)))
        labels: Any = kept.labels
        for i, number in enumerate(found.ks.tolist()):
            for j, share in enumerate(found.betas.tolist()):
                at = f" at k={number}, beta={share!r}"
                if is_near_tie(X, number, share):
                    continue
                size = number if isinstance(min_cluster_size, str) else min_cluster_size
                expected = oracle.quickshiftpp(X, number, share, min_cluster_size=size)
                sizes = np.bincount(expected.labels)
                checks.equal("labels" + at, labels[i, j], expected.labels)
                checks.equal("n_clusters" + at, found.n_clusters[i, j], len(sizes))
                checks.equal("sizes" + at, found.sizes[i][j], sizes)
                if i > 0:
                    score = adjusted_rand_score(labels[i - 1, j], labels[i, j])
                    checks.close("agreement_k" + at, found.agreement_k[i - 1, j], score, 1e-9)
                if j > 0:
                    score = adjusted_rand_score(labels[i, j - 1], labels[i, j])
                    checks.close("agreement_beta" + at, found.agreement_beta[i, j - 1], score, 1e-9)
        checks.equal("agreement_k", kept.agreement_k, found.agreement_k)
        checks.equal("agreement_beta", kept.agreement_beta, found.agreement_beta)
        best = found.best()
        checks.holds("best is in the grid", best.k in ks and best.beta in betas)
