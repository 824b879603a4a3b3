"""The parts of the page on this package alone: stages, the machine's limits, fixed costs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..report import format_seconds, plural, significant
from ..session import Case
from .plots import plot_stages
from .store import Measurements
from .tables import LEFT_OUT, markdown_table, series_tables
from .verdicts import SEARCH, time_after_neighbors

# The bytes of one entry of the graph as all_neighbors returns it: a distance and a row number.
ENTRY_BYTES = 16


def stage_shares(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield the share of each stage of a fit."""
    yield "## Where the time of a fit goes"
    entries = list(measured.entries("stages").values())
    if not entries:
        yield LEFT_OUT
        return
    plot = plots / "stages.png"
    plot_stages(plot, entries)
    yield f"![The share of each stage of a fit]({plots.name}/{plot.name})"
    yield (
        "*checks* is the validation of the input, *index* the build of the tree, *ascent* the "
        "search for the nearest denser sample, *modes* the tree of modes, *other* mostly giving "
        "memory back."
    )
    rows = []
    for entry in entries:
        total = sum(entry["stages"].values())
        rest = time_after_neighbors(entry) / total
        rows.append(
            [
                f"n = {entry['n_samples']:,}, d = {entry['n_features']}",
                format_seconds(entry["fit"]),
                f"{1 - rest:.0%}",
                f"{rest:.0%}",
                f"{format_seconds(entry['cut'])} ({entry['cut'] / entry['fit']:.1%} of the fit)",
            ]
        )
    yield markdown_table(
        ["", "fit", "index and neighbours", "all that follows", "a cut at another beta"], rows
    )


def machine_limits(measured: Measurements, plots: Path) -> Iterator[str]:  # noqa: ARG001
    """Yield how far the neighbour search is from what the machine can do."""
    yield "## The distance to the machine's limits"
    limits = measured.entries("limits")
    if not {"bandwidth", "product"} <= limits.keys():
        yield LEFT_OUT
        return
    bandwidth, flops = max(limits["bandwidth"].values()), limits["product"]["flops"]
    yield (
        f"{plural(measured.settings['threads'], 'thread')} of this machine move "
        f"{limits['bandwidth']['copy'] / 1e9:.1f} GB/s when they copy arrays beyond the caches and "
        f"{limits['bandwidth']['add'] / 1e9:.1f} GB/s when they add them, counted as STREAM does, "
        f"and multiply float32 matrices at {flops / 1e9:.0f} GFLOP/s. Of the first, the search "
        "cannot need less than it takes to write its answer, a distance and a row number for each "
        "neighbour. Of the second, comparing all pairs by matrix products would take 2 n n d "
        "operations; above 100% means that most pairs were never compared."
    )
    cases = [*measured.cases(SEARCH, "search"), *measured.cases(SEARCH, "real")]
    rows = [
        limit_row(case, case.reference.median_seconds, bandwidth, flops)
        for case in sorted(cases, key=lambda case: (case.n_features, case.n_samples))
        if case.reference is not None
    ]
    yield markdown_table(
        [
            "search",
            "time",
            "answer written",
            "of the bandwidth",
            "all pairs at",
            "of the product rate",
        ],
        rows,
    )


def limit_row(case: Case, seconds: float, bandwidth: float, flops: float) -> list[str]:
    """Return what a search attains, beside what the machine can do."""
    written = case.n_samples * case.k * ENTRY_BYTES / seconds
    compared = 2 * case.n_samples**2 * case.n_features / seconds
    name = "" if case.description.startswith("20 Gaussian") else f" ({case.description})"
    return [
        f"n = {case.n_samples:,}, d = {case.n_features}{name}",
        format_seconds(seconds),
        f"{significant(written / 1e9)} GB/s",
        f"{written / bandwidth:.1%}",
        f"{significant(compared / 1e9)} GFLOP/s",
        format_share(compared / flops),
    ]


def format_share(share: float) -> str:
    """Return a share in percent, or as a factor where it is far above 1.

    Examples
    --------
    >>> format_share(0.5), format_share(1234.25)
    ('50%', '1,234 times')
    """
    return f"{share:.0%}" if share < 10 else f"{share:,.0f} times"


def small_inputs(measured: Measurements, plots: Path) -> Iterator[str]:  # noqa: ARG001
    """Yield the fixed costs."""
    yield "## Small inputs"
    entries = measured.entries("small")
    if not entries:
        yield LEFT_OUT
        return
    cases = {key: Case.from_dict(entry) for key, entry in entries.items() if "table" in entry}
    if cases:
        first = next(iter(cases.values()))
        yield f"One fit of {first.n_samples} samples, d = {first.n_features}:"
        yield series_tables(
            list(cases.values()), [plural(int(key.rpartition("=")[2]), "thread") for key in cases]
        )[0]
    if "import" in entries:
        yield (
            "`import quickshiftpp` takes "
            f"{format_seconds(entries['import']['seconds'])} where `sklearn.base` is imported."
        )
