"""Results as JSON files: written atomically, and reused by a run that resumes."""

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
from rich.progress import track

import quickshiftpp

Record: TypeAlias = dict[str, Any]

# Results may change with these versions, so they are part of what identifies a result.
VERSIONS = {module.__name__: module.__version__ for module in (quickshiftpp, sklearn, scipy, np)}


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file; an interrupted run leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(content, indent=1) + "\n")
    unfinished.replace(path)


def read_json(path: Path) -> Record:
    """Read a JSON file."""
    content: Record = json.loads(path.read_text())
    return content


@dataclass(frozen=True)
class Unit:
    """One piece of work whose result is stored.

    Attributes
    ----------
    name : str
        For the file name and the progress bar.
    settings : mapping
        Everything the result depends on, as JSON.
    compute : callable
        Does the work and returns its result, as JSON.
    """

    name: str
    settings: Mapping[str, Any]
    compute: Callable[[], Record]


class Store:
    """A folder of results, one file per unit.

    Parameters
    ----------
    folder : Path
        Created when the first result is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, unit: Unit) -> Path:
        """Return the file of a unit with exactly these settings and library versions."""
        text = json.dumps({**unit.settings, **VERSIONS}, sort_keys=True)
        return self.folder / "units" / f"{unit.name}-{zlib.crc32(text.encode()):08x}.json"

    def obtain(self, unit: Unit) -> Record:
        """Return the record of a unit, computed if it is not stored yet.

        Returns
        -------
        dict
            ``settings``, the ``seconds`` that the work took, and its ``result``.
        """
        path = self.path(unit)
        if path.is_file():
            return read_json(path)
        start = time.perf_counter()
        result = unit.compute()
        record = {
            "settings": {**unit.settings, **VERSIONS},
            "seconds": round(time.perf_counter() - start, 3),
            "result": result,
        }
        write_json(path, record)
        return record

    def run(self, title: str, units: Iterable[Unit]) -> list[Record]:
        """Return the records of all units, with a progress bar on standard error."""
        console = Console(stderr=True)
        tracked = track(list(units), title, console=console, transient=True)
        return [self.obtain(unit) for unit in tracked]
