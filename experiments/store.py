"""Units of work and where their results are kept, so that a run that was cut off goes on."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy
import sklearn
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import quickshiftpp

Record: TypeAlias = dict[str, Any]

# The answers may change with these, so that a result of one is not taken for that of another.
VERSIONS = {module.__name__: module.__version__ for module in (quickshiftpp, sklearn, scipy, np)}


@dataclass(frozen=True)
class Unit:
    """One piece of work whose result is kept.

    Attributes
    ----------
    name : str
        What it is, for file names and the progress bar.
    settings : mapping
        Everything that the result depends on, as JSON knows it.
    compute : callable
        Does the work and returns what JSON knows.
    """

    name: str
    settings: Mapping[str, Any]
    compute: Callable[[], Record]


class Store:
    """A folder of results, one file for each unit.

    Parameters
    ----------
    folder : Path
        Made where it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, unit: Unit) -> Path:
        """Return the file of a unit with just these settings and library versions."""
        text = json.dumps({**unit.settings, **VERSIONS}, sort_keys=True)
        return self.folder / "units" / f"{unit.name}-{zlib.crc32(text.encode()):08x}.json"

    def get(self, unit: Unit) -> Record | None:
        """Return the record of a unit, None where there is none yet."""
        path = self.path(unit)
        if not path.is_file():
            return None
        record: Record = json.loads(path.read_text())
        return record

    def obtain(self, unit: Unit) -> Record:
        """Return the record of a unit, computed if need be.

        Returns
        -------
        dict
            ``settings``, ``seconds`` that the work took, and its ``result``.
        """
        record = self.get(unit)
        if record is None:
            start = time.perf_counter()
            result = unit.compute()
            seconds = time.perf_counter() - start
            record = {
                "settings": {**unit.settings, **VERSIONS},
                "seconds": round(seconds, 3),
                "result": result,
            }
            write_json(self.path(unit), record)
        return record

    def run(self, title: str, units: Iterable[Unit], console: Console) -> list[Record]:
        """Obtain the records of all units, with a progress bar."""
        units = list(units)
        records = []
        with Progress(
            TextColumn("{task.fields[title]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
        ) as progress:
            task = progress.add_task("", total=len(units), title=title)
            for unit in units:
                progress.update(task, description=unit.name)
                records.append(self.obtain(unit))
                progress.advance(task)
        return records


def write_json(path: Path, content: Record) -> None:
    """Write whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    partial.write_text(json.dumps(content, indent=1) + "\n")
    partial.replace(path)
