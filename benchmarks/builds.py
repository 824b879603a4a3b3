"""Two builds of the package in turns: ``python -m benchmarks builds OTHER_PYTHON``.

Each interpreter fits with its own installed quickshiftpp, in a process that makes the data once and
warms up. The two take turns, and the medians of the whole fit are compared.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from reporting.tables import console, format_seconds, show, table

from .turns import Contender, take_turns

SHAPES = ("1000000x2", "1000000x3")

WORKLOAD = """
from quickshiftpp import QuickshiftPP
X = {data}
run = lambda: QuickshiftPP(k={k}, beta=0.7, n_jobs={threads}).fit(X)
"""
FROM_FILE = 'np.ascontiguousarray(np.load({path!r})["X"], dtype=np.float32)'


def make_workloads(shapes: tuple[str, ...], data: Path | None) -> dict[str, str]:
    """Return the code that makes the samples of each workload, by its name."""
    workloads = {}
    for shape in shapes:
        try:
            n, d = map(int, shape.split("x"))
        except ValueError:
            raise click.BadParameter(f"{shape!r} is not a shape such as 1000x2.") from None
        workloads[f"{n:,} x {d} blobs"] = f"blobs({n}, {d})"
    if data is not None:
        workloads[data.name] = FROM_FILE.format(path=str(data.resolve()))
    return workloads


def report(seconds: Mapping[str, list[list[float]]]) -> str:
    """Return the medians of this build and the other one, and their ratio, as a Markdown table."""
    rows = []
    for name, (new, old) in seconds.items():
        medians = statistics.median(new), statistics.median(old)
        by_round = statistics.median(a / b for a, b in zip(new, old, strict=True))
        ratios = f"{medians[0] / medians[1]:.3f}", f"{by_round:.3f}"
        rows.append([name, *map(format_seconds, medians), *ratios])
    header = ["whole fit", "this build", "other build", "ratio", "median of the rounds' ratios"]
    return table(header, rows)


@click.command("builds", context_settings={"show_default": True})
@click.argument("other_python", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An .npz file with an array X, such as MNIST; fitted in float32.",
)
@click.option("--shape", "shapes", multiple=True, default=SHAPES, help="Of blobs; repeatable.")
@click.option("--k", type=click.IntRange(min=1), default=20, help="Neighbors.")
@click.option("--rounds", type=click.IntRange(min=1), default=9, help="Fits by each build.")
@click.option("--threads", type=click.IntRange(min=1), default=2, help="Threads of a fit.")
def builds_command(
    other_python: str,
    data: Path | None,
    shapes: tuple[str, ...],
    k: int,
    rounds: int,
    threads: int,
) -> None:
    """Compare this interpreter's quickshiftpp with that of OTHER_PYTHON.

    A ratio below 1 means that this build is faster.
    """
    seconds = {}
    for name, samples in make_workloads(shapes, data).items():
        workload = WORKLOAD.format(data=samples, k=k, threads=threads)
        contenders = [Contender(python, workload) for python in (sys.executable, other_python)]
        try:
            seconds[name] = take_turns(contenders, rounds)
        except RuntimeError as error:
            raise click.ClickException(str(error)) from error
    show(console(), report(seconds))
