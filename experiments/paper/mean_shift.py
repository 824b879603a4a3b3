"""Mean Shift with the flat kernel for many seeds at once.

scikit-learn's ``MeanShift`` moves one seed at a time, which takes hours on the paper's larger sets.
This is the same procedure, with its stopping rule and its merging of modes, as matrix products over
all seeds; seeds that have met move on as one.
"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import euclidean_distances

from ..common import FloatArray, IntArray

MAX_ITERATIONS = 300
# The share of the bandwidth below which a move counts as none.
STILL = 1e-3
_BLOCK = 2**23  # distances held at a time


def shift(
    X: FloatArray, norms: FloatArray, points: FloatArray, bandwidth: float
) -> tuple[FloatArray, IntArray]:
    """Return the mean of the samples within the bandwidth of each point, and their number."""
    means, counts = np.empty_like(points), np.empty(len(points), dtype=np.int64)
    step = max(1, _BLOCK // len(X))
    for start in range(0, len(points), step):
        block = slice(start, start + step)
        squared = euclidean_distances(points[block], X, squared=True, Y_norm_squared=norms)
        near = (squared <= bandwidth**2).astype(np.float64)
        counts[block] = near.sum(axis=1)
        means[block] = near @ X / np.maximum(counts[block], 1)[:, None]
    return means, counts


def climb(X: FloatArray, seeds: FloatArray, bandwidth: float) -> tuple[FloatArray, IntArray]:
    """Move every seed until it rests; return where, and the number of samples within reach."""
    # The mean of the samples is taken away, since distances by products lose digits far from 0.
    center = X.mean(axis=0)
    X = X - center
    norms = (X * X).sum(axis=1)[None]
    at, counts = seeds - center, np.zeros(len(seeds), dtype=np.int64)
    moving = np.arange(len(seeds))
    for _ in range(MAX_ITERATIONS + 1):
        if moving.size == 0:
            break
        points, which = np.unique(at[moving], axis=0, return_inverse=True)
        means, near = shift(X, norms, points, bandwidth)
        rests = np.linalg.norm(means - points, axis=1) <= STILL * bandwidth
        rests |= near == 0
        which = which.ravel()
        at[moving], counts[moving] = means[which], near[which]
        moving = moving[~rests[which]]
    return at[counts > 0] + center, counts[counts > 0]


def merge(points: FloatArray, counts: IntArray, bandwidth: float) -> FloatArray:
    """Of resting points within a bandwidth of each other, keep the one with the most samples."""
    points, first = np.unique(points, axis=0, return_index=True)
    order = np.lexsort((*points.T[::-1], counts[first]))[::-1]
    points = points[order]
    kept: list[FloatArray] = []
    while len(points):
        kept.append(points[0])
        points = points[np.linalg.norm(points - points[0], axis=1) > bandwidth]
    return np.array(kept)


def mean_shift(X: FloatArray, seeds: FloatArray, bandwidth: float) -> IntArray:
    """Cluster by Mean Shift from these seeds (X itself for Mean Shift proper).

    Every sample gets the label of the nearest mode.
    """
    modes = merge(*climb(X, seeds, bandwidth), bandwidth)
    labels: IntArray = pairwise_distances_argmin(X, modes)
    return labels
