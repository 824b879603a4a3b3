"""One claim of the paper: its work, its result, and its section of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from reporting.store import Record, Unit
from reporting.tables import fill_template

PAGES = Path(__file__).parent / "pages"

Values: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper, and how it is tested."""

    name: str  # of the command, of the file with the result, and of the template
    units: Callable[[Path], list[Unit]]  # given the folder with the data, returns the work to do
    # Turns the records of the work into the result, as JSON.
    summarize: Callable[[list[Record]], Record]
    values: Callable[[Record], Values]  # turns the result into the values of the template
    draw: Callable[[Record, Path], None] | None = None  # draws the figures into a folder
    needs_data: bool = True  # whether it uses the folder with the data

    @property
    def template(self) -> Path:
        """The file with the text of its section."""
        return PAGES / f"{self.name}.md"

    @property
    def title(self) -> str:
        """The heading of its section."""
        return self.template.read_text().partition("\n")[0].lstrip("# ")

    def section(self, result: Record, figures: str) -> str:
        """Return its section of the page; `figures` is the folder with the figures."""
        return fill_template(self.template, {**self.values(result), "figures": figures})
