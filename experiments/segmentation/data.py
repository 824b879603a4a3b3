"""Photographs and their segmentations by people, read from a folder."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..common import MissingDataError
from .measures import line

SOURCE = (
    "the Berkeley Segmentation Data Set and Benchmarks 500, "
    "https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/resources.html"
)


@dataclass(frozen=True)
class Photograph:
    """A photograph and what people saw in it."""

    name: str
    image: npt.NDArray[np.uint8]
    people: list[npt.NDArray[np.int64]]  # one segmentation by each person

    @cached_property
    def lines(self) -> list[npt.NDArray[np.float64]]:
        """The boundary pixels that each person drew."""
        return [line(person) for person in self.people]


def find(directory: Path) -> list[Path]:
    """Return the ``ID.npz`` that have an ``ID.jpg``, sorted, in a folder or one below it."""
    for folder in (directory, directory / "val", directory / "bsds500" / "val"):
        found = [path for path in sorted(folder.glob("*.npz")) if path.with_suffix(".jpg").exists()]
        if found:
            return found
    raise MissingDataError(
        f"'{directory}' holds no pairs of ID.jpg and ID.npz, nor do its folders val and "
        "bsds500/val. Make them, each .npz with an array segs of shape (people, height, width), "
        f"from the public source: {SOURCE}."
    )


@lru_cache(maxsize=2)
def read(path: Path) -> Photograph:
    """Read a photograph and its segmentations, given the path of the latter."""
    with np.load(path) as arrays:
        if "segs" not in arrays.files:
            raise MissingDataError(f"{path.name} has no array segs.")
        people = [np.asarray(person, dtype=np.int64) for person in arrays["segs"]]
    with Image.open(path.with_suffix(".jpg")) as file:
        image = np.asarray(file.convert("RGB"))
    return Photograph(path.stem, image, people)


@cache
def fingerprint(path: Path) -> str:
    """Distinguish other files of the same name."""
    return "-".join(
        f"{zlib.crc32(one.read_bytes()):08x}" for one in (path, path.with_suffix(".jpg"))
    )
