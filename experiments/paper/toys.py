"""Toy shapes (figure "Comparison against other clustering algorithms on toy datasets").

The sets of scikit-learn's comparison of clustering algorithms, in their size of 2018. Quickshift++
and MCores use the paper's one setting for all; the others are tuned as in that comparison, and
Quick Shift, which is not part of it, to the true number of clusters.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.cluster import DBSCAN, KMeans, MeanShift, estimate_bandwidth
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from quickshiftpp import DegenerateClusteringWarning, MCores, QuickShift, QuickshiftPP
from quickshiftpp.plotting import cluster_colors
from reporting.store import Record, Unit
from reporting.style import FAINT, bare, canvas
from reporting.tables import format_score, plural, table

from ..common import FloatArray, IntArray
from .claim import Claim, Values
from .paper_figures import ALGORITHMS, TOY_BETA, TOY_K

FIGURE = "toys.png"
SAMPLES = 1500
TAU_RATIO = 3.0  # Quick Shift's tau in bandwidths, the package's default
_SEED = 30
_STRETCH_SEED = 170
_STRETCH = np.array([[0.6, -0.6], [-0.4, 0.8]])

NO_STRUCTURE = "no structure"

# What scikit-learn's comparison sets for each: clusters, eps, the quantile behind the bandwidth.
TUNING: dict[str, dict[str, Any]] = {
    "two rings": {"clusters": 2, "eps": 0.3, "quantile": 0.2},
    "two moons": {"clusters": 2, "eps": 0.3, "quantile": 0.2},
    "three densities": {"clusters": 3, "eps": 0.18, "quantile": 0.3},
    "stretched": {"clusters": 3, "eps": 0.15, "quantile": 0.3},
    "blobs": {"clusters": 3, "eps": 0.3, "quantile": 0.3},
    NO_STRUCTURE: {"clusters": 3, "eps": 0.3, "quantile": 0.3},
}


def make(name: str, n_samples: int) -> tuple[FloatArray, IntArray]:
    """Return a set, scaled as in scikit-learn's comparison, and its true classes."""
    if name == "two rings":
        X, y = datasets.make_circles(n_samples, factor=0.5, noise=0.05, random_state=_SEED)
    elif name == "two moons":
        X, y = datasets.make_moons(n_samples, noise=0.05, random_state=_SEED)
    elif name == "three densities":
        X, y = datasets.make_blobs(
            n_samples, cluster_std=[1.0, 2.5, 0.5], random_state=_STRETCH_SEED
        )
    elif name == "stretched":
        X, y = datasets.make_blobs(n_samples, random_state=_STRETCH_SEED)
        X = X @ _STRETCH
    elif name == "blobs":
        X, y = datasets.make_blobs(n_samples, random_state=_SEED)
    else:
        X = np.random.default_rng(_SEED).random((n_samples, 2))
        y = np.zeros(n_samples, dtype=np.int64)
    return StandardScaler().fit_transform(X), y


def quick_shift(X: FloatArray, clusters: int) -> IntArray:
    """Tune the bandwidth so that the number of clusters is as close to the true one as possible."""
    bandwidths = np.geomspace(0.03, 1.0, 40).tolist()
    found = [QuickShift(bandwidth=h, tau=TAU_RATIO * h).fit(X) for h in bandwidths]
    best = min(found, key=lambda model: abs(model.n_clusters_ - clusters))
    labels: IntArray = best.labels_.astype(np.int64)
    return labels


def cluster(X: FloatArray, tuning: dict[str, Any]) -> dict[str, IntArray]:
    """Return the labels of all six algorithms."""
    with warnings.catch_warnings():
        # One cluster is the right answer where there is no structure.
        warnings.simplefilter("ignore", DegenerateClusteringWarning)
        quickshiftpp = QuickshiftPP(TOY_K, TOY_BETA).fit_predict(X)
    bandwidth = estimate_bandwidth(X, quantile=tuning["quantile"], random_state=0)
    return {
        "k_means": KMeans(tuning["clusters"], n_init=10, random_state=0).fit_predict(X),
        "dbscan": DBSCAN(eps=tuning["eps"]).fit_predict(X),
        "mcores": MCores(TOY_K, TOY_BETA).fit_predict(X),
        "mean_shift": MeanShift(bandwidth=bandwidth, bin_seeding=True).fit_predict(X),
        "quick_shift": quick_shift(X, tuning["clusters"]),
        "quickshiftpp": quickshiftpp,
    }


