"""How alike clusterings are: the adjusted Rand index, for many of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._threads import resolve_threads
from .._validation import FloatArray

Labels = npt.NDArray[np.int32]

# Agreement is a mean over pairs of samples: this many samples give it to about 0.01.
SUBSAMPLE = 2000


def subsample(X: FloatArray, size: int = SUBSAMPLE) -> npt.NDArray[np.int64]:
    """Return row numbers of up to `size` samples, chosen by a hash of their coordinates.

    The choice depends neither on the order of the rows nor on chance. Equal samples have equal
    labels, so the result is the same for every order of the rows.
    """
    n_samples = X.shape[0]
    if n_samples <= size:
        return np.arange(n_samples)
    hashes = _core.coordinate_hashes(np.ascontiguousarray(X), resolve_threads(None))
    # Faster than sorting all hashes: the smallest ones nearly always lie below this bound.
    candidates = np.flatnonzero(hashes < np.uint64(min(2.0 * size / n_samples, 0.99) * 2.0**64))
    if len(candidates) <= size:
        candidates = np.arange(n_samples)
    return candidates[np.argpartition(hashes[candidates], size)[:size]]


def _pairs(counts: npt.NDArray[np.int64]) -> float:
    """Return the number of pairs inside groups of these sizes."""
    sizes = counts.astype(np.float64)
    return float((sizes * (sizes - 1)).sum() / 2)


def _sizes(codes: npt.NDArray[np.integer[Any]], bound: int) -> npt.NDArray[np.int64]:
    """Return how often each code below the bound occurs, by whichever way takes less memory."""
    if bound <= 4 * len(codes):
        return np.bincount(codes)
    counts: npt.NDArray[np.int64] = np.unique(codes, return_counts=True)[1]
    return counts


def adjusted_rand(first: Labels, second: Labels) -> float:
    """Return the adjusted Rand index of two labelings, whose labels start at 0."""
    height, width = int(first.max()) + 1, int(second.max()) + 1
    together = _pairs(_sizes(first.astype(np.int64) * width + second, height * width))
    in_first, in_second = _pairs(_sizes(first, height)), _pairs(_sizes(second, width))
    expected = in_first * in_second / max(len(first) * (len(first) - 1) / 2, 1.0)
    largest = (in_first + in_second) / 2
    return 1.0 if largest == expected else (together - expected) / (largest - expected)


def pairwise_agreement(labelings: Sequence[Labels]) -> npt.NDArray[np.float64]:
    """Return the adjusted Rand index of every two of the labelings."""
    compact = [np.unique(labels, return_inverse=True)[1].astype(np.int32) for labels in labelings]
    count = len(compact)
    agreement = np.eye(count)
    seen: dict[bytes, int] = {}
    twin = [seen.setdefault(labels.tobytes(), i) for i, labels in enumerate(compact)]
    for i in range(count):
        for j in range(i):
            if twin[i] != i:
                agreement[i, j] = agreement[twin[i], j]
            elif twin[j] != j:
                agreement[i, j] = agreement[i, twin[j]]
            else:
                agreement[i, j] = adjusted_rand(compact[i], compact[j])
            agreement[j, i] = agreement[i, j]
    return agreement
