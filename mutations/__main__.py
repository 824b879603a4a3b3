"""``python -m mutations``: plant bugs, and see whether the tests catch them."""

from __future__ import annotations

import signal
from pathlib import Path

import click

from reporting.tables import console, show

from .planted import MUTATIONS
from .report import by_part, is_enough, listing, summary
from .run import CAUGHT, ERROR, MISSED, Outcome, Run

ROOT = Path(__file__).parents[1]


@click.command(context_settings={"show_default": True})
@click.option("--only", multiple=True, metavar="NAME", help="This bug; may be repeated.")
@click.option("--list", "only_list", is_flag=True, help="Print the bugs; plant none.")
@click.option("--jobs", type=click.IntRange(1), default=2, help="Bugs tested at a time.")
@click.option("--summary", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the tables as Markdown, too.")  # fmt: skip
def main(only: tuple[str, ...], only_list: bool, jobs: int, output: Path | None) -> None:
    """Plant bugs one at a time in a copy of the repository, and run the tests of their stage.

    The exit code is 1 if fewer than 95% were caught, or if one could not be planted: because its
    text is no longer in the file, because it does not compile, or because its tests fail anyway.
    """
    wanted = list(MUTATIONS)
    if only:
        known = {mutation.name: mutation for mutation in MUTATIONS}
        unknown = [name for name in only if name not in known]
        if unknown:
            raise click.BadParameter(f"there is no bug '{unknown[0]}': see --list for the names.")
        wanted = [known[name] for name in dict.fromkeys(only)]
    if only_list:
        click.echo(listing(wanted))
        return
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        # As in the background, where tests of Ctrl-C would wait for it in vain.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    outcomes = Run(ROOT, wanted, _print).run(min(jobs, len(wanted)))
    text = f"{by_part(outcomes)}\n\n{summary(outcomes)}"
    show(console(), text)
    if output is not None:
        output.write_text(text + "\n")
    raise SystemExit(0 if is_enough(outcomes) else 1)


def _print(outcome: Outcome) -> None:
    said = {
        CAUGHT: f" by {outcome.what}",
        MISSED: f": {outcome.mutation.breaks}",
        ERROR: f": {outcome.what}",
    }[outcome.kind]
    click.echo(f"{outcome.kind} {outcome.mutation.name}{said} ({outcome.seconds:.0f} s)")


if __name__ == "__main__":
    main(prog_name="python -m mutations")
