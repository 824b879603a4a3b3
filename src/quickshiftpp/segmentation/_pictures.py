"""Pictures of a segmentation, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]


def boundaries(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return the pixels whose label differs from that of the next along an axis."""
    border = np.zeros(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        ahead, here = np.moveaxis(labels, axis, 0)[1:], np.moveaxis(labels, axis, 0)[:-1]
        np.moveaxis(border, axis, 0)[:-1] |= ahead != here
    return border


def mean_colors(image: Picture, labels: npt.NDArray[Any]) -> Picture:
    """Return the image with every segment in its mean color.

    The mean of what the eye sees rather than of the light, as scikit-image's ``label2rgb`` does.
    """
    _, number = np.unique(labels, return_inverse=True)
    number = number.ravel()
    size = np.bincount(number)
    flat = image.reshape(number.size, -1)
    means = [np.bincount(number, weights=channel) / size for channel in flat.T]
    return np.rint(np.stack(means, axis=1)).astype(np.uint8)[number].reshape(image.shape)


def overlay(image: Picture, labels: npt.NDArray[Any], color: tuple[int, int, int]) -> Picture:
    """Return the image with the boundaries of the segments drawn in."""
    picture = image.copy()
    picture[boundaries(labels)] = color
    return picture
