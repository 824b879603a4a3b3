"""Densities whose cluster-cores and attraction regions are known, on the unit cube.

A density is a floor plus bumps, cut off at the cube's faces: continuously differentiable inside,
with compact support, and bounded from below, as the paper's theorems require. Its cores, attraction
regions and interiors are computed on a grid; flows are integrated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.spatial import KDTree
from scipy.stats import norm

from ..common import FloatArray, IntArray

GRID_CELLS = {1: 4000, 2: 300}  # along each axis
_LEVELS = 200  # to which the thresholds of the interior are rounded, upward
_STEPS_PER_CELL = 2
_MAX_STEPS = 20_000


@dataclass(frozen=True)
class Density:
    """A floor and Gaussian bumps on the unit cube."""

    name: str
    centers: tuple[tuple[float, ...], ...]
    # Of each bump; the floor has the weight that is left of 1.
    widths: tuple[float, ...]
    weights: tuple[float, ...]

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.centers[0])

    def _bumps(self, points: FloatArray) -> FloatArray:
        """Return each bump's part of the density, one column for each."""
        parts = np.empty((len(points), len(self.widths)))
        for i, (center, width, weight) in enumerate(
            zip(self.centers, self.widths, self.weights, strict=True)
        ):
            squared = ((points - np.array(center)) ** 2).sum(axis=1)
            inside = [norm.cdf((1 - c) / width) - norm.cdf(-c / width) for c in center]
            scale = (width * np.sqrt(2 * np.pi)) ** self.dimension * np.prod(inside)
            parts[:, i] = weight / scale * np.exp(-0.5 * squared / width**2)
        return parts

    def pdf(self, points: FloatArray) -> FloatArray:
        """Return the density at points of the cube."""
        total: FloatArray = 1 - sum(self.weights) + self._bumps(points).sum(axis=1)
        return total

    def gradient(self, points: FloatArray) -> FloatArray:
        """Return the gradient at points of the cube."""
        parts = self._bumps(points) / np.array(self.widths) ** 2
        toward = np.array(self.centers)[None] - points[:, None]
        total: FloatArray = (parts[:, :, None] * toward).sum(axis=1)
        return total

    def sample(self, n_samples: int, rng: np.random.Generator) -> FloatArray:
        """Draw samples."""
        floor = 1 - sum(self.weights)
        choice = rng.choice(len(self.weights) + 1, n_samples, p=[*self.weights, floor])
        points = rng.random((n_samples, self.dimension))
        for i, (center, width) in enumerate(zip(self.centers, self.widths, strict=True)):
            rows = np.flatnonzero(choice == i)
            while rows.size:  # redraw what falls outside the cube
                points[rows] = rng.normal(center, width, (len(rows), self.dimension))
                rows = rows[((points[rows] < 0) | (points[rows] > 1)).any(axis=1)]
        return points


# A core of several modes with shallow saddles between them, and a single one of lower density.
LINE = Density(
    "two cores on a line", ((0.24,), (0.37,), (0.74,)), (0.055, 0.055, 0.08), (0.27, 0.25, 0.33)
)
PLANE = Density(
    "two cores in the plane",
    ((0.22, 0.30), (0.31, 0.45), (0.24, 0.61), (0.73, 0.55)),
    (0.075, 0.075, 0.075, 0.10),
    (0.17, 0.16, 0.17, 0.35),
)
DENSITIES = {density.name: density for density in (LINE, PLANE)}


def values_at(grid: npt.NDArray[Any], points: FloatArray, cell: float) -> npt.NDArray[Any]:
    """Return the values of a grid at points of the cube."""
    places = np.clip((points / cell).astype(np.int64), 0, grid.shape[0] - 1)
    found: npt.NDArray[Any] = grid[tuple(places.T)]
    return found


@dataclass(frozen=True)
class Truth:
    """What the paper defines on a density, for one beta and one (R, rho), on a grid."""

    cell: float  # the length of a cell
    centers: FloatArray
    # The number of the core that a cell belongs to, that its flow leads to, and the same
    # within the (R, rho)-interior; -1 for none.
    cores: IntArray
    regions: IntArray
    interiors: IntArray
    n_cores: int
    outside: list[FloatArray]  # the distance to each core

    def at(self, grid: npt.NDArray[Any], points: FloatArray) -> npt.NDArray[Any]:
        """Return the values of the grid at points of the cube."""
        return values_at(grid, points, self.cell)

    def core_points(self, core: int) -> FloatArray:
        """Return the cells of a core."""
        points: FloatArray = self.centers[self.cores.ravel() == core]
        return points

    def hausdorff(self, core: int, samples: FloatArray) -> float:
        """Return the Hausdorff distance between a core and samples."""
        beyond = float(np.max(self.at(self.outside[core], samples)))
        missing = float(KDTree(samples).query(self.core_points(core))[0].max())
        return max(beyond, missing)


