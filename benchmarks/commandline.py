"""The command line that both programs share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

try:
    import click
    from rich.console import Console
except ModuleNotFoundError as error:
    raise SystemExit(
        f"The benchmarks need {error.name}, which is not installed: "
        "pip install 'quickshiftpp[bench]'"
    ) from None

from .data import Dataset, blob_datasets, file_datasets
from .machine import describe_machine
from .peers import TABLES, Peer
from .process import ROOT
from .report import (
    growth_exponents,
    print_case,
    print_footnotes,
    print_growth,
    print_heading,
    print_peers,
)
from .session import Case, Judge, Plan, run_session

Shapes = Sequence[tuple[int, int]]

# Wide enough for every table, so that a redirected report does not wrap.
PLAIN_WIDTH = 120

DEFAULT_SIZE = 100_000
DEFAULT_COLUMNS = 2


@dataclass(frozen=True)
class Program:
    """What the two programs differ in.

    Attributes
    ----------
    name : str
        The stem of the default output file.
    title : str
        The heading.
    table : str
        The name of the table of peers.
    judge : callable
        See `session.Plan`.
    columns : mapping of str to str
        The judge's figures to print, each with its format.
    default_shapes, quick_shapes : sequence of (n_samples, n_features)
        What to run unless told otherwise.
    """

    name: str
    title: str
    table: str
    judge: Judge
    columns: Mapping[str, str]
    default_shapes: Shapes
    quick_shapes: Shapes

    @property
    def peers(self) -> Sequence[Peer]:
        """Everyone who can take part."""
        return TABLES[self.table]


def whole_numbers(
    context: click.Context,  # noqa: ARG001
    parameter: click.Parameter,  # noqa: ARG001
    text: str | None,
) -> list[int]:
    """Read ``10000,1e6`` as a list of positive whole numbers."""
    try:
        numbers = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        numbers = [0.0]
    if any(number < 1 or number % 1 != 0 for number in numbers):
        raise click.BadParameter(f"{text!r} is not a list of positive whole numbers, as 1000,1e6.")
    return [int(number) for number in numbers]


def choose_peers(program: Program, names: str | None) -> list[Peer]:
    """Return the peers of those names, in the order of their table; all for None."""
    if names is None:
        return list(program.peers)
    known = [peer.name for peer in program.peers]
    wanted = names.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise click.BadParameter(
            f"no peer is called {unknown[0]!r}; there are {', '.join(known)}.",
            param_hint="--peers",
        )
    return [peer for peer in program.peers if peer.name in wanted]


def choose_datasets(
    program: Program,
    quick: bool,
    sizes: Sequence[int],
    dims: Sequence[int],
    path: Path | None,
    seed: int,
) -> list[Dataset]:
    """Return the datasets that the options ask for."""
    if path is not None:
        if dims:
            raise click.UsageError("--dims is for synthetic data; --data has columns of its own.")
        try:
            return list(file_datasets(path, sizes, seed))
        except (OSError, ValueError) as error:
            raise click.BadParameter(str(error), param_hint="--data") from error
    shapes = program.quick_shapes if quick else program.default_shapes
    if sizes or dims:
        shapes = [(n, d) for d in dims or [DEFAULT_COLUMNS] for n in sizes or [DEFAULT_SIZE]]
    return list(blob_datasets(shapes, seed))


def write_json(
    path: Path, machine: Mapping[str, Any], settings: Mapping[str, Any], cases: Sequence[Case]
) -> None:
    """Write all that is known so far."""
    content = {
        "machine": machine,
        "settings": settings,
        "cases": [case.to_dict() for case in cases],
        "growth": growth_exponents(cases),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")


def run_program(program: Program, plan: Plan, datasets: Iterable[Dataset], output: Path) -> None:
    """Measure, print and write; what is complete is kept if the rest is interrupted."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    machine = describe_machine(plan.peers)
    settings = {
        "program": program.name,
        "k": plan.k,
        "threads": plan.threads,
        "repeats": plan.repeats,
        "timeout": plan.timeout,
        "memory_limit": plan.memory_limit,
        "peers": {peer.name: peer.computes for peer in plan.peers},
    }
    print_heading(console, program.title, machine, settings)
    print_peers(console, plan.peers)
    cases: list[Case] = []
    with console.status("starting") as status:
        for case in run_session(plan, datasets, status.update):
            cases.append(case)
            print_case(console, case, program.columns)
            write_json(output, machine, settings, cases)
    print_growth(console, growth_exponents(cases))
    print_footnotes(console)
    console.print(f"\nWritten to {output}", soft_wrap=True)
    differing = differing_peers(plan.peers, cases)
    if differing:
        raise click.ClickException(f"The answers of {', '.join(sorted(differing))} differ.")


