"""The measurements of the page, section by section."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from typing import TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP
from quickshiftpp._progress import listening
from reporting.tables import GIB, format_seconds

from ..cases import Case, Result
from ..data import Dataset, blob_datasets, file_datasets
from ..peers import BETA, FIT, REFERENCE, SEARCH, TABLES, Samples
from ..session import Announce, Plan, run_case
from ..timing import least_seconds, median_seconds
from .scope import REAL_DATA, Protocol, RealData, Shape
from .store import Entry, Measurements

# The sections with blobs of growing size, which show which peers are too slow for a larger one.
HOME_SECTIONS = {FIT: "fit", SEARCH: "search"}
# A peer with one of these statuses does not try a larger size.
HOPELESS = ("timeout", "out of memory", "left out")

REPEATS = 7  # of what takes milliseconds
CUTS = 5
OTHER_BETA = 0.6
IMPORTS_PER_ROUND = 3  # an import is quick, and varies with the disk
IMPORT_PROGRAM = """
import time
import sklearn.base
start = time.perf_counter()
import quickshiftpp
print(time.perf_counter() - start)
"""

# A measurement takes what is measured already and a function to announce progress to.
Job: TypeAlias = Callable[[Measurements, Announce], Entry]


def make_plan(table: str, protocol: Protocol) -> Plan:
    """Return the rules of the page for a session."""
    wanted = protocol.peers
    return Plan(
        table=table,
        peers=[
            peer
            for peer in TABLES[table].peers
            if peer.name == REFERENCE or wanted is None or peer.name in wanted
        ],
        k=protocol.k,
        threads=protocol.threads,
        repeats=protocol.repeats,
        timeout=protocol.timeout,
        memory_limit=protocol.memory_limit,
        patience=protocol.patience,
    )


def reason_to_leave_out(
    peer: str, dataset: Dataset, cases: Iterable[Case], timeout: float
) -> str | None:
    """Return why a peer does not try a dataset; None if it does.

    It does not if a smaller number of samples of the same width was too many, or if time in
    proportion to the number of samples would already exceed the timeout.
    """
    smaller = [
        (case.n_samples, result)
        for case in sorted(cases, key=lambda case: case.n_samples)
        for result in case.results
        if result.peer == peer
        and case.n_features == dataset.n_features
        and case.n_samples < dataset.n_samples
    ]
    if not smaller:
        return None
    n_samples, last = smaller[-1]
    if last.status in HOPELESS:
        return f"after n = {n_samples:,}"
    if last.status != "ok":
        return None
    expected = last.median_seconds * dataset.n_samples / n_samples
    return f"≈ {format_seconds(expected)}" if expected > timeout else None


def compare(plan: Plan, dataset: Dataset, measured: Measurements, announce: Announce) -> Entry:
    """Measure the peers that can be expected to finish, and name the others."""
    home = measured.cases(plan.table, HOME_SECTIONS[plan.table])
    cases = [case for case in home if case.k == plan.k]
    left_out = {
        peer.name: reason
        for peer in plan.peers
        if peer.name != REFERENCE
        and (reason := reason_to_leave_out(peer.name, dataset, cases, plan.timeout))
    }
    return run_some(plan, dataset, left_out, measured, announce)


def run_some(
    plan: Plan,
    dataset: Dataset,
    left_out: dict[str, str],
    measured: Measurements,  # noqa: ARG001
    announce: Announce,
) -> Entry:
    """Run the peers of a plan, except those that are left out for a reason."""
    running = replace(plan, peers=[peer for peer in plan.peers if peer.name not in left_out])
    case = run_case(running, dataset, announce)
    results = {name: Result(name, "left out", reason) for name, reason in left_out.items()}
    results |= {result.peer: result for result in case.results}
    case = replace(case, results=[results[peer.name] for peer in plan.peers])
    return {"table": plan.table, **case.to_dict()}


def compare_on_file(
    protocol: Protocol, real: RealData, measured: Measurements, announce: Announce
) -> Entry:
    """Compare peers on a file of real data."""
    assert protocol.data is not None
    plan = make_plan(real.table, protocol)
    plan = replace(
        plan,
        peers=[peer for peer in plan.peers if real.peers is None or peer.name in real.peers],
        patience=max(plan.patience, real.patience),
        timeout=max(plan.timeout, real.timeout),
    )
    (dataset,) = file_datasets(protocol.data / real.file, (), protocol.seed, real.dtype)
    return compare(plan, dataset, measured, announce)


def timed_stages(model: QuickshiftPP, X: Samples) -> dict[str, float]:
    """Fit, and return the seconds of each stage.

    ``checks`` is the time before the first stage, ``other`` that between stages and after the last.
    """
    spans: dict[str, tuple[float, float]] = {}

    def note(stage: str, fraction: float) -> None:  # noqa: ARG001
        now = time.perf_counter()
        spans[stage] = (spans.get(stage, (now, now))[0], now)

    start = time.perf_counter()
    with listening(note):
        model.fit(X)
    total = time.perf_counter() - start
    known = {
        "checks": min(first for first, _ in spans.values()) - start,
        **{stage: last - first for stage, (first, last) in spans.items()},
    }
    return {**known, "other": max(0.0, total - sum(known.values()))}


def measure_stages(dataset: Dataset, protocol: Protocol) -> Entry:
    """Return median seconds of the ``stages``, of the ``fit``, and of a ``cut`` at another beta."""
    X = dataset.make()
    model = QuickshiftPP(
        protocol.k, BETA, min_cluster_size=protocol.k, n_jobs=protocol.threads, verbose=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateClusteringWarning)
        model.fit(X[:: max(1, len(X) // 500)])  # the warm-up
        rounds = [timed_stages(model, X) for _ in range(protocol.repeats)]
    return {
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "data": dataset.description,
        "k": protocol.k,
        "fit": statistics.median(sum(seconds.values()) for seconds in rounds),
        "cut": median_seconds(lambda: model.tree_.labels(beta=OTHER_BETA), CUTS),
        "stages": {
            stage: statistics.median(seconds[stage] for seconds in rounds) for stage in rounds[0]
        },
    }


def memory_bandwidth(stream_bytes: int, threads: int) -> Entry:
    """Return the bytes per second of ``copy`` and ``add`` through memory, as STREAM counts them."""
    a, b, c = (np.full(stream_bytes // 8, value) for value in (0.0, 1.0, 2.0))
    bounds = np.linspace(0, len(a), threads + 1).astype(int)
    shares = [slice(*pair) for pair in pairwise(bounds)]

    def seconds_for(work: Callable[[slice], object]) -> float:
        with ThreadPoolExecutor(threads) as pool:
            return least_seconds(lambda: list(pool.map(work, shares)), REPEATS)

    return {
        "copy": 2 * a.nbytes / seconds_for(lambda part: np.copyto(a[part], b[part])),
        "add": 3 * a.nbytes / seconds_for(lambda part: np.add(b[part], c[part], out=a[part])),
    }


def product_rate(size: int, threads: int) -> Entry:
    """Return the ``flops`` of float32 matrix products through NumPy's BLAS."""
    a, b = np.random.default_rng(0).random((2, size, size), dtype=np.float32)
    out = np.empty_like(a)
    with threadpool_limits(threads):
        seconds = least_seconds(lambda: np.matmul(a, b, out=out), REPEATS)
    return {"flops": 2 * size**3 / seconds}


