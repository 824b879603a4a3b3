"""Processes that take turns, so that other work on the machine slows all of them alike."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

# Self-contained: the interpreter may have another quickshiftpp, and none of these programs.
PROGRAM = """
import os, sys, time, warnings
if "PYTHONPATH" in os.environ:  # an editable install would come before it
    sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
import numpy as np
warnings.simplefilter("ignore")
def blobs(n, d):
    rng = np.random.default_rng(0)
    centers, widths = rng.uniform(-20, 20, (20, d)), np.geomspace(0.2, 2, 20)
    blob = rng.integers(20, size=n)
    return rng.standard_normal((n, d)) * widths[blob, None] + centers[blob]
{workload}
run()
print("ready", flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    run()
    print(time.perf_counter() - start, flush=True)
"""


@dataclass(frozen=True)
class Contender:
    """One of those who take turns."""

    python: str
    # Python code that prepares the data and defines run(); it may use np and blobs.
    workload: str
    path: str = ""  # a folder to import from before all others


class Worker:
    """The process of a contender: it prepares the data, warms up, and runs on request."""

    def __init__(self, contender: Contender) -> None:
        self._contender = contender
        path = os.pathsep.join(filter(None, (contender.path, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [contender.python, "-c", PROGRAM.format(workload=contender.workload)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Not the repository, whose folders would be imported before what is installed.
            cwd="/",
            env=os.environ | ({"PYTHONPATH": path} if path else {}),
        )

    def read(self) -> str:
        """Return the next line that the process prints."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._contender.python} failed; see its error above")
        return line

    def run(self) -> float:
        """Run once, and return the seconds."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self.read())

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def take_turns(contenders: Sequence[Contender], rounds: int) -> list[list[float]]:
    """Return the seconds of every round of each contender; who goes first changes."""
    seconds: list[list[float]] = [[] for _ in contenders]
    with ExitStack() as stack:
        workers = []
        for contender in contenders:
            workers.append(Worker(contender))
            stack.callback(workers[-1].close)
        for worker in workers:
            worker.read()  # "ready"
        for number in range(rounds):
            for place in range(len(workers)):
                turn = (place + number) % len(workers)
                seconds[turn].append(workers[turn].run())
    return seconds


def median_seconds(contenders: Sequence[Contender], rounds: int) -> list[float]:
    """Return the median seconds of each contender."""
    return [statistics.median(seconds) for seconds in take_turns(contenders, rounds)]
