"""How well photographs are segmented, measured against what people drew of them.

``python -m experiments.segmentation --data DIR`` segments the validation photographs of BSDS500
with this package, as shipped and with one thing changed at a time, and with scikit-image's
`felzenszwalb`, `quickshift` and `slic` and scikit-learn's Mean Shift, each over its own settings.
It prints the tables, and writes ``docs/segmentation_quality.md`` with its figures. Every unit of
work is kept as JSON, so that a run that was cut off goes on.

The photographs are split into two halves, every other one by name. What is chosen, a setting or a
default of the package, is chosen on the first half; the second confirms it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from . import segmentation_figures as figures
from .commandline import PLAIN_WIDTH, ROOT
from .data import MissingDataError
from .experiment import Sheet
from .report import render_block
from .segmentation_data import find
from .segmentation_own import own_units
from .segmentation_summary import summarise
from .segmentation_text import HEAD, section
from .segmentation_units import peer_units
from .store import Record, Store, Unit, write_json


def units(path: Path, *, thorough: bool) -> list[Unit]:
    """Return all the work on a photograph."""
    return [*own_units(path, thorough=thorough), *peer_units(path)]


def work(path: Path, output: Path, thorough: bool) -> list[Record]:
    """Return the records of all work on a photograph, done where it is not yet."""
    store = Store(output)
    records = []
    for one in units(path, thorough=thorough):
        record = store.obtain(one)
        records.append({"photograph": path.stem, **record})
    return records


def run(paths: list[Path], output: Path, jobs: int) -> list[Record]:
    """Return the records of all work on all photographs, several at a time."""
    bar = Console(stderr=True)
    with ProcessPoolExecutor(jobs) as pool:
        # Changes are tried on every other photograph of each half.
        futures = [
            pool.submit(work, path, output, number % 4 < 2) for number, path in enumerate(paths)
        ]
        done: Iterable[list[Record]] = (future.result() for future in futures)
        tracked = track(done, "segmentation", total=len(paths), console=bar, transient=True)
        return [record for records in tracked for record in records]


def write_page(result: Record, page: Path) -> None:
    """Write the page and its figures from the result, and from nothing else."""
    folder = page.parent / figures.FOLDER
    figures.draw(result, folder)
    blocks = [HEAD, *section(result)]
    page.parent.mkdir(parents=True, exist_ok=True)
    parts = [render_block(block, figures.FOLDER).strip() for block in blocks]
    page.write_text("\n\n".join(parts) + "\n")


@click.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The folder with ID.jpg and ID.npz, or with these in val/ or bsds500/val/.",
)
@click.option("--images", type=click.IntRange(2), help="Only so many photographs, the first.")
@click.option("--jobs", default=2, show_default=True, help="Photographs at a time.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=ROOT / "experiments" / "results",
    help="Where results are kept, as JSON; a run that was cut off goes on from there.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=ROOT / "docs" / "segmentation_quality.md",
    help="The page to write, when all photographs have been segmented.",
)
def main(data: Path, images: int | None, jobs: int, output: Path, page: Path) -> None:
    """Measure segmentations against people's, beside other libraries."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    try:
        paths = find(data)
        records = run(paths[:images], output, jobs)
    except MissingDataError as error:
        raise click.ClickException(str(error)) from error
    target = output / "segmentation.json"
    write_json(target, summarise(records))
    # Read back, so that what is told is what is written.
    result: Record = json.loads(target.read_text())
    for block in section(result):
        if isinstance(block, Sheet):
            block.print(console)
    if len(paths) == result["photographs"]:
        write_page(result, page)
        console.print(f"Written to {page}", soft_wrap=True)


if __name__ == "__main__":
    main(prog_name="python -m experiments.segmentation")
