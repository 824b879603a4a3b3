"""A session: every peer on a dataset, in rounds, each fit in its own process.

Round 1 of all peers comes before round 2 of any, so that other work on a shared machine slows all
of them, rather than the one that happens to run.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from reporting.tables import GIB

from .cases import Case, Result
from .data import Dataset, typical_radius
from .measure import READY, Request
from .peers import REFERENCE, TABLES, Peer, Settings

ROOT = Path(__file__).parents[1]

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
EXCEPTION = re.compile(r"[\w.]+(Error|Exception): ")
# For writing the answer and leaving the process.
GRACE_SECONDS = 60.0

Announce: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What a session does with each dataset."""

    table: str  # of the peers
    peers: Sequence[Peer]  # who takes part, in order
    k: int
    threads: int
    repeats: int
    # Seconds for one fit, and for imports, compilation and the warm-up.
    timeout: float
    setup_timeout: float = 300.0
    memory_limit: float = 16.0  # GiB of address space for one process
    patience: float = math.inf  # seconds: a fit that took longer is not repeated

    def request(self, peer: str, settings: Settings, folder: Path) -> Request:
        """Return what to ask of the process of one peer."""
        limit = int(self.memory_limit * GIB)
        return Request(
            self.table, peer, str(folder), settings, self.timeout, self.setup_timeout, limit
        )


def run_case(plan: Plan, dataset: Dataset, announce: Announce) -> Case:
    """Measure every peer of a plan on one dataset, in rounds."""
    title = f"n = {dataset.n_samples:,}, d = {dataset.n_features}"
    announce(f"{title}: preparing the data")
    results = {peer.name: start_result(peer) for peer in plan.peers}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        settings = write_samples(plan, dataset, folder)
        for number in range(1, plan.repeats + 1):
            for result in results.values():
                if result.status != "ok" or max(result.seconds, default=0) > plan.patience:
                    continue
                announce(f"{title}, round {number} of {plan.repeats}: {result.peer}")
                measured = run_process(plan.request(result.peer, settings, folder))
                if isinstance(measured, dict):
                    result.rounds.append(measured)
                else:
                    result.status, result.message = measured
        judge_answers(plan, settings, folder, results)
    return Case(*dataset.shape, plan.k, dataset.description, list(results.values()))


def start_result(peer: Peer) -> Result:
    """Return an empty result, or one that says what to install."""
    if peer.installed:
        return Result(peer.name)
    return Result(peer.name, "missing", "is not installed: pip install 'quickshiftpp[bench]'")


def write_samples(plan: Plan, dataset: Dataset, folder: Path) -> Settings:
    """Write the samples for the processes to read, and return the settings of the fits."""
    X = dataset.make()
    settings = Settings(plan.k, plan.threads)
    if any(peer.needs_radius for peer in plan.peers):
        settings = replace(settings, radius=typical_radius(X, plan.k, plan.threads))
    np.save(plan.request(REFERENCE, settings, folder).samples, X)
    return settings


def judge_answers(plan: Plan, settings: Settings, folder: Path, results: dict[str, Result]) -> None:
    """Compare the answers of the peers that finished."""
    answers = {
        name: np.load(plan.request(name, settings, folder).answer)
        for name, result in results.items()
        if result.status == "ok"
    }
    for name, answer in answers.items():
        results[name].judgment = TABLES[plan.table].judge(answer, answers.get(REFERENCE))


def run_process(request: Request) -> dict[str, Any] | tuple[str, str]:
    """Measure in a new process; return the measurements, or a status and a message."""
    # Files rather than pipes: workers that outlive their parent would keep a pipe open.
    output, errors = (Path(request.folder, f"{request.peer}.{end}") for end in ("out", "err"))
    with output.open("w") as out, errors.open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.measure", request.to_json()],
            cwd=ROOT,
            env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(request.settings.threads)),
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    try:
        code = process.wait(request.setup_timeout + request.timeout + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        code = -signal.SIGALRM
    finally:
        # Everything that it started ends with it.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    lines = output.read_text().splitlines()
    if code == 0:
        measured: dict[str, Any] = json.loads(lines[-1])
        return measured
    return explain_failure(request, code, errors.read_text(), is_ready=READY in lines)


def explain_failure(request: Request, code: int, errors: str, *, is_ready: bool) -> tuple[str, str]:
    """Return the status and a message for a process that gave no measurement.

    Its exit status `code` is negative for a signal; `errors` is what it printed to standard error,
    and `is_ready` says whether the timed fit had begun.
    """
    if code == -signal.SIGALRM:
        if is_ready:
            return "timeout", f"> {request.timeout:g} s"
        return "set-up timeout", f"set-up > {request.setup_timeout:g} s"
    # The kernel kills a process without a message when memory runs out below the limit.
    allocation_failed = any(sign in errors for sign in ("MemoryError", "bad_alloc"))
    if allocation_failed or code == -signal.SIGKILL:
        return "out of memory", f"out of memory (limit {request.memory_limit / GIB:g} GiB)"
    if code < 0:
        return "failed", f"failed: killed by {signal.Signals(-code).name}"
    lines = errors.strip().splitlines() or [f"exit status {code}"]
    # The message of an exception may have several lines, of which the first says what went wrong.
    exceptions = [line for line in lines if EXCEPTION.match(line)]
    return "failed", f"failed: {(exceptions or lines)[-1]}"
