"""Reports of progress from the stages of a fit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[float], None]
Listener = Callable[[str, float], None]

_listener: ContextVar[Listener | None] = ContextVar("quickshiftpp_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener(stage, fraction)`` as the stages inside the block make progress."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stage(name: str, verbose: bool = False) -> Iterator[Progress | None]:
    """Announce a stage; yield the callback through which native code reports progress."""
    listener = _listener.get()
    start = time.perf_counter()
    if listener is None:
        yield None
    else:
        listener(name, 0.0)
        yield lambda fraction: listener(name, fraction)
        listener(name, 1.0)
    if verbose:
        print(f"[quickshiftpp] {name:<10} {time.perf_counter() - start:8.3f} s")
