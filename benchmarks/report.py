"""The tables, for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .peers import REFERENCE, Peer
from .process import GIB
from .session import Case, Result, ratio

MIB = 2**20
NOTHING = "-"

# A line through two points always fits; an exponent needs a third to mean anything.
FEWEST_SIZES = 3


def format_seconds(seconds: float) -> str:
    """Return a time with three significant digits.

    Examples
    --------
    >>> format_seconds(0.01234), format_seconds(1.5), format_seconds(123.4)
    ('12.3 ms', '1.50 s', '123 s')
    """
    if seconds < 1:
        return f"{significant(seconds * 1000)} ms"
    return f"{significant(seconds)} s"


def format_bytes(size: float) -> str:
    """Return a size in MiB or GiB with three significant digits.

    Examples
    --------
    >>> format_bytes(5.2 * 2**20), format_bytes(3 * 2**30)
    ('5.20 MiB', '3.00 GiB')
    """
    if size < GIB:
        return f"{significant(size / MIB)} MiB"
    return f"{significant(size / GIB)} GiB"


def significant(value: float) -> str:
    """Return a number of 0 or more with three significant digits, without an exponent.

    Examples
    --------
    >>> significant(0.5), significant(9.999), significant(1234.5)
    ('0.500', '10.0', '1234')
    """
    if value <= 0:
        return "0"
    rounded = float(f"{value:.2e}")
    decimals = max(0, min(3, 2 - math.floor(math.log10(rounded))))
    return f"{rounded if decimals else value:.{decimals}f}"


def format_ratio(value: float, reference: float | None) -> str:
    """Return how many times the reference a value is."""
    quotient = None if reference is None else ratio(value, reference)
    return NOTHING if quotient is None else f"{significant(quotient)}x"


def format_figure(value: Any, form: str) -> str:
    """Return a figure of the judge in its format; a truth as a word."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return form.format(value)


def growth_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fit ``seconds`` to a power of ``sizes`` by least squares of the logarithms.

    Parameters
    ----------
    sizes, seconds : sequence of float
        Positive, of one length, at least two different sizes.

    Returns
    -------
    float
        The exponent: 1 for linear growth, 2 for quadratic.

    Examples
    --------
    >>> round(growth_exponent([10, 100, 1000], [2, 20, 200]), 6)
    1.0
    """
    x = np.log(sizes)
    y = np.log(seconds)
    x_centered = x - x.mean()
    return float(x_centered @ (y - y.mean()) / (x_centered @ x_centered))


def growth_exponents(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Return the growth of time over n for every peer that came to its end at three or more sizes.

    Returns
    -------
    list of dict
        ``peer``, ``n_features``, ``sizes`` and ``exponent``.
    """
    series: dict[tuple[int, str], dict[int, float]] = {}
    for case in cases:
        for result in case.results:
            if result.status == "ok":
                times = series.setdefault((case.n_features, result.peer), {})
                times[case.n_samples] = result.median_seconds
    return [
        {
            "peer": peer,
            "n_features": n_features,
            "sizes": sorted(times),
            "exponent": growth_exponent(list(times), list(times.values())),
        }
        for (n_features, peer), times in series.items()
        if len(times) >= FEWEST_SIZES
    ]


