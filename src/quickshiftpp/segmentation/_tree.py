"""An image after the search: labels for every beta, in the image's shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._modes import ModeTree
from ._connected import connected_segments
from ._defaults import Defaults
from ._images import check_min_size, check_start_label


class ImageTree:
    """The segmentations of an image for every beta, from one search.

    Made by :func:`image_tree` and by :func:`segment` with ``return_tree=True``.

    Attributes
    ----------
    tree : ModeTree
        Over the pixels in C order, only those inside the mask where there is one.
    shape : tuple of int
        The spatial shape of the image.
    mask : ndarray of bool or None
    k : int
        The number of neighbours used.

    Examples
    --------
    >>> from sklearn.datasets import load_sample_image
    >>> from quickshiftpp.segmentation import image_tree
    >>> flower = load_sample_image("flower.jpg")[::4, ::4]
    >>> tree = image_tree(flower)
    >>> coarse, fine = tree.labels(beta=0.99), tree.labels(beta=0.5, min_size=20)
    >>> bool(coarse.max() < fine.max())
    True
    """

    def __init__(
        self,
        tree: ModeTree,
        shape: tuple[int, ...],
        mask: npt.NDArray[np.bool_] | None,
        k: int,
        defaults: Defaults,
    ) -> None:
        self.tree = tree
        self.shape = shape
        self.mask = mask
        self.k = k
        self._defaults = defaults

    def __repr__(self) -> str:
        return f"ImageTree(shape={self.shape}, k={self.k}, n_modes={len(self.tree.modes)})"

    def labels(
        self,
        beta: float | None = None,
        n_segments: int | None = None,
        *,
        min_size: int | None = None,
        connected: bool = False,
        start_label: int = 1,
    ) -> npt.NDArray[np.int32]:
        """Label every pixel, without a neighbour search.

        Parameters
        ----------
        beta : float, optional
            Strictly between 0 and 1; the larger, the fewer segments.
        n_segments : int, optional
            Ask for so many segments instead. Not every number is possible: the nearest is taken.
        min_size : int, optional
            Smaller segments are dissolved into others.
        connected : bool, default=False
            Split segments that are in several pieces. Pieces below `min_size` join the segment that
            they share the longest border with.
        start_label : {1, 0}, default=1
            The first label: that of the densest segment, and so on down.

        Returns
        -------
        ndarray of int32, of the spatial shape
            ``start_label - 1`` outside the mask, as in :func:`skimage.segmentation.slic`.
        """
        first = check_start_label(start_label)
        size = self._defaults.min_size if min_size is None else check_min_size(min_size)
        found = self._image(self.tree.cut(self._resolve_beta(beta, n_segments, size), size)[0])
        if connected:
            found = connected_segments(found, size)
        return found + np.int32(first)

    def n_segments(self, beta: npt.ArrayLike, *, min_size: int | None = None) -> Any:
        """Count the segments at one beta or at many, before any is split.

        Parameters
        ----------
        beta : float or array-like
            Each strictly between 0 and 1.
        min_size : int, optional
            As for :meth:`labels`.

        Returns
        -------
        int or ndarray of int, of the shape of `beta`
        """
        size = self._defaults.min_size if min_size is None else check_min_size(min_size)
        return self.tree.n_clusters(beta, min_cluster_size=size)

    def beta_for(self, n_segments: int, *, min_size: int | None = None) -> float:
        """Return a beta whose number of segments comes nearest to `n_segments`.

        Parameters
        ----------
        n_segments : int
        min_size : int, optional
            As for :meth:`labels`.

        Returns
        -------
        float
        """
        if not isinstance(n_segments, int | np.integer) or n_segments < 1:
            raise ValueError(
                f"n_segments is {n_segments!r}, but it must be a whole number from 1 on."
            )
        # One beta inside each interval in which the same modes are clusters.
        edges = np.concatenate([[0.0], self.tree.betas(), [1.0]])
        middles = 0.5 * (edges[:-1] + edges[1:])
        middles = middles[(middles > 0) & (middles < 1)]
        low, high = 0, len(middles) - 1
        best: tuple[int, float] | None = None
        while low <= high:
            middle = (low + high) // 2
            beta = float(middles[middle])
            count = int(self.n_segments(beta, min_size=min_size))
            if best is None or abs(count - n_segments) < best[0]:
                best = abs(count - n_segments), beta
            if count > n_segments:
                low = middle + 1
            else:
                high = middle - 1
        return 0.5 if best is None else best[1]

    def _resolve_beta(self, beta: float | None, n_segments: int | None, size: int) -> float:
        if beta is not None and n_segments is not None:
            raise ValueError(
                f"beta is {beta} and n_segments is {n_segments}: give one of the two, not both."
            )
        if n_segments is not None:
            return self.beta_for(n_segments, min_size=size)
        return self._defaults.beta if beta is None else beta

    def _image(self, labels: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return labels by pixel in the shape of the image, -1 outside the mask."""
        if self.mask is None:
            return labels.reshape(self.shape)
        image = np.full(self.shape, -1, dtype=np.int32)
        image[self.mask] = labels
        return image
