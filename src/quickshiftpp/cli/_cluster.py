"""The command ``cluster``: a table in, the same table with labels out."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import click
import numpy as np

from .. import DegenerateClusteringWarning, QuickshiftPP
from .._progress import listening
from ._errors import BadInput, check_output, listed
from ._read import check_input, read
from ._show import STAGES, line, progress
from ._tables import SUFFIXES, Data, Selection
from ._write import check_format, write

# How the summary explains a parameter that was not a number.
_CHOSEN = {"None": " (by default)", "auto": " (chosen by the data)"}
_LARGEST_SHOWN = 8
_OWN_COLUMNS = ("label", "core_label")


class NumberOrAuto(click.ParamType):  # type: ignore[type-arg]
    """A number, or the word auto."""

    def __init__(self, number: type[int] | type[float]) -> None:
        self.name = f"{'INTEGER' if number is int else 'FLOAT'}|auto"
        self._number = number

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float | str:
        """Return the number, or "auto"."""
        if value == "auto":
            return "auto"
        try:
            return self._number(str(value))
        except ValueError:
            kind = "a whole number" if self._number is int else "a number"
            self.fail(f"{value!r} is neither {kind} nor auto", param, ctx)


_EXAMPLES = """\b
Examples:
  quickshiftpp cluster flowers.csv
  quickshiftpp cluster flowers.csv --k auto --beta auto
  quickshiftpp cluster flowers.csv --columns length,width --min-cluster-size 10
  quickshiftpp cluster points.npy --k 50 --beta 0.7 --output clusters.parquet