def differing_peers(peers: Sequence[Peer], cases: Sequence[Case]) -> set[str]:
    """Return the names of exact peers whose answers differ from the reference's."""
    exact = {peer.name for peer in peers if peer.exact}
    return {
        result.peer
        for case in cases
        for result in case.results
        if result.peer in exact and result.verdict.get("agrees") is False
    }


def program_options(program: Program) -> list[click.Parameter]:
    """Return the options; only the names of the peers differ between programs."""
    names = ", ".join(peer.name for peer in program.peers)
    whole = click.IntRange(min=1)
    existing = click.Path(exists=True, dir_okay=False, path_type=Path)
    new = click.Path(dir_okay=False, path_type=Path)
    return [
        click.Option(["--quick"], is_flag=True, help="Small sizes, one round: under a minute."),
        click.Option(
            ["--sizes"], callback=whole_numbers, help="Numbers of samples, such as 1000,1e6."
        ),
        click.Option(["--dims"], callback=whole_numbers, help="Numbers of columns, such as 2,10."),
        click.Option(["--data"], type=existing, help="An .npz file with an array X to use."),
        click.Option(["--k"], type=whole, default=20, help="Neighbours, the sample included."),
        click.Option(["--peers"], help=f"Some of {names}; all by default."),
        click.Option(["--repeats"], type=whole, help="Rounds; 3 by default, 1 with --quick."),
        click.Option(["--threads"], type=whole, default=2, help="Threads of every peer."),
        click.Option(
            ["--timeout"],
            type=click.FloatRange(min=0.1),
            help="Seconds for one fit; 600 by default, 5 with --quick.",
        ),
        click.Option(
            ["--memory-limit"],
            type=click.FloatRange(min=1),
            default=16.0,
            help="GiB of address space for one process.",
        ),
        click.Option(["--seed"], type=int, default=0, help="Of the synthetic data."),
        click.Option(["--output"], type=new, help="The JSON file; in benchmarks/results."),
    ]


def run(
    program: Program,
    *,
    quick: bool,
    sizes: list[int],
    dims: list[int],
    data: Path | None,
    k: int,
    peers: str | None,
    repeats: int | None,
    threads: int,
    timeout: float | None,
    memory_limit: float,
    seed: int,
    output: Path | None,
) -> None:
    """Turn the options into a plan, and carry it out."""
    plan = Plan(
        table=program.table,
        peers=choose_peers(program, peers),
        judge=program.judge,
        k=k,
        threads=threads,
        repeats=repeats or (1 if quick else 3),
        timeout=timeout or (5.0 if quick else 600.0),
        # A first import may compile for longer than --quick allows; what is compiled is kept.
        setup_timeout=20.0 if quick else 300.0,
        memory_limit=memory_limit,
    )
    datasets = choose_datasets(program, quick, sizes, dims, data, seed)
    smallest = min(dataset.n_samples for dataset in datasets)
    if k > smallest:
        raise click.BadParameter(
            f"{k} neighbours are more than the {smallest} samples of the smallest case.",
            param_hint="--k",
        )
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    default_output = ROOT / "benchmarks" / "results" / f"{program.name}-{stamp}.json"
    run_program(program, plan, datasets, output or default_output)


def command(program: Program) -> click.Command:
    """Return the command line of a program."""
    return click.Command(
        program.name,
        callback=partial(run, program),
        params=program_options(program),
        help=f"{program.title}, peers side by side in one session.",
        context_settings={"show_default": True},
    )
