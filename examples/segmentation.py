"""Photograph, Quick Shift and Quickshift++ side by side: ``python examples/segmentation.py``.

Draws the figures of docs/segmentation.md, or into another folder if one is given. The photographs
are part of scikit-image and scikit-learn, so nothing is downloaded.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from skimage import data
from skimage.segmentation import quickshift
from sklearn.datasets import load_sample_image

from quickshiftpp.segmentation import image_tree, mark_boundaries, mean_colors, segment

INK, FAINT = "#22303a", "#6b7780"
FOLDER = Path(__file__).parents[1] / "docs" / "segmentation"
WIDTH = 480
# One setting of Quick Shift for all photographs: any other has too many segments in some of them,
# or too few.
QUICK_SHIFT = {"ratio": 0.5, "kernel_size": 8, "max_dist": 40}


def photographs() -> dict[str, Any]:
    """Return photographs by name, each at most `WIDTH` pixels wide."""
    found = {
        "temple": load_sample_image("china.jpg"),
        "flower": load_sample_image("flower.jpg"),
        "cat": data.chelsea(),
        "coffee": data.coffee(),
        "rocket": data.rocket(),
        "astronaut": data.astronaut(),
    }
    return {name: shrink(photo) for name, photo in found.items()}


def shrink(photo: Any) -> Any:
    """Return a photograph at most `WIDTH` pixels wide."""
    height, width = photo.shape[:2]
    if width <= WIDTH:
        return photo
    size = WIDTH, round(height * WIDTH / width)
    return np.asarray(Image.fromarray(photo).resize(size, Image.Resampling.LANCZOS))


def draw(axes: Any, image: Any, title: str, note: str = "") -> None:
    """Show an image without ticks."""
    axes.imshow(image, interpolation="antialiased")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title, fontsize=10, color=INK, loc="left", pad=4)
    axes.set_title(note, fontsize=8.5, color=FAINT, loc="right", pad=4)


def draw_segments(axes: Any, photo: Any, labels: Any, title: str) -> None:
    """Show every segment in its mean color, with thin white boundaries."""
    flat = mean_colors(photo, labels)
    picture = mark_boundaries(flat, labels, color=(1, 1, 1), scale=3)
    draw(axes, picture, title, f"{len(np.unique(labels))} segments")


def grid_of(shapes: list[tuple[int, ...]], columns: int) -> tuple[Figure, Any]:
    """Return a figure with a row for each image shape, and its axes."""
    heights = [shape[0] / shape[1] for shape in shapes]
    width, title = 12.0, 0.28
    size = width, width / columns * sum(heights) + title * len(shapes)
    figure = Figure(figsize=size, dpi=110, facecolor="white")
    axes = figure.subplots(len(shapes), columns, height_ratios=heights, squeeze=False)
    top = 1 - 0.24 / figure.get_figheight()
    figure.subplots_adjust(0.005, 0.004, 0.995, top, wspace=0.03, hspace=0.10)
    return figure, axes


def compare(photos: dict[str, Any], path: Path) -> None:
    """Draw the photograph, Quick Shift, Quickshift++ as in the paper, and the default."""
    figure, axes = grid_of([photo.shape for photo in photos.values()], 4)
    for row, photo in zip(axes, photos.values(), strict=True):
        draw(row[0], photo, "Photograph", f"{photo.shape[1]} x {photo.shape[0]}")
        draw_segments(row[1], photo, quickshift(photo, **QUICK_SHIFT), "Quick Shift")
        draw_segments(row[2], photo, segment(photo, paper=True, k=100), "Quickshift++, paper")
        draw_segments(row[3], photo, segment(photo), "segment(image)")
    save(figure, path, axes[:, 0])


def hierarchy(photo: Any, path: Path) -> None:
    """Draw many segmentations from one search: by beta, and by number of segments."""
    tree = image_tree(photo)
    figure, axes = grid_of([photo.shape] * 2, 4)
    for cell, beta in zip(axes[0], (0.5, 0.9, 0.97, 0.99), strict=True):
        draw_segments(cell, photo, tree.labels(beta), f"beta = {beta}")
    for cell, number in zip(axes[1], (100, 30, 12, 5), strict=True):
        draw_segments(cell, photo, tree.labels(n_segments=number), f"n_segments = {number}")
    save(figure, path)


def save(figure: Figure, path: Path, photographs: Sequence[Any] = ()) -> None:
    """Write a figure with a palette, which makes it four times smaller; dither photographs."""
    figure.savefig(path)
    drawn = Image.open(path).convert("RGB")
    small = drawn.quantize(256)
    for axes in photographs:
        (left, bottom), (right, top) = axes.get_window_extent().get_points().round().astype(int)
        box = (left, drawn.height - top, right, drawn.height - bottom)
        small.paste(drawn.crop(box).quantize(palette=small), box)
    small.save(path, optimize=True)
    print(f"The figure is in {path}.")


def main() -> None:
    """Draw all figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    photos = photographs()
    compare(photos, folder / "comparison.png")
    hierarchy(photos["coffee"], folder / "hierarchy.png")


if __name__ == "__main__":
    main()
