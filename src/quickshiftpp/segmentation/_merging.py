"""Region merging: neighboring segments are merged, the most similar pair first."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import gamma, inf, pi, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Merging:
    """The order in which segments are merged.

    Attributes
    ----------
    n_segments : int
        The number of segments before any merge.
    differences : ndarray of shape (n_merges,)
        The difference at which each merge happens, ascending.
    pairs : ndarray of shape (n_merges, 2)
        The two segments of each merge. The merged segment keeps the first number.
    """

    n_segments: int
    differences: FloatArray
    pairs: npt.NDArray[np.int32]

    def targets(self, *, limit: float = inf, n_segments: int = 1) -> npt.NDArray[np.int32]:
        """Return the new number of each segment.

        Parameters
        ----------
        limit : float, default=inf
            Merge segments that differ by at most this much; larger values leave fewer segments.
        n_segments : int, default=1
            Stop at this many segments. Parts of the image that do not touch cannot be merged, so
            more may remain.

        Returns
        -------
        ndarray of shape (n_segments before merging,)
            Numbered from 0 without gaps.
        """
        count = int(np.searchsorted(self.differences, limit, side="right"))
        count = max(min(count, self.n_segments - n_segments), 0)
        target = np.arange(self.n_segments, dtype=np.int32)
        # Backward: the segment that each one joined already has its final number.
        for kept, gone in self.pairs[:count][::-1].tolist():
            target[gone] = target[kept]
        found: npt.NDArray[np.int32] = np.unique(target, return_inverse=True)[1].astype(np.int32)
        return found


def merge_segments(
    labels: Labels, colors: npt.NDArray[Any], radii: FloatArray, flat_radius: float
) -> Merging:
    """Order the merging of neighboring segments by their difference.

    The difference of two segments a and b is::

        |c_a - c_b| * r_ab^2 / (min(r_a, r_b) * r_flat) * sqrt(h * min(n_a, n_b)^(1 - 1/d) / w)

    The first factor is the distance of the mean colors. The second compares the density along the
    border with that inside: r_ab is the mean radius of the pixels along the whole border, where the
    saddle of the mode tree is a single place that a gap of a few pixels can create. Dividing by
    the mean radii of the segments means that textured segments must differ more; r_flat is the
    radius in an image of one color. The third factor is large for large segments, where
    h = n_a n_b / (n_a + n_b) is a share of the image (with squared colors this is Ward's
    criterion), and for segments with a short border, where w is the number of pairs of pixels
    across the border and d the number of dimensions.

    Parameters
    ----------
    labels : ndarray of the image's shape
        Numbered from 0 without gaps; -1 for pixels outside the mask. Segments should be connected.
    colors : ndarray of shape (n_pixels, n_channels)
        The colors of the pixels inside the mask, in C order, not weighted by `ratio`.
    radii : ndarray of shape (n_pixels,)
        The distance of each pixel to its k-th nearest.
    flat_radius : float
        The radius in an image of one color, see :func:`flat_radius`.

    Returns
    -------
    Merging
    """
    inside = labels.ravel()[labels.ravel() >= 0]
    count = int(inside.max()) + 1
    size = np.bincount(inside, minlength=count).astype(np.float64)
    sums = [np.bincount(inside, weights=channel, minlength=count) for channel in colors.T]
    means = np.stack(sums, axis=1) / size[:, None]
    inner = np.bincount(inside, weights=radii, minlength=count) / size
    image_radii = np.zeros(labels.shape)
    image_radii[labels >= 0] = radii
    pairs, width, border = _borders(labels, image_radii)
    graph = _Graph(labels.ndim, flat_radius, size, means, inner)
    return graph.merge_all(pairs, width, border)


def flat_radius(k: int, cell: float, ndim: int) -> float:
    """Return the radius of a ball that holds k pixels, each of the volume `cell`."""
    unit_ball = pi ** (ndim / 2) / gamma(ndim / 2 + 1)
    return float((k * cell / unit_ball) ** (1 / ndim))


def _borders(labels: Labels, radii: FloatArray) -> tuple[npt.NDArray[np.int64], Any, Any]:
    """Return the pairs of segments that touch, the border widths, and the sums of radii there."""
    lows, highs, means = [], [], []
    for axis in range(labels.ndim):
        one, other = (np.moveaxis(labels, axis, 0)[part] for part in (slice(-1), slice(1, None)))
        touch = (one != other) & (one >= 0) & (other >= 0)
        radius = np.moveaxis(radii, axis, 0)
        means.append(0.5 * (radius[:-1][touch] + radius[1:][touch]))
        lows.append(np.minimum(one[touch], other[touch]))
        highs.append(np.maximum(one[touch], other[touch]))
    key = np.concatenate(lows).astype(np.int64) * (int(labels.max()) + 1) + np.concatenate(highs)
    keys, place = np.unique(key, return_inverse=True)
    pairs = np.stack(np.divmod(keys, int(labels.max()) + 1), axis=1)
    width = np.bincount(place, minlength=len(keys)).astype(np.float64)
    return pairs, width, np.bincount(place, weights=np.concatenate(means), minlength=len(keys))


class _Graph:
    """The region adjacency graph: segments and their borders, while segments are merged."""

    def __init__(
        self, ndim: int, flat: float, size: FloatArray, means: FloatArray, inner: FloatArray
    ) -> None:
        self.flat = flat
        self.surface = 1 - 1 / ndim
        self.total = float(size.sum())
        self.size: list[float] = size.tolist()
        self.means: list[list[float]] = means.tolist()
        self.inner: list[float] = inner.tolist()
        # For each segment: its neighbors, with the border width and the sum of radii along it.
        self.borders: list[dict[int, tuple[float, float]]] = [{} for _ in self.size]

    def difference(self, one: int, other: int) -> float:
        """Return how much two neighbors differ."""
        width, radii = self.borders[one][other]
        n, m = self.size[one], self.size[other]
        squared = sum((a - b) ** 2 for a, b in zip(self.means[one], self.means[other], strict=True))
        least = min(self.inner[one], self.inner[other])
        if least == 0:
            return inf if squared > 0 else 0.0
        contrast = (radii / width) ** 2 / (least * self.flat)
        weight = n * m / ((n + m) * self.total) * min(n, m) ** self.surface / width
        return sqrt(squared * weight) * contrast

    def join(self, kept: int, gone: int) -> None:
        """Merge the second segment into the first."""
        n, m = self.size[kept], self.size[gone]
        self.means[kept] = [
            (n * a + m * b) / (n + m)
            for a, b in zip(self.means[kept], self.means[gone], strict=True)
        ]
        self.inner[kept] = (n * self.inner[kept] + m * self.inner[gone]) / (n + m)
        self.size[kept] = n + m
        for other, (width, radii) in self.borders[gone].items():
            del self.borders[other][gone]
            if other != kept:
                before = self.borders[kept].get(other, (0.0, 0.0))
                both = before[0] + width, before[1] + radii
                self.borders[kept][other] = self.borders[other][kept] = both
        self.borders[gone] = {}

    def merge_all(self, pairs: Any, width: Any, border: Any) -> Merging:
        """Merge until no segments touch: smallest difference first, then lowest numbers."""
        for (one, other), *both in zip(
            pairs.tolist(), width.tolist(), border.tolist(), strict=True
        ):
            self.borders[one][other] = self.borders[other][one] = (both[0], both[1])
        count = len(self.size)
        version = [0] * count
        heap = [(self.difference(a, b), a, b, 0, 0) for a, b in pairs.tolist()]
        heapify(heap)
        joined, differences, highest = [], [], 0.0
        while heap:
            difference, one, other, *then = heappop(heap)
            if then != [version[one], version[other]]:
                continue
            highest = max(highest, difference)
            joined.append((one, other))
            differences.append(highest)
            self.join(one, other)
            version[one] += 1
            version[other] = -1
            for neighbor in self.borders[one]:
                a, b = min(one, neighbor), max(one, neighbor)
                heappush(heap, (self.difference(a, b), a, b, version[a], version[b]))
        found = np.array(joined, dtype=np.int32).reshape(-1, 2)
        return Merging(count, np.array(differences, dtype=np.float64), found)
