"""The command ``cluster``: reads a table and writes it with cluster labels added."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import click
import numpy as np

from .. import DegenerateClusteringWarning, QuickshiftPP
from .._progress import listening
from .._scaling import IndistinctSamplesError
from ._errors import BadInput, listed
from ._files import check_input, check_output, is_stdout
from ._options import NumberOrAuto, check_at_most, check_options
from ._read import read
from ._show import STAGES, line, progress
from ._tables import SUFFIXES, Data, Selection
from ._write import check_format, write

# How the summary explains a parameter whose value was not given as a number.
_CHOSEN = {"None": " (default)", "auto": " (chosen automatically)"}
_LARGEST_SHOWN = 8
_OWN_COLUMNS = ("label", "core_label")

_EXAMPLES = """\b
Examples:
  quickshiftpp cluster flowers.csv
  quickshiftpp cluster flowers.csv --k auto --beta auto
  quickshiftpp cluster flowers.csv --columns length,width --min-cluster-size 10
  quickshiftpp cluster points.npy --k 50 --beta 0.7 --output clusters.parquet
"""


@click.command(short_help="Cluster the rows of a table.", epilog=_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--k",
    type=NumberOrAuto(int),
    metavar="INTEGER|auto",
    help="Number of neighbors used to estimate the density. Larger values smooth it. 'auto' tries "
    "several values and keeps the most stable clustering.  [default: about the square root of "
    "the number of rows]",
)
@click.option(
    "--beta",
    type=NumberOrAuto(float),
    metavar="FLOAT|auto",
    help="How deep the gap between two clusters must be, from 0 to 1: 0.3 means that the density "
    "falls by more than 30% of the lower peak. Larger values give fewer clusters. 'auto' "
    "tries several values and keeps the most stable clustering.  [default: a value above the "
    "noise of the density estimate]",
)
@click.option(
    "--min-cluster-size",
    type=int,
    help="Dissolve smaller clusters; their rows join other clusters.  [default: k, or 1 if --beta "
    "is a number]",
)
@click.option(
    "--columns",
    metavar="A,B,...",
    help="Columns to cluster by, separated by commas: names, or numbers starting at 0 for .npy and "
    ".npz files.  [default: all numeric columns]",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, readable=False),
    help="File to write. Its suffix sets the format.  [default: NAME.clusters.csv for NAME.csv; "
    ".csv for .npy and .npz files]",
)
@click.option("--n-jobs", type=int, help="Number of threads; -1 uses all cores.")
def cluster(
    file: Path,
    k: int | str | None,
    beta: float | str | None,
    min_cluster_size: int | None,
    columns: str | None,
    output: Path | None,
    n_jobs: int | None,
) -> None:
    """Cluster the rows of FILE (.csv, .tsv, .parquet, .npy or .npz).

    The output contains all columns of FILE and two more. "label" is the cluster of each row;
    cluster 0 has the highest density. "core_label" is the same for rows in the dense core of a
    cluster, and -1 for all others. Distances use the columns as they are, so scale columns of
    different units first.
    """
    check_options(k=k, beta=beta, min_cluster_size=min_cluster_size, n_jobs=n_jobs)
    with progress() as show:
        show(f"reading {file.name}", None)
        check_input(file, f"a file that ends in {listed(SUFFIXES)}", SUFFIXES)
        default = _default_output(file)
        target = default if output is None else output
        suffix = check_output(target, SUFFIXES, default.suffix.lower(), inputs=[file])
        data = read(file)
        check_at_most(data.n_samples, "rows", file, k=k, min_cluster_size=min_cluster_size)
        check_format(data, suffix)
        chosen = data.select(columns)
        model = QuickshiftPP(k, beta, min_cluster_size=min_cluster_size, n_jobs=n_jobs)
        start = time.perf_counter()
        with (
            listening(lambda stage, fraction: show(STAGES.get(stage, stage), fraction)),
            warnings.catch_warnings(),
        ):
            # The summary gives this advice in terms of the command line.
            warnings.simplefilter("ignore", DegenerateClusteringWarning)
            try:
                model.fit(chosen.matrix)
            except IndistinctSamplesError as error:
                raise BadInput(f"cannot cluster {file}: {error}") from None
        seconds = time.perf_counter() - start
        show(f"writing {target.name}", None)
        label, core_label = _free_names(data.names)
        labels = {label: model.labels_, core_label: model.core_labels_}
        if (label, core_label) != _OWN_COLUMNS:
            data.notes.append(
                f"{file.name} already has columns of these names, so {label} and {core_label} were "
                "added"
            )
        aside = is_stdout(target)  # the summary must not follow the table
        write(data, labels, target, suffix)
    _summarize(model, data, chosen, seconds, aside=aside)
    written = f"{target} (columns {label} and {core_label} added)"
    click.echo(line("written to", written), err=aside)


def _default_output(file: Path) -> Path:
    suffix = ".csv" if file.suffix.lower() in (".npy", ".npz") else file.suffix
    return file.with_name(f"{file.stem}.clusters{suffix}")


def _free_names(taken: list[str]) -> tuple[str, str]:
    """Return the names of the added columns, numbered where the input has such a column."""

    def free(wanted: str) -> str:
        names = [wanted, *(f"{wanted}_{number}" for number in range(2, len(taken) + 3))]
        return next(name for name in names if name not in taken)

    label, core_label = map(free, _OWN_COLUMNS)
    return label, core_label


def _summarize(
    model: QuickshiftPP, data: Data, chosen: Selection, seconds: float, *, aside: bool
) -> None:
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
        those = "1 cluster has" if small == 1 else f"{small} clusters have"
        remedy = f"--min-cluster-size {model.k_} would dissolve {'it' if small == 1 else 'them'}"
        lines.append(("hint", f"{those} fewer than k rows; {remedy}"))
    for name, value in lines:
        if value:
            click.echo(line(name, value), err=aside)
