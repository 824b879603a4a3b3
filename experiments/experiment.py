"""What an experiment is made of, and the blocks that its report is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from rich.console import Console
from rich.table import Table

from .store import Record, Unit


@dataclass(frozen=True)
class Sheet:
    """A table: for the terminal and for the page.

    Attributes
    ----------
    title : str
    header : sequence of str
    rows : sequence of sequences of str
        The first column is text, the others are figures; ``**bold**`` marks what stands out.
    ragged : bool
        Whether the other columns are text too.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    ragged: bool = False

    def print(self, console: Console) -> None:
        """Print to a terminal."""
        table = Table(title=self.title, title_justify="left", box=None, padding=(0, 1))
        for number, heading in enumerate(self.header):
            table.add_column(heading, justify="left" if number == 0 else "right")
        for row in self.rows:
            table.add_row(*(cell.replace("**", "").replace("`", "") for cell in row))
        console.print(table)
        console.print()

    def markdown(self) -> str:
        """Return the table in Markdown."""
        rule = ["---", *["---" if self.ragged else "---:"] * (len(self.header) - 1)]
        lines = ["| " + " | ".join(row) + " |" for row in (self.header, rule, *self.rows)]
        return f"**{self.title}**\n\n" + "\n".join(lines)


@dataclass(frozen=True)
class Picture:
    """A figure: the name of its file, and what it shows."""

    file: str
    caption: str

    def markdown(self, folder: str) -> str:
        """Return the reference in Markdown."""
        first = self.caption.split(":")[0].split(".")[0]
        return f"![{first}]({folder}/{self.file})\n\n*{self.caption}*"


Block: TypeAlias = str | Sheet | Picture
Finding: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Experiment:
    """One claim of the paper, and how it is tested.

    Attributes
    ----------
    name : str
        Of the command and of the file with the result.
    title : str
        Of its section.
    units : callable
        Given the folder with the data, returns the work to do.
    summarise : callable
        Turns the records of the work into the result, as JSON knows it.
    section : callable
        Tells the result: text, tables and figures, from nothing but that JSON.
    short : callable
        Tells it in a line or two: what is claimed, and what was found.
    draw : callable
        Draws the figures into a folder, from nothing but that JSON.
    needs_data : bool
        Whether it uses the folder with the data at all.
    """

    name: str
    title: str
    units: Callable[[Path], list[Unit]]
    summarise: Callable[[list[Record]], Record]
    section: Callable[[Record], list[Block]]
    short: Callable[[Record], list[Finding]]
    draw: Callable[[Record, Path], None] | None = None
    needs_data: bool = True


def figure(value: float, digits: int = 4) -> str:
    """Return a score as the paper prints it, without the leading 0.

    Examples
    --------
    >>> figure(0.73994), figure(-0.02, 2), figure(1.0, 2)
    ('.7399', '-.02', '1.00')
    """
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
