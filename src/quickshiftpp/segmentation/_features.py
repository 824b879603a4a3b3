"""From an image to the samples that are clustered: where each pixel is, and its colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from . import _color
from ._defaults import default_ratio, default_sigma
from ._images import Image, check_image, check_lab, check_ratio, check_unit_range, per_axis


def pixel_features(
    image: npt.ArrayLike,
    *,
    channel_axis: int | None = -1,
    convert2lab: bool | None = None,
    ratio: float | None = None,
    sigma: float | npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    spacing: npt.ArrayLike | None = None,
    paper: bool = False,
) -> npt.NDArray[Any]:
    """Return what :func:`segment` clusters: position and colour of every pixel.

    ``QuickshiftPP(k=k, beta=beta, min_cluster_size=min_size).fit_predict(pixel_features(image))``
    gives the labels of :func:`segment` with the same parameters, in C order and from 0.

    Parameters
    ----------
    image, channel_axis, convert2lab, ratio, sigma, mask, spacing, paper
        As of :func:`segment`.

    Returns
    -------
    ndarray of shape (n_pixels, n_spatial_axes + n_channels)
        The pixels in C order, only those inside the mask where there is one. float32, float64 for
        an image of float64.

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import pixel_features
    >>> image = np.array([[[255, 0, 0], [0, 0, 255]]], dtype=np.uint8)
    >>> pixel_features(image, paper=True).tolist()
    [[0.0, 0.0, 255.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 255.0]]
    """
    checked = check_image(image, channel_axis, mask)
    return features_of(checked, convert2lab, ratio, sigma, spacing, paper=paper)


def features_of(
    image: Image,
    convert2lab: bool | None,
    ratio: float | None,
    sigma: Any,
    spacing: Any,
    *,
    paper: bool,
) -> npt.NDArray[Any]:
    """Return the features of a checked image; checks what is left to check first."""
    is_lab = check_lab(image, False if paper and convert2lab is None else convert2lab)
    weight = default_ratio(is_lab=is_lab, paper=paper) if ratio is None else check_ratio(ratio)
    shape, dtype = image.shape, image.dtype
    steps = per_axis("spacing", 1.0 if spacing is None else spacing, shape, least="positive")
    widths = per_axis("sigma", default_sigma(paper=paper) if sigma is None else sigma, shape,
                      least="zero")  # fmt: skip
    if np.ndim(sigma) == 0:
        widths = widths / steps
    if is_lab:
        check_unit_range(image)
    colours = (_color.lab if is_lab else _color.plain)(image.values, dtype)
    if (widths > 0).any():
        colours = _blur(colours, image.mask, widths)
    inside = slice(None) if image.mask is None else image.mask.ravel()
    features = np.empty((image.n_pixels, len(shape) + image.n_channels), dtype=dtype)
    for axis, step in enumerate(steps):
        along = (np.arange(shape[axis]) * step).astype(dtype)
        along = along.reshape([-1 if a == axis else 1 for a in range(len(shape))])
        features[:, axis] = np.broadcast_to(along, shape).ravel()[inside]
    chosen = colours.reshape(-1, image.n_channels)[inside]
    np.multiply(chosen, weight, out=features[:, len(shape) :])
    return features


def _blur(
    colours: npt.NDArray[Any], mask: npt.NDArray[np.bool_] | None, widths: npt.NDArray[np.float64]
) -> npt.NDArray[Any]:
    """Blur each channel; what a mask leaves out does not leak in."""
    out = np.empty_like(colours)
    if mask is None:
        for channel in range(colours.shape[-1]):
            ndimage.gaussian_filter(colours[..., channel], widths, output=out[..., channel])
        return out
    share = ndimage.gaussian_filter(mask.astype(colours.dtype), widths)
    for channel in range(colours.shape[-1]):
        kept = ndimage.gaussian_filter(np.where(mask, colours[..., channel], 0), widths)
        np.divide(kept, share, out=out[..., channel], where=mask)
    return out
