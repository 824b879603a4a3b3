"""The map as a picture: one panel for each kind of data, one square for each cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure

from reporting.style import BLUE, FAINT, INK, ORANGE, bare, canvas
from reporting.tables import NOTHING, plural, short_number

from ..peers import REFERENCE
from .measure import Cell
from .report import FASTER, LIMIT, format_speed, peer_is_faster

FORMATS = (".png", ".svg")

# Colors from half as fast to 16 times as fast, on a logarithmic scale; as fast is white. Orange and
# blue differ for every kind of color vision.
SLOWEST, FASTEST = 0.5, 16.0
COLORS = LinearSegmentedColormap.from_list("map", [ORANGE, "white", BLUE])
SCALE = TwoSlopeNorm(0.0, math.log2(SLOWEST), math.log2(FASTEST))
# Where numbers are white, for contrast.
DARK = 6.0
LEFT_OUT = "#eef0f2"

PANELS_PER_ROW = 3
CELL_WIDTH, CELL_HEIGHT = 0.43, 0.25  # inches

TITLE = (
    "{reference}, the {k} nearest neighbors of every sample:\n"
    "times as fast as the fastest of scikit-learn, faiss, pykdtree and SciPy"
)
NOTES = f"""\
Below 1 a peer is faster; bold: by more than {FASTER - 1:.0%}.
{NOTHING}  every peer would take more than {LIMIT:g} s.
Gray: no such data, more than {LIMIT:g} s, or not measured yet.
All with {{threads}}."""


def plot_map(path: Path, cells: Sequence[Cell], k: int, threads: int) -> None:
    """Show how many times as fast as the fastest peer we are."""
    kinds = list(dict.fromkeys(cell.kind for cell in cells))
    sizes = sorted({cell.n_samples for cell in cells})
    columns = sorted({cell.n_features for cell in cells})
    places = len(kinds) + 1  # one for the notes
    across = min(PANELS_PER_ROW, places)
    down = math.ceil(places / across)
    width = across * max(CELL_WIDTH * len(sizes) + 0.6, 3.0)
    height = down * max(CELL_HEIGHT * len(columns) + 0.75, 2.5) + 0.5
    with canvas(path, down, across, (width, height)) as (figure, axes):
        panels = axes.ravel()
        for panel, kind in zip(panels, kinds, strict=False):
            draw_kind(panel, [cell for cell in cells if cell.kind == kind], sizes, columns)
            panel.set(title=kind, xlabel="samples", ylabel="columns")
        for panel in panels[len(kinds) :]:
            bare(panel)
        draw_notes(figure, panels[len(kinds)], NOTES.format(threads=plural(threads, "thread")))
        figure.suptitle(TITLE.format(reference=REFERENCE, k=k), fontsize=9.5)


def draw_kind(
    panel: Axes, cells: Sequence[Cell], sizes: Sequence[int], columns: Sequence[int]
) -> None:
    """Draw one panel."""
    speeds = np.full((len(columns), len(sizes)), np.nan)
    for cell in cells:
        row, column = columns.index(cell.n_features), sizes.index(cell.n_samples)
        speed = cell.speed
        if speed is None:
            panel.text(column, row, NOTHING, ha="center", va="center", color=FAINT)
            continue
        speeds[row, column] = math.log2(speed)
        panel.text(column, row, format_speed(speed), ha="center", va="center", fontsize=7.5,
                   color="white" if speed > DARK else INK,
                   fontweight="bold" if peer_is_faster(cell) else "normal")  # fmt: skip
    panel.set_facecolor(LEFT_OUT)
    panel.imshow(speeds, cmap=COLORS, norm=SCALE, aspect="auto", origin="lower")
    # White lines between the cells.
    panel.set_xticks(np.arange(len(sizes) - 1) + 0.5, minor=True)
    panel.set_yticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    panel.grid(which="minor", color="white", linewidth=1)
    panel.set_xticks(range(len(sizes)), [short_number(size) for size in sizes])
    panel.set_yticks(range(len(columns)), [str(count) for count in columns])
    panel.tick_params(which="both", length=0)
    panel.spines[:].set_visible(False)


def draw_notes(figure: Figure, panel: Axes, notes: str) -> None:
    """Explain numbers and colors."""
    panel.text(0.02, 0.95, notes, transform=panel.transAxes, va="top", linespacing=1.7)
    inset = panel.inset_axes((0.02, 0.3, 0.9, 0.08))
    bar = figure.colorbar(
        ScalarMappable(SCALE, COLORS), cax=inset, orientation="horizontal", extend="both"
    )
    ticks = (0.5, 1, 2, 4, 8, 16)
    bar.set_ticks([math.log2(tick) for tick in ticks], labels=[f"{tick:g}" for tick in ticks])
    bar.ax.minorticks_off()
    bar.outline.set_visible(False)
    bar.set_label("times as fast")
