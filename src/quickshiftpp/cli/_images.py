"""Reads images, and writes segmentations as pictures, label maps and summaries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..segmentation import mark_boundaries, mean_colors
from ._errors import BadInput, check_input, first_line, optional, writing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

Picture = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int32]

_LARGEST_16_BIT = 65535
_SHEET_COLUMNS, _SHEET_WIDTH, _GAP, _CAPTION = 3, 480, 12, 30
_INK = (34, 48, 58)
_GRAY_16_BIT = ("I;16", "I;16B", "I;16L", "I")


@dataclass(frozen=True)
class Photograph:
    """An image file in memory.

    Attributes
    ----------
    values : ndarray of uint8 or uint16
        Of shape (height, width) if gray, else (height, width, 3).
    mask : ndarray of bool or None
        False where the image is transparent.
    picture : ndarray of uint8, of shape (height, width, 3)
        The image to draw on.
    """

    values: npt.NDArray[Any]
    mask: npt.NDArray[np.bool_] | None
    picture: Picture

    @property
    def is_gray(self) -> bool:
        """Whether the image has no color channels."""
        return self.values.ndim == 2

    @property
    def n_pixels(self) -> int:
        """The number of pixels that are not transparent."""
        return self.picture[..., 0].size if self.mask is None else int(self.mask.sum())


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    with optional("reading images"):
        from PIL import Image, UnidentifiedImageError
    try:
        with Image.open(path) as image:
            yield image
    except UnidentifiedImageError:
        raise BadInput(
            f"the file '{path}' is not an image that can be read: give a PNG, JPEG or TIFF."
        ) from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadInput(
            f"the file '{path}' cannot be read ({first_line(error)}): check that it is complete."
        ) from error


def check_images(paths: Sequence[Path]) -> None:
    """Refuse files that do not exist or are not images, before any computation."""
    for path in paths:
        check_input(path, f"image files, such as '{path}/*.jpg'")
        with _opened(path):
            pass


def read_image(path: Path) -> Photograph:
    """Read an image in the orientation of its EXIF data, with a mask for transparent pixels."""
    with _opened(path) as opened:
        from PIL import ImageOps

        image = ImageOps.exif_transpose(opened)
        image.load()
    mask = None
    if image.mode in _GRAY_16_BIT:
        values = np.asarray(image).clip(0, _LARGEST_16_BIT).astype(np.uint16)
        shown = (values // 257).astype(np.uint8)
        return Photograph(values, None, np.stack([shown] * 3, axis=-1))
    if "A" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        mask = np.asarray(image)[..., 3] > 0
        if not mask.any():
            raise BadInput(f"the file '{path}' is transparent everywhere: give an opaque image.")
    picture = np.asarray(image.convert("RGB"))
    is_gray = image.mode in ("1", "L")
    return Photograph(np.asarray(image.convert("L")) if is_gray else picture, mask, picture)


def write_picture(path: Path, picture: npt.NDArray[Any]) -> None:
    """Write an array as an image in the format of the suffix."""
    from PIL import Image

    with writing(path):
        Image.fromarray(picture).save(path)


def write_labels(path: Path, labels: Labels) -> None:
    """Write the labels as numbers, in a .npy file or a PNG of 16 bits."""
    if path.suffix == ".npy":
        with writing(path):
            np.save(path, labels)
        return
    if labels.max() > _LARGEST_16_BIT:
        raise BadInput(
            f"there are {labels.max()} segments, but a PNG can number only {_LARGEST_16_BIT}: use "
            "--labels npy."
        )
    write_picture(path, labels.astype(np.uint16))


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write the summary as JSON, with one line for each segment."""
    lines = ",\n".join(f"    {json.dumps(segment)}" for segment in summary["segments"])
    head = json.dumps({**summary, "segments": []}, indent=2)
    with writing(path):
        path.write_text(head.replace('"segments": []', f'"segments": [\n{lines}\n  ]') + "\n")


def contact_sheet(picture: Picture, cuts: Sequence[tuple[str, Labels]]) -> Picture:
    """Return the photograph and its segmentations side by side, each with a caption."""
    from PIL import Image, ImageDraw, ImageFont

    height, width = picture.shape[:2]
    scale = min(1.0, _SHEET_WIDTH / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    tiles = [("original", picture)]
    for caption, labels in cuts:
        flat = mean_colors(picture, labels)
        tiles.append((caption, mark_boundaries(flat, labels, color=(1, 1, 1))))
    columns = min(_SHEET_COLUMNS, len(tiles))
    rows = -(-len(tiles) // columns)
    tile_width = max(size[0], _SHEET_WIDTH // 2)
    sheet = Image.new(
        "RGB",
        (columns * (tile_width + _GAP) + _GAP, rows * (size[1] + _CAPTION + _GAP) + _GAP),
        "white",
    )
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=15)
    for number, (caption, tile) in enumerate(tiles):
        left = _GAP + number % columns * (tile_width + _GAP)
        top = _GAP + number // columns * (size[1] + _CAPTION + _GAP)
        draw.text((left, top + 4), caption, fill=_INK, font=font)
        shrunk = Image.fromarray(tile).resize(size, Image.Resampling.LANCZOS)
        sheet.paste(shrunk, (left, top + _CAPTION))
    return np.asarray(sheet)
