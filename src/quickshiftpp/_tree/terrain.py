"""What the tree and its cuts know of every sample, in the order of the index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._validation import usable_threads
from .density import knn_log_density


def positions_of(rows: npt.NDArray[Any], order: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return where the samples of some rows lie, from the row at each position."""
    position: npt.NDArray[np.int32] = np.empty_like(order)
    position[order] = np.arange(len(order), dtype=np.int32)
    wanted: npt.NDArray[np.int32] = position[rows]
    return wanted


class Cores(NamedTuple):
    """The cluster-cores of one clustering, as far as the basin of each mode lies in one."""

    labels: npt.NDArray[np.int32]  # -1 for none
    squared_radii: npt.NDArray[np.float64]  # the largest inside


@dataclass(eq=False)
class Terrain:
    """Radii, parents and basins for one k, by position in the index.

    Samples that are near in space are near there, so that climbing from one to the next stays in
    the processor's cache; rows come in any order. What users see is by row.

    Attributes
    ----------
    row : ndarray of shape (n_samples,)
        The row of the sample at each position.
    squared_radii, parents, basin : ndarray of shape (n_samples,)
        By position, and so are the parents that they name; -1 for none.
    k : int
    dimension : float
        It relates radii to densities.
    unit : int
        The power of two that the samples were multiplied by.
    threads : int
    """

    row: npt.NDArray[np.int32]
    squared_radii: npt.NDArray[np.float64]
    parents: npt.NDArray[np.int32]
    basin: npt.NDArray[np.int32]
    k: int
    dimension: float
    unit: int
    threads: int

    @property
    def usable_threads(self) -> int:
        """The threads to use now: one in a process that was forked since."""
        return usable_threads(self.threads)

    def log_density(self, squared_radii: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the log of the density that squared radii amount to."""
        return knn_log_density(
            squared_radii, len(self.row), self.k, self.dimension, self.unit, self.usable_threads
        )

    def squared_radii_by_row(self) -> npt.NDArray[np.float64]:
        """Return every sample's squared radius, by row."""
        return _core.values_by_row(self.row, self.squared_radii, self.usable_threads)

    def parents_by_row(self) -> npt.NDArray[np.int32]:
        """Return the row of every sample's parent, by row."""
        return _core.links_by_row(self.row, self.parents, self.usable_threads)

    def core_labels(
        self, cores: Cores, positions: npt.NDArray[np.int32] | None = None
    ) -> npt.NDArray[np.int32]:
        """Return the core that each sample lies in, -1 for none, by row or at some positions."""
        return _core.core_labels(
            self.row, self.basin, self.squared_radii, *cores, self.usable_threads, positions
        )

    def positions(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return where the samples of some rows lie."""
        return positions_of(rows, self.row)


@dataclass(frozen=True, eq=False)
class CoreLabels:
    """The core that each sample lies in, -1 for none; made when it is asked for."""

    terrain: Terrain
    cores: Cores

    @cached_property
    def by_row(self) -> npt.NDArray[np.int32]:
        """One for each row."""
        return self.terrain.core_labels(self.cores)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be made again."""
        return {"terrain": self.terrain, "cores": self.cores}
