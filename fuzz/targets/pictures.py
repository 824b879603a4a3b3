"""Damaged images for ``quickshiftpp segment``."""

from __future__ import annotations

import io
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quickshiftpp.cli._errors import BadInput
from quickshiftpp.cli._images import check_images, read_image

from ..checks import Checks
from ..edits import Edit
from ..resources import limited_memory
from .base import register
from .files import FileTarget, check_command

# A damaged header may ask for any size. Larger images are read, but not segmented.
_MOST_PIXELS = 2000


@register
class PictureTarget(FileTarget):
    """Damaged PNG, TIFF and JPEG files."""

    name = "images"
    words = (b"IHDR", b"IDAT", b"IEND", b"tRNS", b"\xff\xd8", b"\xff\xda", b"\xff\xc0", b"II*\x00")

    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Write a small image in one of many modes."""
        from PIL import Image

        shape = tuple(int(side) for side in rng.integers(2, 13, 2))
        mode = str(rng.choice(["L", "RGB", "RGBA", "LA", "P", "1", "I;16", "F", "CMYK"]))
        suffix = str(rng.choice([".png", ".tif", ".jpg"]))
        if suffix == ".jpg" and mode not in ("L", "RGB", "CMYK"):
            mode = "RGB"
        if suffix == ".png" and mode in ("F", "CMYK"):
            mode = "RGBA"
        if mode == "I;16":
            image = Image.fromarray(rng.integers(0, 2**16, shape).astype(np.uint16))
        elif mode == "F":
            image = Image.fromarray(rng.random(shape).astype(np.float32))
        else:
            colors = rng.integers(0, 256, (*shape, 3)).astype(np.uint8)
            image = Image.fromarray(colors).convert(mode)
        buffer = io.BytesIO()
        compression = str(rng.choice(["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"]))
        options = {"compression": compression} if suffix == ".tif" else {}
        image.save(buffer, {".png": "PNG", ".tif": "TIFF", ".jpg": "JPEG"}[suffix], **options)
        return suffix, buffer.getvalue()

    def check(self, checks: Checks, *, file: int, edits: Sequence[Edit]) -> None:
        """Segment the damaged image."""
        suffix, content = self.damaged(file, edits)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            source, output = Path(name) / f"image{suffix}", Path(name) / "out"
            source.write_bytes(content)
            if _is_large(source):
                self._only_read(source)
                return
            arguments = ["segment", str(source), "--output", str(output), "--n-jobs", "1"]
            arguments += ["--k", "4"] if file % 2 else ["--paper"]
            status = check_command(checks, arguments, not edits)
            written = len(list(output.iterdir())) if output.exists() else 0
            checks.equal("files written", written, 0 if status else 4)
            checks.holds("the input is unchanged", source.read_bytes() == content)

    @staticmethod
    def _only_read(path: Path) -> None:
        with limited_memory(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                check_images([path])
                read_image(path)
            except (BadInput, MemoryError):
                pass


def _is_large(path: Path) -> bool:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                return image.width * image.height > _MOST_PIXELS
    except Exception:  # for the command line to explain
        return False
