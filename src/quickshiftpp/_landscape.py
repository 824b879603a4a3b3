"""Stages 2 to 4 for one k: densities, parents and the tree, from neighbour lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._ascent import denser_parents
from ._density import intrinsic_dimension, knn_log_density
from ._modes import ModeTree, build_tree
from ._neighbors import Searched
from ._progress import stage


@dataclass(frozen=True)
class Landscape:
    """The density of the samples as k neighbours show it. No beta enters."""

    k: int
    dimension: float
    squared_radii: npt.NDArray[np.float64]
    log_density: npt.NDArray[np.float64]
    parents: npt.NDArray[np.int32]
    tree: ModeTree


@dataclass
class Surveyor:
    """Builds landscapes for one k after another from one neighbour search.

    Best asked for the largest k first: shorter lists are made from the shortest made so far.

    Attributes
    ----------
    found
        The samples and their neighbours, for the largest k of all.
    unit : int
        The power of two that the samples were multiplied by.
    dimension : float, "intrinsic" or None
        None for the number of columns.
    """

    found: Searched
    unit: int
    dimension: float | str | None
    threads: int
    verbose: bool = False
    _shortest: _core.NeighborLists | None = None

    def _lists_for(self, k: int) -> _core.NeighborLists:
        known = self._shortest
        longer = self.found.lists if known is None or known.k < k else known
        if longer.k == k:
            return longer
        self._shortest = _core.first_neighbors(self.found.index, longer, k, self.threads)
        return self._shortest

    def dimension_of(self, lists: _core.NeighborLists) -> float:
        """Return the dimension to use with these lists."""
        if self.dimension is None:
            return float(self.found.index.columns)
        if isinstance(self.dimension, str):
            return intrinsic_dimension(self.found.index, lists, self.threads)
        return float(self.dimension)

    def survey(self, k: int) -> Landscape:
        """Build the landscape for k neighbours."""
        index: Any = self.found.index
        threads = self.threads
        with stage("density", self.verbose):
            lists = self._lists_for(k)
            dimension = self.dimension_of(lists)
            squared_radii = _core.squared_radii(index, lists, threads)
            log_density = knn_log_density(squared_radii, k, dimension, self.unit, threads)
        with stage("ascent", self.verbose) as progress:
            found = denser_parents(index, lists, self.found.cascade, threads, progress)
            parents = found.take_rows()
        with stage("modes", self.verbose) as progress:
            native = _core.mode_tree(index, lists, found, threads, progress)
            tree = build_tree(native, squared_radii, log_density, parents, dimension, threads)
        return Landscape(k, dimension, squared_radii, log_density, parents, tree)
