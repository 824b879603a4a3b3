"""Density clusterers side by side: what ``python -m benchmarks`` does with options."""

from __future__ import annotations

import numpy as np

from .commandline import Program
from .peers import Answer
from .session import Verdict


def count_clusters(labels: Answer, reference: Answer | None) -> Verdict:  # noqa: ARG001
    """Return the number of clusters and the share of samples in none."""
    return {
        "clusters": len(np.unique(labels[labels >= 0])),
        "noise": float(np.mean(labels < 0)),
    }


PROGRAM = Program(
    name="clustering",
    title="Density clustering: fit time and peak memory",
    table="CLUSTERERS",
    judge=count_clusters,
    columns={"clusters": "{:,}", "noise": "{:.1%}"},
    default_shapes=((10_000, 2), (100_000, 2), (1_000_000, 2), (100_000, 3), (100_000, 10)),
    quick_shapes=((10_000, 2), (50_000, 2)),
)
