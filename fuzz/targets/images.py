"""Segmentation of small images against the oracle on their pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import ndimage

import oracle
from quickshiftpp import _core
from quickshiftpp._search.pipeline import find_pixel_neighbors
from quickshiftpp._search.pixels import Grid
from quickshiftpp.segmentation import image_tree, pixel_features, segment

from ..checks import Checks
from ..paths import MOST_THREADS, on_path
from ..samples import draw_beta, draw_k
from ..ties import is_near_tie
from .base import Case, Target, register

_MOST_PIXELS = 90


@register
class SegmentationTarget(Target):
    """Images of one to three dimensions, gray or colored, with masks and spacings."""

    name = "segmentation"

    def draw(self, rng: np.random.Generator) -> Case:
        """Draw an image and the options of a segmentation."""
        n_axes = int(rng.choice([1, 2, 2, 2, 3]))
        longest = {1: 60, 2: 12, 3: 5}[n_axes]
        shape = tuple(int(side) for side in rng.integers(1, longest + 1, n_axes))
        while np.prod(shape) > _MOST_PIXELS:
            shape = tuple(max(1, side - 1) for side in shape)
        n_channels = None if n_axes == 1 else [None, 1, 3, 3, 4][int(rng.integers(0, 5))]
        image = _draw_image(rng, shape if n_channels is None else (*shape, n_channels))
        mask = rng.random(shape) < rng.uniform(0.3, 1) if rng.random() < 0.4 else None
        if mask is not None:
            mask.flat[int(rng.integers(0, mask.size))] = True
        n_pixels = int(np.prod(shape)) if mask is None else int(mask.sum())
        return {
            "image": image,
            "mask": mask,
            "is_gray": n_channels is None,
            "k": draw_k(rng, n_pixels),
            "beta": draw_beta(rng),
            "min_size": int(rng.integers(1, 8)),
            "sigma": float(rng.choice([0, 0, 1.5])),
            "ratio": float(rng.choice([1, 6, 0.3])),
            "spacing": None if rng.random() < 0.7 else rng.uniform(0.3, 2.5, n_axes).tolist(),
            "n_jobs": int(rng.integers(1, MOST_THREADS + 1)) if rng.random() < 0.4 else 1,
            "simd": None if rng.random() < 0.6 else str(rng.choice(["baseline", "avx2"])),
        }

    def smaller(self, case: Case) -> Iterator[Case]:
        """Propose to cut slices off the image."""
        image, mask = case["image"], case["mask"]
        for axis in range(image.ndim - (0 if case["is_gray"] else 1)):
            if image.shape[axis] == 1:
                continue
            for at in (0, image.shape[axis] - 1):
                less = None if mask is None else np.delete(mask, at, axis)
                if less is not None and not less.any():
                    continue
                kept = np.delete(image, at, axis)
                pixels = kept.size if case["is_gray"] else kept.size // kept.shape[-1]
                most = pixels if less is None else int(less.sum())
                yield {**case, "image": kept, "mask": less, "k": min(case["k"], most)}

    def check(
        self, checks: Checks, *, image: Any, mask: Any, is_gray: bool, k: int, beta: float,
        min_size: int, sigma: float, ratio: float, spacing: Any, n_jobs: int = 1,
        simd: str | None = None,
    ) -> None:  # fmt: skip
        """Compare lists of neighbors, labels, connected segments and numbers of segments."""
        options: dict[str, Any] = {
            "channel_axis": None if is_gray else -1,
            "sigma": sigma,
            "ratio": ratio,
            "mask": mask,
            "spacing": spacing,
        }
        shape = image.shape if is_gray else image.shape[:-1]
        step = (1.0,) * len(shape) if spacing is None else tuple(spacing)
        with on_path(simd):
            features = pixel_features(image, **options)
            grid = Grid(shape, step, None if mask is None or mask.all() else mask)
            windows = _table(features, grid, k, "windows", n_jobs)
            tree_search = _table(features, grid, k, "kd_tree", 1)
            for what, found, expected in zip(
                ("distances", "indices"), windows, tree_search, strict=True
            ):
                checks.equal(f"windows: {what}", found, expected)
            labels = segment(image, k=k, beta=beta, min_size=min_size, n_jobs=n_jobs, **options)
            tree = image_tree(image, k=k, n_jobs=n_jobs, **options)
            inside = np.ones(shape, bool) if mask is None else mask
            if not is_near_tie(features, k, beta):
                expected = oracle.quickshiftpp(features, k, beta, min_cluster_size=min_size)
                checks.equal("segment", labels[inside] - 1, expected.labels)
            checks.holds("0 outside the mask", (labels[~inside] == 0).all())
            checks.equal("image_tree", tree.labels(beta, min_size=min_size), labels)
            count = tree.n_segments(beta, min_size=min_size)
            checks.equal("n_segments", count, len(expected.modes))
            split = tree.labels(beta, min_size=1, connected=True)
            _check_connected(checks, "connected", split)
            for wanted in (1, 3):
                merged = tree.labels(n_segments=wanted)
                _check_connected(checks, "merged", merged)
                pieces = ndimage.label(inside)[1]
                most = max(wanted, pieces)
                checks.holds(f"n_segments={wanted}", 1 <= merged.max() <= most)


def _draw_image(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    draw = int(rng.integers(0, 6))
    if draw == 0:
        return rng.integers(0, 3, shape).astype(np.uint8) * 30
    if draw == 1:
        return rng.integers(0, 256, shape).astype(np.uint8)
    if draw == 2:
        return rng.integers(0, 2**16, shape).astype(np.uint16)
    if draw == 3:
        return rng.random(shape) < 0.4
    if draw == 4:
        return np.full(shape, 0.5, np.float32)
    return rng.random(shape).astype(np.float32 if rng.random() < 0.5 else np.float64)


def _table(samples: Any, grid: Grid, k: int, algorithm: str, threads: int) -> Any:
    with find_pixel_neighbors(samples, grid, k, algorithm=algorithm, threads=threads) as found:
        index: Any = found.samples.index
        return _core.list_table(index, found.lists, 1)


def _check_connected(checks: Checks, what: str, labels: Any) -> None:
    numbers = np.unique(labels[labels > 0])
    checks.equal(f"{what}: numbers", numbers, np.arange(1, len(numbers) + 1))
    for number in numbers:
        checks.equal(f"{what}: pieces", ndimage.label(labels == number)[1], 1)
