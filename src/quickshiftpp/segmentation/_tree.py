"""An image after the search: labels for every beta, in the image's shape."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from .._search.pixels import Grid
from .._tree.mode_tree import ModeTree
from .._validation import InvalidParameterError, check_beta
from ._connected import connected_segments
from ._defaults import Defaults
from ._images import check_merge, check_min_size, check_n_segments, check_start_label
from ._merging import Merging, flat_radius, merge_segments

Labels = npt.NDArray[np.int32]

# A segment that takes up thousands of fragments looks at all its neighbors each time: 50 seconds
# for 6,500 of them in a noisy volume, half a second without. Photographs of 0.15 megapixels have a
# few hundred. Where there are more pieces than this, the smallest join a neighbor first.
_MOST_PIECES = 4096
_FRAGMENT = 10
# How many cuts a tree remembers the merging of: the default, and the finest.
_REMEMBERED = 2


class ImageTree:
    """The segmentations of an image for every beta, from one search.

    Returned by :func:`image_tree`, and by :func:`segment` with ``return_tree=True``.

    Attributes
    ----------
    tree : ModeTree
        The mode tree of the pixels in C order, without those outside the mask.
    shape : tuple of int
        The spatial shape of the image.
    mask : ndarray of bool or None
    k : int
        The number of neighbors used.

    Examples
    --------
    >>> from sklearn.datasets import load_sample_image
    >>> from quickshiftpp.segmentation import image_tree
    >>> tree = image_tree(load_sample_image("flower.jpg")[::4, ::4])
    >>> int(tree.labels(n_segments=12).max())
    12
    >>> coarse, fine = tree.labels(beta=0.99), tree.labels(beta=0.5)
    >>> bool(coarse.max() < fine.max())
    True
    """

    def __init__(
        self,
        tree: ModeTree,
        grid: Grid,
        colors: npt.NDArray[Any],
        defaults: Defaults,
    ) -> None:
        self.tree = tree._with_min_cluster_size(defaults.min_size)
        self.shape = grid.shape
        self.mask = grid.mask
        self.k = tree.k
        self._colors = colors
        self._flat_radius = flat_radius(self.k, prod(grid.step), len(grid.shape))
        self._defaults = defaults
        self._merged: dict[tuple[float, int], tuple[Labels, Merging]] = {}

    def __repr__(self) -> str:
        return f"ImageTree(shape={self.shape}, k={self.k}, n_modes={self.tree.n_modes})"

    def labels(
        self,
        beta: float | None = None,
        n_segments: int | None = None,
        *,
        merge: float | None = None,
        min_size: int | None = None,
        connected: bool = False,
        start_label: int = 1,
    ) -> Labels:
        """Label every pixel, without a neighbor search.

        Parameters
        ----------
        beta : float, optional
            Strictly between 0 and 1. Larger values give fewer segments.
        n_segments : int, optional
            Ask for this number of segments instead; an image may have fewer. With ``merge=0`` the
            beta is used whose number of segments, after `min_size`, comes nearest.
        merge : float, optional
            Merge neighboring segments whose difference is at most this. By default 0 if `beta` is
            given, and otherwise a value for photographs.
        min_size : int, optional
            Segments with fewer pixels are dissolved into others.
        connected : bool, default=False
            Split segments that are not connected; merged ones always are. Pieces with fewer than
            `min_size` pixels join the segment with which they share the longest border.
        start_label : {1, 0}, default=1
            The first label. Segments are numbered in decreasing density of their modes.

        Returns
        -------
        ndarray of int32, of the spatial shape
            ``start_label - 1`` outside the mask, as in :func:`skimage.segmentation.slic`.
        """
        first = np.int32(check_start_label(start_label))
        size = self._size(min_size)
        limit = self._defaults.merge if beta is None else 0.0
        if merge is not None:
            limit = check_merge(merge)
        if n_segments is not None:
            self._check_alone(n_segments, beta, merge)
            if limit > 0:
                return self._merge_down_to(n_segments, size) + first
            beta = self.beta_for(n_segments, min_size=size)
        elif limit > 0:
            return self._merge_up_to(limit, beta, size) + first
        found = self._cut(self._defaults.beta if beta is None else beta, size)
        return (connected_segments(found, size) if connected else found) + first

    def superpixels(
        self, beta: float | None = None, *, min_size: int | None = None
    ) -> tuple[Labels, Merging]:
        """Cut the image finely, and return the order in which the pieces merge: a hierarchy.

        Parameters
        ----------
        beta : float, optional
            Where to cut. Smaller values give more pieces.
        min_size : int, optional
            The least size of a segment of the cut, before it is split into connected pieces.

        Returns
        -------
        labels : ndarray of int32, of the spatial shape
            Connected pieces, numbered from 0; -1 outside the mask.
        merging : Merging
            ``merging.targets(limit=...)[labels]`` are the segments after all merges up to that
            difference, ``merging.targets(n_segments=...)[labels]`` that number of segments. Coarser
            segmentations are unions of the segments of finer ones.
        """
        cut = self._defaults.beta if beta is None else check_beta(beta)
        size = self._size(min_size)
        if (cut, size) not in self._merged:
            found = self._cut(cut, size)
            pieces = connected_segments(found, 1)
            if pieces.max() >= _MOST_PIECES:
                pieces = connected_segments(found, max(size, _FRAGMENT))
            merging = merge_segments(pieces, self._colors, self.tree._radii, self._flat_radius)
            while len(self._merged) >= _REMEMBERED:
                del self._merged[next(iter(self._merged))]
            self._merged[cut, size] = pieces, merging
        pieces, merging = self._merged[cut, size]
        return pieces.copy(), merging

    def n_segments(self, beta: npt.ArrayLike, *, min_size: int | None = None) -> Any:
        """Count the segments at one beta or at many, before any is split or merged.

        Parameters
        ----------
        beta : float or array-like
            Each strictly between 0 and 1.
        min_size : int, optional
            The same as for :meth:`labels`.

        Returns
        -------
        int or ndarray of int, of the shape of `beta`
        """
        return self.tree.n_clusters(beta, min_cluster_size=self._size(min_size))

    def beta_for(self, n_segments: int, *, min_size: int | None = None) -> float:
        """Return a beta whose number of segments comes near to `n_segments`.

        Parameters
        ----------
        n_segments : int
        min_size : int, optional
            The same as for :meth:`labels`.

        Returns
        -------
        float
        """
        return self.tree._beta_search(self._size(min_size)).find(check_n_segments(n_segments))

    @staticmethod
    def _check_alone(n_segments: int, beta: float | None, merge: float | None) -> None:
        check_n_segments(n_segments)
        for name, value in (("beta", beta), ("merge", merge or None)):
            if value is not None:
                raise InvalidParameterError(
                    f"{name} is {value} and n_segments is {n_segments}: give one of the two, not "
                    "both."
                )

    def _merge_up_to(self, limit: float, beta: float | None, size: int) -> Labels:
        """Merge segments up to a difference, then those that are still too small."""
        pieces, merging = self.superpixels(beta, min_size=size)
        merged = _relabel(pieces, merging.targets(limit=limit))
        is_small = np.bincount(merged[merged >= 0]) < size
        return connected_segments(merged, size) if is_small.any() else merged

    def _merge_down_to(self, n_segments: int, size: int) -> Labels:
        """Merge down to a number of segments, from a finer cut if there are too few."""
        pieces, merging = self.superpixels(min_size=size)
        if merging.n_segments < n_segments:
            finest = 0.5 * float(np.min(self.tree.betas(), initial=0.5))
            pieces, merging = self.superpixels(finest, min_size=1)
        return _relabel(pieces, merging.targets(n_segments=n_segments))

    def _size(self, min_size: int | None) -> int:
        return self._defaults.min_size if min_size is None else check_min_size(min_size)

    def _cut(self, beta: float, size: int) -> Labels:
        """Return labels from 0 in the shape of the image, -1 outside the mask."""
        labels = self.tree._cut(beta, size).labels
        if self.mask is None:
            return labels.reshape(self.shape)
        image = np.full(self.shape, -1, dtype=np.int32)
        image[self.mask] = labels
        return image


def _relabel(labels: Labels, target: npt.NDArray[np.int32]) -> Labels:
    """Return the target of each label, -1 staying -1."""
    found: Labels = np.append(target, np.int32(-1))[labels]
    return found
