"""The figure of the demonstration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy
from PIL import Image

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.gridspec import SubplotSpec

    from ._demo import Result

PALETTE = ("#1f6f8b", "#e07a3f", "#8a4f9e", "#3f8f5b", "#c2475a", "#b8902c")
INK = "#22303a"
FAINT = "#6b7780"
RULE = "#c9d0d5"
_WIDTH, _HEIGHT, _DPI = 12.0, 10.5, 120
_BORDER_SCALE = 4  # screen pixels per pixel of the photograph, so that borders are thin
_COLORS = 256
_BETAS = np.linspace(0.02, 0.98, 241)


def draw(
    path: Path,
    shapes: Sequence[Result],
    digits: Result,
    photo: npt.NDArray[np.uint8],
    segments: Result,
) -> None:
    """Draw shapes, photograph, digits and the choice of beta into one file."""
    figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DPI, facecolor="white")
    grid = figure.add_gridspec(
        3, 4, height_ratios=[2.5, 4.05, 2.1], left=0.03, right=0.97, top=0.915, bottom=0.055,
        wspace=0.10, hspace=0.20,
    )  # fmt: skip
    _heading(figure)
    for column, result in enumerate(shapes):
        _draw_shape(figure.add_subplot(grid[0, column]), result)
    photo_axes = figure.add_subplot(grid[1, :2])
    _draw_photo(photo_axes, photo)
    _draw_segments(figure.add_subplot(grid[1, 2:]), photo, segments)
    _draw_counts(figure, figure.add_subplot(grid[2, :2]), shapes)
    _draw_modes(figure, grid[2, 2:], digits)
    _save(figure, path, photo_axes)


def _save(figure: Figure, path: Path, photo_axes: Axes) -> None:
    if path.suffix.lower() != ".png":
        figure.savefig(path)
        return
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    picture = Image.fromarray(pixels).convert("RGB")
    # A palette makes the file three times smaller. The photograph has more colors than that, and
    # is dithered; the background stays white.
    coarse = picture.quantize(_COLORS - 1)
    colors = (coarse.getpalette() or [])[: 3 * (_COLORS - 1)]
    extent = photo_axes.get_window_extent()
    left, right = round(extent.x0), round(extent.x1)
    upper, lower = picture.height - round(extent.y1), picture.height - round(extent.y0)
    region = (left, upper, right, lower)
    coarse.paste(picture.crop(region).quantize(palette=coarse), region)
    numbers = np.array(coarse)
    numbers[(np.asarray(picture) == 255).all(axis=-1)] = _COLORS - 1
    final = Image.fromarray(numbers)
    final.putpalette([*colors, *[255] * (3 * _COLORS - len(colors))])
    final.save(path, optimize=True, dpi=(_DPI, _DPI))


def _heading(figure: Figure) -> None:
    figure.text(
        0.03, 0.974, "Quickshift++ finds the clusters, and how many there are",
        fontsize=14.5, color=INK, weight="bold", va="center",
    )  # fmt: skip
    figure.text(
        0.97, 0.974, "dark: cluster-cores    pale: samples that climb to a core",
        fontsize=9.5, color=FAINT, va="center", ha="right",
    )  # fmt: skip


def _title(axes: Axes, text: str, note: str = "") -> None:
    axes.set_title(text, fontsize=11.5, color=INK, loc="left", pad=6)
    axes.set_title(note, fontsize=9.5, color=FAINT, loc="right", pad=6)


def _bare(axes: Axes) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_shape(axes: Axes, result: Result) -> None:
    model = result.model
    colors = np.array([to_rgb(color) for color in PALETTE])[model.labels_ % len(PALETTE)]
    in_core = model.core_labels_ >= 0
    colors[~in_core] = 0.42 * colors[~in_core] + 0.58
    order = np.argsort(in_core, kind="stable")  # cores on top
    x, y = result.X[order].T
    axes.scatter(x, y, s=7, c=colors[order], linewidths=0)
    axes.set_aspect("equal", adjustable="datalim")
    _bare(axes)
    _title(axes, result.name.capitalize(), f"{model.n_clusters_} clusters")


def _draw_photo(axes: Axes, photo: npt.NDArray[np.uint8]) -> None:
    axes.imshow(photo, interpolation="bicubic")
    _bare(axes)
    _title(axes, "A photograph", f"{photo.shape[0] * photo.shape[1]:,} pixels")


def _draw_segments(axes: Axes, photo: npt.NDArray[np.uint8], result: Result) -> None:
    labels = result.model.labels_
    sizes = np.bincount(labels)
    channels = photo.reshape(-1, 3).T / 255
    means = np.stack([np.bincount(labels, channel) / sizes for channel in channels], axis=1)
    grid = labels.reshape(photo.shape[:2])
    fine = grid.repeat(_BORDER_SCALE, axis=0).repeat(_BORDER_SCALE, axis=1)
    border = np.zeros(fine.shape, dtype=bool)
    border[:-1] |= fine[1:] != fine[:-1]
    border[:, :-1] |= fine[:, 1:] != fine[:, :-1]
    picture = means[fine]
    picture[border] = 0.25 * picture[border] + 0.75
    axes.imshow(picture, interpolation="antialiased")
    _bare(axes)
    _title(axes, "Its segments, each in its mean color", f"{result.model.n_clusters_} clusters")


def _draw_counts(figure: Figure, axes: Axes, shapes: Sequence[Result]) -> None:
    for i, (result, color) in enumerate(zip(shapes, PALETTE, strict=False)):
        tree, smallest = result.model.tree_, result.model.min_cluster_size_
        counts = [int(tree.labels(b, min_cluster_size=smallest).max()) + 1 for b in _BETAS]
        aside = offset_copy(axes.transData, figure, y=1.1 * (i - 1.5), units="points")
        axes.step(
            _BETAS, counts, color=color, linewidth=1.6, label=result.name, transform=aside
        )  # beside each other where the numbers agree
    beta = shapes[0].model.beta_
    axes.vlines(beta, 0.9, 7.5, color=FAINT, linewidth=0.9, linestyle=(0, (3, 3)), zorder=0)
    axes.text(beta + 0.01, 6, f"beta = {beta:g}, as above", color=FAINT, fontsize=9)
    axes.set_yscale("log")
    ticks = [1, 2, 3, 5, 10, 20, 40]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.9, 50)
    axes.set_xlim(0, 1)
    axes.set_xlabel("beta", color=FAINT, fontsize=9.5, labelpad=1)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="upper right", borderpad=0)
    axes.tick_params(colors=FAINT, length=3, labelsize=9)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(RULE)
    _title(axes, "Clusters at every beta, from one fit: long steps are natural choices")


def _draw_modes(figure: Figure, place: SubplotSpec, digits: Result) -> None:
    model = digits.model
    sizes = np.bincount(model.labels_)
    order = np.argsort(sizes)[::-1]
    gray = LinearSegmentedColormap.from_list("ink", ["white", INK])
    rows = 2
    grid = place.subgridspec(rows, -(-len(order) // rows), wspace=0.12, hspace=0.42)
    for position, label in enumerate(order):
        tile = figure.add_subplot(grid[position // grid.ncols, position % grid.ncols])
        tile.imshow(digits.X[model.mode_indices_[label]].reshape(8, 8), cmap=gray)
        tile.set_xticks([])
        tile.set_yticks([])
        for spine in tile.spines.values():
            spine.set_color(RULE)
        tile.set_xlabel(f"{sizes[label]}", color=FAINT, fontsize=9, labelpad=2)
    corner = place.get_position(figure)
    heading = figure.add_axes(corner.bounds, frameon=False, zorder=-1)
    _bare(heading)
    _title(
        heading,
        f"{len(digits.X):,} handwritten digits: each cluster's densest",
        f"{model.n_clusters_} clusters, with sizes",
    )
