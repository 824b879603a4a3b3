"""Stage 4: the nearest denser sample, and the climb to a label."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress

IntArray = npt.NDArray[np.int32]


def denser_parents(
    index: Any, lists: _core.NeighborLists, cascade: Any, threads: int, progress: Progress | None
) -> _core.Parents:
    """Find for each sample its nearest sample of smaller radius.

    Searches in the cascade, where there is one, for those that are not settled by their list.
    """
    return _core.denser_parents(index, lists, cascade, threads, progress)


def nearest_below(
    queries: Any,
    targets: Any,
    key: npt.NDArray[np.float64],
    limit: npt.NDArray[np.float64],
    threads: int,
    progress: Progress | None = None,
) -> tuple[IntArray, npt.NDArray[np.float64]]:
    """Return for each query its nearest target with a key below the query's limit.

    Row numbers, -1 for none, and squared distances. Among equal distances the target of the smaller
    key, then of the smaller coordinates.
    """
    return _core.nearest_below(queries, targets, key, limit, threads, progress)


def forest_labels(
    parents: IntArray,
    log_density: npt.NDArray[np.float64],
    coordinate_rank: IntArray,
    threads: int,
) -> tuple[IntArray, IntArray]:
    """Label each sample by the root that its parents lead to, the densest root's label being 0.

    A root is its own parent; among equally dense ones, the smaller coordinates come first. Returns
    labels, and roots in label order.
    """
    root_of = _core.forest_roots(parents, threads)
    roots = np.flatnonzero(root_of == np.arange(len(root_of), dtype=np.int32)).astype(np.int32)
    roots = roots[np.lexsort((coordinate_rank[roots], -log_density[roots]))]
    label_of_root = np.empty(len(root_of), dtype=np.int32)
    label_of_root[roots] = np.arange(len(roots), dtype=np.int32)
    return label_of_root[root_of], roots
