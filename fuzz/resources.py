"""What a process uses: memory, a limit on how much more it may take, and processor time."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS = Path("/proc/self/statm")
_MOST_MORE = 3 << 30


def _pages(column: int) -> int | None:
    try:
        return int(_STATUS.read_text().split()[column])
    except OSError:  # not Linux
        return None


def resident_memory() -> int:
    """Return the bytes that this process has in memory; 0 if the system does not say."""
    return (_pages(1) or 0) * os.sysconf("SC_PAGE_SIZE")


def processor_seconds(process: int | None) -> float | None:
    """Return how long a process has used processors; None if the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def limited_memory() -> Iterator[None]:
    """Let the process take only some gibibytes more: a damaged file may ask for any amount."""
    pages = _pages(0)
    if pages is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    soft = pages * os.sysconf("SC_PAGE_SIZE") + _MOST_MORE
    resource.setrlimit(resource.RLIMIT_AS, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
