"""``python -m benchmarks map``: neighbor searches over sizes, columns and kinds of data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console

from reporting.tables import console, show

from ..machine import describe_machine
from ..page.store import Measurements
from ..peers import MAP_SEARCHES, REFERENCE
from .kinds import Maker, kinds, more_kinds
from .measure import SECTION, Cell, measure_cell, read_cells, start_workers
from .picture import FORMATS, plot_map
from .report import LIMIT, cell_row, cell_table, summary

SIZES = (300, 1_000, 3_000, 10_000, 20_000, 50_000, 100_000)
COLUMNS = (2, 4, 8, 16, 32, 64, 128, 256, 768, 1536)
K = 20
# A peer is left out after two sizes at which it took so many times as long as the fastest one.
HOPELESS = 3


def takes_part(cells: Sequence[Cell], cell: Cell, name: str) -> bool:
    """Return whether a search should end in time, and might be the fastest of the peers.

    Judged by smaller cells with the same columns. At worst, a search takes four times as long with
    twice as many samples.
    """
    smaller = sorted(
        (
            other
            for other in cells
            if (other.kind, other.n_features) == (cell.kind, cell.n_features)
            and other.n_samples < cell.n_samples
        ),
        key=lambda other: other.n_samples,
    )
    if not smaller:
        return True
    with_it = [other for other in smaller if name in other.seconds]
    if not with_it:
        return False  # it cannot search such samples
    last = with_it[-1]
    if last.seconds[name] * (cell.n_samples / last.n_samples) ** 2 >= LIMIT:
        return False
    last_two = with_it[-2:]
    return (
        name == REFERENCE or len(last_two) < 2 or not all(_is_hopeless(c, name) for c in last_two)
    )


def _is_hopeless(cell: Cell, name: str) -> bool:
    fastest = cell.fastest_peer
    return fastest is not None and cell.seconds[name] > HOPELESS * cell.seconds[fastest]


def choose_kinds(data: Path | None, wanted: Sequence[str]) -> dict[str, Maker]:
    """Return the kinds of data whose names contain one of these parts; for none, the map's."""
    known = {**kinds(data), **more_kinds(data)} if wanted else kinds(data)
    for part in wanted:
        if not any(part in name for name in known):
            raise click.BadParameter(
                f"no kind of data is called {part!r}; there are {'; '.join(known)}.",
                param_hint="--kind",
            )
    return {
        name: make
        for name, make in known.items()
        if not wanted or any(part in name for part in wanted)
    }


def merge(measured: Measurements, path: Path) -> None:
    """Add the cells of a file; those of the same shape and kind replace earlier ones."""
    added = Measurements.load(path)
    difference = measured.difference_from(added.machine, added.settings)
    if difference is not None:
        raise click.ClickException(f"{path} cannot be added to the other cells: {difference}.")
    for key, entry in added.entries(SECTION).items():
        measured.add(SECTION, key, entry)


def resume(output: Path | None, threads: int) -> Measurements:
    """Return what the file holds already; nothing if there is no file."""
    measured = Measurements(describe_machine(MAP_SEARCHES), {"k": K, "threads": threads})
    if output is not None and output.exists():
        merge(measured, output)
    return measured


def cells_to_measure(
    measured: Measurements, makers: dict[str, Maker], sizes: Sequence[int], columns: Sequence[int]
) -> Iterator[tuple[Maker, Cell]]:
    """Yield the cells that are not measured yet, the smaller ones first."""
    for kind, make in makers.items():
        for n_features in columns:
            for n_samples in sorted(sizes):
                cell = Cell(kind, n_samples, n_features)
                if cell.key not in measured.entries(SECTION):
                    yield make, cell


def measure_missing(
    measured: Measurements,
    wanted: Sequence[tuple[Maker, Cell]],
    threads: int,
    peers: Sequence[str],
    output: Path | None,
    target: Console,
) -> None:
    """Measure cells, and write the file after each."""
    with start_workers(threads, peers) as workers:
        for make, cell in wanted:
            cells = read_cells(measured)
            taking_part = [worker for worker in workers if takes_part(cells, cell, worker.name)]
            if not any(worker.name == REFERENCE for worker in taking_part):
                continue
            X = make(cell.n_samples, cell.n_features)
            if X is None:
                continue
            measure_cell(taking_part, cell, X, K)
            measured.add(SECTION, cell.key, cell.to_dict())
            if output is not None:
                measured.save(output)
            target.print("  ".join(cell_row(cell)), markup=False, soft_wrap=True)


def check_picture(
    context: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    path: Path | None,
) -> Path | None:
    """Refuse formats that cannot be drawn, before anything is measured."""
    if path is not None and path.suffix not in FORMATS:
        raise click.BadParameter(f"{str(path)!r} does not end with {' or '.join(FORMATS)}.")
    return path


@click.command("map", context_settings={"show_default": True})
@click.option("--data", type=click.Path(path_type=Path), help="A folder with the real data.")
@click.option("--kind", "wanted", multiple=True, help="A part of the name of a kind of data.")
@click.option("--size", "sizes", type=click.IntRange(min=K), multiple=True, default=SIZES)
@click.option("--columns", type=click.IntRange(min=1), multiple=True, default=COLUMNS)
@click.option("--threads", type=click.IntRange(min=1), default=2, help="Threads of every library.")
@click.option(
    "--peer",
    "peers",
    type=click.Choice([peer.name for peer in MAP_SEARCHES if peer.name != REFERENCE]),
    multiple=True,
    help="A library to compare with.  [default: all that are installed]",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A JSON file for the cells. Cells that it holds already are not measured again.",
)
@click.option(
    "--from",
    "sources",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="A file that --output wrote: show its cells, and measure nothing. Several are combined.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=check_picture,
    help="A picture of the map, .png or .svg.",
)
def map_command(
    data: Path | None,
    wanted: tuple[str, ...],
    sizes: tuple[int, ...],
    columns: tuple[int, ...],
    threads: int,
    peers: tuple[str, ...],
    output: Path | None,
    sources: tuple[Path, ...],
    picture: Path | None,
) -> None:
    """Time exact neighbor searches against all peers, cell by cell.

    What is expected to take more than a minute is left out, and so are peers that were too slow in
    smaller cells to be the fastest. --kind, --size, --columns and --peer can be given several
    times.
    """
    target = console()
    if sources:
        if output is not None:
            raise click.UsageError("--from measures nothing, so that --output has nothing to add.")
        measured = Measurements.load(sources[0])
        for path in sources[1:]:
            merge(measured, path)
    else:
        makers = choose_kinds(data, wanted)
        measured = resume(output, threads)
        missing = list(cells_to_measure(measured, makers, sizes, columns))
        if missing:
            measure_missing(measured, missing, threads, peers, output, target)
    cells = read_cells(measured)
    show(target, cell_table(cells))
    target.print(summary(cells), markup=False, soft_wrap=True)
    if picture is not None and cells:
        plot_map(picture, cells, **measured.settings)
        target.print(f"Written to {picture}", markup=False, soft_wrap=True)
