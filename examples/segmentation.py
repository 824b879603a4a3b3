"""Photograph, Quick Shift and Quickshift++ side by side: ``python examples/segmentation.py``.

The figures of docs/segmentation.md, in the manner of the paper, on photographs that come with
scikit-image and scikit-learn: nothing is downloaded. Needs scikit-image and matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from skimage import data
from skimage.segmentation import quickshift
from sklearn.datasets import load_sample_image

from quickshiftpp.segmentation import image_tree, segment
from quickshiftpp.segmentation._pictures import boundaries, mean_colors

INK, FAINT = "#22303a", "#6b7780"
FOLDER = Path(__file__).parents[1] / "docs" / "segmentation"
WIDTH = 480
# Quick Shift over-segments or under-segments at any setting; these are a fair trade-off, and the
# same for all photographs, as the settings of Quickshift++ are.
QUICK_SHIFT = {"ratio": 0.5, "kernel_size": 8, "max_dist": 40}


def photographs() -> dict[str, Any]:
    """Return photographs by name, each so many pixels wide."""
    found = {
        "temple": load_sample_image("china.jpg"),
        "flower": load_sample_image("flower.jpg"),
        "cat": data.chelsea(),
        "coffee": data.coffee(),
        "rocket": data.rocket(),
        "astronaut": data.astronaut(),
    }
    return {name: _shrink(photo) for name, photo in found.items()}


def _shrink(photo: Any) -> Any:
    height, width = photo.shape[:2]
    if width <= WIDTH:
        return photo
    size = WIDTH, round(height * WIDTH / width)
    return np.asarray(Image.fromarray(photo).resize(size, Image.Resampling.LANCZOS))


def picture(photo: Any, labels: Any, scale: int = 3) -> Any:
    """Return every segment in its mean color, with thin white borders, enlarged."""
    flat = mean_colors(photo, labels).repeat(scale, axis=0).repeat(scale, axis=1)
    fine = labels.repeat(scale, axis=0).repeat(scale, axis=1)
    flat[boundaries(fine)] = 255
    return flat


def draw(axes: Any, image: Any, title: str, note: str = "") -> None:
    """Show an image without ticks."""
    axes.imshow(image, interpolation="antialiased")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(title, fontsize=10, color=INK, loc="left", pad=4)
    axes.set_title(note, fontsize=8.5, color=FAINT, loc="right", pad=4)


def rows_of(height: float, shapes: list[tuple[int, ...]], columns: int) -> tuple[Figure, Any]:
    """Return a figure with a row for each shape, and its axes."""
    heights = [shape[0] / shape[1] for shape in shapes]
    width = 12.0
    figure = Figure(
        figsize=(width, (width / columns) * sum(heights) + height * len(shapes)),
        dpi=110,
        facecolor="white",
    )
    axes = figure.subplots(len(shapes), columns, height_ratios=heights, squeeze=False)
    top = 1 - 0.24 / figure.get_figheight()
    figure.subplots_adjust(0.005, 0.004, 0.995, top, wspace=0.03, hspace=0.10)
    return figure, axes


def compare(photos: dict[str, Any]) -> None:
    """Draw the photograph, Quick Shift, the paper's Quickshift++ and the default."""
    figure, axes = rows_of(0.28, [photo.shape for photo in photos.values()], 4)
    for row, photo in zip(axes, photos.values(), strict=True):
        shifted = quickshift(photo, **QUICK_SHIFT)
        protocol = segment(photo, paper=True, k=100)
        default = segment(photo)
        draw(row[0], photo, "Photograph", f"{photo.shape[1]} x {photo.shape[0]}")
        for cell, name, labels in (
            (row[1], "Quick Shift", shifted),
            (row[2], "Quickshift++, paper", protocol),
            (row[3], "segment(image)", default),
        ):
            draw(cell, picture(photo, labels), name, f"{len(np.unique(labels))} segments")
    save(figure, "comparison.png", axes[:, 0])


def hierarchy(photo: Any) -> None:
    """Draw one search cut many times: by beta, and merged down to a number of segments."""
    tree = image_tree(photo)
    figure, axes = rows_of(0.28, [photo.shape] * 2, 4)
    for cell, beta in zip(axes[0], (0.5, 0.9, 0.97, 0.99), strict=True):
        labels = tree.labels(beta)
        draw(cell, picture(photo, labels), f"beta = {beta}", f"{labels.max()} segments")
    for cell, number in zip(axes[1], (100, 30, 12, 5), strict=True):
        labels = tree.labels(n_segments=number)
        draw(cell, picture(photo, labels), f"n_segments = {number}", "merged")
    save(figure, "hierarchy.png")


def save(figure: Figure, name: str, photos: Sequence[Any] = ()) -> None:
    """Write a figure with a palette, a third of the bytes; photographs are dithered to it."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / name
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    drawn = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    small = drawn.quantize(256)
    for axes in photos:
        extent = axes.get_window_extent()
        box = (round(extent.x0), drawn.height - round(extent.y1),
               round(extent.x1), drawn.height - round(extent.y0))  # fmt: skip
        small.paste(drawn.crop(box).quantize(palette=small), box)
    small.save(path, optimize=True)
    print(f"The figure is in {path}.")


def main() -> None:
    """Draw all figures."""
    photos = photographs()
    compare(photos)
    hierarchy(photos["coffee"])


if __name__ == "__main__":
    main()
