"""``python -m fuzz --minutes N``: look for wrong results, crashes, hangs and leaks."""

from __future__ import annotations

import importlib
import os
import secrets
import time
from pathlib import Path

import click
from joblib import cpu_count

from reporting.tables import console, show

from .report import describe, summary
from .supervisor import Finding, Run
from .targets import TARGETS

# Matrix products of a few rows gain nothing from threads.
# The GNU allocator keeps memory for the threads of earlier calls, in up to eight places per core,
# and once large arrays were freed, it keeps room for others. With one place, and with large arrays
# given back to the system, what grows is a leak.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "131072",
}


@click.command(context_settings={"show_default": True})
@click.option("--minutes", default=1.0, help="How long to run.")
@click.option("--seed", type=click.IntRange(0), help="Sets the cases.  [default: random]")
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: one for each core]")
@click.option("--only", multiple=True, metavar="TARGET", help="This target; may be repeated.")
@click.option("--case", metavar="TARGET:NUMBER", help="Run this one case, and print what differs.")
@click.option("--load", multiple=True, metavar="MODULE", help="Import a module with more targets.")
@click.option("--summary", "output", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the summary as Markdown, too.")  # fmt: skip
@click.option("--list", "list_targets", is_flag=True, help="Print the targets.")
def main(
    minutes: float,
    seed: int | None,
    jobs: int | None,
    only: tuple[str, ...],
    case: str | None,
    load: tuple[str, ...],
    output: Path | None,
    list_targets: bool,
) -> None:
    """Run random cases against the slow oracle, and damaged files against the readers.

    The exit code is 1 if anything was found. Every finding is printed with the number of its case,
    and as a few lines of Python.
    """
    for module in load:
        importlib.import_module(module)
    if list_targets:
        for name, target in TARGETS.items():
            click.echo(f"{name:<14} {(type(target).__doc__ or '').splitlines()[0]}")
        return
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if case is not None:
        _run_one(case, load)
        return
    names = [_known(name) for name in only] or list(TARGETS)
    seed = secrets.randbelow(10**6) if seed is None else seed
    jobs = cpu_count() if jobs is None else jobs
    click.echo(f"seed {seed}, {', '.join(names)}")
    run = Run(names, seed, load, on_finding=_print)
    start = time.monotonic()
    run.run(60 * minutes, jobs)
    text = summary(run, jobs, time.monotonic() - start, seed)
    show(console(), text)
    if output is not None:
        output.write_text(text + "\n")
    raise SystemExit(1 if run.findings else 0)


def _run_one(case: str, modules: tuple[str, ...]) -> None:
    name, _, number = case.rpartition(":")
    if not number.isdecimal():
        raise click.BadParameter(f"'{case}' is not TARGET:NUMBER, such as tree:17.")
    run = Run([_known(name)], modules=modules, on_finding=_print)
    run.run_one(name, int(number))
    if run.findings:
        raise SystemExit(1)
    click.echo(f"{case}: {run.tallies[name].checks} checks, nothing differs")


def _known(name: str) -> str:
    if name not in TARGETS:
        raise click.BadParameter(f"there is no target '{name}': choose from {', '.join(TARGETS)}.")
    return name


def _print(finding: Finding) -> None:
    click.echo(describe(finding))


if __name__ == "__main__":
    main(prog_name="python -m fuzz")