def compute(name: str, n_samples: int) -> Record:
    """Cluster one set, and keep what the picture needs."""
    X, y = make(name, n_samples)
    labels = cluster(X, TUNING[name])
    return {
        "name": name,
        "X": X.round(3).tolist(),
        "labels": {algorithm: found.tolist() for algorithm, found in labels.items()},
        "clusters": {a: int(found.max()) + 1 for a, found in labels.items()},
        "ari": {a: float(adjusted_rand_score(y, found)) for a, found in labels.items()},
    }


def units(_: Path, n_samples: int = SAMPLES) -> list[Unit]:
    """Return the work: one unit for each set."""
    return [
        Unit(f"toy-{name.replace(' ', '-')}", {"toy": name, "samples": n_samples, **TUNING[name]},
             partial(compute, name, n_samples))
        for name in TUNING
    ]  # fmt: skip


def summarize(records: list[Record]) -> Record:
    """Return the sets in their order."""
    return {record["result"]["name"]: record["result"] for record in records}


def values(result: Record) -> Values:
    """Return who finds the shapes."""
    shapes = {name: one for name, one in result.items() if name != NO_STRUCTURE}
    own = {name: one["ari"]["quickshiftpp"] for name, one in shapes.items()}
    counts = {name: one["clusters"]["quickshiftpp"] for name, one in result.items()}
    solved = [name for name, ari in own.items() if ari > 0.9]
    split = [
        f"{name} ({counts[name]} for {TUNING[name]['clusters']})"
        for name in shapes
        if counts[name] > TUNING[name]["clusters"]
    ]
    rows = [
        [name, *(f"{format_score(one['ari'][a], 3)} ({one['clusters'][a]})" for a in ALGORITHMS)]
        for name, one in shapes.items()
    ]
    header = ["set", *ALGORITHMS.values()]
    return {
        "k": TOY_K,
        "beta": TOY_BETA,
        "n_samples": SAMPLES,
        "tau": TAU_RATIO,
        "scores": table(header, rows, "Adjusted Rand index (number of clusters)"),
        "solved": ", ".join(solved),
        "n_solved": len(solved),
        "n_sets": len(shapes),
        "split": ", ".join(split) or "none of them",
        "alone": plural(counts.get(NO_STRUCTURE, 0), "cluster"),
        "lowest": min(own.values()),
        "highest": max(own.values()),
    }


def draw(result: Record, folder: Path) -> None:
    """Draw sets by algorithms."""
    size = (9.6, 1.62 * len(result) + 0.3)
    with canvas(folder / FIGURE, len(result), len(ALGORITHMS), size) as (_, axes):
        for line, one in zip(axes, result.values(), strict=True):
            X = np.array(one["X"])
            for ax, algorithm in zip(line, ALGORITHMS, strict=True):
                colors = cluster_colors(one["labels"][algorithm])
                ax.scatter(X[:, 0], X[:, 1], s=2.2, c=colors, linewidths=0)
                bare(ax)
                ax.set_aspect("equal", adjustable="datalim")
                ax.text(0.99, 0.0, str(one["clusters"][algorithm]), transform=ax.transAxes,
                        ha="right", va="bottom", fontsize=7, color=FAINT)  # fmt: skip
        for ax, title in zip(axes[0], ALGORITHMS.values(), strict=True):
            ax.set_title(title, fontweight="bold")
        for ax, name in zip(axes[:, 0], result, strict=True):
            ax.set_ylabel(name)


CLAIM = Claim("toys", units, summarize, values, draw, needs_data=False)
