"""Automatic choices: the same on every path, and the clustering of the chosen numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import oracle
from quickshiftpp import QuickshiftPP

from ..checks import Checks
from ..paths import on_path
from ..samples import draw_samples
from ..ties import is_near_tie
from .base import Case, register
from .sampled import SampledTarget, scaled


@register
class AutomaticTarget(SampledTarget):
    """k and beta chosen by the package."""

    name = "automatic"
    largest = 120
    widest = 20

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:
        """Draw what is chosen, and an order of the rows."""
        k = [None, "auto", case["k"]][int(rng.integers(0, 3))]
        beta = [None, "auto", case["beta"]][int(rng.integers(0, 3))]
        X = draw_samples(rng, self.largest, self.widest) if rng.random() < 0.5 else case["X"]
        k = min(k, len(X)) if isinstance(k, int) else k
        return {"X": X, "k": k, "beta": beta, "exponent": 0, "order": int(rng.integers(0, 2**16))}

    def with_samples(self, case: Case, X: Any) -> Case:
        """Keep to a k that the samples allow."""
        k = case["k"]
        return {**case, "X": X, "k": min(k, len(X)) if isinstance(k, int) else k}

    def check(
        self, checks: Checks, *, X: Any, k: Any, beta: Any, order: int = 0, exponent: int = 0,
        algorithm: str = "auto", n_jobs: int = 1, simd: str | None = None, lists: bool = True,
    ) -> None:  # fmt: skip
        """Fit; fit again with the rows in another order, and with what was chosen."""
        reference = QuickshiftPP(k, beta, n_jobs=1).fit(X)
        rows = np.random.default_rng(order).permutation(len(X))
        with on_path(simd, lists):
            model = QuickshiftPP(k, beta, algorithm=algorithm, n_jobs=n_jobs)
            model.fit(scaled(X[rows], exponent))
            given = QuickshiftPP(
                reference.k_,
                reference.beta_,
                dimension=reference.dimension_,
                min_cluster_size=reference.min_cluster_size_,
            ).fit(X)
        for name in ("k_", "beta_", "dimension_", "min_cluster_size_"):
            checks.equal(name, getattr(model, name), getattr(reference, name))
        checks.same_fit("another order and path", X, reference, model, rows)
        checks.same_fit("the chosen numbers, given", X, reference, given)
        is_comparable = reference.dimension_ == X.shape[1] and len(X) <= 60
        if is_comparable and not is_near_tie(X, reference.k_, reference.beta_):
            expected = oracle.quickshiftpp(
                X,
                reference.k_,
                reference.beta_,
                min_cluster_size=reference.min_cluster_size_,
            )
            checks.equal("labels_", reference.labels_, expected.labels)
            checks.equal("core_labels_", reference.core_labels_, expected.core_labels)
