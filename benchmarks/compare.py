"""Peers side by side on data of your choice: the command line of the comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

try:
    import click
    import rich  # noqa: F401
except ModuleNotFoundError as error:
    raise SystemExit(
        f"The benchmarks need {error.name}, which is not installed: "
        "pip install 'quickshiftpp[bench]'"
    ) from None

from reporting.store import write_json
from reporting.tables import console, plural, show

from .cases import Case, case_table, failures, growth_exponents, growth_table
from .data import Dataset, blob_datasets, file_datasets
from .machine import describe_machine, machine_text
from .peers import REFERENCE, Peer, Table
from .session import ROOT, Plan, run_case

SHAPES = ((10_000, 2), (100_000, 2), (1_000_000, 2), (100_000, 3), (100_000, 10))
QUICK_SHAPES = ((10_000, 2), (50_000, 2))
DEFAULT_SIZE, DEFAULT_COLUMNS = 100_000, 2
SEED = 0

FOOTNOTES = f"""\
Times are medians over the rounds, after a warm-up that imports and compiles. Ratios are relative to
{REFERENCE}: above 1x is slower, or more memory. Peak memory is what the fit adds to the process
beyond its input and imports, worker processes included."""


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
        raise click.BadParameter(
            f"{text!r} is not a list of positive whole numbers such as 1000,1e6."
        )
    return [int(number) for number in numbers]


def choose_peers(table: Table, names: str | None) -> list[Peer]:
    """Return the peers of those names, in the order of their table; all for None."""
    known = [peer.name for peer in table.peers]
    wanted = known if names is None else names.split(",")
    for name in wanted:
        if name not in known:
            raise click.BadParameter(
                f"no peer is called {name!r}; there are {', '.join(known)}.", param_hint="--peers"
            )
    return [peer for peer in table.peers if peer.name in wanted]


def choose_datasets(
    quick: bool, sizes: Sequence[int], dims: Sequence[int], path: Path | None
) -> list[Dataset]:
    """Return the datasets that the options ask for."""
    if path is not None:
        if dims:
            raise click.UsageError("--dims is for synthetic data; --data has its own columns.")
        try:
            return list(file_datasets(path, sizes, SEED))
        except (OSError, ValueError) as error:
            raise click.BadParameter(str(error), param_hint="--data") from error
    shapes: Sequence[tuple[int, int]] = QUICK_SHAPES if quick else SHAPES
    if sizes or dims:
        shapes = [(n, d) for d in dims or [DEFAULT_COLUMNS] for n in sizes or [DEFAULT_SIZE]]
    return list(blob_datasets(shapes, SEED))


def differing_peers(peers: Sequence[Peer], cases: Sequence[Case]) -> set[str]:
    """Return the names of exact peers whose answers differ from the reference's."""
    exact = {peer.name for peer in peers if peer.exact}
    return {
        result.peer
        for case in cases
        for result in case.results
        if result.peer in exact and result.judgment.get("agrees") is False
    }


def run(
    table: Table,
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
    output: Path | None,
) -> None:
    """Measure, print and write; complete cases are kept if the run is interrupted."""
    plan = Plan(
        table.name,
        choose_peers(table, peers),
        k,
        threads,
        repeats or (1 if quick else 3),
        timeout or (5.0 if quick else 600.0),
        # A first import may compile for longer than --quick allows; compiled code is kept.
        setup_timeout=20.0 if quick else 300.0,
        memory_limit=memory_limit,
    )
    datasets = choose_datasets(quick, sizes, dims, data)
    smallest = min(dataset.n_samples for dataset in datasets)
    if k > smallest:
        raise click.BadParameter(
            f"{k} neighbors are more than the {smallest} samples of the smallest case.",
            param_hint="--k",
        )
    output = output or ROOT / "benchmarks" / "results" / (
        f"{table.name.lower()}-{datetime.now():%Y%m%d-%H%M%S}.json"
    )
    target = console()
    content = {
        "machine": describe_machine(plan.peers),
        "settings": {
            "table": table.name,
            "k": k,
            "threads": threads,
            "repeats": plan.repeats,
            "timeout": plan.timeout,
            "memory_limit": memory_limit,
            "peers": {peer.name: peer.computes for peer in plan.peers},
        },
    }
    show(target, f"# {table.title}\n\n{heading(content['machine'], plan)}")
    cases: list[Case] = []
    with target.status("starting") as status:
        for dataset in datasets:
            cases.append(case := run_case(plan, dataset, status.update))
            title = f"**n = {case.n_samples:,}, d = {case.n_features}, k = {k}**: "
            show(target, f"{title}{case.description}\n\n{case_table(case, table.columns)}")
            for line in failures([case]):
                target.print(line, markup=False)
            entries = [case.to_dict() for case in cases]
            write_json(output, {**content, "cases": entries, "growth": growth_exponents(cases)})
    growth = growth_exponents(cases)
    show(target, (growth_table(growth) + "\n\n" if growth else "") + FOOTNOTES)
    target.print(f"Written to {output}", soft_wrap=True)
    differing = differing_peers(plan.peers, cases)
    if differing:
        raise click.ClickException(f"The answers of {', '.join(sorted(differing))} differ.")


def heading(machine: dict[str, object], plan: Plan) -> str:
    """Return the machine, the settings and the peers, as a Markdown list."""
    settings = (
        f"- **Settings**: k = {plan.k}, {plural(plan.threads, 'thread')}, "
        f"{plural(plan.repeats, 'round')}, at most {plan.timeout:g} s per fit and "
        f"{plan.memory_limit:g} GiB per process."
    )
    peers = [f"- **{peer.name}**: {peer.computes}." for peer in plan.peers]
    return "\n".join([machine_text(machine), settings, *peers])


def comparison_options(table: Table) -> list[click.Parameter]:
    """Return the options of a comparison; only the names of the peers differ."""
    names = ", ".join(peer.name for peer in table.peers)
    whole = click.IntRange(min=1)
    existing = click.Path(exists=True, dir_okay=False, path_type=Path)
    new = click.Path(dir_okay=False, path_type=Path)
    seconds, gibibytes = click.FloatRange(min=0.1), click.FloatRange(min=1)
    texts: list[tuple[str, dict[str, object]]] = [
        ("--quick", {"is_flag": True, "help": "Small sizes, one round: under a minute."}),
        ("--sizes", {"callback": whole_numbers, "help": "Numbers of samples, such as 1000,1e6."}),
        ("--dims", {"callback": whole_numbers, "help": "Numbers of columns, such as 2,10."}),
        ("--data", {"type": existing, "help": "An .npz file with an array X."}),
        ("--k", {"type": whole, "default": 20, "help": "Neighbors, the sample included."}),
        ("--peers", {"help": f"Some of {names}; default: all."}),
        ("--repeats", {"type": whole, "help": "Rounds; default: 3, with --quick 1."}),
        ("--threads", {"type": whole, "default": 2, "help": "Threads of every peer."}),
        ("--timeout", {"type": seconds, "help": "Seconds per fit; default: 600, with --quick 5."}),
        ("--memory-limit", {"type": gibibytes, "default": 16.0, "help": "GiB per process."}),
        ("--output", {"type": new, "help": "The JSON file; default: in benchmarks/results."}),
    ]
    return [click.Option([name], **options) for name, options in texts]  # type: ignore[arg-type]


def comparison_command(table: Table) -> click.Command:
    """Return the command line of a comparison."""
    return click.Command(
        "compare",
        callback=partial(run, table),
        params=comparison_options(table),
        help=f"{table.title}, peers side by side in one session.",
        context_settings={"show_default": True},
    )
