"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from ..peers import REFERENCE
from ..report import (
    NOTHING,
    format_bytes,
    format_ratio,
    format_seconds,
    growth_exponents,
)
from ..session import Case, Result

LEFT, RIGHT = "---", "---:"

# What stands where the measurements of a section are missing.
LEFT_OUT = "*Left out of this run.*"


def markdown_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int = 1
) -> str:
    """Return a table whose columns from `numbers_from` on are flush right.

    Examples
    --------
    >>> print(markdown_table(["", "time"], [["fit", "1 s"]]))
    |  | time |
    |---|---:|
    | fit | 1 s |
    """
    rule = [LEFT if column < numbers_from else RIGHT for column in range(len(headings))]
    lines = [f"| {' | '.join(cells)} |" for cells in (headings, *rows)]
    lines.insert(1, f"|{'|'.join(rule)}|")
    return "\n".join(lines)


def emphasise(name: str) -> str:
    """Return the name of a peer, this package's in bold."""
    return f"**{name}**" if name == REFERENCE else name


def time_cell(case: Case, result: Result) -> str:
    """Return the time with its ratio to this package's, or why there is none."""
    if result.status != "ok":
        return failure_cell(result)
    text = format_seconds(result.median_seconds)
    if result.peer == REFERENCE or case.reference is None:
        return f"**{text}**" if result.peer == REFERENCE else text
    return f"{text} ({format_ratio(result.median_seconds, case.reference.median_seconds)})"


def memory_cell(case: Case, result: Result) -> str:  # noqa: ARG001
    """Return the peak memory; why there may be none, the times say."""
    if result.status != "ok":
        return NOTHING
    text = format_bytes(result.median_peak)
    return f"**{text}**" if result.peer == REFERENCE else text


def failure_cell(result: Result) -> str:
    """Return in a word or two why there is no figure."""
    if result.status == "missing":
        return "not installed"
    if result.status == "left out":
        return f"*{result.message}*" if result.message.startswith(("≈", "memory")) else NOTHING
    if result.status in ("timeout", "set-up timeout"):
        return f"*{result.message}*"
    return f"*{result.status}*"


def series_tables(cases: Sequence[Case], headings: Sequence[str]) -> list[str]:
    """Return two tables, time and memory, of peers by cases; with growth over n if that is known.

    Parameters
    ----------
    cases : sequence of Case
        One column each.
    headings : sequence of str
        The headings of these columns.
    """
    peers = list(dict.fromkeys(result.peer for case in cases for result in case.results))
    alike = [
        case for case in cases if (case.k, case.n_features) == (cases[0].k, cases[0].n_features)
    ]
    growth = {entry["peer"]: f"n^{entry['exponent']:.2f}" for entry in growth_exponents(alike)}
    tables = []
    for cell in (time_cell, memory_cell):
        grows = bool(growth) and cell is time_cell
        rows = []
        for peer in peers:
            found = [next((r for r in case.results if r.peer == peer), None) for case in cases]
            cells = [
                cell(case, result) if result else NOTHING
                for case, result in zip(cases, found, strict=True)
            ]
            rows.append([emphasise(peer), *cells, *([growth.get(peer, NOTHING)] * grows)])
        tables.append(markdown_table(["", *headings, *(["grows as"] * grows)], rows))
    return tables
