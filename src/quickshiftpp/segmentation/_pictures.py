"""Pictures of a segmentation, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._validation import InvalidParameterError
from ._color import white_value

Picture = npt.NDArray[Any]


def find_boundaries(labels: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Find the pixels on the boundary of a segment.

    A pixel is marked if the next pixel along any axis has another label, so that a boundary is one
    pixel wide.

    Parameters
    ----------
    labels : array-like of int
        The label of each pixel, of any number of dimensions.

    Returns
    -------
    ndarray of bool, of the shape of `labels`

    Examples
    --------
    >>> from quickshiftpp.segmentation import find_boundaries
    >>> find_boundaries([[1, 1, 2], [1, 1, 2]]).astype(int).tolist()
    [[0, 1, 0], [0, 1, 0]]
    """
    image = np.asarray(labels)
    found = np.zeros(image.shape, dtype=bool)
    for axis in range(image.ndim):
        along = np.moveaxis(image, axis, 0)
        np.moveaxis(found, axis, 0)[:-1] |= along[1:] != along[:-1]
    return found


def mark_boundaries(
    image: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    color: tuple[float, float, float] = (1.0, 0.83, 0.0),
    scale: int = 1,
) -> Picture:
    """Draw the boundaries of the segments into an image.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        Gray, or red, green and blue. uint8, uint16, bool, or floats from 0 to 1.
    labels : array-like of int, of shape (height, width)
        The label of each pixel.
    color : tuple of float, default=(1.0, 0.83, 0.0)
        Red, green and blue of the boundaries, from 0 to 1.
    scale : int, default=1
        Enlarge the image by this factor. The boundaries stay one pixel wide, so they look thinner.

    Returns
    -------
    ndarray of shape (scale * height, scale * width, 3)
        A new image of the data type of `image`.

    See Also
    --------
    mean_colors : Paint each segment in one color.

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import mark_boundaries
    >>> image = np.zeros((2, 3), dtype=np.uint8)
    >>> marked = mark_boundaries(image, [[1, 1, 2], [1, 1, 2]], color=(1, 0, 0))
    >>> marked[0].tolist()
    [[0, 0, 0], [255, 0, 0], [0, 0, 0]]
    """
    picture, segments = _check_picture(image, labels)
    if picture.ndim == 2:
        picture = picture[..., np.newaxis]
    if segments.ndim != 2 or picture.shape[2] not in (1, 3):
        raise InvalidParameterError(
            f"image has the shape {np.shape(image)}, but boundaries can be drawn only into one of "
            "shape (height, width) or (height, width, 3): give a slice of a volume, or three of "
            "the channels."
        )
    if scale < 1:
        raise InvalidParameterError(f"scale is {scale}, but it must be 1 or more.")
    enlarged = picture.repeat(scale, axis=0).repeat(scale, axis=1)
    marked = enlarged.repeat(3, axis=2) if picture.shape[2] == 1 else enlarged
    fine = segments.repeat(scale, axis=0).repeat(scale, axis=1)
    white = white_value(picture.dtype)
    painted = np.multiply(color, white)
    marked[find_boundaries(fine)] = painted if picture.dtype.kind == "f" else np.rint(painted)
    return marked


def mean_colors(image: npt.ArrayLike, labels: npt.ArrayLike) -> Picture:
    """Paint each segment in the mean color of its pixels.

    The mean is that of the stored values, as in ``skimage.color.label2rgb(kind="avg")``.

    Parameters
    ----------
    image : array-like
        Of the shape of `labels`, or with one more axis for channels.
    labels : array-like of int
        The label of each pixel.

    Returns
    -------
    ndarray of the shape and data type of `image`

    See Also
    --------
    mark_boundaries : Draw the boundaries of the segments.

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import mean_colors
    >>> image = np.array([[10, 20, 90]], dtype=np.uint8)
    >>> mean_colors(image, [[1, 1, 2]]).tolist()
    [[15, 15, 90]]
    """
    picture, segments = _check_picture(image, labels)
    _, number = np.unique(segments, return_inverse=True)
    number = number.ravel()
    size = np.bincount(number)
    channels = picture.reshape(number.size, -1).T
    means = np.stack([np.bincount(number, weights=channel) / size for channel in channels], axis=1)
    if picture.dtype.kind != "f":
        means = np.rint(means)
    painted: Picture = means.astype(picture.dtype)[number].reshape(picture.shape)
    return painted


def _check_picture(image: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Picture, Picture]:
    picture, segments = np.asarray(image), np.asarray(labels)
    if picture.shape[: segments.ndim] != segments.shape or picture.ndim > segments.ndim + 1:
        raise InvalidParameterError(
            f"labels has the shape {segments.shape}, which does not fit an image of shape "
            f"{picture.shape}: give one label for each pixel, with the channels on the last axis "
            "of the image."
        )
    return picture, segments
