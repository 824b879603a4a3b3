"""What choosing costs, in fits: ``python -m benchmarks.choices``.

A cut at another beta, the automatic choice of k and beta, and a sweep over twenty k, each beside
the fit that it should be compared with, in one process, medians.
"""

from __future__ import annotations

import warnings

import click
import numpy as np

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP, sweep
from quickshiftpp._selection import candidate_ks

from .data import blobs
from .peers import Samples
from .timing import median_seconds

SHAPES = ((20_000, 2), (100_000, 2), (100_000, 5), (1_000_000, 2))


def measure(X: Samples, repeats: int, n_jobs: int) -> str:
    """Return one line of the table."""

    def seconds_to_fit(k: int) -> float:
        return median_seconds(lambda: QuickshiftPP(k, 0.5, n_jobs=n_jobs).fit(X), repeats)

    model = QuickshiftPP(20, 0.5, n_jobs=n_jobs).fit(X)
    largest = candidate_ks(len(X))[-1]
    ks = np.linspace(5, 100, 20).astype(int).tolist()
    cut = median_seconds(lambda: model.tree_.labels(beta=0.6), 5)
    auto = median_seconds(lambda: QuickshiftPP("auto", "auto", n_jobs=n_jobs).fit(X), repeats)
    swept = median_seconds(lambda: sweep(X, ks, [0.5], n_jobs=n_jobs), repeats)
    return (
        f"{len(X):>9,} {X.shape[1]:>2} {cut / seconds_to_fit(20):>20.1%}"
        f" {auto / seconds_to_fit(largest):>20.2f} (k = {largest})"
        f" {swept / seconds_to_fit(100):>25.2f}"
    )


@click.command()
@click.option("--repeats", default=3, show_default=True)
@click.option("--n-jobs", default=2, show_default=True)
def main(repeats: int, n_jobs: int) -> None:
    """Print what a cut, an automatic choice and a sweep cost."""
    warnings.simplefilter("ignore", DegenerateClusteringWarning)
    click.echo(
        "        n  d   cut / fit at k=20   auto / fit at largest k   sweep of 20 k / fit at 100"
    )
    for samples, columns in SHAPES:
        click.echo(measure(blobs(samples, columns, seed=0), repeats, n_jobs))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.choices")
