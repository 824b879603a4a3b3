"""The figure of the demo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.transforms import offset_copy

from ..plotting import ClusterDisplay, cluster_colors
from ..plotting._style import FAINT, INK, RULE, tidy
from ..segmentation import mark_boundaries, mean_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.gridspec import SubplotSpec

    from ._demo import Result, Segmentation

_WIDTH, _HEIGHT, _DPI = 12.0, 10.5, 100
_BOUNDARY_SCALE = 4  # enlarges the photograph, so that boundaries are thin
_BETAS = np.linspace(0.02, 0.98, 241)


def draw(
    file: BinaryIO,
    suffix: str,
    shapes: Sequence[Result],
    digits: Result,
    segmentation: Segmentation,
) -> None:
    """Draw shapes, photograph, cluster counts and digits into one file."""
    figure = Figure(figsize=(_WIDTH, _HEIGHT), dpi=_DPI, facecolor="white")
    grid = figure.add_gridspec(
        3, 4, height_ratios=[2.5, 4.05, 2.1], left=0.03, right=0.97, top=0.915, bottom=0.055,
        wspace=0.10, hspace=0.20,
    )  # fmt: skip
    _heading(figure)
    for column, result in enumerate(shapes):
        _draw_shape(figure.add_subplot(grid[0, column]), result)
    _draw_photo(figure.add_subplot(grid[1, :2]), segmentation)
    _draw_segments(figure.add_subplot(grid[1, 2:]), segmentation)
    _draw_counts(figure, figure.add_subplot(grid[2, :2]), shapes)
    _draw_modes(figure, grid[2, 2:], digits)
    # Vector formats do not have this option, which makes a PNG smaller.
    options: Any = {"pil_kwargs": {"optimize": True}} if suffix == ".png" else {}
    figure.savefig(file, format=suffix.removeprefix("."), **options)


def _heading(figure: Figure) -> None:
    figure.text(
        0.03, 0.974, "Quickshift++ finds the clusters, and how many there are",
        fontsize=14.5, color=INK, weight="bold", va="center",
    )  # fmt: skip
    figure.text(
        0.97, 0.974, "dark: cluster-cores    pale: other samples    circles: modes",
        fontsize=9.5, color=FAINT, va="center", ha="right",
    )  # fmt: skip


def _title(axes: Axes, text: str, note: str = "") -> None:
    axes.set_title(text, fontsize=11.5, color=INK, loc="left", pad=6)
    axes.set_title(note, fontsize=9.5, color=FAINT, loc="right", pad=6)


def _bare(axes: Axes) -> None:
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_shape(axes: Axes, result: Result) -> None:
    ClusterDisplay.from_estimator(result.model, result.X, ax=axes, s=7)
    axes.set_aspect("equal", adjustable="datalim")
    _bare(axes)
    _title(axes, result.name.capitalize(), f"{result.model.n_clusters_} clusters")


def _draw_photo(axes: Axes, segmentation: Segmentation) -> None:
    axes.imshow(segmentation.photo, interpolation="bicubic")
    _bare(axes)
    _title(axes, "A photograph", f"{segmentation.labels.size:,} pixels")


def _draw_segments(axes: Axes, segmentation: Segmentation) -> None:
    labels = segmentation.labels
    flat = mean_colors(segmentation.photo, labels)
    marked = mark_boundaries(flat, labels, color=(1, 1, 1), scale=_BOUNDARY_SCALE)
    axes.imshow(marked, interpolation="antialiased")
    _bare(axes)
    _title(axes, "Its segments, each in its mean color", f"{labels.max()} segments")


def _draw_counts(figure: Figure, axes: Axes, shapes: Sequence[Result]) -> None:
    for i, (result, color) in enumerate(
        zip(shapes, cluster_colors(range(len(shapes))), strict=True)
    ):
        model = result.model
        counts = model.tree_.n_clusters(_BETAS, min_cluster_size=model.min_cluster_size_)
        # Curves are shifted by about their width, so that equal numbers do not hide each other.
        shifted = offset_copy(axes.transData, figure, y=1.1 * (i - 1.5), units="points")
        axes.step(
            _BETAS, counts, color=color, linewidth=1.6, label=result.name, transform=shifted
        )  # fmt: skip
    beta = shapes[0].model.beta_
    axes.vlines(beta, 0.9, 7.5, color=FAINT, linewidth=0.9, linestyle=(0, (3, 3)), zorder=0)
    axes.text(beta + 0.01, 6, f"beta = {beta:g}, as above", color=FAINT, fontsize=9)
    axes.set_yscale("log")
    ticks = [1, 2, 3, 5, 10, 20, 40]
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.9, 50)
    axes.set_xlim(0, 1)
    axes.set_xlabel("beta", fontsize=9.5, labelpad=1)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK, loc="upper right", borderpad=0)
    tidy(axes)
    _title(axes, "Number of clusters at every beta, from one fit", "long steps are stable")


def _draw_modes(figure: Figure, place: SubplotSpec, digits: Result) -> None:
    model = digits.model
    sizes = np.bincount(model.labels_)
    order = np.argsort(sizes)[::-1]
    shades = LinearSegmentedColormap.from_list("ink", ["white", INK])
    rows = 2
    grid = place.subgridspec(rows, -(-len(order) // rows), wspace=0.12, hspace=0.42)
    for position, label in enumerate(order):
        tile = figure.add_subplot(grid[position // grid.ncols, position % grid.ncols])
        tile.imshow(digits.X[model.mode_indices_[label]].reshape(8, 8), cmap=shades)
        tile.set(xticks=[], yticks=[])
        for spine in tile.spines.values():
            spine.set_color(RULE)
        tile.set_xlabel(f"{sizes[label]}", color=FAINT, fontsize=9, labelpad=2)
    heading = figure.add_axes(place.get_position(figure).bounds, frameon=False, zorder=-1)
    _bare(heading)
    _title(
        heading,
        "Handwritten digits: the mode of each cluster",
        f"{model.n_clusters_} clusters, with sizes",
    )
