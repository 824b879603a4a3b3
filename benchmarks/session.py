"""A session: every peer on every dataset, in rounds, each fit in a process of its own.

Round 1 of all peers comes before round 2 of any. What else a shared machine does in the meantime
then slows all of them, rather than the one that happened to run.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from .data import Dataset, typical_radius
from .measure import Request
from .peers import REFERENCE, Answer, Peer, Settings
from .process import GIB, MeasuringProcess, wait_until_ready

Verdict: TypeAlias = dict[str, Any]
Judge: TypeAlias = Callable[[Answer, Answer | None], Verdict]
Announce: TypeAlias = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What a session does with each dataset.

    Attributes
    ----------
    table : str
        The name of the table that the peers come from.
    peers : sequence of Peer
        Who takes part, in order.
    judge : callable
        Turns an answer, and the reference's, into figures for the report.
    k, threads, repeats : int
        The number of neighbours, of threads, and of rounds.
    timeout : float
        Seconds for one fit.
    setup_timeout : float
        Seconds for imports, compilation and the warm-up.
    memory_limit : float
        GiB of address space for one process.
    patience : float
        Seconds: a fit that took longer is not repeated.
    """

    table: str
    peers: Sequence[Peer]
    judge: Judge
    k: int
    threads: int
    repeats: int
    timeout: float
    setup_timeout: float
    memory_limit: float
    patience: float = math.inf


@dataclass
class Result:
    """What one peer did on one dataset.

    Attributes
    ----------
    peer : str
        Its name.
    status : {"ok", "timeout", "set-up timeout", "out of memory", "missing", "failed", "left out"}
        "ok" if every round came to its end.
    message : str
        What to tell the reader where it is not "ok".
    rounds : list of dict
        The measurements of each round.
    verdict : dict
        What the judge made of the answer.
    """

    peer: str
    status: str = "ok"
    message: str = ""
    rounds: list[dict[str, Any]] = field(default_factory=list)
    verdict: Verdict = field(default_factory=dict)

    @property
    def seconds(self) -> list[float]:
        """The time of each round."""
        return [measured["seconds"] for measured in self.rounds]

    @property
    def median_seconds(self) -> float:
        """The median time over the rounds."""
        return float(statistics.median(self.seconds))

    @property
    def median_peak(self) -> float:
        """The median peak memory over the rounds, in bytes."""
        return float(statistics.median(measured["peak_bytes"] for measured in self.rounds))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON knows it."""
        entry: dict[str, Any] = {"peer": self.peer, "status": self.status}
        if self.status == "ok":
            entry |= {
                "median_seconds": self.median_seconds,
                "min_seconds": min(self.seconds),
                "max_seconds": max(self.seconds),
                "median_peak_bytes": self.median_peak,
                **self.verdict,
            }
        else:
            entry["message"] = self.message
        return {**entry, "rounds": self.rounds}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Return the result that `to_dict` wrote; its verdict holds all other figures too."""
        verdict = dict(entry)
        rounds, peer, status = (verdict.pop(name) for name in ("rounds", "peer", "status"))
        return cls(peer, status, verdict.pop("message", ""), rounds, verdict)