def import_time(repeats: int) -> Entry:
    """Return the median ``seconds`` to import the package when ``sklearn.base`` is imported.

    The first import, which may compile and read from disk, is not counted.
    """
    command = [sys.executable, "-c", IMPORT_PROGRAM]
    seconds = [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(repeats + 1)
    ]
    return {"seconds": statistics.median(seconds[1:])}


def alone(work: Callable[..., Entry], *arguments: object) -> Job:
    """Return a job that depends on nothing and announces nothing."""
    return lambda _measured, _announce: work(*arguments)


def key_of(dataset: Dataset) -> str:
    """Return the name of a dataset within a section."""
    return f"n={dataset.n_samples},d={dataset.n_features}"


def limit_jobs(protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield what the machine can do at most."""
    scope, threads = protocol.scope, protocol.threads
    yield "bandwidth", alone(memory_bandwidth, scope.stream_bytes, threads)
    yield "product", alone(product_rate, scope.product_size, threads)


def small_jobs(protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield fits of few samples, which more threads may slow down, and the import."""
    (dataset,) = blob_datasets([protocol.scope.small], protocol.seed)
    for threads in sorted({1, protocol.threads}):
        plan = replace(make_plan(FIT, protocol), threads=threads)
        yield f"{key_of(dataset)},threads={threads}", partial(compare, plan, dataset)
    yield "import", alone(import_time, IMPORTS_PER_ROUND * protocol.repeats)


def stage_jobs(protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield the shares of the stages."""
    for dataset in blob_datasets(protocol.scope.stages, protocol.seed):
        yield key_of(dataset), alone(measure_stages, dataset, protocol)


def size_jobs(table: str, shapes: Sequence[Shape], protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield a comparison for each shape, smaller ones first: they decide who is left out later."""
    plan = make_plan(table, protocol)
    for dataset in blob_datasets(sorted(set(shapes)), protocol.seed):
        yield key_of(dataset), partial(compare, plan, dataset)


def huge_jobs(protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield the sizes for this package alone."""
    plan = replace(
        make_plan(FIT, protocol),
        k=protocol.scope.huge_k,
        repeats=1,
        timeout=protocol.huge_timeout,
        memory_limit=protocol.huge_memory_bytes / GIB,
    )
    others = [peer.name for peer in plan.peers if peer.name != REFERENCE]
    for dataset in blob_datasets(protocol.scope.huge, protocol.seed, np.float32):
        job = partial(run_some, plan, dataset, dict.fromkeys(others, "not tried"))
        yield f"{key_of(dataset)},float32,k={plan.k}", job


def real_jobs(protocol: Protocol) -> Iterator[tuple[str, Job]]:
    """Yield the comparisons on those files of real data that exist."""
    for real in REAL_DATA:
        if protocol.data is not None and (protocol.data / real.file).exists():
            yield real.file, partial(compare_on_file, protocol, real)


SECTIONS: dict[str, Callable[[Protocol], Iterable[tuple[str, Job]]]] = {
    "limits": limit_jobs,
    "small": small_jobs,
    "stages": stage_jobs,
    "search": lambda protocol: size_jobs(SEARCH, protocol.scope.search, protocol),
    "fit": lambda protocol: chain(
        size_jobs(FIT, protocol.scope.fit, protocol), huge_jobs(protocol)
    ),
    "real": real_jobs,
}


def measure_missing(
    measured: Measurements,
    protocol: Protocol,
    sections: Sequence[str],
    announce: Announce,
    keep: Callable[[str], None],
) -> int:
    """Add what is missing to the measurements, and return the number of jobs this took.

    `announce` is called with the work in progress, `keep` with the name of each job when it is
    done, to save it.
    """
    missing = [
        (section, key, job)
        for section in sections
        for key, job in SECTIONS[section](protocol)
        if key not in measured.entries(section)
    ]
    for number, (section, key, job) in enumerate(missing, 1):
        prefix = f"[{number} of {len(missing)}] {section}, {key}"

        def announce_job(text: str, prefix: str = prefix) -> None:
            announce(f"{prefix}: {text}")

        measured.add(section, key, job(measured, announce_job))
        keep(prefix)
    return len(missing)
