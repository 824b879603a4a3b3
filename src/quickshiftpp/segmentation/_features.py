"""From an image to the samples that are clustered: the position and color of each pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from .._search.pixels import Grid
from . import _color
from ._defaults import default_ratio, default_sigma
from ._images import (
    Image,
    check_features,
    check_image,
    check_lab,
    check_ratio,
    check_unit_range,
    per_axis,
)


@dataclass(frozen=True)
class Features:
    """A checked image with the settings that turn it into samples; nothing is computed yet.

    Attributes
    ----------
    image : Image
    grid : Grid
    is_lab : bool
        Whether colors are converted to CIELAB.
    ratio : float
        The weight of colors relative to positions.
    widths : ndarray
        The standard deviation of the blur along each spatial axis, in pixels.
    """

    image: Image
    grid: Grid
    is_lab: bool
    ratio: float
    widths: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls,
        image: Any,
        *,
        channel_axis: int | None,
        convert2lab: bool | None,
        ratio: float | None,
        sigma: Any,
        mask: Any,
        spacing: Any,
        paper: bool,
    ) -> Features:
        """Check an image and its settings; None means the default."""
        checked = check_image(image, channel_axis, mask)
        is_lab = check_lab(checked, False if paper and convert2lab is None else convert2lab)
        if is_lab:
            check_unit_range(checked)
        shape = checked.shape
        step = per_axis("spacing", 1.0 if spacing is None else spacing, shape, above_zero=True)
        width = default_sigma(paper=paper) if sigma is None else sigma
        widths = per_axis("sigma", width, shape, above_zero=False)
        return cls(
            checked,
            Grid(shape, tuple(step.tolist()), checked.mask),
            is_lab,
            default_ratio(is_lab=is_lab, paper=paper) if ratio is None else check_ratio(ratio),
            widths / step if np.ndim(width) == 0 else widths,
        )

    def samples(self) -> npt.NDArray[Any]:
        """Return the position and weighted color of every pixel inside the mask."""
        with np.errstate(over="ignore"):  # what overflows is infinite, and refused
            samples = self._weighted()
        check_features(samples)
        return samples

    def _weighted(self) -> npt.NDArray[Any]:
        image, shape = self.image, self.grid.shape
        colors = (_color.lab if self.is_lab else _color.plain)(image.values, image.dtype)
        if (self.widths > 0).any():
            colors = _blur(colors, image.mask, self.widths)
        inside = slice(None) if image.mask is None else image.mask.ravel()
        samples = np.empty((image.n_pixels, len(shape) + image.n_channels), dtype=image.dtype)
        for axis, step in enumerate(self.grid.step):
            along = (np.arange(shape[axis]) * step).astype(image.dtype)
            along = along.reshape([-1 if a == axis else 1 for a in range(len(shape))])
            samples[:, axis] = np.broadcast_to(along, shape).ravel()[inside]
        chosen = colors.reshape(-1, image.n_channels)[inside]
        np.multiply(chosen, self.ratio, out=samples[:, len(shape) :])
        return samples


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
    """Return the samples that :func:`segment` clusters: position and color of every pixel.

    ``QuickshiftPP(k, beta, min_cluster_size=size).fit_predict(pixel_features(image))`` gives the
    labels of ``segment(image, k=k, beta=beta, min_size=size)``, flattened in C order and numbered
    from 0.

    Parameters
    ----------
    image, channel_axis, convert2lab, ratio, sigma, mask, spacing, paper
        Same as in :func:`segment`.

    Returns
    -------
    ndarray of shape (n_pixels, n_spatial_axes + n_channels)
        One row for each pixel inside the mask, in C order. float64 if the image is, else float32.

    Examples
    --------
    >>> import numpy as np
    >>> from quickshiftpp.segmentation import pixel_features
    >>> image = np.array([[[255, 0, 0], [0, 0, 255]]], dtype=np.uint8)
    >>> pixel_features(image, paper=True).tolist()
    [[0.0, 0.0, 255.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 255.0]]
    """
    features = Features.of(
        image,
        channel_axis=channel_axis,
        convert2lab=convert2lab,
        ratio=ratio,
        sigma=sigma,
        mask=mask,
        spacing=spacing,
        paper=paper,
    )
    return features.samples()


def _blur(
    colors: npt.NDArray[Any], mask: npt.NDArray[np.bool_] | None, widths: npt.NDArray[np.float64]
) -> npt.NDArray[Any]:
    """Blur each channel; pixels outside the mask have no influence."""
    out = np.empty_like(colors)
    if mask is None:
        for channel in range(colors.shape[-1]):
            ndimage.gaussian_filter(colors[..., channel], widths, output=out[..., channel])
        return out
    share = ndimage.gaussian_filter(mask.astype(colors.dtype), widths)
    for channel in range(colors.shape[-1]):
        kept = ndimage.gaussian_filter(np.where(mask, colors[..., channel], 0), widths)
        np.divide(kept, share, out=out[..., channel], where=mask)
    return out
