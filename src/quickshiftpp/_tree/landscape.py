"""Stages 2 to 4 for one k: densities, parents and the tree, from neighbour lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import stage
from .._search.neighbors import Searched
from .ascent import denser_parents
from .density import intrinsic_dimension
from .mode_tree import FoundModes, ModeTree
from .terrain import Terrain

# Numbers of neighbours for which lists are shortened in one go: their ends lie near each other.
_TOGETHER = 4


@dataclass(frozen=True, eq=False)
class Landscape:
    """The density of the samples as k neighbours show it. No beta enters.

    By row: `squared_radii`, `radii`, `log_density` and `parents`, made when they are asked for; all
    but the first are kept.
    """

    terrain: Terrain
    tree: ModeTree

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        return {"terrain": self.terrain, "tree": self.tree}

    @property
    def k(self) -> int:
        """The number of neighbours."""
        return self.terrain.k

    @property
    def dimension(self) -> float:
        """The dimension that relates radii to densities."""
        return self.terrain.dimension

    @property
    def squared_radii(self) -> npt.NDArray[np.float64]:
        """The squared distance of every sample to its k-th nearest."""
        return self.terrain.squared_radii_by_row()

    @cached_property
    def radii(self) -> npt.NDArray[np.float64]:
        """The distance of every sample to its k-th nearest, in the user's unit."""
        return _core.radii(self.squared_radii, self.terrain.unit, self.terrain.usable_threads)

    @cached_property
    def log_density(self) -> npt.NDArray[np.float64]:
        """The log of the density at every sample."""
        return self.terrain.log_density(self.squared_radii)

    @cached_property
    def parents(self) -> npt.NDArray[np.int32]:
        """The row of every sample's nearest denser one, -1 for none."""
        return self.terrain.parents_by_row()


@dataclass
class Surveyor:
    """Builds landscapes for one k or for many from one neighbour search.

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
    _order: npt.NDArray[np.int32] | None = None
    _near: _core.NearBlocks | None = None

    def _lists_for(self, ks: list[int]) -> list[_core.NeighborLists]:
        """Return lists for descending ks, from the shortest made so far that are long enough."""
        known = self._shortest
        longer = self.found.lists if known is None or known.k < ks[0] else known
        if ks == [longer.k]:
            return [longer]
        lists = _core.first_neighbors(self.found.index, longer, ks, self.threads)
        self._shortest = lists[0]
        return lists

    def order(self) -> npt.NDArray[np.int32]:
        """Return the row of the sample at each position of the index."""
        if self._order is None:
            self._order = self.found.index.order()
        return self._order

    def dimension_of(self, lists: _core.NeighborLists) -> float:
        """Return the dimension to use with these lists."""
        if self.dimension is None:
            return float(self.found.index.columns)
        if isinstance(self.dimension, str):
            return intrinsic_dimension(self.found.index, lists, self.threads)
        return float(self.dimension)

    def survey(self, k: int) -> Landscape:
        """Build the landscape for k neighbours."""
        return next(self.survey_all([k]))

    def survey_all(self, ks: Iterable[int]) -> Iterator[Landscape]:
        """Build the landscapes for many k, the largest first; a few at a time shorten the lists."""
        descending = sorted(ks, reverse=True)
        if len(descending) > 1:
            self._near = _core.NearBlocks()
        for begin in range(0, len(descending), _TOGETHER):
            yield from self._survey_few(descending[begin : begin + _TOGETHER])

    def finish(self) -> None:
        """Free the lists, faster than if they went out of use: no landscape can be built now."""
        self._shortest = None
        self.found.lists.drop(self.threads)

    def _survey_few(self, ks: list[int]) -> Iterator[Landscape]:
        index: Any = self.found.index
        threads = self.threads
        with stage("density", self.verbose):
            lists = self._lists_for(ks)
            dimensions = [self.dimension_of(of_k) for of_k in lists]
        for k, dimension in zip(ks, dimensions, strict=True):
            of_k = lists.pop(0)  # let go of what is done
            with stage("ascent", self.verbose) as progress:
                found = denser_parents(index, of_k, self.found.cascade, threads, progress)
            with stage("modes", self.verbose) as progress:
                positions, saddles, parents, sizes, basin = _core.mode_tree(
                    index, of_k, found, self._near, threads, progress
                )
                terrain = Terrain(
                    self.order(),
                    of_k.squared_radii(),
                    found.take_positions(),
                    basin,
                    k,
                    dimension,
                    self.unit,
                    threads,
                )
            modes = FoundModes(positions, saddles, parents, sizes)
            yield Landscape(terrain, ModeTree(modes, terrain))
