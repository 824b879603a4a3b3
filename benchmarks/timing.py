"""Times measured in this process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of some work, and the time that it takes."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def seconds_of(work: Callable[[], object]) -> float:
    """Return the time that some work takes."""
    return timed(work)[1]


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of some work."""
    return statistics.median(seconds_of(work) for _ in range(repeats))


def least_seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the least time of some work, as the machine can do it when nothing disturbs it."""
    return min(seconds_of(work) for _ in range(repeats))
