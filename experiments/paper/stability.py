"""Scores over the range of a parameter (figure "clustering performance as a function of ...").

From the same fits as the table.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from reporting.store import Record, Unit
from reporting.style import BLUE, FAINT, INK, ORANGE, canvas
from reporting.tables import bold, table

from .algorithms import MOST_CLUSTERS, units_for
from .claim import Claim, Values
from .curves import NEAR, Curve, near_share
from .data import read
from .paper_figures import ALGORITHMS, DATASETS
from .table import choose_ratio, collect, curves_of

FIGURE = "stability.png"


def units(directory: Path) -> list[Unit]:
    """Return the work: the fits of the table, without the random thousands."""
    sets = [read(directory, name) for name in DATASETS]
    return [u for data in sets for u in units_for(data) if u.settings["algorithm"] != "own"]


def summarize(records: list[Record]) -> Record:
    """Return the curves, and the share of each that is near its best."""
    sets, _ = collect(records)
    curves = {name: curves_of(work) for name, work in sets.items()}
    ratio, _ = choose_ratio(curves)
    result: Record = {}
    for name, every in curves.items():
        every["quick_shift"] = every[f"quick_shift_{ratio:g}"]
        result[name] = {
            algorithm: {
                "curve": {k: every[algorithm][k] for k in ("parameter", "values", "ari", "ami")},
                "near": {score: near_share(every[algorithm], score) for score in ("ari", "ami")},
            }
            for algorithm in ALGORITHMS
        }
    return result


def means(result: Record, score: str) -> dict[str, float]:
    """Return the mean share of each algorithm over the sets, the largest first."""
    shares = {
        algorithm: float(np.mean([row[algorithm]["near"][score] for row in result.values()]))
        for algorithm in ALGORITHMS
    }
    return dict(sorted(shares.items(), key=lambda pair: -pair[1]))


def share_table(result: Record, score: str) -> str:
    """Return the shares of one score."""
    rows = [
        [DATASETS[name].title, *(f"{row[a]['near'][score]:.0%}" for a in ALGORITHMS)]
        for name, row in result.items()
    ]
    mean = means(result, score)
    rows.append([bold("mean"), *(bold(f"{mean[a]:.0%}") for a in ALGORITHMS)])
    title = f"Share of the logarithmic range with {score.upper()} within {NEAR:.0%} of the best"
    return table(["set", *ALGORITHMS.values()], rows, title)


def values(result: Record) -> Values:
    """Return how stable each algorithm is."""
    found: dict[str, object] = {"most_clusters": MOST_CLUSTERS, "near": NEAR}
    by_score = {score: means(result, score) for score in ("ari", "ami")}
    for score, shares in by_score.items():
        listed = [f"{ALGORITHMS[name]} {share:.0%}" for name, share in shares.items()]
        found[score] = {
            "table": share_table(result, score),
            "place": list(shares).index("quickshiftpp") + 1,
            "means": ", ".join(listed),
        }
    others = [name for name in by_score["ari"] if name != "quickshiftpp"]
    behind = [
        name
        for name in others
        if all(shares[name] < shares["quickshiftpp"] for shares in by_score.values())
    ]
    # Where k does not go as far as half of the samples.
    largest = {name: row["quickshiftpp"]["curve"]["values"][-1] for name, row in result.items()}
    return {
        **found,
        "algorithms": len(ALGORITHMS),
        "behind": ", ".join(ALGORITHMS[name] for name in behind),
        "ahead": ", ".join(ALGORITHMS[name] for name in others if name not in behind),
        "own_share": by_score["ari"]["quickshiftpp"],
        "rival": ALGORITHMS[others[0]],
        "rival_share": by_score["ari"][others[0]],
        "shorter": ", ".join(
            f"{DATASETS[name].title}: to {k:,.0f}"
            for name, k in largest.items()
            if k < DATASETS[name].n_samples // 2
        ),
    }


def draw_curve(ax: Axes, curve: Curve) -> None:
    """Draw both scores, and mark the best of each."""
    for score, color in (("ami", BLUE), ("ari", ORANGE)):
        x, scores = np.array(curve["values"]), np.array(curve[score])
        ax.plot(x, scores, color=color, linewidth=1.1, label=score.upper())
        place = int(scores.argmax())
        ax.plot(x[place], scores[place], "o", color=color, markersize=3)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(numticks=4))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlim(min(curve["values"]), max(curve["values"]))


def draw(result: Record, folder: Path) -> None:
    """Draw sets by algorithms."""
    size = (10, 1.15 * len(result) + 0.6)
    with canvas(folder / FIGURE, len(result), len(ALGORITHMS), size, sharey="row") as (fig, axes):
        for (name, row), line in zip(result.items(), axes, strict=True):
            for algorithm, ax in zip(ALGORITHMS, line, strict=True):
                draw_curve(ax, row[algorithm]["curve"])
                share = row[algorithm]["near"]["ari"]
                ax.text(0.98, 0.97, f"{share:.0%}", transform=ax.transAxes, ha="right",
                        va="top", fontsize=6.5, color=FAINT)  # fmt: skip
            top = max(max(row[a]["curve"][s]) for a in ALGORITHMS for s in ("ari", "ami"))
            line[0].set_ylim(-0.04 * top, 1.12 * top)
            line[0].set_ylabel(DATASETS[name].title)
        for algorithm, ax in zip(ALGORITHMS, axes[0], strict=True):
            parameter = result[next(iter(result))][algorithm]["curve"]["parameter"]
            ax.set_title(f"{ALGORITHMS[algorithm]}\n", fontweight="bold")
            ax.text(0.5, 1.06, parameter, transform=ax.transAxes, ha="center", fontsize=7,
                    color=FAINT)  # fmt: skip
        handles, labels = axes[0, 0].get_legend_handles_labels()
        fig.legend(handles, labels, loc="outside lower center", ncols=2, labelcolor=INK)


CLAIM = Claim("stability", units, summarize, values, draw)
