"""Times measured in this process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def seconds_of(work: Callable[[], object]) -> float:
    """Return the time that some work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of some work."""
    return statistics.median(seconds_of(work) for _ in range(repeats))


def least_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least time of some work, as the machine can do it when nothing disturbs it."""
    return min(seconds_of(work) for _ in range(repeats))
