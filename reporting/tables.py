"""Numbers as text, and tables in Markdown, for a page or for the console."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown

MIB, GIB = 2**20, 2**30
NOTHING = "-"
# Wide enough for every table, so that redirected output does not wrap.
PLAIN_WIDTH = 160


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


def format_seconds(seconds: float) -> str:
    """Return a time with three significant digits.

    Examples
    --------
    >>> format_seconds(0.01234), format_seconds(1.5), format_seconds(123.4)
    ('12.3 ms', '1.50 s', '123 s')
    """
    return f"{significant(seconds * 1000)} ms" if seconds < 1 else f"{significant(seconds)} s"


def format_bytes(size: float) -> str:
    """Return a size in MiB or GiB with three significant digits.

    Examples
    --------
    >>> format_bytes(5.2 * 2**20), format_bytes(3 * 2**30)
    ('5.20 MiB', '3.00 GiB')
    """
    return f"{significant(size / MIB)} MiB" if size < GIB else f"{significant(size / GIB)} GiB"


def format_score(value: float, digits: int = 4) -> str:
    """Return a score as papers print it, without the leading 0.

    Examples
    --------
    >>> format_score(0.73994), format_score(-0.02, 2), format_score(1.0, 2)
    ('.7399', '-.02', '1.00')
    """
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def short_number(number: int) -> str:
    """Return a number with a unit prefix, for headings and axes.

    Examples
    --------
    >>> short_number(784), short_number(20_000), short_number(10_000_000)
    ('784', '20k', '10M')
    """
    for unit, letter in ((10**6, "M"), (10**3, "k")):
        if number >= unit and number % unit == 0:
            return f"{number // unit}{letter}"
    return str(number)


def plural(number: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> plural(1, "core"), plural(2, "core")
    ('1 core', '2 cores')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def bold(text: str) -> str:
    """Return text in bold."""
    return f"**{text}**"


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "", text_columns: int = 1
) -> str:
    """Return a Markdown table; columns after the first `text_columns` are flush right.

    Examples
    --------
    >>> print(table(["", "time"], [["fit", "1 s"]], "Speed"))
    **Speed**
    <BLANKLINE>
    |  | time |
    | --- | ---: |
    | fit | 1 s |
    """
    rule = ["---" if column < text_columns else "---:" for column in range(len(header))]
    lines = [f"| {' | '.join(cells)} |" for cells in (header, rule, *rows)]
    return "\n".join([bold(title), "", *lines] if title else lines)


def console() -> Console:
    """Return the console to print to: as wide as the terminal, or wide if output is redirected."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def show(target: Console, markdown: str) -> None:
    """Print Markdown to a console, without its images."""
    target.print(Markdown(re.sub(r"!\[.*?\]\(.*?\)", "", markdown)))
    target.print()


def fill_template(path: Path, values: Mapping[str, Any]) -> str:
    """Return a page: a Markdown file in which ``{name}`` stands for a value.

    A name may carry a format and keys, as in ``{theory[line][share]:.0%}``.
    """
    return path.read_text().format_map(values)
