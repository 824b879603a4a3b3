"""The six algorithms of the paper's table, each over the whole range of its one parameter.

Every function takes a data set and returns curves of scores, and whatever else the experiments need
from the same fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from quickshiftpp import QuickShift, QuickshiftPP, all_neighbors, sweep
from reporting.store import Record, Unit

from ..common import FloatArray, IntArray
from ..cores import fit_cores
from .curves import make_curve, refined_curves
from .data import DataSet
from .dbscan import EveryDBSCAN
from .mean_shift import mean_shift
from .paper_figures import beta_for
from .scores import SCORES, score

# Tau in bandwidths: equal to it, scikit-image's default, this package's default. The paper tunes
# the bandwidth of Quick Shift and does not state its tau.
TAU_RATIOS = (1.0, 2.0, 3.0)
BETAS = tuple(round(0.1 * tenth, 1) for tenth in range(1, 10))

MOST_CLUSTERS = 200  # of k-means

_MANY = 10_000  # samples above which grids are thinner, and Mean Shift has only some seeds
_SEEDS = 1000
_FEW = 2000  # samples below which every fit is quick
_WIDE = 500_000  # numbers in X above which fits with a bandwidth are slow


def whole_numbers(dense_until: int, largest: int, ratio: float) -> list[int]:
    """Return 2, 3, ... as far as `dense_until`, and from there on steps of that ratio."""
    numbers = list(range(2, min(dense_until, largest) + 1))
    while numbers[-1] < largest:
        numbers.append(min(largest, max(numbers[-1] + 1, round(numbers[-1] * ratio))))
    return numbers


def bandwidth_range(X: FloatArray) -> tuple[float, float]:
    """Return a bandwidth at which samples are alone, and one that spans the data."""
    nearest = all_neighbors(X, 2)[0][:, 1]
    spread = np.linalg.norm(X - X.mean(axis=0), axis=1)
    return float(np.quantile(nearest[nearest > 0], 0.1)), 2 * float(np.quantile(spread, 0.95))


def run_k_means(data: DataSet, inits: int, dense_until: int = 40) -> Record:
    """Vary the number of clusters; of several starts, the one with the least inertia counts."""
    numbers = whole_numbers(dense_until, min(len(data.X) // 2, MOST_CLUSTERS), 1.1)
    labeled = []
    for number in numbers:
        runs = [KMeans(number, n_init=1, random_state=seed).fit(data.X) for seed in range(inits)]
        labeled.append((number, min(runs, key=lambda run: float(run.inertia_)).labels_))
    return {"curves": {"k_means": make_curve(data.y, "number of clusters", labeled)}}


def run_dbscan(data: DataSet, values: int) -> Record:
    """Vary eps, from all noise to one cluster."""
    model = EveryDBSCAN(data.X)
    grid = np.geomspace(*model.eps_range(), values)
    labeled = ((eps, model.labels(eps)) for eps in grid)
    return {"curves": {"dbscan": make_curve(data.y, "eps", labeled)}}


def run_cores(data: DataSet, dense_until: int, largest: int, ratio: float) -> Record:
    """Vary k, for MCores and Quickshift++, by the paper and as the paper's own code does."""
    ks = whole_numbers(dense_until, largest, ratio)
    labeled: dict[str, list[tuple[float, IntArray]]] = {}
    in_reach = []
    for fit in fit_cores(data.X, ks, beta_for(data.name)):
        for clustering, suffix in ((fit.literal, ""), (fit.reference, "_reference")):
            for name in ("quickshiftpp", "mcores"):
                found = getattr(clustering, name)
                labeled.setdefault(name + suffix, []).append((clustering.k, found))
        in_reach.append([fit.literal.k, fit.denser_in_reach])
    curves = {name: make_curve(data.y, "k", pairs) for name, pairs in labeled.items()}
    return {"curves": curves, "denser_in_reach": sorted(in_reach)}


def run_mean_shift(data: DataSet, values: int, between: int) -> Record:
    """Vary the bandwidth; every sample is a seed, or a random thousand if there are many."""
    seeds = data.X
    if len(seeds) > _MANY:
        seeds = seeds[np.random.default_rng(0).choice(len(seeds), _SEEDS, replace=False)]
    grid = np.geomspace(*bandwidth_range(data.X), values)
    (curve,) = refined_curves(
        data.y, "bandwidth", grid, lambda h: [mean_shift(data.X, seeds, h)], between
    )
    return {"curves": {"mean_shift": curve}, "seeds": len(seeds)}


