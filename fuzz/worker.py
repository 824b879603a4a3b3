"""A process that runs cases one after the other, until it is told to stop or dies of one."""

from __future__ import annotations

import faulthandler
import importlib
import os
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from quickshiftpp import DegenerateClusteringWarning

from .checks import Checks, DifferenceError
from .resources import resident_memory
from .shrink import shrink
from .targets import TARGETS, Case, Target
from .written import as_python


@dataclass(frozen=True)
class Job:
    """A case to run, or to make smaller."""

    target: str
    number: int
    shrink: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes
    ----------
    checks : int
        The number of comparisons.
    seconds : float
    resident : int
        The memory of the process after the case, in bytes; 0 where the system does not say.
    failure : str
        What differs; empty if nothing does.
    lines : str
        The smaller case as Python, where that was asked for.
    """

    checks: int
    seconds: float
    resident: int
    failure: str = ""
    lines: str = ""


def serve(connection: Connection, errors: Path, modules: Sequence[str]) -> None:
    """Run the cases that arrive. Ends when the connection does."""
    # What the core or the interpreter says when the process dies.
    descriptor = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 2)
    faulthandler.enable()
    tempfile.tempdir = str(errors.parent)  # emptied by the supervisor, even after a crash
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the supervisor
    for module in modules:
        importlib.import_module(module)
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", DegenerateClusteringWarning)
    connection.send(None)  # ready
    while True:
        try:
            job: Job = connection.recv()
        except EOFError:
            return
        connection.send(_shrunk(job) if job.shrink else _run(job))


def _run(job: Job) -> Outcome:
    target = TARGETS[job.target]
    checks = Checks()
    start = time.perf_counter()
    failure = failure_of(target, target.numbered(job.number), checks)
    return Outcome(checks.count, time.perf_counter() - start, resident_memory(), failure)


def _shrunk(job: Job) -> Outcome:
    target = TARGETS[job.target]
    start = time.perf_counter()
    case = shrink(target, target.numbered(job.number), failure_of)
    failure = failure_of(target, case, Checks())
    lines = as_python(target.name, case)
    return Outcome(0, time.perf_counter() - start, resident_memory(), failure, lines)


def failure_of(target: Target, case: Case, checks: Checks) -> str:
    """Run a case and return what is wrong with it; empty if nothing is."""
    try:
        target.check(checks, **case)
    except DifferenceError as error:
        return str(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return f"{type(error).__name__} in {where}: {' '.join(str(error).split())[:600]}"
    return ""
