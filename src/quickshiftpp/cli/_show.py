"""Progress bars and summary lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ._errors import printable

# The stages of a fit, as they are shown.
STAGES = {
    "index": "building the index",
    "neighbors": "finding neighbors",
    "tree": "building the mode tree",
    "labels": "labeling",
}

Show = Callable[[str, float | None], None]


@contextmanager
def progress() -> Iterator[Show]:
    """Show a bar on a terminal; elsewhere print a line when each stage of the fit starts."""
    if not sys.stderr.isatty():

        def print_start(what: str, fraction: float | None) -> None:
            if fraction == 0:
                click.echo(printable(what), err=True)

        yield print_start
        return
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(complete_style="cyan", finished_style="cyan", pulse_style="cyan"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bars:
        task = bars.add_task("", total=None)
        yield lambda what, fraction: bars.update(
            task,
            description=f"{printable(what):<30}",
            completed=fraction or 0.0,
            total=None if fraction is None else 1.0,
        )


def line(name: str, value: str) -> str:
    """Return a line of a summary: a name in bold, and its value."""
    return f"{click.style(f'{name:<10}', bold=True)} {printable(value)}"