def run_quick_shift(data: DataSet, values: int, between: int) -> Record:
    """Vary the bandwidth, with tau in proportion; one fit serves every proportion."""

    def fit(bandwidth: float) -> list[IntArray]:
        model = QuickShift(bandwidth=bandwidth).fit(data.X)
        return [model.cut(ratio * bandwidth).astype(np.int64) for ratio in TAU_RATIOS]

    grid = np.geomspace(*bandwidth_range(data.X), values)
    curves = refined_curves(data.y, "bandwidth", grid, fit, between)
    named = {f"quick_shift_{ratio:g}": c for ratio, c in zip(TAU_RATIOS, curves, strict=True)}
    return {"curves": named}


def run_own(data: DataSet) -> Record:
    """Score the package's own settings beyond the paper, tuned by the truth and automatic."""
    n_samples = len(data.X)
    ks = whole_numbers(40, min(n_samples // 4, 400), 1.1)
    grid = sweep(data.X, ks, BETAS, dimension="intrinsic", min_cluster_size="k", return_labels=True)
    assert grid.labels is not None  # as asked for
    scores = np.array([[score(data.y, labels) for labels in row] for row in grid.labels])
    automatic = {
        "default": QuickshiftPP(),
        "auto": QuickshiftPP(k="auto", beta="auto"),
    }
    return {
        "ks": grid.ks.tolist(),
        "betas": grid.betas.tolist(),
        "scores": {name: scores[..., place].tolist() for place, name in enumerate(SCORES)},
        "automatic": {
            name: dict(zip(SCORES, score(data.y, model.fit_predict(data.X)), strict=True))
            for name, model in automatic.items()
        },
    }


def _bandwidths(data: DataSet) -> tuple[int, int]:
    """Return how many bandwidths to try, and how many between the best and its neighbors."""
    if data.draw is not None:
        return 24, 0
    if data.X.size > _WIDE and len(data.X) < _FEW:
        return 40, 3  # MNIST: few samples, but wide
    if len(data.X) > _MANY:
        return 24, 2
    if len(data.X) < _FEW:
        return 240, 8
    return (80, 6) if len(data.X) * data.X.shape[1] < _WIDE else (40, 3)


def _eps_values(data: DataSet) -> int:
    """Return how many values of eps to try."""
    return 4000 if len(data.X) < _FEW and data.draw is None else 600


def _core_grid(n_samples: int, thin: bool) -> dict[str, float]:
    """Return the grid of k: every one at first, then in steps, to half of the samples or less."""
    if n_samples > _MANY:
        return {"dense_until": 100, "largest": n_samples // 40, "ratio": 1.08}
    return {"dense_until": 100 if thin else 300, "largest": n_samples // 2, "ratio": 1.04}


def units_for(data: DataSet, *, coarse: bool = False) -> list[Unit]:
    """Return the work on one set: all six algorithms and the package's own settings.

    With `coarse`, few bandwidths and starts, for a quick look.
    """
    few_starts = len(data.X) > _MANY or data.draw is not None
    values, between = (12, 1) if coarse else _bandwidths(data)
    starts = {"inits": 3 if few_starts else 10}
    if coarse:
        starts = {"inits": 1, "dense_until": 5}
    work: dict[str, tuple[Callable[..., Record], Mapping[str, float]]] = {
        "k_means": (run_k_means, starts),
        "dbscan": (run_dbscan, {"values": 60 if coarse else _eps_values(data)}),
        "cores": (run_cores, _core_grid(len(data.X), few_starts)),
        "mean_shift": (run_mean_shift, {"values": values, "between": between}),
        "quick_shift": (run_quick_shift, {"values": values, "between": between}),
        "own": (run_own, {}),
    }
    settings: dict[str, Any] = {"data": data.fingerprint, "set": data.name}
    name = data.name
    if data.draw is not None:
        settings["draw"] = data.draw
        name += f"-draw{data.draw:02d}"
    return [
        Unit(
            f"{name}-{algorithm}",
            {**settings, "algorithm": algorithm, **parameters},
            partial(run, data, **parameters),
        )
        for algorithm, (run, parameters) in work.items()
    ]