def print_heading(
    console: Console, title: str, machine: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    """Say what is measured, where, and how."""
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    rows = {
        "machine": f"{machine['processor']}, {plural(machine['cores'], 'core')}, "
        f"{format_bytes(machine['memory_bytes'])}, SIMD level {machine['simd_level']}, "
        f"{machine['system']}",
        "versions": f"Python {machine['python']}, {versions}",
        "settings": f"k = {settings['k']}, {plural(settings['threads'], 'thread')}, "
        f"{plural(settings['repeats'], 'round')}, at most {settings['timeout']:g} s a fit and "
        f"{settings['memory_limit']:g} GiB a process",
    }
    console.print(f"\n[bold]{title}[/bold]\n")
    print_pairs(console, rows)
    if machine["load_average"] > machine["cores"] / 2:
        console.print(
            f"\n[yellow]The machine is busy (load {machine['load_average']:.1f}): trust the ratios "
            "more than the times.[/yellow]"
        )


def print_peers(console: Console, peers: Sequence[Peer]) -> None:
    """Say what each peer computes."""
    console.print()
    print_pairs(console, {peer.name: peer.computes for peer in peers})


def print_pairs(console: Console, pairs: Mapping[str, str]) -> None:
    """Print names and what they stand for, one pair below the other."""
    table = Table(box=None, show_header=False, padding=(0, 1))
    for name, text in pairs.items():
        table.add_row(name, escape(text))
    console.print(table)


def plural(number: int, noun: str) -> str:
    """Return the number with its noun.

    Examples
    --------
    >>> plural(1, "core"), plural(2, "core")
    ('1 core', '2 cores')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def print_case(console: Console, case: Case, columns: Mapping[str, str]) -> None:
    """Print one table.

    Parameters
    ----------
    console : Console
        Where to.
    case : Case
        What was measured.
    columns : mapping of str to str
        The figures of the judge to show, each with its format.
    """
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"n = {case.n_samples:,}, d = {case.n_features}, k = {case.k}: {case.description}",
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    table.add_column("", no_wrap=True)
    headings = ("time", "min to max", "time ratio", "peak memory", "memory ratio", *columns)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for result in case.results:
        table.add_row(*case_row(case, result, columns))
    console.print()
    console.print(table)
    for result in case.results:
        if result.status in ("missing", "failed"):
            console.print(f" {result.peer} {escape(result.message)}")
        elif result.status == "set-up timeout":
            console.print(
                f" {result.peer} was still importing or compiling. "
                "Where compiled code is kept, the next run gets further."
            )


def case_row(case: Case, result: Result, columns: Mapping[str, str]) -> list[str]:
    """Return the cells of one peer."""
    if result.status != "ok":
        late = result.status in ("timeout", "set-up timeout")
        short = result.message if late else result.status
        return [result.peer, short, *([NOTHING] * (4 + len(columns)))]
    reference_seconds = case.reference.median_seconds if case.reference else None
    reference_peak = case.reference.median_peak if case.reference else None
    spread = f"{format_seconds(min(result.seconds))} to {format_seconds(max(result.seconds))}"
    return [
        result.peer,
        format_seconds(result.median_seconds),
        spread if len(result.rounds) > 1 else NOTHING,
        format_ratio(result.median_seconds, reference_seconds),
        format_bytes(result.median_peak),
        format_ratio(result.median_peak, reference_peak),
        *(format_figure(result.verdict[name], form) for name, form in columns.items()),
    ]


def print_growth(console: Console, growth: Sequence[Mapping[str, Any]]) -> None:
    """Print how time grows with the number of samples, if that is known of anyone."""
    if not growth:
        return
    table = Table(
        box=box.SIMPLE_HEAD,
        title="Growth of time with n",
        title_justify="left",
        title_style="bold",
        pad_edge=False,
    )
    table.add_column("", no_wrap=True)
    table.add_column("d", justify="right")
    table.add_column("time grows as", justify="right")
    table.add_column("over n =", justify="left")
    for entry in growth:
        sizes = ", ".join(f"{size:,}" for size in entry["sizes"])
        table.add_row(entry["peer"], str(entry["n_features"]), f"n^{entry['exponent']:.2f}", sizes)
    console.print()
    console.print(table)


def print_footnotes(console: Console) -> None:
    """Say how to read the tables."""
    console.print(
        "\nTimes are medians over the rounds, after a warm-up that imports and compiles.\n"
        f"Ratios are to {REFERENCE}: above 1x is slower, or more memory.\n"
        "Peak memory is what the fit adds to the process beyond its input and imports, worker "
        "processes included."
    )
