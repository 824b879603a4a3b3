"""From neighbors to mode trees, for one k or for many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .. import _core
from .._progress import stage
from .._search.pipeline import Neighbors
from .density import intrinsic_dimension
from .mode_tree import ModeTree


def build_tree(neighbors: Neighbors, k: int, dimension: float | str | None) -> ModeTree:
    """Build the mode tree for k neighbors; see :func:`build_trees`."""
    return next(build_trees(neighbors, [k], dimension))


def build_trees(
    neighbors: Neighbors, ks: Iterable[int], dimension: float | str | None
) -> Iterator[ModeTree]:
    """Build the mode trees for several k from one neighbor search, the largest k first.

    Parameters
    ----------
    neighbors : Neighbors
        For the largest of the ks, or more: a shorter list is the beginning of a longer one.
    ks : iterable of int
    dimension : float, "intrinsic" or None
        The dimension that relates radii to densities; None for the number of columns.
    """
    index: Any = neighbors.samples.index
    threads = neighbors.threads
    lists = neighbors.lists
    for k in sorted(ks, reverse=True):
        with stage("tree", neighbors.verbose) as progress:
            if k < lists.k:
                lists = _core.list_prefix(index, lists, k, threads)
            if isinstance(dimension, str):
                used = intrinsic_dimension(index, lists, threads)
            else:
                used = float(index.columns if dimension is None else dimension)
            native = _core.build_mode_tree(index, lists, neighbors.cascade, threads, progress)
        yield ModeTree(
            native,
            k=k,
            dimension=used,
            scale_exponent=neighbors.samples.scale_exponent,
            threads=threads,
        )
