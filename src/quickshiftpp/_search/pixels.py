"""Neighbors among the pixels of an image, in windows of it where that is faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress


@dataclass(frozen=True)
class Grid:
    """The grid of an image, and which of its pixels are samples. Pixels come in C order.

    Attributes
    ----------
    shape : tuple of int
    step : tuple of float
        The distance between pixels along each axis.
    mask : ndarray of bool, of the same shape, or None
        None where all pixels are samples.
    """

    shape: tuple[int, ...]
    step: tuple[float, ...]
    mask: npt.NDArray[np.bool_] | None


def search_windows(
    index: Any, grid: Grid, k: int, is_forced: bool, threads: int, progress: Progress | None
) -> _core.NeighborLists | None:
    """Search in windows of the image.

    Returns None where windows would be so large that the k-d tree is faster, unless `is_forced`.
    """
    most = (k - _core.WINDOW_NEIGHBORS) * _core.WINDOW_SIZE_PER_NEIGHBOR
    if not is_forced and most <= 0:
        return None
    kind: Any = (
        _core.PixelsFloat32 if isinstance(index, _core.IndexFloat32) else _core.PixelsFloat64
    )
    mask = None if grid.mask is None else np.ascontiguousarray(grid.mask).view(np.uint8).ravel()
    pixels = kind(index, list(grid.shape), list(grid.step), mask, threads)
    if not is_forced and pixels.window_size(k, most) > most:
        return None
    lists: _core.NeighborLists = pixels.neighbor_lists(k, threads, progress)
    return lists
