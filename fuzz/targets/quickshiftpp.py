"""QuickshiftPP label for label against the paper's algorithm, with predictions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import oracle
from quickshiftpp import QuickshiftPP

from ..checks import Checks
from ..paths import on_path
from ..samples import draw_queries, is_exactly_scaled
from ..ties import is_near_tie
from .base import Case, register
from .sampled import SampledTarget, scaled, scaled_distances


def check_fit(
    checks: Checks, model: QuickshiftPP, expected: Any, X: Any, exponent: int, beta: float
) -> None:
    """Compare all attributes of a fit with the oracle's clustering."""
    checks.equal("labels_", model.labels_, expected.labels)
    checks.equal("core_labels_", model.core_labels_, expected.core_labels)
    checks.equal("radii_", model.radii_, scaled_distances(expected.squared_radii, exponent))
    checks.equal("parents_", model.parents_, expected.parents)
    checks.same_rows("mode_indices_", X, model.mode_indices_, expected.modes)
    checks.equal("n_clusters_", model.n_clusters_, len(expected.modes))
    n, d = len(X), model.dimension_
    shift = d * exponent * np.log(2)
    log_density = [
        oracle.log_density(np.sqrt(squared), n, model.k_, d) - shift
        for squared in expected.squared_radii
    ]
    checks.close("log_density_", model.log_density_, log_density, 1e-9 * max(1, d))
    size = model.min_cluster_size_
    counted = model.tree_.n_clusters(beta, min_cluster_size=size)
    checks.equal("tree_.n_clusters", counted, len(expected.modes))


@register
class QuickshiftPPTarget(SampledTarget):
    """Fits and predictions."""

    name = "quickshiftpp"
    share: ClassVar[float] = 3.0
    largest = 300

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:
        """Draw the other parameters, and new samples to predict."""
        n, d = case["X"].shape
        queries = draw_queries(rng, case["X"]) if rng.random() < 0.5 else None
        if queries is not None and not is_exactly_scaled(queries, case["exponent"]):
            queries = None
        return {
            "min_cluster_size": 1 if rng.random() < 0.5 else int(rng.integers(1, n // 2 + 2)),
            "dimension": None if rng.random() < 0.8 else int(rng.integers(1, 2 * min(d, 10) + 1)),
            "queries": queries,
        }

    def with_samples(self, case: Case, X: Any) -> Case:
        """Drop the queries too where columns were dropped."""
        smaller = super().with_samples(case, X)
        if X.shape[1] != case["X"].shape[1]:
            smaller["queries"] = None
        return smaller

    def check(
        self, checks: Checks, *, X: Any, k: int, beta: float, exponent: int = 0,
        algorithm: str = "auto", n_jobs: int = 1, simd: str | None = None, lists: bool = True,
        min_cluster_size: int = 1, dimension: int | None = None, queries: Any = None,
    ) -> None:  # fmt: skip
        """Fit, and predict the samples of the fit and new ones."""
        if is_near_tie(X, k, beta, dimension):
            return
        expected = oracle.quickshiftpp(X, k, beta, dimension, min_cluster_size)
        model = QuickshiftPP(
            k,
            beta,
            dimension=dimension,
            min_cluster_size=min_cluster_size,
            algorithm=algorithm,
            n_jobs=n_jobs,
        )
        with on_path(simd, lists):
            model.fit(scaled(X, exponent))
            check_fit(checks, model, expected, X, exponent, beta)
            if queries is None:
                return
            checks.equal("predict(X)", model.predict(scaled(X, exponent)), expected.labels)
            found = model.predict(scaled(queries, exponent))
            checks.equal("predict", found, oracle.predict(X, expected, k, queries))
            one = scaled(queries[-1:], exponent)
            checks.equal("predict, one by one", model.predict(one), found[-1:])
