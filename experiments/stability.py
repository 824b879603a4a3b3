"""Claim 2: a score over its parameter (figure "clustering performance as a function of ...").

From the same fits as the table.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from . import table
from .algorithms import MOST_CLUSTERS, units_for
from .curves import NEAR, Curve, near_share
from .data import read
from .experiment import Block, Experiment, Finding, Picture, Sheet
from .paper_figures import ALGORITHMS, DATASETS
from .store import Record, Unit
from .style import BLUE, FAINT, INK, ORANGE, canvas

FIGURE = "stability.png"


def units(directory: Path) -> list[Unit]:
    """Return the work: what the table needs, without the random thousands."""
    wanted = {"k_means", "dbscan", "cores", "mean_shift", "quick_shift"}
    sets = [read(directory, name) for name in DATASETS]
    return [u for data in sets for u in units_for(data) if u.settings["algorithm"] in wanted]


def summarise(records: list[Record]) -> Record:
    """Return the curves, and the share of each that is near its best."""
    sets, _ = table.collect(records)
    curves = {name: table.curves_of(work) for name, work in sets.items()}
    ratio, _ = table.choose_ratio(curves)
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
    """Return each algorithm's mean share over the sets."""
    return {
        algorithm: float(np.mean([row[algorithm]["near"][score] for row in result.values()]))
        for algorithm in ALGORITHMS
    }


def sheet(result: Record, score: str) -> Sheet:
    """Return the shares for one score."""
    rows = [
        [DATASETS[name].title, *(f"{100 * row[a]['near'][score]:.0f}%" for a in ALGORITHMS)]
        for name, row in result.items()
    ]
    rows.append(
        ["**mean**", *(f"**{100 * share:.0f}%**" for share in means(result, score).values())]
    )
    title = f"Share of the logarithmic range with {score.upper()} within {NEAR:.0%} of the best"
    return Sheet(title, ["set", *ALGORITHMS.values()], rows)


def section(result: Record) -> list[Block]:
    """Tell how stable each algorithm is."""
    largest = {name: row["quickshiftpp"]["curve"]["values"][-1] for name, row in result.items()}
    shorter = "".join(
        f" ({DATASETS[name].title}: to {k:,.0f})"
        for name, k in largest.items()
        if k < DATASETS[name].n_samples // 2
    )
    both = [means(result, score) for score in ("ari", "ami")]
    behind = [
        name for name in ALGORITHMS if all(shares[name] < shares["quickshiftpp"] for shares in both)
    ]
    ahead = [name for name in ALGORITHMS if name not in (*behind, "quickshiftpp")]
    parts = []
    for score in ("ari", "ami"):
        shares = means(result, score)
        order = sorted(shares, key=lambda name: -shares[name])
        place = order.index("quickshiftpp") + 1
        parts.append(
            f"by {score.upper()} Quickshift++ is number {place} of {len(order)}, with a mean of "
            f"{100 * shares['quickshiftpp']:.0f}%; "
            + ", ".join(f"{ALGORITHMS[name]} {100 * shares[name]:.0f}%" for name in order)
        )
    return [
        "The range is the whole of what makes sense, on a logarithmic scale: k from 2 to half of "
        f"the samples{shorter}, eps from where all is noise to where all is one cluster, "
        "bandwidths from the distance between nearest samples to the diameter of the data, the "
        f"number of k-means clusters from 2 to {MOST_CLUSTERS} or half of the samples.",
        Picture(FIGURE, "Score over the parameter: adjusted Rand index and adjusted mutual "
                "information, marks at the best. Compare the paper's figure on stability."),
        sheet(result, "ari"),
        sheet(result, "ami"),
        "Averaged over the nine sets: " + ". And ".join(parts) + ". "
        "So the paper's claim of robustness in k is supported against "
        f"{', '.join(ALGORITHMS[name] for name in behind)}, and not against "
        f"{', '.join(ALGORITHMS[name] for name in ahead)}.",
    ]  # fmt: skip


def draw_curve(ax: Axes, curve: Curve) -> None:
    """Draw both scores, and mark the best of each."""
    for score, color in (("ami", BLUE), ("ari", ORANGE)):
        values, scores = np.array(curve["values"]), np.array(curve[score])
        ax.plot(values, scores, color=color, linewidth=1.1, label=score.upper())
        place = int(scores.argmax())
        ax.plot(values[place], scores[place], "o", color=color, markersize=3)
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
                ax.text(0.98, 0.97, f"{100 * share:.0f}%", transform=ax.transAxes, ha="right",
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


def short(result: Record) -> list[Finding]:
    """Tell it in a few words."""
    shares = means(result, "ari")
    other = max((name for name in shares if name != "quickshiftpp"), key=lambda a: shares[a])
    return [
        (
            "stability",
            f"ARI within {NEAR:.0%} of its best over {shares['quickshiftpp']:.0%} of the range of "
            f"k, on average; the best of the others is {ALGORITHMS[other]}, {shares[other]:.0%}",
        )
    ]


EXPERIMENT = Experiment(
    "stability", "Stability in the parameter", units, summarise, section, short, draw
)
