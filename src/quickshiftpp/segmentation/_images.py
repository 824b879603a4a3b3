"""Checks of images, masks and parameters, before any computation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from .._validation import InvalidParameterError

_KINDS = "uint8, uint16, bool or floats from 0 to 1"


@dataclass(frozen=True)
class Image:
    """An image with its channels on the last axis, and its mask.

    Attributes
    ----------
    values : ndarray of shape (*shape, n_channels)
        A view of the user's array; never written to.
    mask : ndarray of bool, of the spatial shape, or None
        The pixels to segment; None for all.
    """

    values: npt.NDArray[Any]
    mask: npt.NDArray[np.bool_] | None

    @property
    def shape(self) -> tuple[int, ...]:
        """The spatial shape."""
        return self.values.shape[:-1]

    @property
    def n_channels(self) -> int:
        """The number of channels."""
        return int(self.values.shape[-1])

    @property
    def n_pixels(self) -> int:
        """The number of pixels inside the mask."""
        return math.prod(self.shape) if self.mask is None else int(np.count_nonzero(self.mask))

    @property
    def dtype(self) -> npt.DTypeLike:
        """The data type of the samples: float64 if the image is, else float32."""
        return np.float64 if self.values.dtype.itemsize >= 8 else np.float32


def check_image(image: Any, channel_axis: int | None, mask: Any) -> Image:
    """Return the image with its channels last, or raise an error if it cannot be segmented."""
    values = np.asarray(image)
    if values.dtype.kind != "f" and values.dtype not in (np.uint8, np.uint16, np.bool_):
        raise InvalidParameterError(
            f"image has the data type {values.dtype}, but it must be {_KINDS}: if its values are "
            "from 0 to 255, use image.astype(numpy.uint8)."
        )
    values = _channels_last(values, channel_axis)
    if values.size == 0:
        raise InvalidParameterError(
            f"image has the shape {np.shape(image)}, which holds no pixels: there is nothing to "
            "segment."
        )
    checked = Image(values, _check_mask(mask, values.shape[:-1]))
    counted = values if checked.mask is None else values[checked.mask]
    if values.dtype.kind == "f" and not np.isfinite(counted).all():
        where = "" if checked.mask is None else " inside the mask"
        raise InvalidParameterError(
            f"image has values{where} that are infinite or not a number: exclude these pixels with "
            "the mask, for a gray image mask=numpy.isfinite(image)."
        )
    return checked


def _channels_last(values: npt.NDArray[Any], channel_axis: int | None) -> npt.NDArray[Any]:
    if channel_axis is None:
        if values.ndim == 0:
            raise InvalidParameterError(
                f"image is a single number, {values}, but it must be an array: give one value for "
                "each pixel."
            )
        return values[..., np.newaxis]
    if not isinstance(channel_axis, Integral) or not -values.ndim <= channel_axis < values.ndim:
        raise InvalidParameterError(
            f"channel_axis is {channel_axis!r}, but it must be the number of an axis of the image, "
            f"which has {values.ndim} axes, or None for a gray image."
        )
    if values.ndim < 3:
        raise InvalidParameterError(
            f"channel_axis is {channel_axis}, but an image of shape {values.shape} has no axis for "
            "channels: use channel_axis=None for a gray image."
        )
    return np.moveaxis(values, channel_axis, -1)


def _check_mask(mask: Any, shape: tuple[int, ...]) -> npt.NDArray[np.bool_] | None:
    if mask is None:
        return None
    checked = np.asarray(mask)
    if checked.shape != shape:
        raise InvalidParameterError(
            f"mask has the shape {checked.shape}, but it must have the shape of the image without "
            f"its channels, {shape}."
        )
    checked = checked.astype(bool)
    if not checked.any():
        raise InvalidParameterError(
            "mask is False everywhere, but at least one pixel must be True: True marks the pixels "
            "to segment."
        )
    return None if checked.all() else checked


def check_lab(image: Image, convert2lab: bool | None) -> bool:
    """Return whether to convert to CIELAB; by default images of three channels are."""
    if convert2lab is None:
        return image.n_channels == 3
    if convert2lab and image.n_channels != 3:
        raise InvalidParameterError(
            f"convert2lab is True, but the image has {image.n_channels} channel"
            f"{'s' if image.n_channels > 1 else ''}, not red, green and blue: use "
            "convert2lab=False."
        )
    return bool(convert2lab)


def check_unit_range(image: Image) -> None:
    """Refuse floats far outside 0 to 1; filters that overshoot a little are allowed."""
    if image.values.dtype.kind != "f":
        return
    counted = image.values if image.mask is None else image.values[image.mask]
    low, high = float(counted.min()), float(counted.max())
    if low < -0.5 or high > 1.5:
        raise InvalidParameterError(
            f"image has floats from {low:g} to {high:g}, but colors as floats must be from 0 to 1: "
            "use image / 255 if they are from 0 to 255, or convert2lab=False if they are not "
            "colors."
        )


def check_features(samples: npt.NDArray[Any]) -> None:
    """Refuse positions and colors that are too large for a float once they are weighted."""
    if not np.isfinite(samples).all():
        raise InvalidParameterError(
            "image has values or coordinates that exceed the largest float once they are weighted: "
            "exclude such pixels with the mask, or use a smaller ratio or spacing."
        )


def per_axis(
    name: str, value: Any, shape: tuple[int, ...], *, above_zero: bool
) -> npt.NDArray[np.float64]:
    """Return one number for each spatial axis, above 0 or not below 0."""
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([[math.nan]])
    is_valid = numbers.shape in ((), (len(shape),)) and bool(np.isfinite(numbers).all())
    if not is_valid or (numbers < 0).any() or (above_zero and (numbers == 0).any()):
        allowed = "above 0" if above_zero else "of 0 or more"
        raise InvalidParameterError(
            f"{name} is {value!r}, but it must be a number {allowed}, or one for each of the "
            f"{len(shape)} spatial axes."
        )
    return np.broadcast_to(numbers, (len(shape),))


def check_k(k: Any, n_pixels: int) -> int:
    """Return the number of neighbors, at most the number of pixels."""
    if not isinstance(k, Integral) or isinstance(k, bool) or not 1 <= int(k) <= n_pixels:
        raise InvalidParameterError(
            f"k is {k!r}, but it must be a whole number from 1 to the number of pixels to segment, "
            f"here {n_pixels}: leave it out to have it chosen."
        )
    return int(k)


def check_ratio(ratio: Any) -> float:
    """Return the weight of colors as a positive float."""
    if not isinstance(ratio, Real) or not 0 < float(ratio) < math.inf:
        raise InvalidParameterError(
            f"ratio is {ratio!r}, but it must be a positive number: larger values give colors more "
            "weight relative to positions."
        )
    return float(ratio)


def check_min_size(min_size: Any) -> int:
    """Return the minimum size of a segment as an int of 1 or more."""
    if not isinstance(min_size, Integral) or isinstance(min_size, bool) or min_size < 1:
        raise InvalidParameterError(
            f"min_size is {min_size!r}, but it must be a whole number of pixels, 1 or more: 1 "
            "keeps every segment."
        )
    return int(min_size)


def check_merge(merge: Any) -> float:
    """Return the difference up to which segments are merged as a float of 0 or more."""
    if not isinstance(merge, Real) or not 0 <= float(merge) < math.inf:
        raise InvalidParameterError(
            f"merge is {merge!r}, but it must be a number of 0 or more: larger values merge more "
            "neighboring segments, and 0 merges none."
        )
    return float(merge)


def check_n_segments(n_segments: Any) -> int:
    """Return a number of segments as an int of 1 or more."""
    if not isinstance(n_segments, Integral) or isinstance(n_segments, bool) or n_segments < 1:
        raise InvalidParameterError(
            f"n_segments is {n_segments!r}, but it must be a whole number of 1 or more: leave it "
            "out to have the number found."
        )
    return int(n_segments)


def check_start_label(start_label: Any) -> int:
    """Return the first label, 0 or 1 as in scikit-image."""
    if start_label not in (0, 1):
        raise InvalidParameterError(
            f"start_label is {start_label!r}, but it must be 0 or 1: it is the label of the first "
            "segment."
        )
    return int(start_label)
