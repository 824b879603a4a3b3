"""How the figures look: print quality, and colours that the colour-blind can tell apart."""

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

INK = "#22303a"
FAINT = "#6b7780"
RULE = "#c9d0d5"
BLUE, ORANGE, PURPLE, YELLOW = (to_hex(c) for c in cluster_colors(range(4)))

_DPI = 160
_SETTINGS: Any = {
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
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.3,
    "figure.facecolor": "white",
    "savefig.dpi": _DPI,
}


@contextmanager
def canvas(path: Path, rows: int, columns: int, size: tuple[float, float], **options: Any
) -> Iterator[tuple[Figure, Any]]:  # fmt: skip
    """Draw on a figure with a grid of axes, and write it to a file."""
    with plt.rc_context(_SETTINGS):
        drawing, axes = plt.subplots(
            rows, columns, figsize=size, layout="constrained", squeeze=False, **options
        )
        try:
            yield drawing, axes
            path.parent.mkdir(parents=True, exist_ok=True)
            # No date and no version inside, so that the same picture is the same file.
            drawing.savefig(path, metadata={"Software": None})
        finally:
            plt.close(drawing)


def bare(ax: Axes) -> None:
    """Leave nothing but what is drawn."""
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
