"""MCores label for label against the paper's cores."""

from __future__ import annotations

from typing import Any

import oracle
from quickshiftpp import MCores

from ..checks import Checks
from ..paths import on_path
from ..ties import is_near_tie
from .base import register
from .sampled import SampledTarget, scaled


@register
class MCoresTarget(SampledTarget):
    """Fits."""

    name = "mcores"

    def check(
        self, checks: Checks, *, X: Any, k: int, beta: float, exponent: int = 0,
        algorithm: str = "auto", n_jobs: int = 1, simd: str | None = None, lists: bool = True,
    ) -> None:  # fmt: skip
        """Fit."""
        if is_near_tie(X, k, beta):
            return
        labels, core_labels = oracle.mcores(X, k, beta)
        with on_path(simd, lists):
            model = MCores(k, beta, algorithm=algorithm, n_jobs=n_jobs).fit(scaled(X, exponent))
            checks.equal("labels_", model.labels_, labels)
            checks.equal("core_labels_", model.core_labels_, core_labels)
            checks.equal("tree_.core_labels", model.tree_.core_labels(beta), core_labels)
