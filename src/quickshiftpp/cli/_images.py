"""Reads images, and writes segmentations as pictures, label maps and summaries."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..segmentation import mark_boundaries, mean_colors
from ._errors import BadInput, first_line, optional
from ._files import check_input

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

Picture = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int32]

_LARGEST_16_BIT = 65535
_SHEET_COLUMNS, _SHEET_WIDTH, _GAP, _CAPTION = 3, 480, 12, 30
_INK = (34, 48, 58)

# Pillow logs what is wrong with a file before it raises an error. The error is enough.
logging.getLogger("PIL").addHandler(logging.NullHandler())

# The formats that are read. Others that Pillow knows, such as EPS, run programs of their own.
_FORMATS = (
    "AVIF", "BMP", "GIF", "ICO", "JPEG", "JPEG2000", "MPO", "PNG", "PPM", "TGA", "TIFF", "WEBP",
)  # fmt: skip
_READABLE = "PNG, JPEG or TIFF of 8 or 16 bits, or a gray TIFF of 32 bits"

# Pillow's names for gray images, by what a pixel holds.
_GRAY_8_BIT = ("1", "L", "LA")
_GRAY_NUMBERS = ("I;16", "I;16B", "I;16L", "I;16N", "I", "F")

# Tags of TIFF files.
_BITS, _SAMPLE_FORMAT = 258, 339
_UNSIGNED, _SIGNED = 1, 2


@dataclass(frozen=True)
class Photograph:
    """An image file in memory.

    Attributes
    ----------
    values : ndarray of uint8, uint16, or float32 from 0 to 1
        Of shape (height, width) if gray, else (height, width, 3).
    mask : ndarray of bool or None
        False where the image is transparent.
    picture : ndarray of uint8, of shape (height, width, 3)
        The image to draw on.
    notes : list of str
        What users should know about how the file was read.
    """

    values: npt.NDArray[Any]
    mask: npt.NDArray[np.bool_] | None
    picture: Picture
    notes: list[str] = field(default_factory=list)

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
    """Open an image file; say what is wrong with it if that or the block fails."""
    with optional("reading images"):
        from PIL import Image, UnidentifiedImageError
    Image.init()
    formats = [name for name in _FORMATS if name in Image.OPEN]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about broken metadata, and sizes that are allowed
            with Image.open(path, formats=formats) as image:
                yield image
    except (BadInput, MemoryError):
        raise
    except UnidentifiedImageError:
        raise BadInput(
            f"the file '{path}' is not an image that can be read: give a {_READABLE}."
        ) from None
    except Image.DecompressionBombError as error:
        raise BadInput(
            f"the file '{path}' declares too many pixels ({first_line(error)}): give a smaller "
            "image."
        ) from error
    except Exception as error:  # damaged files make the decoders raise errors of any kind
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

        notes = _note_pages(opened, path)
        stored = _stored_integers(opened)
        image = ImageOps.exif_transpose(opened)
        image.load()
        if stored is not None or image.mode in _GRAY_NUMBERS:
            numbers = np.asarray(image) if stored is None else np.asarray(image).view(stored)
            values = _brightness(numbers, path, notes)
            key = image.info.get("transparency")
            mask = numbers != key if isinstance(key, int) else None
            picture = np.stack([_as_8_bit(values)] * 3, axis=-1)
        else:
            is_gray = image.mode in _GRAY_8_BIT
            mask = None
            if "A" in image.getbands() or "transparency" in image.info:
                image = image.convert("RGBA")
                mask = np.asarray(image)[..., 3] > 0
            picture = np.asarray(image.convert("RGB"))
            values = np.ascontiguousarray(picture[..., 0]) if is_gray else picture
    if mask is not None and not mask.any():
        raise BadInput(f"the file '{path}' is transparent everywhere: give an opaque image.")
    return Photograph(values, mask, picture, notes)


def _note_pages(image: Any, path: Path) -> list[str]:
    """Say that only the first of several pages or frames is read.

    Further images in a JPEG file (MPO), such as previews, are not worth a word.
    """
    if image.format == "MPO" or not getattr(image, "is_animated", False):
        return []
    if image.format == "TIFF":
        return [f"only the first of the {image.n_frames} pages of {path.name} was read"]
    return [f"{path.name} is animated; only its first frame was read"]


def _stored_integers(image: Any) -> type[np.integer[Any]] | None:
    """Return the type of the integers in a TIFF that Pillow reads as another of the same size."""
    tags = getattr(image, "tag_v2", {})
    bits, kind = tags.get(_BITS, (0,))[0], tags.get(_SAMPLE_FORMAT, (_UNSIGNED,))[0]
    stored: dict[tuple[str, int, int], type[np.integer[Any]]] = {
        ("L", 8, _SIGNED): np.int8,
        ("I", 32, _UNSIGNED): np.uint32,
    }
    return stored.get((image.mode, bits, kind))


def _brightness(numbers: npt.NDArray[Any], path: Path, notes: list[str]) -> npt.NDArray[Any]:
    """Return gray values as 8- or 16-bit integers, or as floats from 0 (black) to 1 (white).

    Integers are expected to be from 0 to 65535 and floats from 0 to 1, as in scikit-image. What
    other values mean is unknown. They are scaled so that the smallest is black and the largest
    white, and a note is added.
    """
    is_float = numbers.dtype.kind == "f"
    if is_float:
        bad = int(np.count_nonzero(~np.isfinite(numbers)))
        if bad:
            count = "1 pixel that is" if bad == 1 else f"{bad} pixels that are"
            raise BadInput(
                f"the file '{path}' has {count} infinite or not a number: replace these values "
                "first."
            )
    low, high = numbers.min().item(), numbers.max().item()
    if low >= 0 and high <= (1 if is_float else _LARGEST_16_BIT):
        narrow = np.uint8 if numbers.itemsize == 1 else np.uint16
        return numbers.astype(np.float32 if is_float else narrow)
    notes.append(f"{path.name} has values from {low:g} to {high:g}, which were scaled to 0 to 1")
    scaled: npt.NDArray[np.float64] = numbers.astype(np.float64) - low
    if high > low:
        scaled /= high - low
    return scaled.astype(np.float32)


def _as_8_bit(values: npt.NDArray[Any]) -> Picture:
    if values.dtype == np.uint16:
        values = values // 257
    elif values.dtype.kind == "f":
        values = np.rint(values * 255)
    return values.astype(np.uint8)


def write_picture(file: BinaryIO, picture: npt.NDArray[Any]) -> None:
    """Write an array as a PNG."""
    from PIL import Image

    Image.fromarray(picture).save(file, format="PNG")


def write_labels(file: BinaryIO, labels: Labels, form: str) -> None:
    """Write the labels as numbers, as an array (npy) or a PNG of 16 bits (png)."""
    if form == "npy":
        np.save(file, labels)
        return
    if labels.max() > _LARGEST_16_BIT:
        raise BadInput(
            f"there are {labels.max()} segments, but a PNG can number only {_LARGEST_16_BIT}: use "
            "--labels npy."
        )
    write_picture(file, labels.astype(np.uint16))


def write_summary(file: BinaryIO, summary: dict[str, Any]) -> None:
    """Write the summary as JSON, with one line for each segment."""
    lines = ",\n".join(f"    {json.dumps(segment)}" for segment in summary["segments"])
    head = json.dumps({**summary, "segments": []}, indent=2)
    text = head.replace('"segments": []', f'"segments": [\n{lines}\n  ]') + "\n"
    file.write(text.encode())


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
