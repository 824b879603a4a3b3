"""The command line: ``quickshiftpp demo``, ``cluster FILE`` and ``segment IMAGE...``.

``_cluster``, ``_demo`` and ``_segment`` are the commands. ``_read``, ``_tables`` and ``_write``
read and write tables, ``_images`` reads images and writes segmentations, and ``_figure`` draws the
figure of the demo. ``_options`` checks option values, ``_files`` checks files and replaces them
safely, ``_errors`` words messages, and ``_show`` shows progress. Results go to stdout, progress and
errors to stderr. An error is one sentence, with exit code 2.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from .. import __version__
from ._cluster import cluster
from ._demo import demo
from ._errors import first_line, printable
from ._segment import segment

PROGRAM = "quickshiftpp"
INTERRUPTED = 130


class _OneSentenceGroup(click.Group):
    """A group whose errors are one sentence, without the usage block."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and exit, as :meth:`click.Group.main` does."""
        del prog_name  # python -m quickshiftpp uses the name of the command too
        if not standalone_mode:
            return super().main(args, PROGRAM, complete_var, standalone_mode=False, **extra)
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A terminal that lacks a character shows its code, as stderr does.
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            status = super().main(args, PROGRAM, complete_var, standalone_mode=False, **extra)
        except click.UsageError as error:
            _fail(_sentence(error), error.exit_code)
        except click.ClickException as error:
            _fail(error.format_message(), error.exit_code)
        except click.Abort:
            raise SystemExit(INTERRUPTED) from None
        except MemoryError:
            _fail(
                "there is not enough memory: use fewer rows or pixels, or a smaller --k.",
                1,
            )
        except OSError as error:  # the disk of a redirected output is full, for example
            _fail(
                f"the system stopped the command ({first_line(error)}): check the space on the "
                "disk, and where the output goes.",
                1,
            )
        raise SystemExit(status if isinstance(status, int) else 0)


def _fail(sentence: str, status: int) -> NoReturn:
    click.echo(printable(f"{PROGRAM}: {sentence}"), err=True)
    raise SystemExit(status)


def _sentence(error: click.UsageError) -> str:
    text = " ".join(error.format_message().split()).rstrip(".?").replace(". Did you", ": did you")
    command = error.ctx.command_path if error.ctx else PROGRAM
    return f"{text[:1].lower()}{text[1:]} (see {command} --help)."


_EXAMPLES = """\b
Examples:
  quickshiftpp demo
  quickshiftpp cluster measurements.csv
  quickshiftpp cluster measurements.csv --k 20 --beta 0.5 --min-cluster-size 20
  quickshiftpp segment photograph.jpg
"""


@click.group(
    epilog=_EXAMPLES,
    cls=_OneSentenceGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM)
@click.pass_context
def main(context: click.Context) -> None:
    """Cluster tables and segment images with Quickshift++.

    Quickshift++ finds the number of clusters from the data: each cluster is a peak of the density.
    Two options control it. --k is the number of neighbors used to estimate the density; larger
    values smooth it. --beta is how far the density must fall between two peaks to count them as
    two clusters; larger values give fewer clusters.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


main.add_command(cluster)
main.add_command(demo)
main.add_command(segment)
