"""Hands cases to processes, and notices what a process cannot say itself: crash, hang, growth."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from reporting.tables import format_bytes

from .resources import processor_seconds
from .shrink import SHRINK_SECONDS, kind_of
from .targets import TARGETS
from .worker import Job, Outcome, serve
from .written import as_python

# Cases of one run are numbered from its seed times this on.
CASES_PER_SEED = 10**9
# A target that keeps failing is left alone, so that the others get their time. Starting a process
# again after a crash takes a second or two.
_MOST_DIFFERENCES = 200
_MOST_LOST = 20
# Of findings that look the same, the first ones are made smaller and shown, the others named.
_SHOWN_ALIKE = 3
_START_SECONDS = 300.0
_STOP_SECONDS = 5.0
_MOST_LINES = 8
_EARLIER = 5

DIFFERENCE, CRASH, TIMEOUT, LEAK = "difference", "crash", "timeout", "leak"


@dataclass(frozen=True)
class Finding:
    """Something that must not be.

    Attributes
    ----------
    kind : {"difference", "crash", "timeout", "leak"}
    target : str
    number : int
        Of the case.
    what : str
        What happened.
    lines : str
        The case as Python; empty if enough like it have been shown.
    """

    kind: str
    target: str
    number: int
    what: str
    lines: str

    @property
    def case(self) -> str:
        """The case, as ``--case`` takes it."""
        return f"{self.target}:{self.number}"


@dataclass
class Tally:
    """What a run did for one target."""

    cases: int = 0
    checks: int = 0
    seconds: float = 0.0
    findings: Counter[str] = field(default_factory=Counter)

    @property
    def is_given_up(self) -> bool:
        """Whether there were so many findings that no more cases are run."""
        lost = self.findings[CRASH] + self.findings[TIMEOUT]
        return self.findings[DIFFERENCE] >= _MOST_DIFFERENCES or lost >= _MOST_LOST


class MemoryWatch:
    """Follows the memory of one process, and says when it keeps growing.

    After a warm-up, the least memory within a window of cases is compared with that of the first
    window, so that neither a large case nor a cache that fills up counts as a leak.

    Parameters
    ----------
    warm_up, window : int
        Numbers of cases.
    limit : int
        The growth in bytes that counts as a leak.
    """

    def __init__(self, warm_up: int = 300, window: int = 50, limit: int = 64 << 20) -> None:
        self._warm_up = warm_up
        self._limit = limit
        self._recent: deque[int] = deque(maxlen=window)
        self._base: int | None = None
        self._last = 0
        self._cases = 0
        self._growth: Counter[str] = Counter()
        self._culprit: dict[str, int] = {}

    @property
    def growth(self) -> int:
        """The growth since the warm-up, in bytes."""
        return 0 if self._base is None else max(0, min(self._recent) - self._base)

    def observe(self, target: str, number: int, resident: int) -> tuple[str, int, int] | None:
        """Take note of a case.

        Returns
        -------
        target, number, growth : str, int, int
            Where the growth exceeds the limit: the target that grew most, its latest case that
            did, and the growth in bytes. None otherwise.
        """
        self._cases += 1
        grown, self._last = resident - self._last, resident
        if self._cases <= self._warm_up:
            return None
        self._recent.append(resident)
        self._growth[target] += grown
        if grown > 0:
            self._culprit[target] = number
        if len(self._recent) < (self._recent.maxlen or 1):
            return None
        if self._base is None:
            self._base = min(self._recent)
            return None
        growth = self.growth
        if growth <= self._limit or not self._culprit:
            return None
        worst = max(self._culprit, key=lambda name: self._growth[name])
        self._base = min(self._recent)
        self._growth.clear()
        return worst, self._culprit[worst], growth


class LostError(Exception):
    """A process died, or had to be ended.

    Attributes
    ----------
    kind, what : str
        As in a finding.
    """

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind
        self.what = what


class Worker:
    """One process that runs cases.

    Parameters
    ----------
    folder : Path
        For what the process writes to standard error.
    modules : sequence of str
        Modules that define more targets.

    Attributes
    ----------
    watch : MemoryWatch
    earlier : deque of str
        The last cases that the process survived.
    """

    def __init__(self, folder: Path, modules: Sequence[str] = ()) -> None:
        context = multiprocessing.get_context("spawn")
        descriptor, name = tempfile.mkstemp(dir=folder, suffix=".log")
        os.close(descriptor)
        self._errors = Path(name)
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, self._errors, tuple(modules)), daemon=True
        )
        self._process.start()
        theirs.close()
        self.folder = folder
        self.watch = MemoryWatch()
        self.earlier: deque[str] = deque(maxlen=_EARLIER)
        self._receive(_START_SECONDS)

    def ask(self, job: Job) -> Outcome:
        """Run a case. Raises LostError if the process does not survive it."""
        with suppress(BrokenPipeError):  # it died since the last case, which is noticed below
            self._connection.send(job)
        limit = TARGETS[job.target].limit
        outcome = self._receive(limit + SHRINK_SECONDS if job.shrink else limit)
        assert outcome is not None
        return outcome

    def _receive(self, limit: float) -> Outcome | None:
        # Seconds of the processor, so that a busy machine is no hang; a process that waits for
        # something uses none.
        start, worked = time.monotonic(), processor_seconds(self._process.pid)
        while not self._connection.poll(min(limit, 1.0)):
            waited = time.monotonic() - start
            if waited < limit:
                continue
            now = processor_seconds(self._process.pid)
            if now is None or worked is None or now - worked > limit or waited > 10 * limit:
                self.stop(signal.SIGABRT)  # faulthandler then writes where it hangs
                raise LostError(TIMEOUT, f"no result after {waited:.0f} s; {self._last_words()}")
        try:
            received: Outcome | None = self._connection.recv()
        except (EOFError, ConnectionResetError):
            self.stop()
            status = self._process.exitcode
            died = f"exit code {status}"
            if status is not None and status < 0:
                died = signal.Signals(-status).name
            raise LostError(CRASH, f"{died}; {self._last_words()}") from None
        return received

    def _last_words(self) -> str:
        """Return what the process wrote at its end: the error, and where in Python."""
        lines = [line.strip() for line in self._errors.read_text(errors="replace").splitlines()]
        fatal = [place for place, line in enumerate(lines) if line.startswith("Fatal")]
        start = max(0, fatal[-1] - 2) if fatal else 0
        noise = ("multiprocessing", "Extension modules", "fuzz/worker.py", "<string>")
        said = [line for line in lines[start:] if line and not any(part in line for part in noise)]
        return " | ".join(said[:_MOST_LINES])

    def stop(self, by: signal.Signals | None = None) -> None:
        """End the process: let it finish or send it a signal, and kill it if that is not enough."""
        self._connection.close()
        if by is not None and self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, by)
        self._process.join(_STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


class Run:
    """Fuzzing for some time.

    Parameters
    ----------
    names : sequence of str
        The targets.
    seed : int
        Sets the numbers of the cases.
    modules : sequence of str
        Modules that define more targets.
    on_finding : callable
        Called for every finding.

    Attributes
    ----------
    tallies : dict
        What was done for each target.
    findings : list of Finding
    growth : int
        The most that the memory of one process has grown, in bytes.
    """

    def __init__(
        self,
        names: Sequence[str],
        seed: int = 0,
        modules: Sequence[str] = (),
        on_finding: Callable[[Finding], None] | None = None,
    ) -> None:
        self.tallies = {name: Tally() for name in names}
        self.findings: list[Finding] = []
        self.growth = 0
        self._modules = modules
        self._on_finding = on_finding
        self._numbers = Counter(dict.fromkeys(names, seed * CASES_PER_SEED))
        self._running: Counter[str] = Counter()
        self._alike: Counter[tuple[str, str, str]] = Counter()
        self._deadline = 0.0
        self._lock = threading.Lock()

    def run(self, seconds: float, jobs: int) -> None:
        """Run cases in several processes until time is up."""
        self._deadline = time.monotonic() + seconds
        with (
            tempfile.TemporaryDirectory(prefix="fuzz-") as folder,
            ThreadPoolExecutor(jobs) as pool,
        ):
            drivers = [pool.submit(self._drive, Path(folder)) for _ in range(jobs)]
            try:
                for driver in as_completed(drivers):
                    driver.result()
            except KeyboardInterrupt:
                pass
            finally:  # the cases that are running are finished, and reported
                self.stop()

    def stop(self) -> None:
        """End the run after the cases that are running."""
        self._deadline = 0.0

    def run_one(self, target: str, number: int) -> None:
        """Run one case."""
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            worker = self._run_job(Worker(Path(folder), self._modules), Job(target, number))
            if worker is not None:
                worker.stop()

    def _drive(self, folder: Path) -> None:
        """Keep one process busy; start another when it is lost."""
        worker: Worker | None = None
        while (job := self._choose()) is not None:
            try:
                worker = worker or Worker(folder, self._modules)
                worker = self._run_job(worker, job)
            finally:
                with self._lock:
                    self._running[job.target] -= 1
        if worker is not None:
            worker.stop()

    def _choose(self) -> Job | None:
        """Choose a case: of the target that has had the least of its share of the time."""
        with self._lock:
            names = [name for name, tally in self.tallies.items() if not tally.is_given_up]
            if not names or time.monotonic() >= self._deadline:
                return None
            name = min(names, key=self._time_had)
            number = self._numbers[name]
            self._numbers[name] += 1
            self._running[name] += 1
        return Job(name, number)

    def _time_had(self, name: str) -> float:
        tally = self.tallies[name]
        mean = tally.seconds / tally.cases if tally.cases else 0.0
        # Cases that are running count as if they took as long as the others.
        return (tally.seconds + self._running[name] * max(mean, 0.01)) / TARGETS[name].share

    def _run_job(self, worker: Worker, job: Job) -> Worker | None:
        """Run a case, and return the process if it is still of use."""
        tally = self.tallies[job.target]
        start = time.monotonic()
        try:
            outcome = worker.ask(job)
        except LostError as error:
            with self._lock:
                tally.cases += 1
                tally.seconds += time.monotonic() - start
            what = error.what
            if error.kind == CRASH and not self._has_enough_of(CRASH, job.target, what):
                what += f"; {self._crash_again(worker, job)}"
            self._find(error.kind, what, job)
            return None
        worker.earlier.append(f"{job.target}:{job.number}")
        leak = worker.watch.observe(job.target, job.number, outcome.resident)
        with self._lock:
            tally.cases += 1
            tally.checks += outcome.checks
            tally.seconds += outcome.seconds
            self.growth = max(self.growth, worker.watch.growth)
        if leak is not None:
            target, number, growth = leak
            what = f"the process has grown by {format_bytes(growth)}, most of it in this target"
            self._find(LEAK, what, Job(target, number))
        if not outcome.failure:
            return worker
        if self._has_enough_of(DIFFERENCE, job.target, outcome.failure):
            self._find(DIFFERENCE, outcome.failure, job, "")
            return worker
        try:
            smaller = worker.ask(Job(job.target, job.number, shrink=True))
        except LostError as error:
            self._find(DIFFERENCE, outcome.failure, job)
            self._find(error.kind, f"while it was made smaller: {error.what}", job)
            return None
        self._find(DIFFERENCE, outcome.failure, job, smaller.lines)
        return worker

    def _crash_again(self, worker: Worker, job: Job) -> str:
        """Say whether a case ends a new process too, or may have suffered from an earlier one."""
        try:
            other = Worker(worker.folder, self._modules)
            other.ask(job)
        except LostError:
            return "a new process ends the same way"
        other.stop()
        return (
            "a new process survives this case, so an earlier one may have damaged the memory: "
            f"{', '.join(worker.earlier)}"
        )

    def _has_enough_of(self, kind: str, target: str, what: str) -> bool:
        """Return whether enough findings like this one have been shown."""
        with self._lock:
            return self._alike[kind, target, kind_of(what)] >= _SHOWN_ALIKE

    def _find(self, kind: str, what: str, job: Job, lines: str | None = None) -> None:
        if self._has_enough_of(kind, job.target, what):
            lines = ""
        if lines is None:
            lines = as_python(job.target, TARGETS[job.target].numbered(job.number))
        finding = Finding(kind, job.target, job.number, what, lines)
        with self._lock:
            self._alike[kind, job.target, kind_of(what)] += 1
            self.tallies[job.target].findings[kind] += 1
            self.findings.append(finding)
            if self._on_finding is not None:
                self._on_finding(finding)
