"""What is paid before any work: the import."""

from __future__ import annotations

import statistics
import subprocess
import sys

from .store import Entry

PROGRAM = """
import time
import sklearn.base
start = time.perf_counter()
import quickshiftpp
print(time.perf_counter() - start)
"""


def import_time(repeats: int) -> Entry:
    """Return the median ``seconds`` to import the package once ``sklearn.base`` is there.

    A first import, not counted, has the files compiled and in memory.
    """
    seconds = [seconds_to_import() for _ in range(repeats + 1)][1:]
    return {"seconds": statistics.median(seconds)}


def seconds_to_import() -> float:
    """Return the time of the import in a new interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    return float(run.stdout)
