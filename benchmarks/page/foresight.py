"""Who is left out of a size: those whom smaller ones already took to their limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..data import Dataset
from ..report import format_seconds, growth_exponent
from ..session import Case, Result

# Statuses that will not improve with the size.
HOPELESS = ("timeout", "out of memory", "left out")


@dataclass(frozen=True)
class Axis:
    """One way for a case to grow while all else stays the same.

    Attributes
    ----------
    name : str
        The letter that stands for the size.
    size, other : callable
        The size of a case, and the size that must not differ.
    least_exponent, most_exponent : float
        The growth of time to reckon with. Each sample asks for its neighbours and at worst looks
        at all others; a further column may cost nothing, and at worst as much as any other. Two
        sizes that lie on either side of a change of method suggest more than that.
    """

    name: str
    size: Callable[[Case | Dataset], int]
    other: Callable[[Case | Dataset], int]
    least_exponent: float
    most_exponent: float


AXES = (
    Axis("n", lambda case: case.n_samples, lambda case: case.n_features, 1.0, 2.0),
    Axis("d", lambda case: case.n_features, lambda case: case.n_samples, 0.0, 1.0),
)


def reason_to_leave_out(
    peer: str, dataset: Dataset, cases: Iterable[Case], timeout: float, memory_limit: float
) -> str | None:
    """Return in a word why a peer need not try a dataset, None if it should.

    That is the time it can be expected to take, ``memory``, or the size that was too much already.

    Parameters
    ----------
    peer : str
        Its name.
    dataset : Dataset
        What it would be given.
    cases : iterable of Case
        What has been measured, with as many neighbours.
    timeout : float
        Seconds that a fit may take.
    memory_limit : float
        Bytes that a process may take.
    """
    known = list(cases)
    for axis in AXES:
        smaller = sorted(
            (
                case
                for case in known
                if axis.other(case) == axis.other(dataset) and axis.size(case) < axis.size(dataset)
            ),
            key=axis.size,
        )
        attempts = [
            (axis.size(case), result)
            for case in smaller
            for result in case.results
            if result.peer == peer
        ]
        reason = reason_from(attempts, axis, axis.size(dataset), timeout, memory_limit)
        if reason is not None:
            return reason
    return None


def reason_from(
    attempts: Sequence[tuple[int, Result]],
    axis: Axis,
    size: int,
    timeout: float,
    memory_limit: float,
) -> str | None:
    """Return why to leave a size out, given the attempts at smaller ones."""
    if not attempts:
        return None
    last_size, last = attempts[-1]
    if last.status in HOPELESS:
        return f"after {axis.name} = {last_size:,}"
    timed = [(size, result) for size, result in attempts if result.status == "ok"]
    if not timed or last.status != "ok":
        return None
    factor = size / last_size
    exponent = axis.least_exponent
    if len(timed) > 1:
        sizes = [size for size, _ in timed[-2:]]
        seconds = [result.median_seconds for _, result in timed[-2:]]
        exponent = max(exponent, min(axis.most_exponent, growth_exponent(sizes, seconds)))
    expected = last.median_seconds * factor**exponent
    if expected > timeout:
        return f"≈ {format_seconds(expected)}"
    if last.median_peak * factor**axis.least_exponent > memory_limit:
        return "memory"
    return None
