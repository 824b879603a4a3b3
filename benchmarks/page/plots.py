"""The plots of the page, from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from ..peers import REFERENCE, TABLES
from ..process import GIB
from ..report import MIB
from ..session import Case, Result
from .store import Entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT, RULE = "#22303a", "#6b7780", "#d5dade"

# Okabe and Ito's colours, which the colour-blind tell apart too, each with a shape of its own.
OWN_LOOK = ("#d55e00", "o")
PEER_LOOKS = (
    ("#0072b2", "s"),
    ("#009e73", "^"),
    ("#cc79a7", "D"),
    ("#56b4e9", "v"),
    ("#b08d00", "h"),
)
# For the stages, with the colour of the numbers on them.
STAGE_COLORS = (
    ("#e3e7ea", INK),
    ("#56b4e9", INK),
    ("#d55e00", "white"),
    ("#f0c75e", INK),
    ("#009e73", "white"),
    ("#0072b2", "white"),
    ("#cc79a7", INK),
    ("#b4bcc2", INK),
)

# Any, for matplotlib lists every key that a style may have in its types.
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "legend.frameon": False,
}
DPI = 150

# By so much an axis goes beyond the data.
HEADROOM = 1.6

# Powers of 2 where bytes are counted by them.
MEMORY_TICKS: dict[float, str] = {
    MIB: "1 MiB",
    3 * MIB: "3 MiB",
    10 * MIB: "10 MiB",
    30 * MIB: "30 MiB",
    100 * MIB: "100 MiB",
    300 * MIB: "300 MiB",
    GIB: "1 GiB",
    3 * GIB: "3 GiB",
    10 * GIB: "10 GiB",
    30 * GIB: "30 GiB",
}
TIME_TICKS: dict[float, str] = {
    1e-3: "1 ms",
    1e-2: "10 ms",
    0.1: "0.1 s",
    1: "1 s",
    10: "10 s",
    100: "100 s",
}


def looks(table: str) -> dict[str, tuple[str, str]]:
    """Return the colour and the marker of every peer of a table, the same in all plots."""
    others = [peer.name for peer in TABLES[table] if peer.name != REFERENCE]
    return {REFERENCE: OWN_LOOK} | dict(zip(others, PEER_LOOKS, strict=False))


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the same figure gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI, facecolor="white", metadata={"Software": None})


def plot_series(
    path: Path,
    table: str,
    cases: Sequence[Case],
    size: Callable[[Case], int],
    size_label: str,
    timeout: float,
) -> None:
    """Plot time and peak memory over a size, both axes logarithmic.

    Parameters
    ----------
    path : Path
        Where to write.
    table : str
        The table of peers.
    cases : sequence of Case
        What to plot. Those with other than the usual k are drawn with hollow markers.
    size : callable
        The size of a case.
    size_label : str
        What the size is.
    timeout : float
        Seconds at which fits were ended.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.2, 4.3), layout="constrained")
        left, right = figure.subplots(1, 2)
        for axes, value in ((left, seconds_of), (right, peak_of)):
            draw_lines(axes, table, cases, size, value)
            axes.set(xscale="log", yscale="log", xlabel=size_label)
        label_sizes(left, cases, size)
        label_sizes(right, cases, size)
        left.set_title("Time")
        right.set_title("Peak memory beyond the input")
        left.set_ylim(top=max(left.get_ylim()[1], HEADROOM * timeout))
        left.axhline(timeout, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))
        left.annotate(
            f"peers are ended after {timeout:g} s",
            (0.01, timeout),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            color=FAINT,
            fontsize=8.5,
        )
        label_ticks(left, TIME_TICKS)
        label_ticks(right, MEMORY_TICKS)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        save(figure, path)


def seconds_of(result: Result) -> float:
    """Return the time of a result."""
    return result.median_seconds


def peak_of(result: Result) -> float:
    """Return the peak memory of a result; what is too little to be seen counts as 64 KiB."""
    return max(result.median_peak, MIB / 16)


def draw_lines(
    axes: Axes,
    table: str,
    cases: Sequence[Case],
    size: Callable[[Case], int],
    value: Callable[[Result], float],
) -> None:
    """Draw one line for each peer, this package's on top."""
    usual_k = min(cases, key=size).k
    for peer, (color, marker) in looks(table).items():
        points = sorted(
            (size(case), value(result), case.k == usual_k)
            for case in cases
            for result in case.results
            if result.peer == peer and result.status == "ok"
        )
        if not points:
            continue
        own = peer == REFERENCE
        axes.plot(
            [point[0] for point in points],
            [point[1] for point in points],
            color=color,
            label=peer,
            marker=marker,
            markersize=7 if own else 5.5,
            markeredgecolor="white",
            markeredgewidth=0.7,
            linewidth=2.6 if own else 1.5,
            zorder=4 if own else 3,
        )
        for x, y, usual in points:
            if not usual:
                axes.plot(
                    x, y, marker, color="white", markeredgecolor=color, markersize=7, zorder=5
                )


def label_sizes(axes: Axes, cases: Sequence[Case], size: Callable[[Case], int]) -> None:
    """Put a tick at each size that was measured."""
    sizes = sorted({size(case) for case in cases})
    axes.set_xticks(sizes, [short_number(number) for number in sizes])
    axes.minorticks_off()


def short_number(number: int) -> str:
    """Return a number as people write it on an axis.

    Examples
    --------
    >>> short_number(784), short_number(20_000), short_number(10_000_000)
    ('784', '20k', '10M')
    """
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if number >= unit and number % unit == 0:
            return f"{number // unit}{letter}"
    return str(number)


def label_ticks(axes: Axes, ticks: Mapping[float, str]) -> None:
    """Name the powers of ten with their units, as far as the data reach and a little beyond."""
    low, high = axes.get_ylim()
    low /= HEADROOM
    axes.set_ylim(low, high := high * HEADROOM)
    shown = {value: text for value, text in ticks.items() if low <= value <= high}
    axes.set_yticks(list(shown), list(shown.values()))
    axes.minorticks_off()


def plot_stages(path: Path, entries: Sequence[Entry]) -> None:
    """Plot the share of each stage of a fit, one bar for each size."""
    stages = list(dict.fromkeys(stage for entry in entries for stage in entry["stages"]))
    with mpl.rc_context(STYLE | {"axes.grid": False}):
        figure = Figure(figsize=(9.2, 0.9 + 0.42 * len(entries)), layout="constrained")
        axes = figure.subplots()
        starts = [0.0] * len(entries)
        names = [f"n = {short_number(e['n_samples'])}, d = {e['n_features']}" for e in entries]
        for stage, (color, text_color) in zip(stages, STAGE_COLORS, strict=False):
            shares = [100 * e["stages"].get(stage, 0) / sum(e["stages"].values()) for e in entries]
            bars = axes.barh(
                names, shares, left=starts, color=color, label=stage, edgecolor="white", height=0.7
            )
            texts = [f"{share:.0f}" if share >= 4 else "" for share in shares]
            axes.bar_label(bars, texts, label_type="center", fontsize=9, color=text_color)
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="percent of the fit")
        axes.tick_params(length=0)
        axes.spines[["left", "bottom"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=len(stages))
        save(figure, path)
