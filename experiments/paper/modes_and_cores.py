"""Modes against cluster-cores, the paper's first figure."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from scipy import ndimage

from quickshiftpp import QuickshiftPP
from quickshiftpp.plotting import cluster_colors
from reporting.store import Record, Unit
from reporting.style import FAINT, INK, bare, canvas

from ..common import FloatArray, IntArray
from .claim import Claim, Values
from .densities import Density, grid_cores

FIGURE = "modes_and_cores.png"
SAMPLES = 2500
CELLS = 2000
BETA_LINE = 0.4
K, BETA_SAMPLES = 40, 0.8
# So small that every mode of the estimated density founds a core, as in mode-seeking.
BETA_MODES = 0.01

RIPPLES = Density(
    "ripples",
    ((0.13,), (0.21,), (0.29,), (0.37,), (0.62,), (0.71,), (0.80,), (0.88,)),
    (0.033, 0.036, 0.034, 0.036, 0.042, 0.038, 0.040, 0.035),
    (0.13, 0.15, 0.14, 0.13, 0.10, 0.09, 0.10, 0.07),
)


def crescents(n_samples: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Draw two thick arcs whose density varies along them, as it does in real data."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 2, n_samples)
    # Uneven along the arc, but nowhere empty.
    along = rng.random(n_samples) * np.pi
    along += 0.05 * np.sin(6 * along + 1.5 * which)
    radius = 1 + 0.09 * rng.normal(size=n_samples)
    x, y = radius * np.cos(along), radius * np.sin(along)
    arcs = np.stack([x, y], axis=1), np.stack([1 - x, 0.35 - y], axis=1)
    return np.where(which[:, None] == 0, *arcs), which


def compute(n_samples: int) -> Record:
    """Find the modes and the cores, of a known density and of samples."""
    axis = (np.arange(CELLS) + 0.5) / CELLS
    values = RIPPLES.pdf(axis[:, None])
    peaks = np.flatnonzero(values == ndimage.maximum_filter(values, size=3))
    X, _ = crescents(n_samples)
    model = QuickshiftPP(K, BETA_MODES).fit(X)
    return {
        "line": {
            "x": axis.round(5).tolist(),
            "density": values.round(5).tolist(),
            "modes": peaks.tolist(),
            "cores": grid_cores(values, BETA_LINE).tolist(),
        },
        "samples": {
            "X": X.round(3).tolist(),
            "modes": model.mode_indices_.tolist(),
            "mode_labels": model.labels_.tolist(),
            "labels": model.tree_.labels(BETA_SAMPLES).tolist(),
            "core_labels": model.tree_.core_labels(BETA_SAMPLES).tolist(),
        },
    }


def units(_: Path, n_samples: int = SAMPLES) -> list[Unit]:
    """Return the work: one unit."""
    settings = {"samples": n_samples, "betas": [BETA_LINE, BETA_MODES, BETA_SAMPLES], "k": K}
    return [Unit("modes-and-cores", settings, partial(compute, n_samples))]


def summarize(records: list[Record]) -> Record:
    """Return the result with the numbers of modes and of cores."""
    result: Record = records[0]["result"]
    result["counts"] = {
        "line": [len(result["line"]["modes"]), max(result["line"]["cores"]) + 1],
        "samples": [len(result["samples"]["modes"]), max(result["samples"]["labels"]) + 1],
    }
    return result


def values(result: Record) -> Values:
    """Return the counts."""
    return {
        **result["counts"],
        "n_samples": len(result["samples"]["X"]),
        "k": K,
        "beta_line": BETA_LINE,
        "beta_samples": BETA_SAMPLES,
    }


def draw_line(ax: Axes, line: Record, with_cores: bool) -> None:
    """Draw the density with its modes, or with its cores shaded."""
    x, density = np.array(line["x"]), np.array(line["density"])
    if with_cores:
        cores = np.array(line["cores"])
        for core, color in enumerate(cluster_colors(range(cores.max() + 1))):
            ax.fill_between(x, 0, density, where=cores == core, color=color, alpha=0.8, linewidth=0)
    else:
        modes = line["modes"]
        for mode, color in zip(modes, cluster_colors(range(len(modes))), strict=True):
            ax.plot([x[mode]] * 2, [0, density[mode]], color=color, linewidth=1)
            ax.plot(x[mode], density[mode], "o", color=color, markersize=5)
    ax.plot(x, density, color=INK, linewidth=1.2)
    ax.set_ylim(0, 1.12 * density.max())
    ax.set_xlim(0, 1)
    bare(ax)
    ax.spines["bottom"].set_visible(True)


def draw_samples(ax: Axes, samples: Record, with_cores: bool) -> None:
    """Draw the samples, cores dark."""
    X = np.array(samples["X"])
    if with_cores:
        labels, core = np.array(samples["labels"]), np.array(samples["core_labels"]) >= 0
        colors = cluster_colors(labels)
        ax.scatter(X[~core, 0], X[~core, 1], s=5, c=0.55 + 0.45 * colors[~core], linewidths=0)
        ax.scatter(X[core, 0], X[core, 1], s=5, c=colors[core], linewidths=0)
    else:
        modes = X[samples["modes"]]
        ax.scatter(X[:, 0], X[:, 1], s=5, c=cluster_colors(samples["mode_labels"]), linewidths=0)
        ax.scatter(modes[:, 0], modes[:, 1], s=26, c="white", edgecolors=INK, linewidths=0.9)
    ax.set_aspect("equal")
    bare(ax)


def draw(result: Record, folder: Path) -> None:
    """Draw modes on the left and cores on the right."""
    options = {"gridspec_kw": {"height_ratios": [1, 1.65]}}
    with canvas(folder / FIGURE, 2, 2, (7.6, 4.7), **options) as (_, axes):
        for column, with_cores in enumerate((False, True)):
            draw_line(axes[0, column], result["line"], with_cores)
            draw_samples(axes[1, column], result["samples"], with_cores)
            for row, name in enumerate(("line", "samples")):
                count = result["counts"][name][column]
                noun = "cluster-cores" if with_cores else "modes"
                axes[row, column].set_title(f"{count} {noun}", color=INK if row == 0 else FAINT)


CLAIM = Claim("modes-and-cores", units, summarize, values, draw, needs_data=False)
