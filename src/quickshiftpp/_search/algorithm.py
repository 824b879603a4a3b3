"""Which search to use: k-d tree, cascade or brute force. Decided here and nowhere else."""

from __future__ import annotations

import math
from typing import Any

from .. import _core
from .._validation import FloatArray, choice
from . import costs
from .cascade import PILOTED_SAMPLES, compare_columns
from .index import build_index
from .pilot import Pilot

ALGORITHMS = ("auto", "kd_tree", "cascade", "brute")

# The part of the cascade's time that the choice may take.
_PILOT_TIME = 0.01
# What a tree visits where that cannot be tried: clusters may be far apart.
_UNKNOWN_SHARE = 0.7


def choose_algorithm(
    algorithm: str, X: FloatArray, threads: int, *, k: int = 0, can_cascade: bool = True
) -> str:
    """Return the algorithm that "auto" stands for: the fastest for such samples."""
    choice(*ALGORITHMS).check("algorithm", algorithm)
    n_samples, n_features = X.shape
    has_bounds = n_features <= _core.MOST_CASCADE_COLUMNS
    if algorithm == "cascade" and not has_bounds:
        return "brute"
    if algorithm != "auto":
        return algorithm
    if n_samples <= _core.TREE_SAMPLES:
        return "brute"
    if not can_cascade or n_features < _core.CASCADE_COLUMNS or not has_bounds:
        return "kd_tree"
    if costs.tree_time(n_samples, n_features) < costs.cascade_time(n_samples, n_features, k=k):
        return "kd_tree"
    share = _visited_share(X, threads, k)
    # The cascade skips blocks as well, by a tree over a part of the columns.
    by_cascade = costs.cascade_time(n_samples, n_features, min(1.0, 2 * share), k)
    by_tree = costs.tree_time(n_samples, n_features, share)
    if by_cascade < by_tree and n_samples >= PILOTED_SAMPLES:
        # Samples that lie far out may make all bounds too coarse.
        pair = compare_columns(Pilot(X, threads), n_samples, n_features)[0]
        by_cascade = max(by_cascade, min(1.0, 2 * share) * n_samples * pair)
    return "kd_tree" if by_tree < by_cascade else "cascade"


def _visited_share(X: FloatArray, threads: int, k: int = 0) -> float:
    """Return about the share of all pairs that a k-d tree would visit, by trees over a few samples.

    Of fewer samples, fewer neighbors are searched for, so that radii are about the same. The more
    samples, the smaller the share. How much smaller is seen in two trees, and assumed for one more
    step of this size, but not for all samples: within clusters there may be nothing to discard.
    Where too few of them can be searched in a small part of the time that the cascade takes, the
    tree is taken to visit most pairs.
    """
    n_samples, n_features = X.shape
    time = _PILOT_TIME * n_samples * costs.cascade_time(n_samples, n_features)
    wanted = math.sqrt(time * _core.PILOT_STEP / (costs.TREE_COLUMN * n_features))
    if wanted < _core.PILOT_LEAST:
        return _UNKNOWN_SHARE
    step = math.ceil(n_samples / min(wanted, _core.PILOT_SAMPLES))
    k = k or _core.PILOT_NEIGHBORS
    share, share_of_fewer = (_share_of(X[::some], k // some, threads) for some in (step, 4 * step))
    return share * min(1.0, share / share_of_fewer) if step > 1 else share


def _share_of(X: FloatArray, k: int, threads: int) -> float:
    """Return the share of pairs that a k-d tree over these samples visits."""
    index: Any = build_index(X.copy(), True, threads)
    # Each sample is its own first neighbor.
    share: float = _core.visited_share(index, min(max(2, k), len(X)), threads)
    return share
