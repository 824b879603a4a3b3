"""The command ``page``: measure what is missing, then write the page."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click
from rich.console import Console

from ..commandline import PLAIN_WIDTH
from ..machine import describe_machine
from ..peers import TABLES
from ..process import ROOT
from .render import write_page
from .scope import FULL, QUICK, Protocol
from .sections import SECTIONS, measure_missing
from .store import Measurements

DEFAULTS = Protocol()


def section_names(
    context: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    text: str | None,
) -> list[str]:
    """Read ``search,fit`` as names of sections, in the order of measuring; all for None."""
    wanted = text.split(",") if text else list(SECTIONS)
    for name in wanted:
        if name not in SECTIONS:
            raise click.BadParameter(
                f"no section is called {name!r}; there are {', '.join(SECTIONS)}."
            )
    return [name for name in SECTIONS if name in wanted]


def open_measurements(
    path: Path, protocol: Protocol, sections: list[str], fresh: bool
) -> Measurements:
    """Return what is measured already, without what is to be measured again."""
    everyone = [peer for table in TABLES.values() for peer in table]
    machine = describe_machine(everyone)
    begun = Measurements(machine, protocol.settings())
    if not path.exists():
        return begun
    measured = Measurements.load(path)
    if fresh:
        measured.forget(sections)
    if not any(measured.sections.values()):
        return begun
    difference = measured.difference_from(machine, protocol.settings())
    if difference is not None:
        raise click.ClickException(
            f"{path} does not go with new measurements: {difference}. Measure all of it again with "
            "--fresh, or name another file with --measurements."
        )
    return measured


def measure_and_keep(
    measured: Measurements, path: Path, protocol: Protocol, sections: list[str]
) -> int:
    """Measure what is missing, saving after each step, and return how many steps it took."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    with console.status("starting") as status:

        def keep(job: str) -> None:
            measured.save(path)
            console.print(f"{datetime.now():%H:%M:%S} {job}", soft_wrap=True)

        return measure_missing(measured, protocol, sections, status.update, keep)


@click.command("page", context_settings={"show_default": True})
@click.option(
    "--sections",
    callback=section_names,
    help=f"Some of {', '.join(SECTIONS)}; all by default.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with real data; without it the section `real` is left out.",
)
@click.option("--render-only", is_flag=True, help="Write the page, measure nothing.")
@click.option("--fresh", is_flag=True, help="Measure again what is there of these sections.")
@click.option("--quick", is_flag=True, help="Small sizes, one round: to see that it works.")
@click.option(
    "--threads", type=click.IntRange(min=1), default=DEFAULTS.threads, help="Of everyone."
)
@click.option("--repeats", type=click.IntRange(min=1), default=DEFAULTS.repeats, help="Rounds.")
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=DEFAULTS.patience,
    help="Seconds: what took longer is not repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=DEFAULTS.timeout,
    help="Seconds for one fit of a peer, also if only expected.",
)
@click.option(
    "--measurements",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The JSON file; docs/benchmarks/measurements.json, with --quick in benchmarks/results.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page; docs/benchmarks.md, with --quick in benchmarks/results.",
)
def page_command(
    sections: list[str],
    data: Path | None,
    render_only: bool,
    fresh: bool,
    quick: bool,
    threads: int,
    repeats: int,
    patience: float,
    timeout: float,
    measurements: Path | None,
    output: Path | None,
) -> None:
    """Measure what is missing of the benchmark page, and write it.

    What is measured is kept in a JSON file as it comes: a run that is cut off goes on where it
    stopped. Plots go to a folder beside the page, of the same name.
    """
    folder = ROOT / "benchmarks" / "results" if quick else ROOT / "docs"
    output = output or folder / "benchmarks.md"
    path = measurements or output.with_suffix("") / "measurements.json"
    if render_only:
        if not path.exists():
            raise click.ClickException(f"{path} does not exist: nothing is measured yet.")
        measured = Measurements.load(path)
    else:
        protocol = Protocol(
            scope=QUICK if quick else FULL,
            data=data,
            threads=threads,
            repeats=1 if quick else repeats,
            patience=patience,
            timeout=timeout,
        )
        measured = open_measurements(path, protocol, sections, fresh)
        if measure_and_keep(measured, path, protocol, sections) == 0:
            click.echo("All of this is measured already; --fresh measures it again.")
    write_page(measured, output)
    click.echo(f"Written to {output}")
