"""The page itself, from the measurements and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..report import format_bytes, plural
from .cost_parts import machine_limits, small_inputs, stage_shares
from .peer_parts import fits, real_data, searches
from .store import Measurements
from .tables import markdown_table
from .verdicts import FIT, SEARCH, TREES, all_verdicts


def write_page(measured: Measurements, path: Path) -> None:
    """Write the page, and its plots into a folder beside it of the same name."""
    plots = path.with_suffix("")
    parts = [part for section in PARTS for part in section(measured, plots)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(parts) + "\n")


def introduction(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield what is measured, where and how."""
    machine, settings = measured.machine, measured.settings
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    yield "# Benchmarks"
    yield (
        "quickshiftpp beside its peers, in one run on one machine. This page is written by "
        "`python -m benchmarks page --data DIR`, from the measurements in "
        f"[{plots.name}/measurements.json]({plots.name}/measurements.json)."
    )
    yield "\n".join(
        [
            f"- **Machine**: {machine['processor']}, {plural(machine['cores'], 'core')}, "
            f"{format_bytes(machine['memory_bytes'])} of memory, {machine['simd_level']} "
            f"instructions, {machine['system'].split('-')[0]}; {machine['time'][:10]}.",
            f"- **Versions**: Python {machine['python']}, {versions}.",
            f"- **Data**: 20 Gaussian blobs of differing width, float64, k = {settings['k']}, "
            "unless it says otherwise.",
            f"- **Rules**: everyone gets {plural(settings['threads'], 'thread')} and each fit a "
            "process of its own, after a warm-up that imports and compiles. Round 1 of all comes "
            f"before round 2 of any; times are medians{rounds_text(measured)}.",
            f"- **Limits**: a fit of a peer is ended after {settings['timeout']:g} s (*> "
            f"{settings['timeout']:g} s*) or at {settings['memory_limit']:g} GiB (*out of "
            "memory*). Where smaller sizes say that it would come to that, it is not run: "
            "*≈ 200 s* is the time to expect, and a dash stands for all larger sizes.",
            "- **Ratios** in brackets are to quickshiftpp: above 1x is slower.",
            "- **Peak memory** is what a fit adds to its process, beyond input and imports, "
            "worker processes included.",
        ]
    )


def rounds_text(measured: Measurements) -> str:
    """Return of how many rounds the times are medians, with the exceptions."""
    counts = [
        len(result.rounds)
        for table, section in ((SEARCH, "search"), (FIT, "fit"), (SEARCH, "real"), (FIT, "real"))
        for case in measured.cases(table, section)
        for result in case.results
        if result.status == "ok"
    ]
    if not counts:
        return ""
    most = max(counts)
    fewer = len(counts) - counts.count(most)
    exceptions = f"; what takes long is not repeated ({fewer} of {len(counts)} times)"
    return f" of {plural(most, 'round')}{exceptions if fewer else ''}"


def floors(measured: Measurements, plots: Path) -> Iterator[str]:  # noqa: ARG001
    """Yield the table of floors."""
    verdicts = all_verdicts(measured)
    words = {True: "yes", False: "**no**", None: "-"}
    judged = [verdict for verdict in verdicts if verdict.met is not None]
    yield "## The floors"
    yield (
        f"What the project asks of itself: met in {sum(bool(v.met) for v in judged)} of "
        f"{len(judged)} cases measured. *All k-NN* is the exact search for the "
        f"{measured.settings['k']} nearest of every sample, *trees* the fastest of "
        f"{', '.join(TREES)}."
    )
    rows = [[v.what, v.floor, v.measured, words[v.met]] for v in verdicts]
    yield markdown_table(["what", "at least", "measured", "met"], rows, numbers_from=4)


PARTS = (
    introduction,
    floors,
    fits,
    searches,
    real_data,
    stage_shares,
    machine_limits,
    small_inputs,
)
