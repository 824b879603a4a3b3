"""The benchmark page, or with options one comparison of clusterers: ``python -m benchmarks``."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from .clustering import PROGRAM
from .commandline import program_options, run
from .page.command import page_command


@click.pass_context
def choose_program(context: click.Context, /, **options: Any) -> None:
    """Compare clusterers where an option says how, make the whole page where there is none."""
    if context.invoked_subcommand is not None:
        return
    if all(context.get_parameter_source(name) is ParameterSource.DEFAULT for name in options):
        with page_command.make_context("page", [], parent=context) as page_context:
            page_command.invoke(page_context)
    else:
        run(PROGRAM, **options)


main = click.Group(
    "benchmarks",
    callback=choose_program,
    params=program_options(PROGRAM),
    commands=[page_command],
    invoke_without_command=True,
    help=(
        "Without options, measure what is missing of the benchmark page and write it: the same as "
        "the command `page`, which has options of its own. With options, compare density "
        "clusterers, peers side by side in one session."
    ),
    context_settings={"show_default": True},
)

if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
