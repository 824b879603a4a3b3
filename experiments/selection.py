"""Which k and beta to take when nobody says: ``python -m experiments.selection --data DIR``.

DIR holds one folder per battery with ``NAME.npz`` files (arrays ``X``, ``labels0``, ``labels1``,
and so on; label 0 is noise and left out of scores), as made from the public benchmark suite
gagolews/clustering-data-v1. A score is the best adjusted Rand index over a set's labellings; means
are taken within a battery, then over batteries. The labels enter the scores alone, never a choice.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from sklearn.metrics import adjusted_rand_score

from quickshiftpp import QuickshiftPP
from quickshiftpp._selection.rand_index import pairwise_agreement, subsample
from quickshiftpp._tree.density import significant_beta

from .cores import survey as search_neighbors
from .experiment import Sheet

LEVELS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0)
# Multiples of the square root of n, as far as the grid of "auto" goes and one step beyond.
FACTORS = tuple(2 * math.sqrt(2) / math.sqrt(2) ** step for step in range(-1, 9))


@dataclass
class DataSet:
    """One set, and what every setting made of it."""

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
        """Return the best agreement with a reference labelling, noise left out."""
        return max(
            float(adjusted_rand_score(reference[reference > 0], labels[reference > 0]))
            for reference in self.references
        )


def load(directory: Path, largest: int) -> Iterator[DataSet]:
    """Yield the sets of up to `largest` samples."""
    files = sorted(directory.glob("*/*.npz"))
    if not files:
        raise click.ClickException(
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
    surveyor = search_neighbors(data.X, ks[-1], "intrinsic", threads)
    rows, labels = subsample(data.X, 1000), []
    for k in reversed(ks):
        tree = surveyor.survey(k).tree
        for level in LEVELS:
            found = tree.cut(significant_beta(k, level), k)
            labels.append(found.labels[rows])
            data.k.append(k)
            data.level.append(level)
            data.n_clusters.append(len(found.modes))
            data.scores.append(data.score(found.labels))
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


def shipped(sets: list[DataSet], n_jobs: int) -> dict[str, dict[str, float]]:
    """Score the package as a user gets it, by battery and in all."""
    settings: dict[str, dict[str, Any]] = {
        "QuickshiftPP()": {},
        'QuickshiftPP(k="auto", beta="auto")': {"k": "auto", "beta": "auto"},
        'QuickshiftPP(beta="auto")': {"beta": "auto"},
        'QuickshiftPP(k="auto")': {"k": "auto"},
    }
    result = {}
    for name, parameters in settings.items():
        by_battery = defaultdict(list)
        for data in track(sets, name, console=Console(stderr=True), transient=True):
            labels = QuickshiftPP(**parameters, n_jobs=n_jobs).fit_predict(data.X)
            by_battery[data.battery].append(data.score(labels))
        means = {battery: float(np.mean(scores)) for battery, scores in by_battery.items()}
        result[name] = {"all": float(np.mean(list(means.values()))), **means}
    return result


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--largest", default=6000, show_default=True, help="Leave out larger sets.")
@click.option("--n-jobs", default=2, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Write the figures as JSON too.")
def main(data: Path, largest: int, n_jobs: int, output: Path | None) -> None:
    """Score fixed settings, variants of the vote, and the package as shipped."""
    console = Console(width=110)
    sets = list(load(data, largest))
    for one in track(sets, "clustering", console=Console(stderr=True), transient=True):
        survey(one, n_jobs)
    factors = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
    grid = {level: [mean_score(sets, fixed(f, level)) for f in factors] for level in LEVELS}
    variants = {name: mean_score(sets, vote(**v)) for name, v in VARIANTS.items()}
    best = mean_score(sets, lambda one: max(one.scores))
    package = shipped(sets, n_jobs)
    console.print(f"{len(sets)} sets in {len({one.battery for one in sets})} batteries\n")
    Sheet(
        "One rule for all: k = factor sqrt(n), modes that stand so many standard errors out",
        ["standard errors", *(f"{factor:g}" for factor in factors)],
        [[f"{level:g}", *(f"{value:.3f}" for value in row)] for level, row in grid.items()],
    ).print(console)
    rows = [[name, f"{value:.3f}"] for name, value in variants.items()]
    rows.append(["the best of the grid, by the truth", f"{best:.3f}"])
    Sheet("The vote, and what its constants do", ["variant", "score"], rows).print(console)
    batteries = list(next(iter(package.values())))
    Sheet(
        "As shipped",
        ["", *batteries],
        [[name, *(f"{s[b]:.3f}" for b in batteries)] for name, s in package.items()],
    ).print(console)
    if output is not None:
        record = {"fixed": {str(k): v for k, v in grid.items()}, "factors": factors}
        output.write_text(json.dumps({**record, "vote": variants, "shipped": package}, indent=1))


if __name__ == "__main__":
    main(prog_name="python -m experiments.selection")
