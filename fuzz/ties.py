"""Where rounding may decide what the oracle decides exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

import oracle

# Quotients of squared radii and their limit are rounded once each.
_NEAR = 2.0**-51


def is_near_tie(X: Any, k: int, beta: float, dimension: int | None = None) -> bool:
    """Return whether a quotient of radii lies within rounding of its limit, without being equal.

    Such a quotient counts as equal in the package (docs/exactness.md, "Ratios of radii"), but not
    in the oracle.
    """
    squared = np.sort(oracle.squared_distances(X, X), axis=1)[:, k - 1]
    squared = np.unique(squared[squared > 0])
    d = X.shape[1] if dimension is None else dimension
    log_limit = -2 * np.log1p(-beta) / d
    logs = np.log(squared)
    # Logarithms find the candidates, whole numbers decide.
    apart = np.abs(logs[:, None] - logs - log_limit)
    share = (1 - Fraction(repr(float(beta)))) ** 2
    for j, i in zip(*np.nonzero(apart < 1e-12), strict=True):
        exact = Fraction(squared[j]) ** d * share / Fraction(squared[i]) ** d
        if exact != 1 and abs(exact - 1) < d * _NEAR:
            return True
    return False
