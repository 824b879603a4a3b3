"""Every setting on every set, and ways to choose among them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from quickshiftpp import sweep
from quickshiftpp._selection.rand_index import pairwise_agreement, subsample
from quickshiftpp._tree.density import significant_beta

from ..common import MissingDataError

LEVELS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
# Multiples of the square root of n, as far as the grid of "auto" goes and one step beyond.
FACTORS = tuple(2 * math.sqrt(2) / math.sqrt(2) ** step for step in range(-1, 9))


@dataclass
class DataSet:
    """One set, and the results of every setting."""

    battery: str
    name: str
    X: npt.NDArray[np.float64]
    references: list[npt.NDArray[np.int64]]
    k: list[int] = field(default_factory=list)
    level: list[float] = field(default_factory=list)
    n_clusters: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    agreement: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    def score(self, labels: npt.NDArray[np.int32]) -> float:
        """Return the best agreement with a reference labeling, noise left out."""
        return max(
            float(adjusted_rand_score(reference[reference > 0], labels[reference > 0]))
            for reference in self.references
        )


def load(directory: Path, largest: int) -> Iterator[DataSet]:
    """Yield the sets of up to `largest` samples."""
    files = sorted(directory.glob("*/*.npz"))
    if not files:
        raise MissingDataError(
            f"'{directory}' holds no BATTERY/NAME.npz files: make them from the public suite "
            "gagolews/clustering-data-v1, arrays X, labels0, labels1, ... in each."
        )
    for file in files:
        arrays = np.load(file)
        if len(arrays["X"]) <= largest:
            names = [name for name in arrays.files if name.startswith("labels")]
            X = np.ascontiguousarray(arrays["X"], dtype=np.float64)
            yield DataSet(file.parent.name, file.stem, X, [arrays[name] for name in names])


def survey(data: DataSet, threads: int) -> None:
    """Cluster with every k and significance level."""
    n_samples = len(data.X)
    ks = sorted({round(factor * math.sqrt(n_samples)) for factor in FACTORS})
    ks = [k for k in ks if 4 <= k <= n_samples // 2]
    rows, labels = subsample(data.X, 1000), []
    for k in reversed(ks):
        grid = sweep(
            data.X,
            [k],
            [significant_beta(k, level) for level in LEVELS],
            min_cluster_size="k",
            dimension="intrinsic",
            return_labels=True,
            n_jobs=threads,
        )
        assert grid.labels is not None
        # Betas ascend with the levels.
        for level, found in zip(LEVELS, grid.labels[0], strict=True):
            labels.append(found[rows])
            data.k.append(k)
            data.level.append(level)
            data.n_clusters.append(int(found.max()) + 1)
            data.scores.append(data.score(found))
    data.agreement = np.clip(pairwise_agreement(labels), 0, 1)


def mean_score(sets: list[DataSet], choose: Callable[[DataSet], float]) -> float:
    """Return the mean over batteries of the mean within each."""
    scores = defaultdict(list)
    for data in sets:
        scores[data.battery].append(choose(data))
    return float(np.mean([np.mean(values) for values in scores.values()]))


def fixed(factor: float, level: float) -> Callable[[DataSet], float]:
    """Take k nearest to a multiple of sqrt(n), and one significance level."""

    def choose(data: DataSet) -> float:
        wanted = math.log(factor * math.sqrt(len(data.X)))
        nearest = min(set(data.k), key=lambda k: abs(math.log(k) - wanted))
        chosen = (np.array(data.k) == nearest) & (np.array(data.level) == level)
        return float(np.array(data.scores)[chosen][0])

    return choose


def vote(
    levels: tuple[float, ...] = (1.5, 2.0, 3.0, 4.0, 6.0),
    smallest_k: int = 6,
    largest_factor: float = 2.83,
    spread: float = 1.5,
    power: float = 8,
    least_weight: float = 0.04,
) -> Callable[[DataSet], float]:
    """Elect a clustering as ``quickshiftpp._selection.vote`` does, with other constants."""

    def choose(data: DataSet) -> float:
        k, root = np.array(data.k), math.sqrt(len(data.X))
        octaves = np.log2(k / root)
        used = np.isin(data.level, levels) & (k >= max(smallest_k, 0.24 * root))
        used &= k <= largest_factor * root * 1.03
        weight = np.exp(-0.5 * (octaves / spread) ** 2) * used
        several = used & (np.array(data.n_clusters) > 1)
        if weight[several].sum() <= least_weight * weight.sum():
            return 0.0  # one cluster, whose adjusted Rand index is 0
        candidates = np.flatnonzero(several)
        agreement = data.agreement[np.ix_(candidates, candidates)] ** power
        votes = (agreement * weight[candidates]).sum(axis=1) * weight[candidates] ** 0.1
        return data.scores[int(candidates[np.argmax(np.round(votes, 9))])]

    return choose


VARIANTS: dict[str, dict[str, Any]] = {
    "as shipped": {},
    "levels 1.5 2 2.5 3 4 5 6": {"levels": (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)},
    "levels 1 1.5 2 3 4 6": {"levels": (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)},
    "levels 2 3 4 6": {"levels": (2.0, 3.0, 4.0, 6.0)},
    "levels 2 2.5 3": {"levels": (2.0, 2.5, 3.0)},
    "level 2.5 only": {"levels": (2.5,)},
    "k from 5": {"smallest_k": 5},
    "k from 7": {"smallest_k": 7},
    "k from 8": {"smallest_k": 8},
    "k up to 2 sqrt(n)": {"largest_factor": 2.0},
    "k up to 4 sqrt(n)": {"largest_factor": 4.0},
    "spread 1": {"spread": 1.0},
    "spread 2": {"spread": 2.0},
    "spread 3": {"spread": 3.0},
    "power 1": {"power": 1},
    "power 4": {"power": 4},
    "power 16": {"power": 16},
    "one cluster below a weight of 0": {"least_weight": 0.0},
    "one cluster below a weight of 0.1": {"least_weight": 0.1},
    "one cluster below a weight of 0.3": {"least_weight": 0.3},
}
