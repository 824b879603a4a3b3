"""The sections of the page: what there is to measure in each, job by job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..data import Dataset, blob_datasets, file_datasets
from ..process import GIB
from ..session import Announce
from .comparisons import PROGRAMS, compare, make_plan, run_alone, some_of
from .limits import memory_bandwidth, product_rate
from .overhead import import_time
from .scope import REAL_DATA, Protocol, RealData, Shape
from .stages import measure_stages
from .store import Entry, Measurements

# An import is quick, and the disk makes it vary.
IMPORTS_A_ROUND = 3


@dataclass(frozen=True)
class Job:
    """One entry of the page to measure.

    Attributes
    ----------
    key : str
        Its name within the section.
    measure : callable
        Takes what is measured already and someone to tell what is under way; returns the entry.
    """

    key: str
    measure: Callable[[Measurements, Announce], Entry]


def alone(work: Callable[[], Entry]) -> Callable[[Measurements, Announce], Entry]:
    """Return a measurement that asks for nothing and has nothing to tell."""
    return lambda _measured, _announce: work()


def limit_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield what the machine can do."""
    scope, threads = protocol.scope, protocol.threads
    yield Job("bandwidth", alone(partial(memory_bandwidth, scope.stream_bytes, threads)))
    yield Job("product", alone(partial(product_rate, scope.product_size, threads)))


def comparison_jobs(protocol: Protocol, table: str, shapes: Sequence[Shape]) -> Iterator[Job]:
    """Yield a comparison for each shape, smaller ones first: they say who is left out later."""
    plan = make_plan(PROGRAMS[table], protocol)
    for dataset in blob_datasets(sorted(set(shapes)), protocol.seed):
        yield Job(key_of(dataset), partial(compare, plan, dataset))


def key_of(dataset: Dataset) -> str:
    """Return the name of a dataset within a section."""
    return f"n={dataset.n_samples},d={dataset.n_features}"


def search_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield the comparisons of neighbour searches."""
    yield from comparison_jobs(protocol, "NEIGHBOR_SEARCHES", protocol.scope.search)


def fit_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield the comparisons of clusterers, and the sizes for this package alone."""
    yield from comparison_jobs(protocol, "CLUSTERERS", protocol.scope.fit)
    plan = replace(
        make_plan(PROGRAMS["CLUSTERERS"], protocol),
        k=protocol.scope.huge_k,
        repeats=1,
        timeout=protocol.huge_timeout,
        memory_limit=protocol.huge_memory_bytes / GIB,
    )
    for dataset in blob_datasets(protocol.scope.huge, protocol.seed, np.float32):
        yield Job(f"{key_of(dataset)},float32,k={plan.k}", partial(run_alone, plan, dataset))


def stage_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield the shares of the stages."""
    for dataset in blob_datasets(protocol.scope.stages, protocol.seed):
        yield Job(key_of(dataset), alone(partial(measure_stages, dataset, protocol)))


def small_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield fits of few samples, which more threads may slow down, and the import."""
    for threads in sorted({1, protocol.threads}):
        plan = replace(make_plan(PROGRAMS["CLUSTERERS"], protocol), threads=threads)
        for dataset in blob_datasets([protocol.scope.small], protocol.seed):
            yield Job(f"{key_of(dataset)},threads={threads}", partial(compare, plan, dataset))
    yield Job("import", alone(partial(import_time, IMPORTS_A_ROUND * protocol.repeats)))


def real_jobs(protocol: Protocol) -> Iterator[Job]:
    """Yield the comparisons on real data, as far as it is at hand."""
    for real in REAL_DATA:
        if protocol.data is not None and (protocol.data / real.file).exists():
            yield Job(real.file, partial(compare_on_file, protocol, real))


def compare_on_file(
    protocol: Protocol, real: RealData, measured: Measurements, announce: Announce
) -> Entry:
    """Compare peers on a file of real data, which is read only now."""
    assert protocol.data is not None
    plan = make_plan(PROGRAMS[real.table], protocol)
    plan = replace(
        plan,
        peers=some_of(plan.peers, real.peers),
        patience=max(plan.patience, real.patience),
        timeout=max(plan.timeout, real.timeout),
    )
    (dataset,) = file_datasets(protocol.data / real.file, (), protocol.seed, real.dtype)
    return compare(plan, dataset, measured, announce)


SECTIONS = {
    "limits": limit_jobs,
    "small": small_jobs,
    "stages": stage_jobs,
    "search": search_jobs,
    "fit": fit_jobs,
    "real": real_jobs,
}


def announce_within(announce: Announce, job: str, text: str) -> None:
    """Say which job it is that goes on."""
    announce(f"{job}: {text}")


def measure_missing(
    measured: Measurements,
    protocol: Protocol,
    sections: Sequence[str],
    announce: Announce,
    keep: Callable[[str], None],
) -> int:
    """Measure what is not there yet, and return how many jobs that were.

    Parameters
    ----------
    measured : Measurements
        What is there, and where to add.
    protocol : Protocol
        The rules and the sizes.
    sections : sequence of str
        Which of `SECTIONS`.
    announce : callable
        Told what is under way.
    keep : callable
        Told after each job what it was, to save it.
    """
    missing = [
        (section, job)
        for section in sections
        for job in SECTIONS[section](protocol)
        if job.key not in measured.entries(section)
    ]
    for number, (section, job) in enumerate(missing, 1):
        prefix = f"[{number} of {len(missing)}] {section}, {job.key}"
        entry = job.measure(measured, partial(announce_within, announce, prefix))
        measured.add(section, job.key, entry)
        keep(prefix)
    return len(missing)
