"""Colors as numbers: plain, or in CIELAB, where distances match what the eye sees."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Linear red, green and blue to CIE XYZ, for the primaries of ITU-R BT.709, which sRGB shares.
_XYZ_FROM_RGB = np.array(
    [
        [0.412453, 0.357580, 0.180423],
        [0.212671, 0.715160, 0.072169],
        [0.019334, 0.119193, 0.950227],
    ]
)
# The white point of CIE illuminant D65 for the 2-degree observer (CIE 015:2018).
_WHITE = np.array([0.95047, 1.0, 1.08883])
# Below these values the curves of sRGB (IEC 61966-2-1) and CIELAB (ISO/CIE 11664-4) are linear.
_SRGB_LINE = 0.04045
_LAB_LINE = (6 / 29) ** 3

_CHUNK = 1 << 18
_WHITE_VALUES = {np.dtype(np.uint8): 255, np.dtype(np.uint16): 65535}


def white_value(dtype: np.dtype[Any]) -> int:
    """Return the value of white in images of a data type: 1 for floats and booleans."""
    return _WHITE_VALUES.get(dtype, 1)


def plain(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return values on the scale of 8-bit images, where white is 255."""
    if values.dtype == np.uint8:
        return values.astype(dtype)
    scaled: npt.NDArray[Any] = np.multiply(
        values, 255 / white_value(values.dtype), dtype=np.float64
    )
    return scaled.astype(dtype)


def lab(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Convert sRGB to CIELAB; the last axis holds red, green and blue.

    All arithmetic is in float64, whatever the data type of the result: processors differ in the
    last bit of a cube root, and rounding to float32 hides that.
    """
    out = np.empty(values.shape, dtype=dtype)
    flat, rows = out.reshape(-1, 3), values.reshape(-1, 3)
    white = white_value(values.dtype)
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
