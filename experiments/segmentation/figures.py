"""The figures of the segmentation experiment, drawn from its result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from reporting.store import Record
from reporting.style import BLUE, FAINT, INK, ORANGE, PURPLE, RULE, YELLOW, canvas

from .own import CUT_ONLY, SWEEP
from .summary import MEASURES, REFERENCE

FOLDER = "segmentation"
FILES = {"course": "quality_course.png", "pairs": "quality_pairs.png"}
TITLES = {
    "covering": "Covering",
    "rand_index": "Probabilistic Rand index",
    "variation": "Variation of information, bits",
}
# The label, color and marker of each method; those with a line are one sweep.
LOOKS: dict[str, tuple[str, str, str, bool]] = {
    SWEEP: ("Quickshift++, merged", BLUE, "o", True),
    CUT_ONLY: ("Quickshift++, cut alone", BLUE, "x", False),
    "felzenszwalb": ("felzenszwalb", ORANGE, "s", False),
    "MeanShift": ("Mean Shift, reduced", PURPLE, "^", False),
    "slic": ("slic", YELLOW, "D", False),
    "quickshift": ("quickshift", FAINT, "v", False),
}


def draw_course(ax: Axes, result: Record, measure: str) -> None:
    """Draw the mean score of every setting over the mean number of segments."""
    rows = result["rows"]
    people, shipped = rows["people"], rows["shipped"]
    ax.axhline(people[measure]["ods"], color=INK, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    for name, (label, color, marker, joined) in LOOKS.items():
        course = rows[name]["course"]
        x, y = np.array(course["segments"]), np.array(course[measure])
        order = np.argsort(x)
        ax.plot(x[order], y[order], color=color, marker=marker, label=label, markersize=3.4,
                linestyle="-" if joined else "none", markeredgewidth=0.9, clip_on=True,
                markerfacecolor="none" if marker != "o" else color,
                zorder=3 if joined else 2)  # fmt: skip
    ax.plot(shipped["course"]["segments"], shipped["course"][measure], marker="*", markersize=11,
            color=BLUE, markeredgecolor="white", markeredgewidth=0.7, linestyle="none",
            label="segment(image), as shipped", zorder=4)  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(2.5, 400)
    ax.xaxis.set_major_locator(FixedLocator([3, 10, 30, 100, 300]))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel("segments, mean over photographs")
    ax.set_title(f"{TITLES[measure]} {'↑' if MEASURES[measure] > 0 else '↓'}", loc="left")
    ax.grid(axis="y", color=RULE, linewidth=0.4)


def draw_pairs(ax: Axes, result: Record, measure: str) -> None:
    """Draw every photograph: the reference at its best against what is shipped."""
    pairs = np.array(result["pairs"][measure])
    low, high = pairs.min(), pairs.max()
    margin = 0.04 * (high - low)
    limits = low - margin, high + margin
    side = limits[1] if MEASURES[measure] > 0 else limits[0]
    ax.fill_between(limits, limits, [side, side], color=BLUE, alpha=0.06, linewidth=0)
    ax.plot(limits, limits, color=INK, linewidth=0.7, zorder=1)
    for half, (color, marker, label) in enumerate(
        ((PURPLE, "o", "photographs to choose by"), (BLUE, "s", "photographs to confirm"))
    ):
        ax.plot(*pairs[half::2].T, color=color, marker=marker, linestyle="none", markersize=3.6,
                markerfacecolor="none", markeredgewidth=0.9, label=label)  # fmt: skip
    ax.set_xlim(limits)
    ax.set_ylim(limits)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5))
    wins: dict[str, Any] = result["wins"][measure]
    ax.set_title(TITLES[measure], loc="left")
    corner: dict[str, Any] = (
        {"x": 0.04, "y": 0.96, "va": "top", "ha": "left"}
        if MEASURES[measure] > 0
        else {"x": 0.96, "y": 0.04, "va": "bottom", "ha": "right"}
    )
    ax.text(s=f"better on {wins['better']} of {len(pairs)}", transform=ax.transAxes, color=BLUE,
            fontsize=7.5, **corner)  # fmt: skip
    ax.set_xlabel(f"{REFERENCE}, at its best setting")


def draw(result: Record, folder: Path) -> None:
    """Draw both figures."""
    with canvas(folder / FILES["course"], 1, 3, (9.2, 3.3)) as (drawing, axes):
        for ax, measure in zip(axes[0], MEASURES, strict=True):
            draw_course(ax, result, measure)
        axes[0, 0].set_ylim(0, 0.8)
        axes[0, 1].set_ylim(0.4, 0.9)
        axes[0, 2].set_ylim(1, 6)
        for ax, measure in zip(axes[0], MEASURES, strict=True):
            level = result["rows"]["people"][measure]["ods"]
            ax.annotate("people", (390, level), xytext=(0, 2), textcoords="offset points",
                        ha="right", va="bottom", fontsize=7.5, color=INK)  # fmt: skip
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=7,
                       columnspacing=1.2, handletextpad=0.4)  # fmt: skip
    with canvas(folder / FILES["pairs"], 1, 3, (9.2, 3.5)) as (drawing, axes):
        for ax, measure in zip(axes[0], MEASURES, strict=True):
            draw_pairs(ax, result, measure)
        axes[0, 0].set_ylabel("segment(image), as shipped")
        drawing.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
