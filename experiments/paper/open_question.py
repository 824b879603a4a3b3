"""How often is the nearest denser sample among the k nearest? The paper leaves it open.

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
from reporting.store import Record, Unit
from reporting.style import FAINT, INK, canvas
from reporting.tables import table

from ..common import FloatArray
from ..cores import denser_shares
from .algorithms import units_for
from .claim import Claim, Values
from .data import read
from .paper_figures import DATASETS

FIGURE = "open_question.png"
KS = (3, 5, 10, 20, 50, 100, 200)
SHOWN = KS[:6]  # of the nine sets
SIZES = (300, 1000, 3000, 10_000, 30_000)
DIMENSIONS = (1, 2, 3, 5, 8, 12, 20)
KINDS = ("uniform", "Gaussian", "ten Gaussians")
MIDDLE = {"n": 10_000, "d": 5, "k": 20}  # fixed while another is varied
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
    shares = denser_shares(X, ks)
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


def summarize(records: list[Record]) -> Record:
    """Return the shares for the nine sets and for the known densities, with fitted powers of k."""
    sets: Record = {}
    known = []
    for record in records:
        result = record["result"]
        if "denser_in_reach" in result:
            k, share = zip(*result["denser_in_reach"], strict=True)
            # Above a fifth of the samples, k-NN sets are nearly everything.
            n_samples = DATASETS[record["settings"]["set"]].n_samples
            used = [place for place, one in enumerate(k) if 5 <= one <= n_samples / 5]
            power = fit_power([k[u] for u in used], [1 - share[u] for u in used])
            sets[record["settings"]["set"]] = {"k": k, "share": share, "power": power}
        else:
            result["power"] = fit_power(result["k"], [1 - one for one in result["share"]])
            known.append(result)
    return {"sets": sets, "known": known}


def share_at(k: list[int], share: list[float], wanted: int) -> str:
    """Return the share at one k, in percent."""
    return f"{100 * share[list(k).index(wanted)]:.1f}%" if wanted in k else "-"


def pick(known: list[Record], **wanted: Any) -> list[Record]:
    """Return the records with these values."""
    return [one for one in known if all(one[name] == value for name, value in wanted.items())]


def sets_table(sets: Record) -> str:
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
    return table(header, rows, "Samples whose nearest denser sample is among their k nearest")


def rest_of(varied: str) -> str:
    """Return what is fixed while one quantity is varied."""
    return ", ".join(f"{name} = {value:,}" for name, value in MIDDLE.items() if name != varied)


def known_table(known: list[Record], varied: str, sizes: tuple[int, ...]) -> str:
    """Return the share over n, or over d, with the other quantities fixed."""
    fixed = {name: value for name, value in MIDDLE.items() if name not in (varied, "k")}
    rows = []
    for kind in KINDS:
        found = {one[varied]: one for one in pick(known, kind=kind, **fixed)}
        cells = [share_at(found[v]["k"], found[v]["share"], MIDDLE["k"]) for v in sizes]
        rows.append([kind, *cells])
    header = ["density", *(f"{varied} = {size:,}" for size in sizes)]
    return table(header, rows, f"Known densities, {rest_of(varied)}")


def values(result: Record) -> Values:
    """Return the answer."""
    sets, known, k = result["sets"], result["known"], MIDDLE["k"]
    shares = [one["share"][list(one["k"]).index(k)] for one in sets.values() if k in one["k"]]
    large = pick(known, n=max(SIZES))
    powers = [one["power"][1] for one in large]
    # Times k: what is below 1 is below 1/k.
    cases = [
        (1 - share) * k for one in known for k, share in zip(one["k"], one["share"], strict=True)
    ]
    above = [
        DATASETS[name].title
        for name, one in sets.items()
        if any(k in SHOWN and (1 - share) * k > 1
               for k, share in zip(one["k"], one["share"], strict=True))
    ]  # fmt: skip
    return {
        "sets": sets_table(sets),
        "over_n": known_table(known, "n", SIZES),
        "over_d": known_table(known, "d", DIMENSIONS),
        "k": k,
        "low": min(shares),
        "high": max(shares),
        "largest": max(SIZES),
        "least_power": np.nanmin(powers),
        "most_power": np.nanmax(powers),
        "few": LOW,
        "many": HIGH,
        "low_power": np.nanmean([one["power"][1] for one in large if one["d"] <= LOW]),
        "high_power": np.nanmean([one["power"][1] for one in large if one["d"] >= HIGH]),
        "below": sum(case < 1 for case in cases),
        "n_cases": len(cases),
        "above": ", ".join(above) or "none",
    }


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
        misses[misses == 0] = np.nan  # not on a logarithmic axis
        ax.plot(x, misses, marker=marker, markersize=3.5, label=kind)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(varied)
    ax.set_title(f"known densities, {rest_of(varied)}")


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


CLAIM = Claim("open-question", units, summarize, values, draw)
