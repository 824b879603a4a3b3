"""The kinds of data that the map shows, all in float32."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..data import blobs, load_samples
from ..peers import Samples

SEED = 0
EMBEDDINGS = Path("embeddings/debian_descriptions_256.npz")
IMAGES = Path("paper/mnist.npz")
ROTATED_NOISE = 0.01  # in each column; the texts have length one

# Makes samples of a shape; None where there are none.
Maker: TypeAlias = Callable[[int, int], Samples | None]


def noise(n_samples: int, n_features: int) -> Samples:
    """Draw from one Gaussian: no axis varies more than another, and no two samples are close."""
    rng = np.random.default_rng(SEED)
    return rng.standard_normal((n_samples, n_features), dtype=np.float32)


def unit_mixture(n_samples: int, n_features: int) -> Samples:
    """Draw a mixture with a flat spectrum, and scale rows to length one, as embeddings are."""
    rng = np.random.default_rng(SEED)
    centers = rng.standard_normal((50, n_features), dtype=np.float32)
    widths = np.arange(1, n_features + 1, dtype=np.float32) ** -0.25
    drawn = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    X: Samples = centers[rng.integers(50, size=n_samples)] + widths * drawn
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X


def table(n_samples: int, n_features: int) -> Samples:
    """Draw groups of one-hot columns, and as many counts: whole numbers with many ties."""
    rng = np.random.default_rng(SEED)
    X = np.zeros((n_samples, n_features), np.float32)
    one_hot = n_features // 2
    for start in range(0, one_hot, 8):
        width = min(8, one_hot - start)
        X[np.arange(n_samples), start + rng.integers(width, size=n_samples)] = 1
    rates = rng.gamma(0.5, 4.0, size=n_features - one_hot)
    X[:, one_hot:] = rng.poisson(rates, (n_samples, n_features - one_hot))
    return X


def real(folder: Path | None, n_samples: int, n_features: int) -> Samples | None:
    """Return random rows of text embeddings (256 columns) or of images (784, cut to 768)."""
    names = {256: EMBEDDINGS, 768: IMAGES}
    if folder is None or n_features not in names or not (folder / names[n_features]).exists():
        return None
    X = load_samples(folder / names[n_features], np.float32)
    if n_samples > len(X):
        return None
    rows = np.random.default_rng(SEED).permutation(len(X))[:n_samples]
    return np.ascontiguousarray(X[rows, :n_features])


def rotated(folder: Path | None, n_samples: int, n_features: int) -> Samples | None:
    """Return text embeddings, rotated at random into more columns, with a little noise."""
    X = real(folder, n_samples, 256)
    if X is None or n_features <= X.shape[1]:
        return None
    rng = np.random.default_rng(SEED)
    axes, _ = np.linalg.qr(rng.standard_normal((n_features, X.shape[1]), dtype=np.float32))
    noise = ROTATED_NOISE * rng.standard_normal((n_samples, n_features), dtype=np.float32)
    wide: Samples = X @ axes.T + noise
    return wide


def kinds(folder: Path | None) -> dict[str, Maker]:
    """Return the kinds by name; the real data are files of a folder."""
    return {
        "Gaussian noise": noise,
        "20 blobs": partial(blobs, seed=SEED, dtype=np.float32),
        "flat spectrum, unit length": unit_mixture,
        "one-hot and counts": table,
        "text embeddings (256), images (768)": partial(real, folder),
    }


def more_kinds(folder: Path | None) -> dict[str, Maker]:
    """Return kinds that are measured only if they are asked for."""
    return {"rotated embeddings": partial(rotated, folder)}
