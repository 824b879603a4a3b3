"""One measurement, in its own process: ``python -m benchmarks.measure REQUEST``.

The process first fits a few samples, so that imports, compilation and the start of worker processes
are not counted, then times the fit and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from .peers import TABLES, WARM_UP_SAMPLES, Answer, Peer, Samples, Settings

# A fit of milliseconds is repeated and the median taken: one alone says little.
ENOUGH_SECONDS = 0.5
MOST_FITS = 100

# Printed when the timed fit begins.
READY = "ready"


@dataclass(frozen=True)
class Request:
    """What one process has to measure."""

    table: str
    peer: str
    folder: str  # where it exchanges arrays with its parent
    settings: Settings
    # Seconds after which SIGALRM ends a fit, and the set-up before it.
    timeout: float
    setup_timeout: float
    memory_limit: int  # bytes of address space

    @property
    def samples(self) -> Path:
        """The ``.npy`` file with the samples, the same for every peer."""
        return Path(self.folder, "samples.npy")

    @property
    def answer(self) -> Path:
        """The ``.npy`` file to write the answer to."""
        return Path(self.folder, f"{self.peer}.answer.npy")

    def to_json(self) -> str:
        """Return the request as text for the command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the request that `to_json` wrote."""
        fields = json.loads(text)
        return cls(**{**fields, "settings": Settings(**fields["settings"])})


class MemoryMeter:
    """The peak of resident memory from now on, beyond what is resident now.

    Worker processes count if psutil is installed; the sum of the peaks of several processes is at
    least the peak of their sum. Where the system cannot reset an earlier peak (macOS), only memory
    beyond that peak counts.
    """

    def __init__(self) -> None:
        for process in self._processes():
            # 5 resets the peak to what is resident now.
            with suppress(OSError):
                Path(f"/proc/{process}/clear_refs").write_text("5")
        self._before = self._total("VmRSS")

    def peak(self) -> int:
        """Return the bytes by which memory has grown at most."""
        return max(0, self.peak_resident() - self._before)

    def peak_resident(self) -> int:
        """Return the bytes that were resident at most, input and imports included."""
        return self._total("VmHWM")

    def _total(self, field: str) -> int:
        return sum(self._read(process, field) for process in self._processes())

    @staticmethod
    def _processes() -> list[int]:
        try:
            from psutil import Process
        except ModuleNotFoundError:
            return [os.getpid()]
        return [os.getpid(), *(child.pid for child in Process().children(recursive=True))]

    @staticmethod
    def _read(process: int, field: str) -> int:
        try:
            lines = Path(f"/proc/{process}/status").read_text().splitlines()
        except OSError:
            if process != os.getpid():
                return 0
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return peak if sys.platform == "darwin" else peak * 1024
        sizes = (line.split()[1] for line in lines if line.startswith(f"{field}:"))
        return int(next(sizes, 0)) * 1024


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """End the process if the block takes longer, even deep in native code."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def limit_memory(limit: int) -> None:
    """Make allocations beyond the limit fail, where the system supports it."""
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def warm_up(peer: Peer, X: Samples, settings: Settings) -> None:
    """Fit a few samples, taken evenly from all of them."""
    wanted = peer.warm_up_samples if len(X) >= peer.warm_up_samples else WARM_UP_SAMPLES
    size = max(wanted, 2 * settings.k)
    peer.fit(np.ascontiguousarray(X[:: max(1, len(X) // size)][:size]), settings)


def timed_fits(
    peer: Peer, X: Samples, settings: Settings, timeout: float
) -> tuple[dict[str, Any], Answer]:
    """Fit once, or a few times if that is quick.

    Returns
    -------
    measurements : dict
        The median ``seconds`` over all ``fits``; of the first fit, ``peak_bytes``, and
        ``resident_bytes``, which includes input and imports.
    answer : ndarray
    """
    seconds: list[float] = []
    meter = MemoryMeter()
    while True:
        with deadline(timeout):
            start = time.perf_counter()
            answer = peer.fit(X, settings)
            seconds.append(time.perf_counter() - start)
        if len(seconds) == 1:
            peak_bytes, resident_bytes = meter.peak(), meter.peak_resident()
        if sum(seconds) >= ENOUGH_SECONDS or len(seconds) == MOST_FITS:
            break
    measurements = {
        "seconds": statistics.median(seconds),
        "fits": len(seconds),
        "peak_bytes": peak_bytes,
        "resident_bytes": resident_bytes,
    }
    return measurements, answer


def measure(request: Request) -> dict[str, Any]:
    """Warm up, time the fit and write the answer."""
    with deadline(request.setup_timeout):
        peer = TABLES[request.table].find(request.peer)
        X: Samples = np.load(request.samples)
        warm_up(peer, X, request.settings)
    print(READY, flush=True)
    measurements, answer = timed_fits(peer, X, request.settings, request.timeout)
    np.save(request.answer, answer)
    return measurements


def main() -> None:
    """Measure what the command line asks for."""
    request = Request.from_json(sys.argv[1])
    limit_memory(request.memory_limit)
    # On a line of its own, whatever a library may have printed before.
    print("\n" + json.dumps(measure(request)), flush=True)


if __name__ == "__main__":
    main()
