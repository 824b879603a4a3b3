"""How many threads to use: the one place where that is decided."""

from __future__ import annotations

import os

from joblib import cpu_count

from . import _core
from ._validation import N_JOBS


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`.

    None means as many as OpenMP would use. A negative number counts back from all cores, as in
    joblib: -1 for all of them.
    """
    N_JOBS.check("n_jobs", n_jobs)
    if n_jobs is None:
        return usable_threads(_core.default_threads())
    # Far more threads than cores are a slip, and each one takes memory.
    most = max(64, 4 * cpu_count())
    return usable_threads(
        min(int(n_jobs), most) if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)
    )


def usable_threads(threads: int) -> int:
    """Return the number of threads, but 1 in a process forked from one that has used several."""
    if _OpenMPPool.is_lost:
        return 1
    _OpenMPPool.is_started = _OpenMPPool.is_started or threads > 1
    return threads


def threads_on_this_machine(threads: int) -> int:
    """Return a number of threads chosen elsewhere, but no more than are usual here."""
    return min(threads, resolve_threads(None))


class _OpenMPPool:
    """OpenMP's threads do not survive a fork: a child that waits for them would wait forever."""

    is_started = False
    is_lost = False

    @classmethod
    def after_fork(cls) -> None:
        cls.is_lost = cls.is_started


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_OpenMPPool.after_fork)
