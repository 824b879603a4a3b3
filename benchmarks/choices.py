"""The cost of choosing parameters, relative to a fit: ``python -m benchmarks.choices``.

A cut at another beta, the automatic choice of k and beta, and a sweep over twenty k, each relative
to the fit it should be compared with: medians, in one process.
"""

from __future__ import annotations

import statistics
import warnings
from functools import partial

import click
import numpy as np

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP, sweep
from quickshiftpp._selection.vote import candidate_ks
from reporting.tables import console, show, table

from .data import blobs
from .peers import Samples
from .timing import median_seconds, seconds_of

SHAPES = ((20_000, 2), (100_000, 2), (100_000, 5), (1_000_000, 2))


def measure(X: Samples, repeats: int, n_jobs: int) -> list[str]:
    """Return one row of the table: medians over rounds, each of which measures everything once."""
    largest = candidate_ks(len(X))[-1]
    ks = np.linspace(5, 100, 20).astype(int).tolist()
    tree = QuickshiftPP(20, 0.5, n_jobs=n_jobs).fit(X).tree_

    def fit(k: int) -> None:
        QuickshiftPP(k, 0.5, n_jobs=n_jobs).fit(X)

    shares: dict[str, list[float]] = {"cut": [], "auto": [], "sweep": []}
    for _ in range(repeats):
        fits = {k: seconds_of(partial(fit, k)) for k in (20, largest, 100)}
        cut = median_seconds(lambda: tree.labels(beta=0.6), 5)
        swept = seconds_of(lambda: sweep(X, ks, [0.5], n_jobs=n_jobs))
        auto = seconds_of(lambda: QuickshiftPP("auto", "auto", n_jobs=n_jobs).fit(X))
        shares["cut"].append(cut / fits[20])
        shares["sweep"].append(swept / fits[100])
        shares["auto"].append(auto / fits[largest])
    cut, auto, swept = (statistics.median(values) for values in shares.values())
    size = f"{len(X):,} x {X.shape[1]}"
    return [size, f"{cut:.1%}", f"{auto:.2f} (k = {largest})", f"{swept:.2f}"]


@click.command()
@click.option("--repeats", default=3, show_default=True)
@click.option("--n-jobs", default=2, show_default=True)
def main(repeats: int, n_jobs: int) -> None:
    """Print the cost of a cut, an automatic choice and a sweep."""
    warnings.simplefilter("ignore", DegenerateClusteringWarning)
    rows = [measure(blobs(*shape, seed=0), repeats, n_jobs) for shape in SHAPES]
    header = [
        "",
        "cut / fit at k=20",
        "auto / fit at the largest k",
        "sweep of 20 k / fit at k=100",
    ]
    show(console(), table(header, rows))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.choices")
