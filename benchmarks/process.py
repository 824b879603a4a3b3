"""A measuring process, seen from outside: started, ready, told to go, ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .measure import Request

ROOT = Path(__file__).parents[1]
GIB = 2**30

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

EXCEPTION = re.compile(r"[\w.]+(Error|Exception): ")

POLL_SECONDS = 0.05
# For what comes after the fit: writing the answer, leaving the process.
GRACE_SECONDS = 60.0


class MeasuringProcess:
    """One run of ``benchmarks.measure``, with all the processes that it starts.

    Its parts are to be called in order: construction starts it, `wait_until_ready` (for several at
    once) lets it set up, `run` has it measure, and `close` ends it in any case.

    Parameters
    ----------
    request : Request
        What to measure.

    Attributes
    ----------
    failure : tuple of str or None
        A status and a message once it is known that there will be no measurement.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.failure: tuple[str, str] | None = None
        self._output = Path(request.folder, f"{request.peer}.output")
        self._errors = Path(request.folder, f"{request.peer}.errors")
        request.ready.unlink(missing_ok=True)
        # Files rather than pipes: workers that outlive their parent would keep a pipe open.
        with self._output.open("w") as output, self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.measure", request.to_json()],
                cwd=ROOT,
                env=os.environ | dict.fromkeys(THREAD_VARIABLES, str(request.settings.threads)),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        self._closed = False

    @property
    def setting_up(self) -> bool:
        """Whether it has neither become ready nor ended."""
        return not self.request.ready.exists() and self._process.poll() is None

    def give_up(self, status: str, message: str) -> None:
        """End it for being late."""
        self.failure = (status, message)
        self.close()

    def run(self) -> dict[str, Any] | None:
        """Let it measure; None, with `failure` set, where that did not come to its end."""
        if self.failure is not None:
            return None
        try:
            # It may have ended while setting up; then its exit status says why.
            self._process.communicate(b"go\n", timeout=self.request.timeout + GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.give_up("timeout", f"> {self.request.timeout:g} s")
            return None
        if self._process.returncode == 0:
            measurements: dict[str, Any] = json.loads(self._output.read_text().splitlines()[-1])
            return measurements
        self.failure = explain_failure(
            self.request, self._process.returncode, self._errors.read_text()
        )
        return None

    def close(self) -> None:
        """End it and whatever it has started; closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def wait_until_ready(processes: Sequence[MeasuringProcess], timeout: float) -> None:
    """Wait until none of the processes is setting up any more, ending those that take too long."""
    end = time.monotonic() + timeout
    while any(process.setting_up for process in processes) and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    for process in processes:
        if process.setting_up:
            process.give_up("set-up timeout", f"set-up > {timeout:g} s")


def explain_failure(request: Request, code: int, errors: str) -> tuple[str, str]:
    """Return the status and a message for a process that gave no measurement.

    Parameters
    ----------
    request : Request
        The limits it ran under.
    code : int
        Its exit status, negative for a signal.
    errors : str
        What it printed to standard error.

    Returns
    -------
    status, message : str
    """
    if code == -signal.SIGALRM:
        return "timeout", f"> {request.timeout:g} s"
    # The kernel kills without a word when memory runs out below the limit.
    allocation_failed = any(sign in errors for sign in ("MemoryError", "bad_alloc"))
    if allocation_failed or code == -signal.SIGKILL:
        return "out of memory", f"out of memory (limit {request.memory_limit / GIB:g} GiB)"
    if code < 0:
        return "failed", f"failed: killed by {signal.Signals(-code).name}"
    lines = errors.strip().splitlines() or [f"exit status {code}"]
    # An exception may go on for several lines; its name and what went wrong come first.
    exceptions = [line for line in lines if EXCEPTION.match(line)]
    return "failed", f"failed: {(exceptions or lines)[-1]}"
