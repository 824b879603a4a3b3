"""Colors as numbers: plain, or in CIELAB, where distances are about as large as they look."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Linear red, green and blue to CIE XYZ: the primaries of ITU-R BT.709, which sRGB shares [1].
_XYZ_FROM_RGB = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
# The white of daylight at 6,500 K for the observer of 2 degrees (CIE 015:2018).
_WHITE = np.array([0.95047, 1.0, 1.08883])
# Where the curves of sRGB (IEC 61966-2-1) and of CIELAB (ISO/CIE 11664-4) turn into lines.
_SRGB_LINE = 0.04045
_LAB_LINE = (6 / 29) ** 3

_CHUNK = 1 << 18
_LARGEST = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535, np.dtype(bool): 1}


def plain(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return values in the unit of 8-bit images: white is 255."""
    if values.dtype == np.uint8:
        return values.astype(dtype)
    white = _LARGEST.get(values.dtype, 1)
    scaled: npt.NDArray[Any] = np.multiply(values, 255 / white, dtype=np.float64)
    return scaled.astype(dtype)


def lab(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return CIELAB of sRGB, the last axis being red, green and blue.

    Computed in float64 whatever the result: rounding hides that processors differ in the last bit
    of a cube root.
    """
    out = np.empty(values.shape, dtype=dtype)
    flat, rows = out.reshape(-1, 3), values.reshape(-1, 3)
    white = _LARGEST.get(values.dtype, 1)
    for start in range(0, len(rows), _CHUNK):
        piece = rows[start : start + _CHUNK]
        if values.dtype == np.uint8:
            linear = _linear(np.arange(256) / 255)[piece]
        else:
            linear = _linear(piece / white)
        x, y, z = (_curve(channel) for channel in (linear @ _XYZ_FROM_RGB.T / _WHITE).T)
        lightness = 116 * y - 16
        flat[start : start + _CHUNK] = np.stack([lightness, 500 * (x - y), 200 * (y - z)], axis=-1)
    return out


def _linear(srgb: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    curved: Any = np.maximum(srgb, _SRGB_LINE)
    return np.where(srgb > _SRGB_LINE, ((curved + 0.055) / 1.055) ** 2.4, srgb / 12.92)


def _curve(ratio: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    line = ratio * (29 / 6) ** 2 / 3 + 4 / 29
    return np.where(ratio > _LAB_LINE, np.cbrt(ratio), line)
