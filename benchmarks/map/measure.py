"""Measures the cells of the map: all libraries in turn, each in a process that stays."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np

from ..page.store import Measurements
from ..peers import MAP_SEARCHES, REFERENCE, Peer, Samples
from ..session import ROOT, THREAD_VARIABLES

SECTION = "map"  # of the JSON file

# Turns are repeated until so many seconds were timed, but not more often than this.
SECONDS, MOST_ROUNDS = 1.0, 3
# Of a search that takes longer, the first run counts, whose answer is compared.
LONG = 2.0


@dataclass
class Cell:
    """The searches of one kind of data in one shape."""

    kind: str
    n_samples: int
    n_features: int
    seconds: dict[str, float] = field(default_factory=dict)  # medians, by library
    wrong: dict[str, float] = field(default_factory=dict)  # shares of samples, by library

    @property
    def key(self) -> str:
        """What tells it from all other cells."""
        return f"{self.kind}, {self.n_samples} x {self.n_features}"

    @property
    def fastest_peer(self) -> str | None:
        """The fastest library but ours; None if none was measured."""
        peers = {name: time for name, time in self.seconds.items() if name != REFERENCE}
        return min(peers, key=lambda name: peers[name]) if peers else None

    @property
    def speed(self) -> float | None:
        """How many times as fast as the fastest peer we are."""
        if self.fastest_peer is None or REFERENCE not in self.seconds:
            return None
        return self.seconds[self.fastest_peer] / self.seconds[REFERENCE]

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, entry: dict[str, Any]) -> Self:
        """Return the cell that `to_dict` wrote."""
        return cls(**entry)


def read_cells(measured: Measurements) -> list[Cell]:
    """Return all cells, by kind, columns and samples."""
    cells = [Cell.from_dict(entry) for entry in measured.entries(SECTION).values()]
    order = list(dict.fromkeys(cell.kind for cell in cells))
    return sorted(cells, key=lambda c: (order.index(c.kind), c.n_features, c.n_samples))


class Worker:
    """The process of one library."""

    def __init__(self, peer: Peer, threads: int) -> None:
        self.name = peer.name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.map.worker", peer.name, str(threads)],
            cwd=ROOT,
            env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, float]:
        """Send a request, and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} failed; see its error above")
        answer: dict[str, float] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def start_workers(threads: int, names: Sequence[str] = ()) -> Iterator[list[Worker]]:
    """Start a process for ours and for each other library, and end them all.

    The others are those with these names; for none, all that are installed.
    """
    workers = [
        Worker(peer, threads)
        for peer in MAP_SEARCHES
        if peer.installed and (not names or peer.name in (REFERENCE, *names))
    ]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.close()


def measure_cell(workers: Sequence[Worker], cell: Cell, X: Samples, k: int) -> None:
    """Fill in a cell; our own library comes first, and its answer is right.

    Round after round, so that other work on the machine slows all alike.
    """
    with TemporaryDirectory(prefix="map-") as name:
        samples, answer = Path(name) / "X.npy", Path(name) / "answer.npy"
        np.save(samples, X)
        able = []
        times: dict[str, list[float]] = {}
        for worker in workers:
            worker.ask(load=str(samples), k=k)
            if worker.name == REFERENCE:
                first = worker.ask(save=str(answer))
            else:
                first = worker.ask(compare=str(answer))
                if "wrong" not in first:
                    continue
                cell.wrong[worker.name] = first["wrong"]
            able.append(worker)
            times[worker.name] = [first["seconds"]] if first["seconds"] > LONG else []
        for _ in range(MOST_ROUNDS):
            for worker in able:
                if sum(times[worker.name]) < SECONDS:
                    times[worker.name].append(worker.ask(run=True)["seconds"])
        cell.seconds = {name: statistics.median(found) for name, found in times.items()}
