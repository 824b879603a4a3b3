"""One sample so far away that its distance hardly fits a float."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP

from ..checks import Checks
from ..samples import draw_beta, draw_samples
from .base import Case, register
from .sampled import SampledTarget

_FAR = 80


@register
class OutlierTarget(SampledTarget):
    """How far away an outlier is says nothing about the other samples.

    A fit may refuse such samples, or warn. If it does neither, the clustering of the others must
    be the same as with an outlier at a moderate distance.
    """

    name = "outliers"
    share = 0.3
    limit = 30.0

    def draw(self, rng: np.random.Generator) -> Case:
        """Draw samples, at most as many neighbors as there are others, and an exponent."""
        X = draw_samples(rng, 40, 8).astype(np.float64)
        return {
            "X": X,
            "k": int(rng.integers(1, len(X) + 1)),
            "beta": draw_beta(rng),
            "far": int(rng.integers(_FAR, 1024)),
        }

    def check(self, checks: Checks, *, X: Any, k: int, beta: float, far: int) -> None:
        """Fit with two outliers."""
        labels = []
        for exponent in (_FAR, far):
            outlier = np.zeros(X.shape[1])
            outlier[0] = np.ldexp(1.0, exponent)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", category=DegenerateClusteringWarning)
                try:
                    model = QuickshiftPP(k, beta).fit(np.vstack([X, outlier]))
                except (ValueError, Warning):
                    return
            labels.append(model.labels_[:-1])
        checks.equal("labels of the others", labels[1], labels[0])
