"""What the commands show while they work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

# What the fit calls its stages, and what a person would.
STAGES = {
    "index": "building the index",
    "neighbors": "finding neighbors",
    "density": "estimating the density",
    "ascent": "climbing",
    "modes": "finding modes",
    "labels": "labeling",
}

Show = Callable[[str, float | None], None]


@contextmanager
def progress() -> Iterator[Show]:
    """Show a bar on a terminal; elsewhere, in a log say, a line as each stage of the fit begins."""
    if not sys.stderr.isatty():
        yield lambda what, fraction: click.echo(what, err=True) if fraction == 0 else None
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
            description=f"{what:<24}",
            completed=fraction or 0.0,
            total=None if fraction is None else 1.0,
        )


def line(name: str, value: str) -> str:
    """Return a line of a summary: a name in bold, and its value."""
    return f"{click.style(f'{name:<10}', bold=True)} {value}"
