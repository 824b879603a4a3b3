"""How figures look: the colors of ``quickshiftpp.plotting``, at print quality."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from quickshiftpp.plotting import cluster_colors
from quickshiftpp.plotting._style import FAINT, INK, RULE

__all__ = ["BLUE", "COLORS", "FAINT", "INK", "ORANGE", "PURPLE", "RULE", "YELLOW", "bare", "canvas"]

COLORS = tuple(to_hex(color) for color in cluster_colors(range(10)))
BLUE, ORANGE, PURPLE, YELLOW = COLORS[:4]

# Any, because matplotlib's types list every key that a style may have.
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "axes.edgecolor": RULE,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": FAINT,
    "ytick.labelcolor": FAINT,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.3,
    "figure.facecolor": "white",
    "savefig.dpi": 160,
    "svg.hashsalt": "",  # names the parts of a figure by their content, and not at random
}


@contextmanager
def canvas(
    path: Path, rows: int, columns: int, size: tuple[float, float], **options: Any
) -> Iterator[tuple[Figure, Any]]:
    """Draw on a figure with a grid of axes, and write it to a file."""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(
            rows, columns, figsize=size, layout="constrained", squeeze=False, **options
        )
        try:
            yield figure, axes
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without a version or a date inside, the same figure is the same file.
            unwanted = "Date" if path.suffix == ".svg" else "Software"
            figure.savefig(path, metadata={unwanted: None})
        finally:
            plt.close(figure)


def bare(ax: Axes) -> None:
    """Remove ticks and spines."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
