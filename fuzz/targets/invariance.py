"""Larger samples, without the oracle: every path and every order of rows gives the same fit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from quickshiftpp import QuickshiftPP

from ..checks import Checks
from ..paths import on_path
from .base import Case, register
from .sampled import SampledTarget, scaled


@register
class InvarianceTarget(SampledTarget):
    """Two fits of the same samples on different paths."""

    name = "invariance"
    largest = 700
    widest = 200

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:  # noqa: ARG002
        """Draw an order of the rows, and a memory layout."""
        return {
            "order": int(rng.integers(0, 2**16)),
            "layout": str(rng.choice(["C", "F", "strided"])),
        }

    def check(
        self, checks: Checks, *, X: Any, k: int, beta: float, order: int = 0, layout: str = "C",
        exponent: int = 0, algorithm: str = "auto", n_jobs: int = 1, simd: str | None = None,
        lists: bool = True,
    ) -> None:  # fmt: skip
        """Fit twice."""
        reference = QuickshiftPP(k, beta, algorithm="brute", n_jobs=1)
        reference.fit(scaled(X, exponent).astype(np.float64))
        rows = np.random.default_rng(order).permutation(len(X))
        given = _laid_out(scaled(X[rows], exponent), layout)
        with on_path(simd, lists):
            model = QuickshiftPP(k, beta, algorithm=algorithm, n_jobs=n_jobs).fit(given)
            restored = pickle.loads(pickle.dumps(model))
            predicted = restored.predict(given)
        checks.same_fit("another order and path", X, reference, model, rows)
        checks.same_fit("pickling", X[rows], model, restored)
        checks.equal("predict", predicted, model.labels_)


def _laid_out(X: Any, layout: str) -> Any:
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "C":
        return np.ascontiguousarray(X)
    wide = np.zeros((len(X), 2 * X.shape[1]), X.dtype)
    wide[:, ::2] = X
    return wide[:, ::2]