def grid_cores(values: FloatArray, beta: float) -> IntArray:
    """Return the cluster-cores of the paper's Definition 2, densest first, on a grid."""
    cores = np.full(values.shape, -1)
    peaks = np.argwhere(values == ndimage.maximum_filter(values, size=3))
    peaks = peaks[np.argsort(-values[tuple(peaks.T)])]
    found = 0
    for peak in map(tuple, peaks):
        parts, _ = ndimage.label(values >= (1 - beta) * values[peak])
        part = parts == parts[peak]
        if values[part].max() == values[peak] and cores[peak] < 0:
            cores[part] = found
            found += 1
    return cores


def follow_flows(density: Density, start: FloatArray, cores: IntArray, cell: float) -> IntArray:
    """Integrate the flow of the gradient from every point until it is in a core.

    Fourth-order Runge-Kutta in arc length, which follows the same paths as the flow in time.
    """
    step = cell / _STEPS_PER_CELL

    def direction(points: FloatArray) -> FloatArray:
        gradient = density.gradient(points)
        length = np.linalg.norm(gradient, axis=1, keepdims=True)
        unit: FloatArray = gradient / np.maximum(length, np.finfo(np.float64).tiny)
        return unit

    at, reached = start.copy(), values_at(cores, start, cell)
    for _ in range(_MAX_STEPS):
        moving = np.flatnonzero(reached < 0)
        if moving.size == 0:
            break
        points = at[moving]
        first = direction(points)
        second = direction(points + 0.5 * step * first)
        third = direction(points + 0.5 * step * second)
        fourth = direction(points + step * third)
        at[moving] = np.clip(points + step / 6 * (first + 2 * second + 2 * third + fourth), 0, 1)
        reached[moving] = values_at(cores, at[moving], cell)
    return reached


def region_interior(
    values: FloatArray, region: npt.NDArray[np.bool_], radius: float, rho: float, cell: float
) -> npt.NDArray[np.bool_]:
    """Return the (R, rho)-interior of an attraction region.

    A point is not in it iff some path from it to some y of the boundary stays where the least
    density within R is below t(y), the greatest density within R of y plus rho. So for every
    level t: the components of {least density < t} that touch a boundary point with t(y) >= t.
    """
    reach = int(np.ceil(radius / cell))
    axes = np.meshgrid(*[np.arange(-reach, reach + 1)] * values.ndim, indexing="ij")
    ball = sum(axis**2 for axis in axes) <= (radius / cell) ** 2
    least = ndimage.minimum_filter(values, footprint=ball, mode="constant", cval=0.0)
    greatest = ndimage.maximum_filter(values, footprint=ball, mode="constant", cval=0.0)
    boundary = region & ~ndimage.binary_erosion(region)
    thresholds = np.where(boundary, greatest + rho, -np.inf)
    bad = np.zeros_like(region)
    low, high = thresholds[boundary].min(), thresholds.max()
    for level in np.linspace(low, high, _LEVELS):
        parts, _ = ndimage.label(least < level)
        # Rounded upward, so that the interior is too small rather than too large.
        touched = np.unique(parts[thresholds >= level - (high - low) / (_LEVELS - 1)])
        bad |= np.isin(parts, touched[touched > 0])
    return region & ~bad


@lru_cache(maxsize=8)
def truth_of(density: Density, beta: float, radius: float, rho: float) -> Truth:
    """Compute what the paper defines on a density; R and rho are those of the interior."""
    cells = GRID_CELLS[density.dimension]
    axis = (np.arange(cells) + 0.5) / cells
    centers = np.stack(np.meshgrid(*[axis] * density.dimension, indexing="ij"), axis=-1)
    shape, centers = centers.shape[:-1], centers.reshape(-1, density.dimension)
    values = density.pdf(centers).reshape(shape)
    cores = grid_cores(values, beta)
    regions = follow_flows(density, centers, cores, 1 / cells).reshape(shape)
    n_cores = int(cores.max()) + 1
    interiors = np.full(shape, -1)
    for core in range(n_cores):
        interiors[region_interior(values, regions == core, radius, rho, 1 / cells)] = core
    outside = [ndimage.distance_transform_edt(cores != core) / cells for core in range(n_cores)]
    return Truth(1 / cells, centers, cores, regions, interiors, n_cores, outside)
