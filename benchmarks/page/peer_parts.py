"""The parts of the page that compare peers: over n, over d, and on real data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ..peers import REFERENCE, TABLES
from ..session import Case
from .plots import plot_series, short_number
from .scope import COLUMNS_OVER_N, REAL_DATA
from .store import Measurements
from .tables import (
    LEFT_OUT,
    emphasise,
    markdown_table,
    memory_cell,
    series_tables,
    time_cell,
)
from .verdicts import FIT, SEARCH


def searches(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield the neighbour searches over n and d."""
    yield "## The neighbour search alone"
    yield f"The {measured.settings['k']} nearest of every sample, `all_neighbors` and its peers."
    yield peer_list(SEARCH)
    yield from agreement(measured)
    yield from comparisons(measured, plots, SEARCH, "search")


def agreement(measured: Measurements) -> Iterator[str]:
    """Yield how far the distances of the peers are from those of this package."""
    largest: dict[str, float] = {}
    for section in ("search", "real"):
        for case in measured.cases(SEARCH, section):
            for result in case.results:
                difference = result.verdict.get("difference")
                if result.peer != REFERENCE and difference is not None:
                    largest[result.peer] = max(largest.get(result.peer, 0.0), difference)
    if largest:
        listed = ", ".join(f"{peer} {difference:.0e}" for peer, difference in largest.items())
        yield (
            "The largest relative difference of a distance to the k-th neighbour from that of "
            f"quickshiftpp: {listed}."
        )


def fits(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield the clusterers over n and d."""
    yield "## The whole fit"
    yield "From the samples to their labels. Peers compute different clusterings:"
    yield peer_list(FIT)
    yield from comparisons(measured, plots, FIT, "fit")


def peer_list(table: str) -> str:
    """Return what everyone computes."""
    return "\n".join(f"- {emphasise(peer.name)}: {peer.computes}" for peer in TABLES[table])


def comparisons(measured: Measurements, plots: Path, table: str, section: str) -> Iterator[str]:
    """Yield plots and tables of one section: over n, over d, and what is in neither."""
    cases = list(measured.cases(table, section))
    if not cases:
        yield LEFT_OUT
        return
    over_d = longest_row([case for case in cases if case.k == measured.settings["k"]])
    over_n = sorted(
        (case for case in cases if case.n_features == COLUMNS_OVER_N),
        key=lambda case: case.n_samples,
    )
    others = [case for case in cases if case not in over_n and case not in over_d]
    draw = partial(draw_series, measured, plots, table, section)
    if over_n:
        yield f"### Over the number of samples, d = {COLUMNS_OVER_N}"
        yield draw("n", over_n, lambda case: case.n_samples, "samples")
        yield from folded_tables(over_n, [samples_heading(measured, case) for case in over_n])
    if over_d:
        yield f"### Over the number of columns, n = {over_d[0].n_samples:,}"
        yield draw("d", over_d, lambda case: case.n_features, "columns")
        yield from folded_tables(over_d, [f"d = {case.n_features}" for case in over_d])
    if others:
        yield "### Other sizes"
        yield from folded_tables(
            others, [f"{samples_heading(measured, case)}, d = {case.n_features}" for case in others]
        )


def longest_row(cases: Sequence[Case]) -> list[Case]:
    """Return the cases of the number of samples that comes with the most numbers of columns."""
    rows: dict[int, list[Case]] = {}
    for case in cases:
        rows.setdefault(case.n_samples, []).append(case)
    longest = max(rows.values(), key=len, default=[])
    return sorted(longest, key=lambda case: case.n_features) if len(longest) > 1 else []


def samples_heading(measured: Measurements, case: Case) -> str:
    """Return the number of samples, and of neighbours where that is not the usual one."""
    text = f"n = {short_number(case.n_samples)}"
    return text if case.k == measured.settings["k"] else f"{text}, k = {case.k}, float32"


def draw_series(
    measured: Measurements,
    plots: Path,
    table: str,
    section: str,
    letter: str,
    cases: Sequence[Case],
    size: Callable[[Case], int],
    unit: str,
) -> str:
    """Draw a plot and return the line that shows it."""
    plot = plots / f"{section}-over-{letter}.png"
    plot_series(plot, table, cases, size, unit, measured.settings["timeout"])
    text = f"![Time and peak memory over the number of {unit}]({plots.name}/{plot.name})"
    if any(case.k != measured.settings["k"] for case in cases):
        odd = cases[-1]
        text += f"\n\nThe hollow marker is a fit of float32 samples with k = {odd.k}."
    return text


def folded_tables(cases: Sequence[Case], headings: Sequence[str]) -> Iterator[str]:
    """Yield the times, who failed and why, and the memory for those who unfold it."""
    time_table, memory_table = series_tables(cases, headings)
    yield time_table
    failures = dict.fromkeys(
        f"{result.peer} {result.message}"
        for case in cases
        for result in case.results
        if result.status == "failed"
    )
    if failures:
        yield "; ".join(failures) + "."
    yield f"<details><summary>Peak memory</summary>\n\n{memory_table}\n\n</details>"


def real_data(measured: Measurements, plots: Path) -> Iterator[str]:  # noqa: ARG001
    """Yield the comparisons on real data, and what is not among them."""
    yield "## Real data"
    entries = measured.entries("real")
    for real in REAL_DATA:
        name = real.file.rpartition("/")[2]
        if real.file not in entries:
            yield f"*{name} was left out: `--data` named no folder with {real.file}.*"
            continue
        case = Case.from_dict(entries[real.file])
        what = "whole fit" if real.table == FIT else "neighbour search"
        yield (
            f"**{name.removesuffix('.npz')}**, {case.n_samples:,} x {case.n_features}, "
            f"{real.dtype}, {what}:"
        )
        yield result_table(case)


def result_table(case: Case) -> str:
    """Return one comparison, a row for each peer."""
    rows = [
        [
            emphasise(result.peer),
            time_cell(case, result),
            memory_cell(case, result),
            str(len(result.rounds)),
        ]
        for result in case.results
    ]
    return markdown_table(["", "time", "peak memory", "rounds"], rows)
