"""The samples: Gaussian blobs of different widths, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .peers import Samples

N_BLOBS = 20
WIDTHS = (0.2, 2.0)
HALF_EXTENT = 20.0

# Drawing in blocks keeps temporary arrays small.
BLOCK_SAMPLES = 2**20

# The median over this many samples is within a few percent of that over all.
RADIUS_QUERIES = 2_000


@dataclass(frozen=True)
class Dataset:
    """Samples that are made when they are needed."""

    n_samples: int
    n_features: int
    description: str  # a few words for the heading
    make: Callable[[], Samples]  # returns the samples, C-contiguous

    @property
    def shape(self) -> tuple[int, int]:
        """The number of samples and of columns."""
        return self.n_samples, self.n_features


def blobs(n_samples: int, n_features: int, seed: int, dtype: npt.DTypeLike = np.float64) -> Samples:
    """Draw Gaussian blobs of different widths, about equally many samples from each."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-HALF_EXTENT, HALF_EXTENT, size=(N_BLOBS, n_features))
    widths = np.geomspace(*WIDTHS, N_BLOBS)
    X: Samples = np.empty((n_samples, n_features), dtype)
    for start in range(0, n_samples, BLOCK_SAMPLES):
        block = X[start : start + BLOCK_SAMPLES]
        blob = rng.integers(N_BLOBS, size=len(block))
        drawn = rng.standard_normal(block.shape)
        block[:] = drawn * widths[blob, np.newaxis] + centers[blob]
    return X


def blob_datasets(
    shapes: Sequence[tuple[int, int]], seed: int, dtype: npt.DTypeLike = np.float64
) -> Iterator[Dataset]:
    """Yield one dataset of blobs for every shape."""
    for n_samples, n_features in shapes:
        yield Dataset(
            n_samples,
            n_features,
            f"{N_BLOBS} Gaussian blobs, widths {WIDTHS[0]:g} to {WIDTHS[1]:g}, seed {seed}",
            partial(blobs, n_samples, n_features, seed, dtype),
        )


def load_samples(path: Path, dtype: npt.DTypeLike = np.float64) -> Samples:
    """Read the array ``X`` of an ``.npz`` file, a finite matrix of numbers."""
    with np.load(path) as file:
        if "X" not in file:
            raise ValueError(f"{path} holds {sorted(file)}, but no array named X.")
        X = file["X"]
    if X.ndim != 2 or not np.issubdtype(X.dtype, np.number):
        raise ValueError(
            f"X in {path} has shape {X.shape} and dtype {X.dtype}, but it must be a matrix of "
            "numbers, one row for each sample."
        )
    samples: Samples = np.ascontiguousarray(X, dtype=dtype)
    if not np.isfinite(samples).all():
        raise ValueError(f"X in {path} has values that are not finite.")
    return samples


def file_datasets(
    path: Path, sizes: Sequence[int], seed: int, dtype: npt.DTypeLike = np.float64
) -> Iterator[Dataset]:
    """Yield the samples of a file, or random rows of it for each of the sizes."""
    X = load_samples(path, dtype)
    n_rows, n_features = X.shape
    for size in sizes or (n_rows,):
        if size > n_rows:
            raise ValueError(f"{path} has {n_rows} rows, fewer than the requested {size}.")
        rows = np.random.default_rng(seed).permutation(n_rows)[:size]
        yield Dataset(size, n_features, path.name, partial(X.__getitem__, rows))


def typical_radius(X: Samples, k: int, threads: int) -> float:
    """Return the median distance from a sample to its k-th nearest, counting itself."""
    from scipy.spatial import cKDTree

    rows = np.random.default_rng(0).permutation(len(X))[:RADIUS_QUERIES]
    distances, _ = cKDTree(X).query(X[rows], [k], workers=threads)
    return float(np.median(distances))
