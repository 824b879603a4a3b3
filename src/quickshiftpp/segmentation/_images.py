"""The entrance: images, masks and what goes with them are checked here, before any work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

_KINDS = "uint8, uint16, bool or floats from 0 to 1"


@dataclass(frozen=True)
class Image:
    """An image with its channels last, at least one, and the pixels that count.

    Attributes
    ----------
    values : ndarray of shape (*shape, n_channels)
        The user's own, never written to.
    mask : ndarray of bool, of the spatial shape, or None
        None where every pixel counts.
    """

    values: npt.NDArray[Any]
    mask: npt.NDArray[np.bool_] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The spatial shape."""
        return self.values.shape[:-1]

    @property
    def n_channels(self) -> int:
        """The number of colors."""
        return int(self.values.shape[-1])

    @property
    def n_pixels(self) -> int:
        """The number of pixels that count."""
        return math.prod(self.shape) if self.mask is None else int(np.count_nonzero(self.mask))

    @property
    def dtype(self) -> npt.DTypeLike:
        """Of the features: float32, which holds 8 and 16 bits; float64 for those who gave it."""
        return np.float64 if self.values.dtype.itemsize >= 8 else np.float32


def check_image(image: Any, channel_axis: int | None, mask: Any) -> Image:
    """Return an image that can be segmented, or say why not."""
    values = np.asarray(image)
    if values.dtype.kind != "f" and values.dtype not in (np.uint8, np.uint16, np.bool_):
        raise ValueError(
            f"image has the data type {values.dtype}, but it must be {_KINDS}: use "
            "image.astype(numpy.uint8) if its values are from 0 to 255."
        )
    values = _channels_last(values, channel_axis)
    if values.size == 0:
        raise ValueError(
            f"image has the shape {np.shape(image)}: there is nothing to segment in it."
        )
    checked = Image(values, _check_mask(mask, values.shape[:-1]))
    counted = values if checked.mask is None else values[checked.mask]
    if values.dtype.kind == "f" and not np.isfinite(counted).all():
        where = "" if checked.mask is None else " inside the mask"
        raise ValueError(
            f"image has values{where} that are infinite or not a number: mask such pixels out with "
            "mask=numpy.isfinite(image), of the spatial shape."
        )
    return checked


def _channels_last(values: npt.NDArray[Any], channel_axis: int | None) -> npt.NDArray[Any]:
    if channel_axis is None:
        if values.ndim == 0:
            raise ValueError("image is a single number, but it must be an array.")
        return values[..., np.newaxis]
    if not isinstance(channel_axis, Integral) or not -values.ndim <= channel_axis < values.ndim:
        raise ValueError(
            f"channel_axis is {channel_axis!r}, but it must be the number of an axis of the image, "
            f"which has {values.ndim}, or None for a gray image."
        )
    if values.ndim < 3:
        raise ValueError(
            f"channel_axis is {channel_axis}, but an image of the shape {values.shape} has no axis "
            "to spare for channels: use channel_axis=None for a gray image."
        )
    return np.moveaxis(values, channel_axis, -1)


def _check_mask(mask: Any, shape: tuple[int, ...]) -> npt.NDArray[np.bool_] | None:
    if mask is None:
        return None
    checked = np.asarray(mask)
    if checked.shape != shape:
        raise ValueError(
            f"mask has the shape {checked.shape}, but it must be {shape}, the image's own without "
            "channels."
        )
    checked = checked.astype(bool)
    if not checked.any():
        raise ValueError("mask is False everywhere: it must leave at least one pixel to segment.")
    return None if checked.all() else checked


def check_lab(image: Image, convert2lab: bool | None) -> bool:
    """Return whether to convert to Lab: by default every image of three channels."""
    if convert2lab is None:
        return image.n_channels == 3
    if convert2lab and image.n_channels != 3:
        raise ValueError(
            f"convert2lab is True, but the image has {image.n_channels} channel"
            f"{'s' if image.n_channels > 1 else ''}, not red, green and blue: use "
            "convert2lab=False."
        )
    return bool(convert2lab)


def check_unit_range(image: Image) -> None:
    """Refuse floats that are not colors from 0 to 1, with some room for filters that overshoot."""
    if image.values.dtype.kind != "f":
        return
    counted = image.values if image.mask is None else image.values[image.mask]
    low, high = float(counted.min()), float(counted.max())
    if low < -0.5 or high > 1.5:
        raise ValueError(
            f"image has floats from {low:g} to {high:g}, but colors run from 0 to 1 as floats: "
            "use image / 255 if they run to 255, or convert2lab=False if they are not colors."
        )


def per_axis(
    name: str, value: Any, shape: tuple[int, ...], *, above_zero: bool
) -> npt.NDArray[np.float64]:
    """Return one number for each spatial axis, above 0 or from 0 on."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([[math.nan]])
    is_valid = numbers.shape in ((), (len(shape),)) and bool(np.isfinite(numbers).all())
    if not is_valid or (numbers < 0).any() or (above_zero and (numbers == 0).any()):
        allowed = "above 0" if above_zero else "from 0 on"
        raise ValueError(
            f"{name} is {value!r}, but it must be a number {allowed}, or one for each of the "
            f"{len(shape)} spatial axes."
        )
    return np.broadcast_to(numbers, (len(shape),))


def check_k(k: Any, n_pixels: int) -> int:
    """Return the number of neighbors, no more than there are pixels."""
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= int(k) <= n_pixels:
        raise ValueError(
            f"k is {k!r}, but it must be a whole number from 1 to the number of pixels to segment, "
            f"here {n_pixels}: leave it out to have it chosen."
        )
    return int(k)


def check_ratio(ratio: Any) -> float:
    """Return the weight of colors as a positive float."""
    if not isinstance(ratio, Real) or not 0 < float(ratio) < math.inf:
        raise ValueError(
            f"ratio is {ratio!r}, but it must be a positive number: the larger, the more colors "
            "count against positions."
        )
    return float(ratio)


def check_min_size(min_size: Any) -> int:
    """Return the least size of a segment as an int of 1 or more."""
    if not isinstance(min_size, Integral) or isinstance(min_size, bool) or min_size < 1:
        raise ValueError(
            f"min_size is {min_size!r}, but it must be a whole number of pixels from 1 on."
        )
    return int(min_size)


def check_merge(merge: Any) -> float:
    """Return the difference up to which segments are merged as a float from 0 on."""
    if not isinstance(merge, Real) or not 0 <= float(merge) < math.inf:
        raise ValueError(
            f"merge is {merge!r}, but it must be a number from 0 on: the larger, the more "
            "neighboring segments are merged, and 0 for none."
        )
    return float(merge)


def check_n_segments(n_segments: Any) -> int:
    """Return a number of segments as an int of 1 or more."""
    if not isinstance(n_segments, Integral) or isinstance(n_segments, bool) or n_segments < 1:
        raise ValueError(f"n_segments is {n_segments!r}, but it must be a whole number from 1 on.")
    return int(n_segments)


def check_start_label(start_label: Any) -> int:
    """Return the first label, 0 or 1 as in scikit-image."""
    if start_label not in (0, 1):
        raise ValueError(f"start_label is {start_label!r}, but it must be 0 or 1.")
    return int(start_label)
