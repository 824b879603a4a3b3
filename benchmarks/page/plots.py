"""The plots of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from reporting.style import COLORS, FAINT, INK, canvas
from reporting.tables import GIB, MIB, short_number

from ..cases import Case, Result
from ..peers import REFERENCE, TABLES
from .store import Entry

# Each peer has a marker as well as a color; this package is orange, and drawn on top.
MARKERS = "os^Dvh"
PEER_COLORS = (COLORS[1], COLORS[0], COLORS[2], COLORS[3], COLORS[5], COLORS[4])
LIGHT = COLORS[3], COLORS[5], COLORS[8]
STAGE_COLORS = (
    "#e3e7ea", COLORS[0], COLORS[1], COLORS[3], COLORS[2], COLORS[5], COLORS[8], "#b4bcc2"
)  # fmt: skip

# An axis reaches beyond the data by this factor.
HEADROOM = 1.6
MEMORY_TICKS: dict[float, str] = {
    factor * unit: f"{factor} {name}"
    for unit, name in ((MIB, "MiB"), (GIB, "GiB"))
    for factor in (1, 3, 10, 30, 100, 300)
    if factor * unit < 100 * GIB
}
TIME_TICKS: dict[float, str] = {
    1e-3: "1 ms", 1e-2: "10 ms", 0.1: "0.1 s", 1: "1 s", 10: "10 s", 100: "100 s"
}  # fmt: skip


def plot_series(
    path: Path,
    table: str,
    cases: Sequence[Case],
    size: Callable[[Case], int],
    size_label: str,
    timeout: float,
) -> None:
    """Plot time and peak memory over a size, both axes logarithmic.

    Cases with another than the usual k have hollow markers.
    """
    with canvas(path, 1, 2, (9.2, 4.0)) as (figure, ((left, right),)):
        draw_lines(left, table, cases, size, lambda result: result.median_seconds)
        # Too little memory to measure counts as 64 KiB.
        draw_lines(right, table, cases, size, lambda result: max(result.median_peak, MIB / 16))
        sizes = sorted({size(case) for case in cases})
        for ax in (left, right):
            ax.set(xscale="log", yscale="log", xlabel=size_label)
            ax.set_xticks(sizes, [short_number(number) for number in sizes])
            ax.grid(True)
        left.set_title("Time")
        right.set_title("Peak memory beyond the input")
        left.set_ylim(top=max(left.get_ylim()[1], HEADROOM * timeout))
        left.axhline(timeout, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))
        left.annotate(f"peers are stopped after {timeout:g} s", (0.01, timeout), color=FAINT,
                      xycoords=("axes fraction", "data"), xytext=(0, 3),
                      textcoords="offset points")  # fmt: skip
        label_ticks(left, TIME_TICKS)
        label_ticks(right, MEMORY_TICKS)
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))


def draw_lines(
    ax: Axes,
    table: str,
    cases: Sequence[Case],
    size: Callable[[Case], int],
    value: Callable[[Result], float],
) -> None:
    """Draw one line for each peer."""
    usual_k = min(cases, key=size).k
    for peer, color, marker in zip(TABLES[table].peers, PEER_COLORS, MARKERS, strict=False):
        points = sorted(
            (size(case), value(result), case.k == usual_k)
            for case in cases
            if (result := case.find(peer.name)) is not None and result.status == "ok"
        )
        if not points:
            continue
        own = peer.name == REFERENCE
        x, y, _ = zip(*points, strict=True)
        ax.plot(x, y, color=color, label=peer.name, marker=marker, markersize=7 if own else 5,
                markeredgecolor="white", markeredgewidth=0.7, linewidth=2.6 if own else 1.5,
                zorder=4 if own else 3)  # fmt: skip
        hollow = [(a, b) for a, b, usual in points if not usual]
        if hollow:
            ax.plot(*zip(*hollow, strict=True), marker, color="white", markeredgecolor=color,
                    markersize=7, zorder=5)  # fmt: skip


def label_ticks(ax: Axes, ticks: Mapping[float, str]) -> None:
    """Label the ticks of a logarithmic axis with units, and extend it a little."""
    low, high = ax.get_ylim()
    low, high = low / HEADROOM, high * HEADROOM
    ax.set_ylim(low, high)
    shown = {value: text for value, text in ticks.items() if low <= value <= high}
    ax.set_yticks(list(shown), list(shown.values()))
    ax.minorticks_off()


def plot_stages(path: Path, entries: Sequence[Entry]) -> None:
    """Plot the share of each stage of a fit, one bar for each size."""
    stages = list(dict.fromkeys(stage for entry in entries for stage in entry["stages"]))
    names = [f"n = {short_number(e['n_samples'])}, d = {e['n_features']}" for e in entries]
    with canvas(path, 1, 1, (9.2, 0.9 + 0.42 * len(entries))) as (figure, ((ax,),)):
        starts = [0.0] * len(entries)
        for stage, color in zip(stages, STAGE_COLORS, strict=False):
            shares = [100 * e["stages"].get(stage, 0) / sum(e["stages"].values()) for e in entries]
            bars = ax.barh(names, shares, left=starts, color=color, label=stage, height=0.7)
            texts = [f"{share:.0f}" if share >= 4 else "" for share in shares]
            is_light = color in LIGHT or color in (STAGE_COLORS[0], STAGE_COLORS[-1])
            ax.bar_label(bars, texts, label_type="center", color=INK if is_light else "white")
            starts = [start + share for start, share in zip(starts, shares, strict=True)]
        ax.invert_yaxis()
        ax.set(xlim=(0, 100), xlabel="percent of the fit")
        ax.tick_params(length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
        figure.legend(loc="outside upper center", ncols=len(stages))
