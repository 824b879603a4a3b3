"""Claim 3: toy shapes (figure "Comparison against other clustering algorithms on toy datasets").

The sets of scikit-learn's comparison of clustering algorithms, as large as they were in 2018.
Quickshift++ and MCores keep the paper's one setting for all; the others are tuned as
scikit-learn's comparison tunes them, and Quick Shift, which it lacks, to the true number.
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

from .data import FloatArray, IntArray
from .experiment import Block, Experiment, Finding, Picture, Sheet, figure
from .paper_figures import ALGORITHMS, TOY_BETA, TOY_K
from .store import Record, Unit
from .style import FAINT, bare, canvas

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
    """Tune the bandwidth so that the number of clusters is as near to the true one as can be."""
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


def summarise(records: list[Record]) -> Record:
    """Return the sets in their order."""
    return {record["result"]["name"]: record["result"] for record in records}


def count(clusters: int) -> str:
    """Return a number of clusters in words."""
    return "one cluster" if clusters == 1 else f"{clusters} clusters"


def section(result: Record) -> list[Block]:
    """Tell who finds the shapes."""
    rows = [
        [name, *(f"{figure(one['ari'][a], 3)} ({one['clusters'][a]})" for a in ALGORITHMS)]
        for name, one in result.items()
        if name != NO_STRUCTURE
    ]
    alone = result[NO_STRUCTURE]["clusters"]["quickshiftpp"]
    solved = [name for name, one in result.items() if one["ari"]["quickshiftpp"] > 0.9
              and name != NO_STRUCTURE]  # fmt: skip
    split = [
        f"{name} ({one['clusters']['quickshiftpp']} for {TUNING[name]['clusters']})"
        for name, one in result.items()
        if name != NO_STRUCTURE and one["clusters"]["quickshiftpp"] > TUNING[name]["clusters"]
    ]
    extra = (
        f" It makes too many clusters on {', '.join(split)}: the algorithm as printed gives every "
        "isolated sample a cluster of its own, for which `min_cluster_size` is the package's cure."
        if split
        else ""
    )
    return [
        f"Quickshift++ with k = {TOY_K} and beta = {TOY_BETA} throughout, as in the paper, on "
        f"{SAMPLES} samples each; MCores likewise. k-means, DBSCAN and Mean Shift as "
        "scikit-learn's own comparison tunes them; Quick Shift with the bandwidth that gives the "
        f"true number of clusters, or the nearest to it, and tau = {TAU_RATIO:g} h.",
        Picture(FIGURE, "Toy shapes. Below each, the number of clusters; DBSCAN's noise is grey."),
        Sheet("Adjusted Rand index (number of clusters)", ["set", *ALGORITHMS.values()], rows),
        f"Quickshift++ has an index above .9 on {', '.join(solved)} ({len(solved)} of "
        f"{len(rows)}); the square without structure is {count(alone)} to it." + extra,
    ]


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


def short(result: Record) -> list[Finding]:
    """Tell it in a few words."""
    scores = [one["ari"]["quickshiftpp"] for name, one in result.items() if name != NO_STRUCTURE]
    return [("toy shapes", f"one setting for all, ARI from {min(scores):.3f} to {max(scores):.3f}")]


EXPERIMENT = Experiment(
    "toys", "Toy shapes", units, summarise, section, short, draw, needs_data=False
)
