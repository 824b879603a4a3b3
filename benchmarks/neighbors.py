"""Exact neighbour searches side by side: ``python -m benchmarks.neighbors``."""

from __future__ import annotations

import numpy as np

from .commandline import Program, command
from .peers import Answer
from .session import Verdict

# Rounding differs between searches; anything beyond this is a different neighbour.
TOLERANCE = 1e-6


def compare_distances(distances: Answer, reference: Answer | None) -> Verdict:
    """Return the largest relative difference of the k-th distances from the reference's.

    Parameters
    ----------
    distances : ndarray of shape (n_samples,)
        The distance from every sample to its k-th nearest.
    reference : ndarray of shape (n_samples,) or None
        The same by quickshiftpp, None where it did not take part.

    Returns
    -------
    dict
        ``difference``, and ``agrees``, whether that is no more than rounding; both None without a
        reference.
    """
    if reference is None:
        return {"difference": None, "agrees": None}
    scale = np.maximum(np.abs(reference), np.finfo(np.float64).tiny)
    difference = float(np.max(np.abs(distances - reference) / scale))
    return {"difference": difference, "agrees": difference <= TOLERANCE}


PROGRAM = Program(
    name="neighbors",
    title="Exact k nearest neighbours of every sample: time and peak memory",
    table="NEIGHBOR_SEARCHES",
    judge=compare_distances,
    columns={"difference": "{:.1e}", "agrees": "{}"},
    default_shapes=((10_000, 2), (100_000, 2), (1_000_000, 2), (100_000, 3), (100_000, 10)),
    quick_shapes=((10_000, 2), (50_000, 2)),
)

if __name__ == "__main__":
    command(PROGRAM)(prog_name="python -m benchmarks.neighbors")
