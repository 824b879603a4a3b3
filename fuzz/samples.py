"""Random samples that look for trouble: ties, duplicates, extremes, and ordinary data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from cases import random_case

Matrix: TypeAlias = npt.NDArray[Any]
Maker: TypeAlias = Callable[[np.random.Generator, int, int], Matrix]

# The core stores samples in blocks of 32.
_AROUND_BLOCKS = (31, 32, 33, 63, 64, 65)
_DECIMALS = (0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 0.75, 0.875, 0.9, 0.96, 0.99)
# Fractions take long with large powers, so that the oracle gets fewer samples of many columns.
_MOST_CELLS = 3000


def _uniform(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return rng.random((n, d))


def _normal(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return rng.normal(size=(n, d)) * rng.uniform(0.1, 3, d)


def _blobs(rng: np.random.Generator, n: int, d: int) -> Matrix:
    centers = rng.uniform(-10, 10, (int(rng.integers(1, 6)), d))
    owner = rng.integers(0, len(centers), n)
    return centers[owner] + rng.normal(size=(n, d)) * rng.uniform(0.1, 2, len(centers))[owner, None]


def _grid(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return rng.integers(0, int(rng.integers(2, 9)), (n, d)).astype(np.float64)


def _lattice(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Make a full grid, cut off where there are enough samples."""
    axes = min(d, 8)
    side = 1 + math.ceil(n ** (1 / axes))
    X: Matrix = np.zeros((n, d))
    X[:, :axes] = np.stack(np.unravel_index(np.arange(n), (side,) * axes), axis=1)
    X *= rng.choice([1.0, 0.1, 3.0], d)
    return X


