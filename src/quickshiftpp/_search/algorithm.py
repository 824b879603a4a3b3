"""Which search to use: k-d tree, cascade or brute force. Decided here and nowhere else."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._validation import FloatArray, choice
from .index import build_index

ALGORITHMS = ("auto", "kd_tree", "cascade", "brute")


def choose_algorithm(
    algorithm: str, X: FloatArray, threads: int, *, can_cascade: bool = True
) -> str:
    """Return the algorithm that "auto" stands for: the fastest for such samples."""
    choice(*ALGORITHMS).check("algorithm", algorithm)
    if algorithm != "auto":
        return algorithm
    n_samples, n_features = X.shape
    if n_samples <= _core.TREE_SAMPLES:
        return "brute"
    is_large = n_samples >= _core.CASCADE_SAMPLES and n_features >= _core.CASCADE_COLUMNS
    if can_cascade and is_large and not _tree_prunes(X, threads):
        return "cascade"
    return "kd_tree"


def _tree_prunes(X: FloatArray, threads: int) -> bool:
    """Return whether a k-d tree over some of the samples prunes a good part of all pairs."""
    some = X[:: X.shape[0] // _core.PILOT_SAMPLES].copy()
    index: Any = build_index(some, True, threads)
    share: float = _core.visited_share(index, _core.PILOT_NEIGHBORS, threads)
    return share < _core.PILOT_SHARE
