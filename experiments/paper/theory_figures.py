"""The figures of the theory, drawn from its result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from quickshiftpp.plotting import cluster_colors
from reporting.store import Record
from reporting.style import BLUE, FAINT, INK, ORANGE, PURPLE, YELLOW, bare, canvas

from .densities import DENSITIES, Density, Truth, truth_of

FIGURES = {"truth": "theory_truth.png", "course": "theory_course.png"}
COLORS = {"below": BLUE, "printed": ORANGE, "tenth": YELLOW, "large": PURPLE}
MARKERS = {"below": "o", "printed": "s", "tenth": "D", "large": "^"}


def draw_line(ax: Axes, density: Density, truth: Truth) -> None:
    """Draw a density on a line, as the paper illustrates interiors."""
    x, colors = truth.centers[:, 0], cluster_colors(range(truth.n_cores))
    values = density.pdf(truth.centers)
    for core, color in enumerate(colors):
        region = truth.regions == core
        ax.fill_between(x, 0, values, where=region, color=color, alpha=0.13, linewidth=0)
        ax.fill_between(x, 0, values, where=truth.interiors == core, facecolor="none",
                        edgecolor=color, hatch="////", linewidth=0, alpha=0.6)  # fmt: skip
        ax.fill_between(x, 0, values, where=truth.cores == core, color=color, alpha=0.75,
                        linewidth=0)  # fmt: skip
    ax.plot(x, values, color=INK, linewidth=1.2)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, None)
    ax.set_xlabel("x")
    ax.set_ylabel("density")


def draw_plane(ax: Axes, density: Density, truth: Truth) -> None:
    """Draw a density in the plane from above."""
    shape = truth.cores.shape
    axis = (np.arange(shape[0]) + 0.5) * truth.cell
    values = density.pdf(truth.centers).reshape(shape).T
    colors = cluster_colors(range(truth.n_cores))
    ax.contour(axis, axis, values, levels=10, colors=FAINT, linewidths=0.4, alpha=0.7)
    for core, color in enumerate(colors):
        for grid, options in (
            (truth.regions, {"colors": [color], "alpha": 0.13}),
            (truth.interiors, {"colors": "none", "hatches": ["////"]}),
            (truth.cores, {"colors": [color], "alpha": 0.75}),
        ):
            drawn = ax.contourf(axis, axis, (grid == core).T, levels=[0.5, 1.5], **options)
            if "hatches" in options:
                drawn.set_edgecolor(to_rgba(color, 0.6))
                drawn.set_linewidth(0.0)
    ax.set_aspect("equal")
    bare(ax)


def draw_truth(result: Record, path: Path) -> None:
    """Draw both densities."""
    options: dict[str, Any] = {"gridspec_kw": {"width_ratios": [1.75, 1]}}
    with canvas(path, 1, 2, (8.2, 3.0), **options) as (_, axes):
        for ax, density in zip(axes[0], DENSITIES.values(), strict=True):
            truth = truth_of(density, result["beta"], result["radius"], result["rho"])
            (draw_line if density.dimension == 1 else draw_plane)(ax, density, truth)
            ax.set_title(density.name)


def formula(regime: Record) -> str:
    """Return k as a formula."""
    power = f"n^{regime['exponent']:.3g}" if regime["exponent"] != 1 else "n"
    return power if regime["factor"] == 1 else f"{regime['factor']:g} {power}"


def plot(ax: Axes, name: str, n: Any, values: Any, label: str) -> None:
    """Draw one quantity over n."""
    kept = [(a, b) for a, b in zip(n, values, strict=True) if b is not None]
    ax.plot(*zip(*kept, strict=True), color=COLORS[name], marker=MARKERS[name], markersize=3.5,
            label=label)  # fmt: skip


def log_axis(ax: Axes) -> None:
    """Make the vertical axis logarithmic, with plain numbers on it."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())


def draw_course(result: Record, path: Path) -> None:
    """Draw a row for each density: cores, distance, interior, error of the density."""
    titles = ("cores one to one\n(Theorem 1)", "Hausdorff distance of cores\n(Theorem 1)",
              "interior with the right label\n(Theorem 2)",
              "largest error of the density\n(Lemma 2, inside)")  # fmt: skip
    densities = result["densities"]
    with canvas(path, len(densities), 4, (10, 2.5 * len(densities))) as (_, axes):
        for line, (name, one) in zip(axes, densities.items(), strict=True):
            for regime_name, regime in one["regimes"].items():
                rows = regime["cores"]["rows"]
                n, label = [row["n"] for row in rows], f"k = {formula(regime)}"
                for ax, column in zip(line, ("right", "hausdorff", "interior"), strict=False):
                    plot(ax, regime_name, n, [row[column] for row in rows], label)
                errors = regime["errors"]
                plot(line[3], regime_name, errors["n"], errors["inside"], label)
                draw_prediction(line[3], regime, COLORS[regime_name])
            for ax, title in zip(line, titles, strict=True):
                ax.set_xscale("log")
                ax.set_xlabel("n")
                if name == next(iter(densities)):
                    ax.set_title(title)
            for ax in (line[1], line[3]):
                log_axis(ax)
            line[0].set_ylim(-0.04, 1.04)
            line[0].set_ylabel(name)
            line[0].legend(loc="best")


def draw_prediction(ax: Axes, regime: Record, color: str) -> None:
    """Draw the slope that Lemma 2 predicts, through the last value."""
    n, last = np.array(regime["errors"]["n"]), regime["errors"]["inside"][-1]
    ax.plot(n, last * (n / n[-1]) ** regime["predicted"], color=color, linestyle=(0, (4, 3)),
            linewidth=0.9)  # fmt: skip


def draw(result: Record, folder: Path) -> None:
    """Draw both figures."""
    draw_truth(result, folder / FIGURES["truth"])
    draw_course(result, folder / FIGURES["course"])
