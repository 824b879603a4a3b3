"""Stage 1 for images: each pixel's k nearest, in windows of the image where that is faster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress, stage
from .._validation import FloatArray, scale, scaling_exponent
from .memory import check_memory
from .neighbors import Searched, build_index, choose_algorithm

ALGORITHMS = ("auto", "windows", "kd_tree")


@dataclass(frozen=True)
class Grid:
    """Where the pixels lie that are the samples, in C order.

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


def index_and_search_pixels(
    samples: FloatArray, grid: Grid, k: int, algorithm: str, threads: int
) -> tuple[int, Searched]:
    """Find the k nearest of every pixel, after scaling by a power of two.

    The first columns of the samples are coordinates on the grid, the others are colours. The result
    is that of :func:`._neighbors.index_and_search`.
    """
    unit = scaling_exponent(samples)
    scaled = scale(samples, unit)
    has_tree = choose_algorithm("auto", scaled, threads, can_cascade=False) == "kd_tree"
    check_memory(scaled, k, "kd_tree")
    with stage("index") as progress:
        index: Any = build_index(scaled, has_tree or algorithm != "auto", threads, progress)
    with stage("neighbors") as progress:
        if algorithm != "kd_tree" and unit == 0 and index.has_tree:
            lists = _search_windows(index, grid, k, algorithm == "windows", threads, progress)
            if lists is not None:
                return unit, Searched(index, lists, None)
        return unit, Searched(index, _core.neighbor_lists(index, k, threads, progress), None)


def _search_windows(
    index: Any, grid: Grid, k: int, is_forced: bool, threads: int, progress: Progress | None
) -> _core.NeighborLists | None:
    """Search in windows of the image, unless they are so large that the tree is faster."""
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
