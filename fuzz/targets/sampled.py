"""What targets on a matrix of samples share: how a case is drawn, and how it becomes smaller."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ..paths import draw_path
from ..samples import (
    draw_beta,
    draw_exponent,
    draw_k,
    draw_samples,
    smaller_samples,
)
from .base import Case, Target


class SampledTarget(Target):
    """A target whose cases have samples X, and mostly k and beta.

    The package gets ``X * 2**exponent``, the oracle gets X: a power of two changes no label, and so
    the oracle, whose squares would overflow or vanish, covers extreme scales too.
    """

    largest: ClassVar[int] = 60
    widest: ClassVar[int] = 40

    def draw(self, rng: np.random.Generator) -> Case:
        """Draw samples, parameters, and a path to the result."""
        X = draw_samples(rng, self.largest, self.widest)
        case = {
            "X": X,
            "k": draw_k(rng, len(X)),
            "beta": draw_beta(rng),
            "exponent": draw_exponent(rng, X),
            **draw_path(rng),
        }
        return {**case, **self.draw_more(rng, case)}

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:  # noqa: ARG002
        """Draw what else a case needs."""
        return {}

    def smaller(self, case: Case) -> Iterator[Case]:
        """Propose fewer samples and columns, then plain settings."""
        for X in smaller_samples(case["X"]):
            yield self.with_samples(case, X)
        plain: dict[str, Any] = {
            "exponent": 0, "n_jobs": 1, "simd": None, "lists": True, "algorithm": "auto",
        }  # fmt: skip
        for name, value in plain.items():
            if name in case and case[name] != value:
                yield {**case, name: value}

    def with_samples(self, case: Case, X: Any) -> Case:
        """Return the case with other samples, and parameters that these allow."""
        return {**case, "X": X, "k": min(case["k"], len(X))} if "k" in case else {**case, "X": X}


def scaled(X: Any, exponent: int) -> Any:
    """Return what the package gets."""
    return X if exponent == 0 else np.ldexp(X, exponent)


def scaled_distances(squared: Any, exponent: int) -> Any:
    """Return the distances that the package gives: infinite beyond the largest float."""
    with np.errstate(over="ignore"):
        return np.ldexp(np.sqrt(squared), exponent)
