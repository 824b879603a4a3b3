"""``python -m experiments.segmentation --data DIR``: measure, print the tables, write the page."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from reporting.store import Record, Store, read_json, write_json
from reporting.tables import console, show

from ..common import RESULTS, ROOT, MissingDataError
from . import figures
from .data import find
from .own import own_units
from .report import page_text
from .summary import summarize
from .units import peer_units


def work(path: Path, output: Path, thorough: bool) -> list[Record]:
    """Return the records of all work on a photograph."""
    store = Store(output)
    units = [*own_units(path, thorough=thorough), *peer_units(path)]
    return [{"photograph": path.stem, **store.obtain(one)} for one in units]


def run(paths: list[Path], output: Path, jobs: int) -> list[Record]:
    """Return the records of all work on all photographs, several at a time."""
    with ProcessPoolExecutor(jobs) as pool:
        # Changes are tried on every other photograph of each half.
        futures = [
            pool.submit(work, path, output, number % 4 < 2) for number, path in enumerate(paths)
        ]
        bar = Console(stderr=True)
        tracked = track(futures, "segmentation", console=bar, transient=True)
        return [record for future in tracked for record in future.result()]


@click.command()
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The folder with ID.jpg and ID.npz, or with these in val/ or bsds500/val/.",
)
@click.option("--images", type=click.IntRange(2), help="Use only the first photographs.")
@click.option("--jobs", default=2, show_default=True, help="Photographs at a time.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=RESULTS,
    help="The folder for results, as JSON; an interrupted run resumes from there.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    default=ROOT / "docs" / "segmentation_quality.md",
    help="The page to write if all photographs were used.",
)
def main(data: Path, images: int | None, jobs: int, output: Path, page: Path) -> None:
    """Compare segmentations with people's, and with other libraries."""
    try:
        paths = find(data)
        records = run(paths[:images], output, jobs)
    except MissingDataError as error:
        raise click.ClickException(str(error)) from error
    target = output / "segmentation.json"
    write_json(target, summarize(records))
    # Read back, so that the report is that of the file.
    result = read_json(target)
    text = page_text(result)
    show(console(), text)
    if len(paths) == result["photographs"]:
        figures.draw(result, page.parent / figures.FOLDER)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
        click.echo(f"Written to {page}")


if __name__ == "__main__":
    main(prog_name="python -m experiments.segmentation")
