"""``python -m experiments.selection --data DIR``: score fixed settings and ways to choose."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.progress import track

from quickshiftpp import QuickshiftPP
from reporting.store import write_json
from reporting.tables import console, show, table

from ..common import MissingDataError
from .vote import LEVELS, VARIANTS, DataSet, fixed, load, mean_score, survey, vote


def shipped(sets: list[DataSet], n_jobs: int) -> dict[str, dict[str, float]]:
    """Score the package's automatic settings, by battery and overall."""
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
@click.option("--largest", default=6000, show_default=True, help="Skip larger sets.")
@click.option("--n-jobs", default=2, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="Also write the scores as JSON.")
def main(data: Path, largest: int, n_jobs: int, output: Path | None) -> None:
    """Score fixed settings, variants of the vote, and the package as shipped."""
    target = console()
    try:
        sets = list(load(data, largest))
    except MissingDataError as error:
        raise click.ClickException(str(error)) from error
    for one in track(sets, "clustering", console=Console(stderr=True), transient=True):
        survey(one, n_jobs)
    factors = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
    grid = {level: [mean_score(sets, fixed(f, level)) for f in factors] for level in LEVELS}
    variants = {name: mean_score(sets, vote(**v)) for name, v in VARIANTS.items()}
    best = mean_score(sets, lambda one: max(one.scores))
    package = shipped(sets, n_jobs)
    target.print(f"{len(sets)} sets in {len({one.battery for one in sets})} batteries\n")
    rows = [[f"{level:g}", *(f"{value:.3f}" for value in row)] for level, row in grid.items()]
    header = ["standard errors", *(f"{factor:g}" for factor in factors)]
    title = "One rule for all: k = factor * sqrt(n), modes at least this many standard errors high"
    show(target, table(header, rows, title))
    rows = [[name, f"{value:.3f}"] for name, value in variants.items()]
    rows.append(["the best of the grid, by the truth", f"{best:.3f}"])
    show(target, table(["variant", "score"], rows, "The vote with other constants"))
    batteries = list(next(iter(package.values())))
    rows = [[f"`{name}`", *(f"{s[b]:.3f}" for b in batteries)] for name, s in package.items()]
    show(target, table(["", *batteries], rows, "As shipped"))
    if output is not None:
        record = {"fixed": grid, "factors": factors, "vote": variants, "shipped": package}
        write_json(output, record)


if __name__ == "__main__":
    main(prog_name="python -m experiments.selection")
