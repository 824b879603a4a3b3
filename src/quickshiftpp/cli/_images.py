"""From an image file to an array, and from segments to files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..segmentation._pictures import Picture, mean_colors, overlay
from ._errors import BadInput, first_line, optional

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

BOUNDARY = (255, 212, 0)
_LARGEST_16_BIT = 65535
_SHEET_COLUMNS, _SHEET_WIDTH, _GAP, _CAPTION = 3, 480, 12, 30
_INK = (34, 48, 58)
_GRAY_16_BIT = ("I;16", "I;16B", "I;16L", "I")


@dataclass(frozen=True)
class Photograph:
    """An image file in memory.

    Attributes
    ----------
    values : ndarray
        uint8 or uint16, gray or red, green and blue.
    mask : ndarray of bool or None
        False where the image is transparent.
    picture : ndarray of uint8, of shape (height, width, 3)
        To draw on.
    """

    values: npt.NDArray[Any]
    mask: npt.NDArray[np.bool_] | None
    picture: Picture

    @property
    def is_gray(self) -> bool:
        """Whether it has no colors."""
        return self.values.ndim == 2


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    with optional("reading images"):
        from PIL import Image, UnidentifiedImageError
    try:
        with Image.open(path) as image:
            yield image
    except UnidentifiedImageError:
        raise BadInput(
            f"'{path}' is no image that can be read: give a PNG, JPEG or TIFF."
        ) from None
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise BadInput(f"'{path}' cannot be read ({first_line(error)}).") from error


def check_images(paths: Sequence[Path]) -> None:
    """Refuse files that are not there or no images, before any work."""
    for path in paths:
        if path.is_dir():
            raise BadInput(f"'{path}' is a directory: give image files, '{path}/*.jpg' say.")
        if not path.exists():
            raise BadInput(f"the file '{path}' does not exist: check the name.")
        with _opened(path):
            pass


def read_image(path: Path) -> Photograph:
    """Read an image upright, without its transparent parts."""
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
            raise BadInput(
                f"'{path}' is transparent everywhere: there is nothing to segment in it."
            )
    picture = np.asarray(image.convert("RGB"))
    is_gray = image.mode in ("1", "L")
    return Photograph(np.asarray(image.convert("L")) if is_gray else picture, mask, picture)


def write_picture(path: Path, picture: npt.NDArray[Any]) -> None:
    """Write an array as an image in the format of the suffix."""
    from PIL import Image

    with _written(path):
        Image.fromarray(picture).save(path)


def write_labels(path: Path, labels: npt.NDArray[np.int32]) -> None:
    """Write the labels as numbers: .npy, or a PNG of 16 bits."""
    if path.suffix == ".npy":
        with _written(path):
            np.save(path, labels)
        return
    if labels.max() > _LARGEST_16_BIT:
        raise BadInput(
            f"there are {labels.max()} segments, more than the {_LARGEST_16_BIT} that a PNG can "
            "number: use --labels npy."
        )
    write_picture(path, labels.astype(np.uint16))


def write_summary(path: Path, summary: dict[str, Any]) -> None:
    """Write the summary as JSON, one segment a line."""
    lines = ",\n".join(f"    {json.dumps(segment)}" for segment in summary["segments"])
    head = json.dumps({**summary, "segments": []}, indent=2)
    with _written(path):
        path.write_text(head.replace('"segments": []', f'"segments": [\n{lines}\n  ]') + "\n")


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"'{path}' could not be written ({first_line(error)}): choose another place with "
            "--output."
        ) from error


def contact_sheet(picture: Picture, cuts: Sequence[tuple[str, npt.NDArray[np.int32]]]) -> Picture:
    """Return the photograph and its segmentations side by side, each with a caption."""
    from PIL import Image, ImageDraw, ImageFont

    height, width = picture.shape[:2]
    scale = min(1.0, _SHEET_WIDTH / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    tiles = [("the photograph", picture)]
    for caption, labels in cuts:
        tiles.append((caption, overlay(mean_colors(picture, labels), labels, (255, 255, 255))))
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
