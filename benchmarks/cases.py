"""What a comparison found: one case per dataset, one result per peer."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from reporting.tables import NOTHING, bold, format_bytes, format_seconds, significant, table

from .peers import REFERENCE, Judgment

# A line through two points always fits; an exponent needs a third to mean anything.
FEWEST_SIZES = 3


@dataclass
class Result:
    """What one peer did on one dataset."""

    peer: str
    # "ok" if every round finished, or "timeout", "set-up timeout", "out of memory", "missing",
    # "failed", "left out".
    status: str = "ok"
    message: str = ""  # for the reader, unless the status is "ok"
    rounds: list[dict[str, Any]] = field(default_factory=list)  # the measurements of each round
    # The figures that its table's judge made of the answer.
    judgment: Judgment = field(default_factory=dict)

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
        """Return the result as JSON."""
        entry: dict[str, Any] = {"peer": self.peer, "status": self.status}
        if self.status == "ok":
            entry |= {
                "median_seconds": self.median_seconds,
                "min_seconds": min(self.seconds),
                "max_seconds": max(self.seconds),
                "median_peak_bytes": self.median_peak,
                **self.judgment,
            }
        else:
            entry["message"] = self.message
        return {**entry, "rounds": self.rounds}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        """Return the result that `to_dict` wrote; `judgment` also holds the derived figures."""
        rest = dict(entry)
        rounds, peer, status = (rest.pop(name) for name in ("rounds", "peer", "status"))
        return cls(peer, status, rest.pop("message", ""), rounds, rest)


@dataclass(frozen=True)
class Case:
    """One dataset and the results of all peers on it."""

    n_samples: int
    n_features: int
    k: int
    description: str
    results: Sequence[Result]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of samples and of columns."""
        return self.n_samples, self.n_features

    @property
    def reference(self) -> Result | None:
        """The result that ratios are relative to; None if it has none."""
        return next((r for r in self.results if r.peer == REFERENCE and r.status == "ok"), None)

    def find(self, peer: str) -> Result | None:
        """Return the result of a peer."""
        return next((result for result in self.results if result.peer == peer), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the case as JSON, with ratios to the reference."""
        entries = [result.to_dict() for result in self.results]
        for entry in entries if self.reference else ():
            assert self.reference is not None
            if entry["status"] == "ok":
                entry["time_ratio"] = ratio(entry["median_seconds"], self.reference.median_seconds)
                entry["memory_ratio"] = ratio(
                    entry["median_peak_bytes"], self.reference.median_peak
                )
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
    """Return how many times the reference a value is; None where the reference is 0."""
    return value / reference if reference > 0 else None


def format_ratio(value: float, reference: float | None) -> str:
    """Return a ratio as text."""
    quotient = None if reference is None else ratio(value, reference)
    return NOTHING if quotient is None else f"{significant(quotient)}x"


def format_figure(value: Any, form: str) -> str:
    """Return a figure of a judge in its format."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return form.format(value)


def peer_name(name: str) -> str:
    """Return the name of a peer, this package's in bold."""
    return bold(name) if name == REFERENCE else name


def failure_text(result: Result) -> str:
    """Return in a word or two why there is no figure."""
    if result.status == "left out":
        return f"*{result.message}*" if result.message.startswith("≈") else NOTHING
    is_late = result.status in ("timeout", "set-up timeout")
    return f"*{result.message if is_late else result.status}*"


def case_table(case: Case, columns: Mapping[str, str]) -> str:
    """Return one case as a Markdown table, with these figures of the judge."""
    rows = []
    for result in case.results:
        name = peer_name(result.peer)
        if result.status != "ok":
            rows.append([name, failure_text(result), *[NOTHING] * (4 + len(columns))])
            continue
        own = case.reference
        spread = f"{format_seconds(min(result.seconds))} to {format_seconds(max(result.seconds))}"
        rows.append(
            [
                name,
                format_seconds(result.median_seconds),
                spread if len(result.rounds) > 1 else NOTHING,
                format_ratio(result.median_seconds, own.median_seconds if own else None),
                format_bytes(result.median_peak),
                format_ratio(result.median_peak, own.median_peak if own else None),
                *(format_figure(result.judgment[name], form) for name, form in columns.items()),
            ]
        )
    header = ["", "time", "min to max", "time ratio", "peak memory", "memory ratio", *columns]
    return table(header, rows)


def failures(cases: Sequence[Case]) -> list[str]:
    """Return who failed, or is not installed, and why."""
    texts = (
        f"{result.peer} {result.message}"
        for case in cases
        for result in case.results
        if result.status in ("failed", "missing")
    )
    return list(dict.fromkeys(texts))


def growth_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fit ``seconds`` to a power of ``sizes`` by least squares of the logarithms.

    Examples
    --------
    >>> round(growth_exponent([10, 100, 1000], [2, 20, 200]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth_exponents(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Return the growth of time with n of every peer that finished three or more sizes.

    Returns
    -------
    list of dict
        ``peer``, ``n_features``, ``sizes`` and ``exponent``.
    """
    series: dict[tuple[int, str], dict[int, float]] = {}
    for case in cases:
        for result in case.results:
            if result.status == "ok":
                times = series.setdefault((case.n_features, result.peer), {})
                times[case.n_samples] = result.median_seconds
    return [
        {
            "peer": peer,
            "n_features": n_features,
            "sizes": sorted(times),
            "exponent": growth_exponent(list(times), list(times.values())),
        }
        for (n_features, peer), times in series.items()
        if len(times) >= FEWEST_SIZES
    ]


def growth_table(growth: Sequence[Mapping[str, Any]]) -> str:
    """Return how time grows with the number of samples, as a Markdown table."""
    rows = [
        [
            entry["peer"],
            str(entry["n_features"]),
            f"n^{entry['exponent']:.2f}",
            ", ".join(f"{size:,}" for size in entry["sizes"]),
        ]
        for entry in growth
    ]
    return table(["", "d", "time grows as", "over n ="], rows, "Growth of time with n")
