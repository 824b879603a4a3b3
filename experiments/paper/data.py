"""The nine sets of the paper's table, read from a folder; nothing is downloaded."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common import FloatArray, IntArray, MissingDataError
from .paper_figures import DATASETS

MNIST_SAMPLES = DATASETS["mnist"].n_samples
MNIST_DRAWS = 20

# The public originals.
SOURCES = {
    "seeds": "UCI repository, 'Seeds', https://archive.ics.uci.edu/dataset/236",
    "phoneme": "The Elements of Statistical Learning, phoneme data, "
    "https://hastie.su.domains/ElemStatLearn/",
    "iris": "UCI repository, 'Iris', https://archive.ics.uci.edu/dataset/53",
    "banknote": "UCI repository, 'Banknote Authentication', "
    "https://archive.ics.uci.edu/dataset/267",
    "images": "UCI repository, 'Image Segmentation', the 210 training rows, "
    "https://archive.ics.uci.edu/dataset/50",
    "letters": "UCI repository, 'Letter Recognition', https://archive.ics.uci.edu/dataset/59",
    "mnist": "OpenML, 'mnist_784', https://www.openml.org/d/554",
    "page_blocks": "UCI repository, 'Page Blocks Classification', "
    "https://archive.ics.uci.edu/dataset/78",
    "glass": "UCI repository, 'Glass Identification' without the column Id, "
    "https://archive.ics.uci.edu/dataset/42",
}


@dataclass(frozen=True)
class DataSet:
    """Samples with their true classes."""

    name: str  # the set, as in `paper_figures.DATASETS`
    X: FloatArray
    y: IntArray
    draw: int | None = None  # which random draw of a larger set this is; None for the set itself

    @property
    def fingerprint(self) -> str:
        """Distinguishes other data of the same name."""
        shape = "x".join(map(str, self.X.shape))
        return f"{shape}-{zlib.crc32(self.X.tobytes()):08x}-{zlib.crc32(self.y.tobytes()):08x}"


def locate(directory: Path, name: str) -> Path:
    """Return the file of a set, in the folder itself or in its folder ``paper``."""
    for candidate in (directory / f"{name}.npz", directory / "paper" / f"{name}.npz"):
        if candidate.is_file():
            return candidate
    raise MissingDataError(
        f"'{directory}' holds neither {name}.npz nor paper/{name}.npz. Make it, with the arrays X "
        f"and y, from the public source: {SOURCES[name]}."
    )


def read(directory: Path, name: str) -> DataSet:
    """Read one set as the paper used it; of MNIST, the first thousand images."""
    with np.load(locate(directory, name)) as arrays:
        missing = [array for array in ("X", "y") if array not in arrays.files]
        if missing:
            raise MissingDataError(f"{name}.npz has no array {missing[0]}.")
        X, y = arrays["X"], arrays["y"]
    return take(name, X, y, np.arange(MNIST_SAMPLES if name == "mnist" else len(X)))


def take(name: str, X: FloatArray, y: IntArray, rows: IntArray, draw: int | None = None) -> DataSet:
    """Return some rows, in float64."""
    rows = rows[rows < len(X)]
    samples = np.ascontiguousarray(X[rows], dtype=np.float64)
    return DataSet(name, samples, np.asarray(y[rows], dtype=np.int64), draw)


def mnist_draws(directory: Path) -> Iterator[DataSet]:
    """Yield random thousands of MNIST: the paper does not say which images it used."""
    with np.load(locate(directory, "mnist")) as arrays:
        X, y = arrays["X"], arrays["y"]
    for draw in range(MNIST_DRAWS):
        rows = np.random.default_rng(draw).choice(len(X), min(len(X), MNIST_SAMPLES), replace=False)
        yield take("mnist", X, y, np.sort(rows), draw)