@dataclass(frozen=True)
class Case:
    """One dataset and what every peer did with it."""

    n_samples: int
    n_features: int
    k: int
    description: str
    results: Sequence[Result]

    @property
    def reference(self) -> Result | None:
        """The result that ratios are relative to, None where there is none."""
        return next((r for r in self.results if r.peer == REFERENCE and r.status == "ok"), None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON knows it, ratios to the reference included."""
        entries = [result.to_dict() for result in self.results]
        if self.reference is not None:
            for entry in entries:
                if entry["status"] == "ok":
                    seconds, peak = entry["median_seconds"], entry["median_peak_bytes"]
                    entry["time_ratio"] = ratio(seconds, self.reference.median_seconds)
                    entry["memory_ratio"] = ratio(peak, self.reference.median_peak)
        return {
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "k": self.k,
            "data": self.description,
            "results": entries,
        }

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Return the case that `to_dict` wrote."""
        results = [Result.from_dict(result) for result in entry["results"]]
        return cls(entry["n_samples"], entry["n_features"], entry["k"], entry["data"], results)


def ratio(value: float, reference: float) -> float | None:
    """Return how many times the reference a value is, None where the reference is 0."""
    return value / reference if reference > 0 else None


def run_session(plan: Plan, datasets: Iterable[Dataset], announce: Announce) -> Iterator[Case]:
    """Measure every peer on every dataset.

    Parameters
    ----------
    plan : Plan
        Who takes part, and how.
    datasets : iterable of Dataset
        What to fit.
    announce : callable
        Told what is under way.

    Yields
    ------
    Case
        One for each dataset, as soon as it is complete.
    """
    for dataset in datasets:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            yield run_case(plan, dataset, Path(folder), announce)


def run_case(plan: Plan, dataset: Dataset, folder: Path, announce: Announce) -> Case:
    """Measure every peer on one dataset, in rounds."""
    title = f"n = {dataset.n_samples:,}, d = {dataset.n_features}"
    announce(f"{title}: preparing the data")
    settings = write_samples(plan, dataset, folder)
    results = {peer.name: start_result(peer) for peer in plan.peers}
    for number in range(1, plan.repeats + 1):
        progress = f"{title}, round {number} of {plan.repeats}: "
        run_round(plan, settings, folder, results, announce, progress)
    judge_answers(plan, settings, folder, results)
    return Case(
        dataset.n_samples,
        dataset.n_features,
        plan.k,
        dataset.description,
        list(results.values()),
    )


def start_result(peer: Peer) -> Result:
    """Return an empty result, or one that says what to install."""
    if peer.installed:
        return Result(peer.name)
    return Result(peer.name, "missing", f"is not installed: pip install '{peer.requirement}'")


def write_samples(plan: Plan, dataset: Dataset, folder: Path) -> Settings:
    """Write the samples for the processes to read, and return what to tell them."""
    X = dataset.make()
    settings = Settings(plan.k, plan.threads)
    if any(peer.needs_radius for peer in plan.peers):
        settings = replace(settings, radius=typical_radius(X, plan.k, plan.threads))
    np.save(make_request(plan, REFERENCE, settings, folder).samples, X)
    return settings


def run_round(
    plan: Plan,
    settings: Settings,
    folder: Path,
    results: dict[str, Result],
    announce: Announce,
    progress: str,
) -> None:
    """Measure once everyone who has not failed, each in a new process.

    The processes set up side by side, which saves time where a peer compiles for long, and measure
    one after the other, when all are ready.
    """
    announce(f"{progress}setting up")
    with ExitStack() as processes_to_close:
        processes: dict[str, MeasuringProcess] = {}
        for name, result in results.items():
            if result.status == "ok" and max(result.seconds, default=0) <= plan.patience:
                processes[name] = MeasuringProcess(make_request(plan, name, settings, folder))
                processes_to_close.callback(processes[name].close)
        wait_until_ready(list(processes.values()), plan.setup_timeout)
        for name, process in processes.items():
            announce(f"{progress}{name}")
            measurements = process.run()
            if measurements is not None:
                results[name].rounds.append(measurements)
            elif process.failure is not None:
                results[name].status, results[name].message = process.failure
            process.close()


def make_request(plan: Plan, name: str, settings: Settings, folder: Path) -> Request:
    """Return what to ask of the process of one peer."""
    return Request(
        table=plan.table,
        peer=name,
        folder=str(folder),
        settings=settings,
        timeout=plan.timeout,
        memory_limit=int(plan.memory_limit * GIB),
    )


def judge_answers(plan: Plan, settings: Settings, folder: Path, results: dict[str, Result]) -> None:
    """Compare the answers of those who came to their end."""
    answers = {
        name: np.load(make_request(plan, name, settings, folder).answer)
        for name, result in results.items()
        if result.status == "ok"
    }
    for name, answer in answers.items():
        results[name].verdict = plan.judge(answer, answers.get(REFERENCE))
