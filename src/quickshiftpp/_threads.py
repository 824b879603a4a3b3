"""How many threads to use: the one place where that is decided."""

from __future__ import annotations

import os
from functools import cache

import threadpoolctl
from joblib import cpu_count

from . import _core
from ._validation import N_JOBS


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`.

    None means the default: ``OMP_NUM_THREADS`` where it is set, as in the workers of joblib and
    Dask, otherwise all cores that the process may use; a limit set with threadpoolctl counts, too.
    A negative number counts back from all cores, as in joblib: -1 for all of them.
    """
    N_JOBS.check("n_jobs", n_jobs)
    wanted = _core.default_threads() if n_jobs is None else int(n_jobs)
    return min(wanted, _most_threads()) if wanted > 0 else max(1, int(cpu_count()) + 1 + wanted)


def worthwhile_threads(threads: int, n_samples: int, n_features: int) -> int:
    """Return the number of threads for a fit: one where starting others would take longer."""
    return threads if n_samples**2 * n_features > _core.SMALL_WORK else 1


def threads_on_this_machine(threads: int) -> int:
    """Return a number of threads chosen elsewhere, but no more than are usual here."""
    return min(threads, resolve_threads(None))


@cache  # counting cores takes as long as a small fit
def _most_threads() -> int:
    """Return a limit: far more threads than cores are a slip, and each one takes memory."""
    return max(64, min(4 * int(cpu_count()), 4096))


def _initial_threads() -> int:
    # A list of numbers gives one for each level of nesting; the outermost level is ours.
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    given = int(wanted) if wanted.isdecimal() else 0
    return min(given, _most_threads()) if given > 0 else int(cpu_count())


class _DefaultThreads(threadpoolctl.LibController):  # type: ignore[misc]
    """Lets threadpoolctl limit the default, with the limits that are meant for OpenMP."""

    user_api = "openmp"
    internal_api = "quickshiftpp"
    filename_prefixes = ("_core",)
    check_symbols = ("quickshiftpp_get_num_threads", "quickshiftpp_set_num_threads")

    def get_num_threads(self) -> int:
        return int(self.dynlib.quickshiftpp_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.quickshiftpp_set_num_threads(num_threads)

    def get_version(self) -> None:
        return None


_core.set_default_threads(_initial_threads())
threadpoolctl.register(_DefaultThreads)