"""


@click.command(
    short_help="Cluster the rows of a table and write them with their labels.", epilog=_EXAMPLES
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--k",
    type=NumberOrAuto(int),
    help="Neighbors for the density, or auto; default: by the number of rows.",
)
@click.option(
    "--beta",
    type=NumberOrAuto(float),
    help="Between 0 and 1, the larger, the fewer clusters, or auto; default: what stands out "
    "from the noise.",
)
@click.option(
    "--min-cluster-size",
    type=int,
    help="Dissolve clusters of fewer samples; default: 1 with a number for --beta, as in the "
    "paper, and k without.",
)
@click.option(
    "--columns",
    metavar="A,B,...",
    help="Columns to cluster by: names, or numbers from 0 for .npy and .npz; default: all that "
    "are numeric.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="Where to write, in the format of the suffix; default: FILE with .clusters before its "
    "suffix (.csv for .npy and .npz).",
)
@click.option("--n-jobs", type=int, help="Threads; -1 for all cores.")
def cluster(
    file: Path,
    k: int | str | None,
    beta: float | str | None,
    min_cluster_size: int | None,
    columns: str | None,
    output: Path | None,
    n_jobs: int | None,
) -> None:
    """Cluster the rows of FILE (.csv, .tsv, .parquet, .npy, .npz).

    The output holds every column of FILE and two more: label, the cluster of each row (0 is the
    one with the densest center), and core_label, the same inside the cluster's core and -1
    outside. Columns count as they are: scale them first where their units differ.
    """
    _check_parameters(k, beta, min_cluster_size, n_jobs)
    target = output if output is not None else _default_output(file)
    with progress() as show:
        show(f"reading {file.name}", None)
        check_input(file)
        check_output(target, SUFFIXES)
        if target.exists() and target.samefile(file):
            raise BadInput(f"the output '{target}' is the input: choose another with --output.")
        data = read(file)
        _check_against_samples(file, data.n_samples, k, min_cluster_size)
        check_format(data, target.suffix.lower())
        chosen = data.select(columns)
        model = QuickshiftPP(k, beta, min_cluster_size=min_cluster_size, n_jobs=n_jobs)
        start = time.perf_counter()
        with (
            listening(lambda stage, fraction: show(STAGES.get(stage, stage), fraction)),
            warnings.catch_warnings(),
        ):
            # The summary below says it in the command line's own words.
            warnings.simplefilter("ignore", DegenerateClusteringWarning)
            model.fit(chosen.matrix)
        seconds = time.perf_counter() - start
        show(f"writing {target.name}", None)
        label, core_label = _free_names(data.names)
        labels = {label: model.labels_, core_label: model.core_labels_}
        if (label, core_label) != _OWN_COLUMNS:
            data.notes.append(
                f"{file.name} has such columns already, so {label} and {core_label} were added"
            )
        write(data, labels, target)
    _summarize(model, data, chosen, seconds)
    click.echo(line("written to", f"{target} (columns {label} and {core_label} added)"))


def _check_parameters(
    k: int | str | None,
    beta: float | str | None,
    min_cluster_size: int | None,
    n_jobs: int | None,
) -> None:
    if isinstance(k, int) and k < 1:
        raise BadInput(
            f"--k is {k}, but it must be a whole number from 1 to the number of rows: leave it out "
            "to have it chosen."
        )
    if isinstance(beta, float) and not 0 < beta < 1:
        raise BadInput(
            f"--beta is {beta:g}, but it must lie strictly between 0 and 1: 0.3 is usual, and a "
            "larger number gives fewer clusters."
        )
    if min_cluster_size is not None and min_cluster_size < 1:
        raise BadInput(
            f"--min-cluster-size is {min_cluster_size}, but it must be 1 or more: 1 keeps every "
            "cluster."
        )
    threads = os.cpu_count() or 1
    most = max(256, 4 * threads)  # far more threads than cores are a slip
    if n_jobs is not None and (n_jobs == 0 or n_jobs > most):
        raise BadInput(
            f"--n-jobs is {n_jobs}, but it must be from 1 to {most}, or -1 for all {threads} cores."
        )


def _check_against_samples(
    file: Path, n: int, k: int | str | None, min_cluster_size: int | None
) -> None:
    for option, value in (("--k", k), ("--min-cluster-size", min_cluster_size)):
        if isinstance(value, int) and value > n:
            raise BadInput(
                f"{option} is {value}, but '{file}' has only {n} row{'s' if n > 1 else ''}: give a "
                f"number from 1 to {n}, or leave it out."
            )


def _default_output(file: Path) -> Path:
    suffix = ".csv" if file.suffix.lower() in (".npy", ".npz") else file.suffix
    return file.with_name(f"{file.stem}.clusters{suffix}")


def _free_names(taken: list[str]) -> tuple[str, str]:
    def free(wanted: str) -> str:
        names = [wanted, *(f"{wanted}_{number}" for number in range(2, len(taken) + 3))]
        return next(name for name in names if name not in taken)

    label, core_label = map(free, _OWN_COLUMNS)
    return label, core_label


def _summarize(model: QuickshiftPP, data: Data, chosen: Selection, seconds: float) -> None:
    sizes = np.sort(np.bincount(model.labels_))[::-1]
    smaller = len(sizes) - _LARGEST_SHOWN
    more = f" and {smaller} more" if smaller > 0 else ""
    lines = [
        ("samples", f"{data.n_samples}"),
        ("columns", listed(chosen.used)),
        ("left out", listed(chosen.left_out)),
        ("k", f"{model.k_}{_CHOSEN.get(str(model.k), '')}"),
        ("beta", f"{model.beta_:.4g}{_CHOSEN.get(str(model.beta), '')}"),
        ("clusters", f"{model.n_clusters_}"),
        ("sizes", ", ".join(map(str, sizes[:_LARGEST_SHOWN])) + more),
        ("seconds", f"{seconds:.2f}"),
        *(("note", note) for note in data.notes),
    ]
    small = int((sizes < model.k_).sum())
    if small and model.n_clusters_ > 1 and model.min_cluster_size_ < model.k_:
        those = "the cluster" if small == 1 else f"the {small} clusters"
        remedy = f"--min-cluster-size {model.k_} would dissolve {those} of fewer than k samples"
        lines.append(("hint", remedy))
    for name, value in lines:
        if value:
            click.echo(line(name, value))
