"""The command line: every claim by itself, or all of them, and the page that tells the results."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

try:
    import click
    import matplotlib as mpl  # noqa: F401
    from rich.console import Console
except ModuleNotFoundError as error:
    raise SystemExit(
        f"The experiments need {error.name}, which is not installed: "
        "pip install 'quickshiftpp[experiments]'"
    ) from None

from . import modes_and_cores, open_question, quirk, report, stability, table, theory, toys
from .data import MissingDataError
from .experiment import Experiment, Sheet
from .store import Record, Store, write_json

# In the order of the page.
EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (table, quirk, stability, toys, modes_and_cores, theory, open_question)
}

ROOT = Path(__file__).parents[1]
PLAIN_WIDTH = 140  # so that a redirected report does not wrap


def run(experiment: Experiment, data: Path, store: Store, figures: Path, console: Console) -> None:
    """Do the work that is not done yet, print the tables, write JSON and figures."""
    bar = Console(stderr=True)
    records = store.run(experiment.name, experiment.units(data), bar)
    result = {
        "result": experiment.summarise(records),
        "seconds": sum(record["seconds"] for record in records),
    }
    write_json(store.folder / f"{experiment.name}.json", result)
    # Read back, so that what is told is what is written.
    content = read_result(store, experiment)
    console.rule(experiment.title, align="left")
    for block in experiment.section(content["result"]):
        if isinstance(block, Sheet):
            block.print(console)
    if experiment.draw is not None:
        experiment.draw(content["result"], figures)


def read_result(store: Store, experiment: Experiment) -> Record:
    """Return the result of an experiment that has run."""
    path = store.folder / f"{experiment.name}.json"
    if not path.is_file():
        raise click.ClickException(
            f"'{path}' is not there yet: run `python -m experiments {experiment.name}` first."
        )
    content: Record = json.loads(path.read_text())
    return content


def write_page(store: Store, page: Path) -> None:
    """Write the page from the results of all experiments, and from nothing else."""
    results = {name: read_result(store, one) for name, one in EXPERIMENTS.items()}
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(report.render(EXPERIMENTS.values(), results, page.stem))


def execute(names: list[str], output: Path, page: Path, data: Path | None = None) -> None:
    """Run some experiments; the page follows when all have run."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    store = Store(output)
    for name in names:
        try:
            run(EXPERIMENTS[name], data or Path(), store, page.parent / page.stem, console)
        except MissingDataError as error:
            raise click.ClickException(str(error)) from error
    if len(names) == len(EXPERIMENTS):
        write_page(store, page)
        console.print(f"Written to {page}", soft_wrap=True)


def options(needs_data: bool) -> list[click.Parameter]:
    """Return the options of a command."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    chosen: list[click.Parameter] = [
        click.Option(
            ["--output"],
            type=click.Path(file_okay=False, path_type=Path),
            default=ROOT / "experiments" / "results",
            help="Where results are kept, as JSON; a run that was cut off goes on from there.",
        ),
        click.Option(
            ["--page"],
            type=click.Path(dir_okay=False, path_type=Path),
            default=ROOT / "docs" / "paper.md",
            help="The page to write; figures go to the folder of its name.",
        ),
    ]
    if needs_data:
        chosen.insert(
            0,
            click.Option(
                ["--data"],
                type=folder,
                required=True,
                help="The folder with the nine sets as .npz files, or with these in paper/.",
            ),
        )
    return chosen


def page_command(output: Path, page: Path) -> None:
    """Write the page again from the results at hand."""
    write_page(Store(output), page)


def make_group() -> click.Group:
    """Return the command line with a command for each experiment."""
    group = click.Group(help="The paper, reproduced: each claim with numbers or pictures, tested.")
    for name, title, names, needs_data in (
        ("all", "Run every experiment and write the page", list(EXPERIMENTS), True),
        *((name, one.title, [name], one.needs_data) for name, one in EXPERIMENTS.items()),
    ):
        callback, parameters = partial(execute, names), options(needs_data)
        group.add_command(
            click.Command(name, callback=callback, params=parameters, help=f"{title}.")
        )
    text = "Write the page again from the results at hand."
    page = click.Command("page", callback=page_command, params=options(False), help=text)
    group.add_command(page)
    return group


main = make_group()
