"""The command ``page``: measure what is missing, then write the page."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from reporting.tables import console

from ..machine import describe_machine
from ..peers import TABLES
from ..session import ROOT
from .measure import SECTIONS, measure_missing
from .render import write_page
from .scope import FULL, QUICK, Protocol
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
    machine = describe_machine([peer for table in TABLES.values() for peer in table.peers])
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
            f"New measurements cannot be added to {path}: {difference}. Use --fresh to measure "
            "everything again, or --measurements to name another file."
        )
    return measured


@click.command("page", context_settings={"show_default": True})
@click.option(
    "--sections", callback=section_names, help=f"Some of {', '.join(SECTIONS)}; default: all."
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder with real data; without it the section `real` is left out.",
)
@click.option("--render-only", is_flag=True, help="Write the page without measuring.")
@click.option("--fresh", is_flag=True, help="Measure these sections again.")
@click.option("--quick", is_flag=True, help="Small sizes, one round: to see that it works.")
@click.option("--threads", type=click.IntRange(min=1), default=DEFAULTS.threads, help="For all.")
@click.option("--repeats", type=click.IntRange(min=1), default=DEFAULTS.repeats, help="Rounds.")
@click.option(
    "--patience",
    type=click.FloatRange(min=0),
    default=DEFAULTS.patience,
    help="Seconds: a fit that took longer is not repeated.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=DEFAULTS.timeout,
    help="Seconds for one fit of a peer.",
)
@click.option(
    "--measurements",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The JSON file; default: measurements.json in the folder of the plots.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page; default: docs/benchmarks.md, with --quick in benchmarks/results.",
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
    """Measure what the benchmark page lacks, and write it.

    Each measurement is stored when it is done, so that an interrupted run resumes. Plots go into
    a folder with the name of the page. The map and the embeddings come from map.json and
    embeddings.json beside the measurements, which `benchmarks map --output` writes.
    """
    output = output or ROOT / ("benchmarks/results" if quick else "docs") / "benchmarks.md"
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
        target = console()
        with target.status("starting") as status:

            def keep(job: str) -> None:
                measured.save(path)
                target.print(f"{datetime.now():%H:%M:%S} {job}", markup=False, soft_wrap=True)

            if measure_missing(measured, protocol, sections, status.update, keep) == 0:
                click.echo("Everything is measured already; --fresh measures it again.")
    others = (path.with_name(name) for name in ("map.json", "embeddings.json"))
    write_page(measured, output, *(Measurements.load(p) if p.exists() else None for p in others))
    click.echo(f"Written to {output}")
