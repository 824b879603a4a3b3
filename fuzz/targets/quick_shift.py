"""QuickShift against kernel sums over all pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import oracle
from quickshiftpp import QuickShift

from ..checks import Checks
from ..paths import on_path
from ..samples import is_exactly_scaled
from .base import Case, register
from .sampled import SampledTarget, scaled

# Kernel sums are computed with a smaller error. Sums that are nearer may be ordered either way,
# unless they are sums over the same distances.
_UNDECIDED = 1e-11


@register
class QuickShiftTarget(SampledTarget):
    """Fits, and cuts at several lengths."""

    name = "quick_shift"

    def draw_more(self, rng: np.random.Generator, case: Case) -> Case:
        """Draw lengths that are comparable to the distances; there is no cascade."""
        squared = oracle.squared_distances(case["X"], case["X"])
        typical = math.sqrt(float(np.median(squared[squared > 0]))) if squared.any() else 1.0
        return {
            "bandwidth": typical * float(rng.uniform(0.2, 3)),
            "taus": (typical * rng.uniform(0, 3, 3)).tolist(),
            "algorithm": str(rng.choice(["auto", "kd_tree", "brute"])),
        }

    def check(
        self, checks: Checks, *, X: Any, bandwidth: float, taus: list[float], exponent: int = 0,
        algorithm: str = "auto", n_jobs: int = 1, simd: str | None = None, k: int = 1,
        beta: float = 0.5, lists: bool = True,
    ) -> None:  # fmt: skip
        """Fit, and cut."""
        del k, beta, lists  # of no effect here
        if not is_exactly_scaled(np.array([[bandwidth]]), exponent):  # at the end of the range
            exponent = 0
        width = math.ldexp(bandwidth, exponent)
        _, sums, parents = oracle.quick_shift(X, bandwidth, 0)
        with on_path(simd):
            model = QuickShift(width, tau=0, algorithm=algorithm, n_jobs=n_jobs)
            model.fit(scaled(X, exponent))
            n, d = X.shape
            constant = -math.log(n) - d * (0.5 * math.log(2 * math.pi) + math.log(width))
            checks.close("log_density_", model.log_density_, np.log(sums) + constant, 1e-11)
            if not _are_ordered(X, sums):
                return
            checks.equal("parents_", model.parents_, parents)
            for tau in taus:
                if math.frexp(tau)[1] + exponent > 1024:  # beyond the largest float
                    continue
                labels, _, _ = oracle.quick_shift(X, bandwidth, tau)
                found = model.cut(math.ldexp(tau, exponent))
                checks.equal(f"cut({tau!r})", found, labels)


def _are_ordered(X: Any, sums: Any) -> bool:
    """Return whether rounding cannot change the order of the kernel sums."""
    order = np.argsort(sums)
    is_near = np.diff(sums[order]) < _UNDECIDED * sums.max()
    distances = np.sort(oracle.squared_distances(X, X), axis=1)[order]
    differ = (distances[1:] != distances[:-1]).any(axis=1)
    return not (is_near & differ).any()
