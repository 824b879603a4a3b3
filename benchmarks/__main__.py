"""``python -m benchmarks``: the benchmark page, or with options a comparison of clusterers."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from .builds import builds_command
from .calibrate import calibrate_command
from .compare import comparison_options, run
from .map.command import map_command
from .page.command import page_command
from .peers import FIT, TABLES
from .screen import screen_command


@click.pass_context
def choose_program(context: click.Context, /, **options: Any) -> None:
    """Compare clusterers if there are options, write the page if there are none."""
    if context.invoked_subcommand is not None:
        return
    if all(context.get_parameter_source(name) is ParameterSource.DEFAULT for name in options):
        with page_command.make_context("page", [], parent=context) as page_context:
            page_command.invoke(page_context)
    else:
        run(TABLES[FIT], **options)


main = click.Group(
    "benchmarks",
    callback=choose_program,
    params=comparison_options(TABLES[FIT]),
    commands=[page_command, builds_command, calibrate_command, map_command, screen_command],
    invoke_without_command=True,
    help=(
        "Without options, the same as the command `page`: measure what the benchmark page lacks, "
        "then write it. With options, compare density clusterers side by side in one session."
    ),
    context_settings={"show_default": True},
)

if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