def _circle(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Space samples evenly on a circle, perhaps several times around."""
    around = max(1, n // int(rng.integers(1, 4)))
    angle = 2 * np.pi * (np.arange(n) % around) / around
    X = np.zeros((n, max(d, 2)))
    X[:, 0], X[:, 1] = np.cos(angle), np.sin(angle)
    return X


def _hexagons(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Make a triangular lattice: six neighbors at one distance, up to rounding or exactly."""
    side = math.ceil(math.sqrt(n))
    row, column = np.divmod(np.arange(n), side)
    X = np.zeros((n, max(d, 2)))
    height = math.sqrt(3) / 2 if rng.random() < 0.5 else 0.875
    X[:, 0], X[:, 1] = column + 0.5 * (row % 2), height * row
    return X


def _line(rng: np.random.Generator, n: int, d: int) -> Matrix:
    along = np.arange(n, dtype=np.float64)
    if rng.random() < 0.3:
        along = 1.25**along if n < 200 else along**2
    return along[:, None] * rng.integers(-2, 3, d)


def _rounded(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return np.round(rng.normal(size=(n, d)), int(rng.integers(0, 3)))


def _duplicates(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Repeat sites about as often as there are neighbors."""
    often = int(rng.integers(1, max(2, min(10, n // 2))))
    counts = often + rng.integers(-1, 2, n)
    sites = rng.normal(size=(n, d)) if rng.random() < 0.5 else _grid(rng, n, d)
    return np.repeat(sites, np.maximum(counts, 1), axis=0)[:n]


def _close(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Make samples a few units in the last place apart, which screening must not confuse."""
    step = float(2.0 ** rng.choice([-52, -40, -23]))
    return 1 + rng.integers(0, 50, (n, d)) * step


def _offset(rng: np.random.Generator, n: int, d: int) -> Matrix:
    """Move samples far from the origin, where differences lose digits."""
    return rng.normal(size=(n, d)) + 10.0 ** rng.integers(3, 14)


def _magnitudes(rng: np.random.Generator, n: int, d: int) -> Matrix:
    X: Matrix = np.ldexp(rng.choice([-1.0, 1.0], (n, d)), rng.integers(-60, 60, (n, d)))
    return X


def _one_hot(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return np.eye(d)[rng.integers(0, d, n)]


def _counts(rng: np.random.Generator, n: int, d: int) -> Matrix:
    return rng.poisson(rng.uniform(0.2, 3), (n, d)).astype(np.float64)


def _constant(rng: np.random.Generator, n: int, d: int) -> Matrix:
    X = _normal(rng, n, d)
    X[:, rng.random(d) < 0.7] = rng.normal()
    return X


def _equal(rng: np.random.Generator, n: int, d: int) -> Matrix:
    X = np.tile(rng.normal(size=d), (n, 1))
    X[rng.random(n) < 0.1] += 1
    return X


def _from_the_tests(rng: np.random.Generator, n: int, d: int) -> Matrix:  # noqa: ARG001
    X: Matrix = random_case(int(rng.integers(0, 2**32)), largest=n).X
    return X


KINDS: dict[str, Maker] = {
    maker.__name__.lstrip("_"): maker
    for maker in (
        _uniform, _normal, _blobs, _grid, _lattice, _circle, _hexagons, _line, _rounded,
        _duplicates, _close, _offset, _magnitudes, _one_hot, _counts, _constant, _equal,
        _from_the_tests,
    )
}  # fmt: skip


def draw_samples(rng: np.random.Generator, largest: int = 60, widest: int = 40) -> Matrix:
    """Draw samples: of any kind, mostly few, in float32 or float64."""
    n, d = _draw_count(rng, largest), _draw_columns(rng, widest)
    n = max(1, min(n, _MOST_CELLS // d))
    X = KINDS[str(rng.choice(list(KINDS)))](rng, n, d)
    X = X[rng.permutation(len(X))]
    if rng.random() < 0.1:  # zeros of both signs are equal
        X = np.where((X == 0) & (rng.random(X.shape) < 0.5), -0.0, X)
    return X.astype(np.float32) if rng.random() < 0.35 else X


def _draw_count(rng: np.random.Generator, largest: int) -> int:
    draw = rng.random()
    if draw < 0.08:
        return int(rng.integers(1, 5))
    if draw < 0.16:
        return min(largest, int(rng.choice(_AROUND_BLOCKS)))
    usual = 40 if draw < 0.88 else 70 if draw < 0.98 else largest
    return int(rng.integers(5, min(largest, usual) + 1))


def _draw_columns(rng: np.random.Generator, widest: int) -> int:
    draw = rng.random()
    if draw < 0.75:
        return int(rng.integers(1, 5))
    return int(rng.integers(5, (12 if draw < 0.9 else widest) + 1))


def draw_k(rng: np.random.Generator, n: int) -> int:
    """Draw a number of neighbors: few, any, or all."""
    draw = rng.random()
    if draw < 0.6:
        return int(rng.integers(1, min(n, 9) + 1))
    return n if draw > 0.95 else int(rng.integers(1, n + 1))


def draw_beta(rng: np.random.Generator) -> float:
    """Draw a beta: a short decimal, which ties may meet exactly, or any."""
    draw = rng.random()
    if draw < 0.6:
        return float(rng.choice(_DECIMALS))
    if draw < 0.95:
        return float(rng.uniform(0.001, 0.999))
    return float(rng.choice([1e-6, 1 - 1e-6]))


def draw_exponent(rng: np.random.Generator, X: Matrix) -> int:
    """Draw a power of two by which all samples can be multiplied without rounding, mostly 0."""
    if rng.random() < 0.75 or not X.any():
        return 0
    widest = 140 if X.dtype == np.float32 else 1070
    exponent = int(rng.integers(-widest, widest + 1))
    return exponent if is_exactly_scaled(X, exponent) else 0


def is_exactly_scaled(X: Matrix, exponent: int) -> bool:
    """Return whether samples can be multiplied by a power of two without rounding."""
    with np.errstate(all="ignore"):
        scaled = np.ldexp(X, exponent)
        return bool(np.isfinite(scaled).all() and (np.ldexp(scaled, -exponent) == X).all())


def draw_queries(rng: np.random.Generator, X: Matrix, count: int = 12) -> Matrix:
    """Draw new samples: between the old ones, near them, at them and far away."""
    first, second = X[rng.integers(0, len(X), (2, count))]
    spread = np.abs(X - X[0]).max() or 1.0
    draw = rng.integers(0, 4, (count, 1))
    near = first + rng.integers(-1, 2, first.shape) * spread / 2 ** rng.integers(1, 8)
    far = first + rng.normal(size=first.shape) * 10 * spread
    between = (first + second) / 2
    queries: Matrix = np.select([draw == 0, draw == 1, draw == 2], [first, between, near], far)
    return queries.astype(X.dtype if rng.random() < 0.8 else np.float64)


def smaller_samples(X: Matrix) -> Iterator[Matrix]:
    """Propose fewer rows or columns, the fewest first."""
    for axis in (0, 1):
        length = X.shape[axis]
        part = length // 2
        while part >= 1:
            for start in range(0, length, part):
                kept = np.delete(X, np.s_[start : start + part], axis=axis)
                if kept.size:
                    yield kept
            part //= 2
