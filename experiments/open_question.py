"""Claim 6: how often is the nearest denser sample among the k nearest? The paper leaves it open.

Measured on the nine sets from the same fits as the table, and on known densities over n, d and k.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from cycler import cycler
from matplotlib.axes import Axes

from quickshiftpp.plotting import cluster_colors

from .algorithms import units_for
from .cores import denser_in_reach, landscapes
from .data import FloatArray, read
from .experiment import Block, Experiment, Finding, Picture, Sheet
from .paper_figures import DATASETS
from .store import Record, Unit
from .style import FAINT, INK, canvas

FIGURE = "open_question.png"
KS = (3, 5, 10, 20, 50, 100, 200)
SHOWN = KS[:6]  # of the nine sets
SIZES = (300, 1000, 3000, 10_000, 30_000)
DIMENSIONS = (1, 2, 3, 5, 8, 12, 20)
KINDS = ("uniform", "Gaussian", "ten Gaussians")
MIDDLE = {"n": 10_000, "d": 5, "k": 20}  # what is kept while another is varied
LOW, HIGH = 3, 12  # dimensions that count as few, and as many
_CENTERS = 10


def make(kind: str, n_samples: int, dimension: int) -> FloatArray:
    """Draw samples of a known density."""
    rng = np.random.default_rng([KINDS.index(kind), n_samples, dimension])
    if kind == "uniform":
        return rng.random((n_samples, dimension))
    X: FloatArray = rng.normal(size=(n_samples, dimension))
    if kind == "ten Gaussians":
        centers = rng.normal(scale=3, size=(_CENTERS, dimension))
        X += centers[rng.integers(0, _CENTERS, n_samples)]
    return X


def compute(kind: str, n_samples: int, dimension: int) -> Record:
    """Return the share for every k."""
    X = make(kind, n_samples, dimension)
    ks = [k for k in KS if k <= n_samples // 2]
    shares = {one.k: denser_in_reach(X, one) for one in landscapes(X, ks)}
    return {
        "kind": kind, "n": n_samples, "d": dimension,
        "k": ks, "share": [shares[k] for k in ks],
    }  # fmt: skip


def units(directory: Path) -> list[Unit]:
    """Return the work: known densities, and for the nine sets the fits of the table."""
    sets = [read(directory, name) for name in DATASETS]
    fits = [u for data in sets for u in units_for(data) if u.settings["algorithm"] == "cores"]
    return [*fits, *synthetic_units(SIZES)]


def synthetic_units(sizes: tuple[int, ...]) -> list[Unit]:
    """Return the work on known densities."""
    return [
        Unit(f"denser-{kind.replace(' ', '-')}-{n}-{d}d", {"kind": kind, "n": n, "d": d, "ks": KS},
             partial(compute, kind, n, d))
        for kind in KINDS
        for n in sizes
        for d in DIMENSIONS
    ]  # fmt: skip


def fit_power(k: Any, misses: Any) -> tuple[float, float]:
    """Return c and a of misses = c k^-a, fitted where there are any misses."""
    k, misses = np.array(k, dtype=float), np.array(misses)
    used = misses > 0
    if used.sum() < 2:
        return float("nan"), float("nan")
    slope, intercept = np.polyfit(np.log(k[used]), np.log(misses[used]), 1)
    return float(np.exp(intercept)), float(-slope)


def summarise(records: list[Record]) -> Record:
    """Return the shares for the nine sets and for the known densities, with fitted powers of k."""
    sets: Record = {}
    known = []
    for record in records:
        result = record["result"]
        if "denser_in_reach" in result:
            k, share = zip(*result["denser_in_reach"], strict=True)
            # The course over k is the matter; from a fifth of the samples on, k-NN sets are all.
            n_samples = DATASETS[record["settings"]["set"]].n_samples
            used = [place for place, one in enumerate(k) if 5 <= one <= n_samples / 5]
            power = fit_power([k[u] for u in used], [1 - share[u] for u in used])
            sets[record["settings"]["set"]] = {"k": k, "share": share, "power": power}
        else:
            result["power"] = fit_power(result["k"], [1 - one for one in result["share"]])
            known.append(result)
    return {"sets": sets, "known": known}


def share_at(k: list[int], share: list[float], wanted: int) -> str:
    """Return the share at one k, in per cent."""
    return f"{100 * share[list(k).index(wanted)]:.1f}%" if wanted in k else "-"


def pick(known: list[Record], **wanted: Any) -> list[Record]:
    """Return the records with these values."""
    return [one for one in known if all(one[name] == value for name, value in wanted.items())]


def range_at_middle(sets: Record) -> tuple[float, float]:
    """Return the least and the greatest share over the sets, at the middle k."""
    k = MIDDLE["k"]
    shares = [one["share"][list(one["k"]).index(k)] for one in sets.values() if k in one["k"]]
    return min(shares), max(shares)


def sets_sheet(sets: Record) -> Sheet:
    """Return the share on the nine sets."""
    rows = [
        [
            DATASETS[name].title,
            *(share_at(one["k"], one["share"], k) for k in SHOWN),
            f"{one['power'][0]:.2f} k^-{one['power'][1]:.2f}",
        ]
        for name, one in sets.items()
    ]
    header = ["set", *(f"k = {k}" for k in SHOWN), "share without"]
    return Sheet("Samples whose nearest denser sample is among their k nearest", header, rows)


def known_sheet(known: list[Record], varied: str, values: tuple[int, ...]) -> Sheet:
    """Return the share over n, or over d, at the middle of everything else."""
    fixed = {name: value for name, value in MIDDLE.items() if name not in (varied, "k")}
    rows = []
    for kind in KINDS:
        found = {one[varied]: one for one in pick(known, kind=kind, **fixed)}
        cells = [share_at(found[v]["k"], found[v]["share"], MIDDLE["k"]) for v in values]
        rows.append([kind, *cells])
    rest = ", ".join(f"{name} = {value:,}" for name, value in MIDDLE.items() if name != varied)
    header = ["density", *(f"{varied} = {value:,}" for value in values)]
    return Sheet(f"Known densities, {rest}", header, rows)


def section(result: Record) -> list[Block]:
    """Tell the answer."""
    sets, known = result["sets"], result["known"]
    low, high = range_at_middle(sets)
    large = pick(known, n=max(SIZES))
    powers = np.array([one["power"] for one in large])
    low_d = np.array([one["power"][1] for one in large if one["d"] <= LOW])
    high_d = np.array([one["power"][1] for one in large if one["d"] >= HIGH])
    known_cells = [
        (1 - share) * k for one in known for k, share in zip(one["k"], one["share"], strict=True)
    ]
    below = sum(cell < 1 for cell in known_cells)
    above = [
        DATASETS[name].title
        for name, one in sets.items()
        if any(k in SHOWN and (1 - share) * k > 1
               for k, share in zip(one["k"], one["share"], strict=True))
    ]  # fmt: skip
    return [
        "The paper finds that the nearest denser sample is mostly in the k-NN set and calls it an "
        "open problem whether it often is. Measured, the densest sample left out:",
        Picture(FIGURE, "The share of samples whose nearest denser sample is not among the k "
                "nearest: the nine sets, and known densities over k, n and d. Dashed: 1/k."),
        sets_sheet(sets),
        known_sheet(known, "n", SIZES),
        known_sheet(known, "d", DIMENSIONS),
        f"**It is.** At k = {MIDDLE['k']} it holds for {low:.1%} to "
        f"{high:.1%} of the samples of the nine sets. The share without falls as "
        f"a power of k. For known densities and n = {max(SIZES):,} the fitted power is "
        f"k^-{np.nanmin(powers[:, 1]):.2f} to k^-{np.nanmax(powers[:, 1]):.2f}, "
        f"{np.nanmean(low_d):.2f} on average up to {LOW} dimensions and {np.nanmean(high_d):.2f} "
        f"from {HIGH} on. If a sample were as likely as each of its neighbours to be the densest "
        "of them, the share without would be 1/k; it is less in "
        f"{below} of {len(known_cells)} cases of known densities, and the less the more dimensions "
        "there are. It hardly depends on n. Of the nine sets, those above 1/k at some k of the "
        f"table: {', '.join(above) or 'none'}.",
    ]  # fmt: skip


def draw_known(ax: Axes, result: Record, varied: str) -> None:
    """Draw the known densities over one of k, n and d."""
    for kind, marker in zip(KINDS, "osD", strict=True):
        fixed = {name: value for name, value in MIDDLE.items() if name not in (varied, "k")}
        found = sorted(
            pick(result["known"], kind=kind, **fixed), key=lambda one: one.get(varied, 0)
        )
        if varied == "k":
            x, share = found[0]["k"], found[0]["share"]
        else:
            x = [one[varied] for one in found]
            share = [one["share"][one["k"].index(MIDDLE["k"])] for one in found]
        misses = 1 - np.array(share)
        misses[misses == 0] = np.nan  # which a logarithmic axis has no place for
        ax.plot(x, misses, marker=marker, markersize=3.5, label=kind)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(varied)
    rest = ", ".join(f"{name} = {value:,}" for name, value in MIDDLE.items() if name != varied)
    ax.set_title(f"known densities, {rest}")


def draw(result: Record, folder: Path) -> None:
    """Draw the sets and the known densities."""
    with canvas(folder / FIGURE, 1, 4, (11, 2.9), sharey=True) as (_, axes):
        for ax in axes[0]:
            ax.set_prop_cycle(cycler(color=cluster_colors(range(len(DATASETS)))))
        first = axes[0, 0]
        for name, one in result["sets"].items():
            k, share = np.array(one["k"]), np.array(one["share"])
            used = (k <= DATASETS[name].n_samples / 5) & (share < 1)
            first.plot(k[used], 1 - share[used], linewidth=1, label=DATASETS[name].title)
        first.set_xscale("log")
        first.set_xlabel("k")
        first.set_ylabel("share without a denser sample\namong the k nearest")
        first.set_title("the nine sets")
        for ax, varied in zip(axes[0, 1:], ("k", "n", "d"), strict=True):
            draw_known(ax, result, varied)
        for ax in axes[0, :2]:
            ks = np.array([2, 1000])
            ax.plot(ks, 1 / ks, color=FAINT, linestyle=(0, (4, 3)), linewidth=0.9)
        first.legend(fontsize=6, ncols=2, labelcolor=INK)
        axes[0, 1].legend(labelcolor=INK)


def short(result: Record) -> list[Finding]:
    """Tell it in a few words."""
    low, high = range_at_middle(result["sets"])
    return [
        (
            "the open question",
            f"yes: for {low:.1%} to {high:.1%} of the samples of the nine sets the nearest denser "
            f"sample is among the k = {MIDDLE['k']} nearest",
        )
    ]


EXPERIMENT = Experiment(
    "open-question", "The open question", units, summarise, section, short, draw
)
