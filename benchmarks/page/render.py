"""The page, written from the measurements alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from reporting.tables import (
    NOTHING,
    bold,
    fill_template,
    format_bytes,
    format_seconds,
    plural,
    short_number,
    significant,
    table,
)
from reporting.verdicts import count_met, verdict_table

from ..cases import (
    Case,
    Result,
    case_table,
    failure_text,
    failures,
    format_ratio,
    growth_exponents,
    peer_name,
)
from ..machine import machine_text
from ..map.measure import read_cells
from ..map.picture import plot_map
from ..map.report import FASTER, LIMIT, cell_table, peer_is_faster, summary
from ..peers import FIT, REFERENCE, SEARCH, TABLES, TOLERANCE
from .floors import TREES, all_floors
from .plots import plot_series, plot_stages
from .scope import COLUMNS_OVER_N, REAL_DATA
from .store import Measurements

TEMPLATE = Path(__file__).parent / "page.md"
LEFT_OUT = "*Left out of this run.*"
BEFORE_NEIGHBORS_END = ("checks", "index", "neighbors")
STAGES = {
    "checks": "the validation of the input",
    "index": "the construction of the k-d tree",
    "ascent": "the search for the nearest denser sample",
    "modes": "the mode tree",
    "tree": "densities, nearest denser samples and the mode tree",
    "other": "mostly the release of memory",
}
# The bytes of one entry of the answer of all_neighbors: a distance and a row number.
ENTRY_BYTES = 16


def write_page(
    measured: Measurements,
    path: Path,
    mapped: Measurements | None = None,
    embeddings: Measurements | None = None,
) -> None:
    """Write the page, and its plots into a folder of the same name.

    `mapped` and `embeddings` are what ``benchmarks map`` has measured: the whole map, and cells of
    embeddings that are not on it.
    """
    plots, settings = path.with_suffix(""), measured.settings
    verdicts = all_floors(measured)
    met, judged = count_met(verdicts)
    sections = {
        "fits": comparisons(measured, plots, FIT, "fit"),
        "searches": chain(comparisons(measured, plots, SEARCH, "search"), agreement(measured)),
        "map": search_map(mapped, plots) if mapped is not None else (),
        "embeddings": embedding_cells(embeddings, plots) if embeddings is not None else (),
        "real": real_data(measured),
        "stages": stage_shares(measured, plots),
        "limits": machine_limits(measured),
        "small": small_inputs(measured),
    }
    values = {
        **settings,
        "plots": plots.name,
        "machine": machine_text(measured.machine),
        "threads": plural(settings["threads"], "thread"),
        "rounds": rounds_text(measured),
        "met": met,
        "judged": judged,
        "trees": ", ".join(TREES),
        "floors": verdict_table(verdicts),
        **{name: "\n\n".join(parts) or LEFT_OUT for name, parts in sections.items()},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fill_template(TEMPLATE, values))


def rounds_text(measured: Measurements) -> str:
    """Return the number of rounds behind the medians, with the exceptions."""
    counts = [
        len(result.rounds)
        for name, section in ((SEARCH, "search"), (FIT, "fit"), (SEARCH, "real"), (FIT, "real"))
        for case in measured.cases(name, section)
        for result in case.results
        if result.status == "ok"
    ]
    if not counts:
        return ""
    most = max(counts)
    fewer = len(counts) - counts.count(most)
    exceptions = f"; slow fits are not repeated ({fewer} of {len(counts)})"
    return f" of {plural(most, 'round')}{exceptions if fewer else ''}"


def agreement(measured: Measurements) -> Iterator[str]:
    """Yield how far the distances of the peers are from those of this package."""
    largest: dict[str, float] = {}
    for section in ("search", "real"):
        for case in measured.cases(SEARCH, section):
            for result in case.results:
                difference = result.judgment.get("difference")
                if result.peer != REFERENCE and difference is not None:
                    largest[result.peer] = max(largest.get(result.peer, 0.0), difference)
    if largest:
        listed = ", ".join(f"{peer} {difference:.0e}" for peer, difference in largest.items())
        yield (
            "The largest relative difference of a distance to the k-th neighbor from that of "
            f"quickshiftpp: {listed}."
        )


def search_map(mapped: Measurements, plots: Path) -> Iterator[str]:
    """Yield the neighbor searches over sizes, columns and kinds of data."""
    cells = read_cells(mapped)
    plot = plots / "map.png"
    plot_map(plot, cells, **mapped.settings)
    yield (
        "Exact searches in float32, in steady state: each turn of a library begins with a tenth of "
        "a second of searches that are not timed, so that its threads run on all cores. Measured "
        f"by `python -m benchmarks map --data DIR --output {plots.name}/map.json`. What would take "
        f"more than {LIMIT:g} s is left out. The last column of the table is the share of samples "
        "for which the peer's distance to the k-th neighbor has a larger relative error than "
        f"{TOLERANCE:g}."
    )
    yield machine_text(mapped.machine)
    yield f"![How many times as fast as the fastest peer]({plots.name}/{plot.name})"
    yield summary(cells)
    slower = [cell for cell in cells if peer_is_faster(cell)]
    if slower:
        yield f"Where a peer is faster by more than {FASTER - 1:.0%}:"
        yield cell_table(slower)
    yield f"<details><summary>All cells</summary>\n\n{cell_table(cells)}\n\n</details>"


def embedding_cells(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield the searches among embeddings, also those that take peers longer than a minute."""
    yield (
        "Searches as on the map, in other sizes and however long they take. The text embeddings "
        "are those of one-line descriptions of software packages, in 256 columns with rows of "
        "length one. They are also rotated at random into 768 columns, with a little noise. The "
        "images show digits; the flat spectrum is drawn. Measured by "
        "`python -m benchmarks map --data DIR "
        f"--output {plots.name}/embeddings.json`, with `--kind text --kind rotated --size 8000 "
        "--size 18000 --size 59625 --columns 256 --columns 768`, and with `--kind flat --size "
        "100000 --columns 768 --peer faiss`."
    )
    yield machine_text(measured.machine)
    yield cell_table(read_cells(measured))


def comparisons(measured: Measurements, plots: Path, name: str, section: str) -> Iterator[str]:
    """Yield plots and tables of one section: over n, over d, and the other sizes."""
    yield "\n".join(f"- {peer_name(peer.name)}: {peer.computes}" for peer in TABLES[name].peers)
    cases = list(measured.cases(name, section))
    if not cases:
        yield LEFT_OUT
        return
    usual_k, timeout = measured.settings["k"], measured.settings["timeout"]
    over_d = longest_row([case for case in cases if case.k == usual_k])
    over_n = sorted(
        (case for case in cases if case.n_features == COLUMNS_OVER_N),
        key=lambda case: case.n_samples,
    )
    others = [case for case in cases if case not in over_n and case not in over_d]
    if over_n:
        plot = plots / f"{section}-over-n.png"
        plot_series(plot, name, over_n, lambda case: case.n_samples, "samples", timeout)
        yield f"### Over the number of samples, d = {COLUMNS_OVER_N}"
        yield f"![Time and peak memory over the number of samples]({plots.name}/{plot.name})"
        if over_n[-1].k != usual_k:
            yield f"The hollow marker is a fit of float32 samples with k = {over_n[-1].k}."
        yield from series_tables(over_n, [samples_heading(case, usual_k) for case in over_n])
    if over_d:
        plot = plots / f"{section}-over-d.png"
        plot_series(plot, name, over_d, lambda case: case.n_features, "columns", timeout)
        yield f"### Over the number of columns, n = {over_d[0].n_samples:,}"
        yield f"![Time and peak memory over the number of columns]({plots.name}/{plot.name})"
        yield from series_tables(over_d, [f"d = {case.n_features}" for case in over_d])
    if others:
        yield "### Other sizes"
        yield from series_tables(
            others, [f"{samples_heading(case, usual_k)}, d = {case.n_features}" for case in others]
        )


def longest_row(cases: Sequence[Case]) -> list[Case]:
    """Return the cases of the number of samples with the most numbers of columns."""
    rows: dict[int, list[Case]] = {}
    for case in cases:
        rows.setdefault(case.n_samples, []).append(case)
    longest = max(rows.values(), key=len, default=[])
    return sorted(longest, key=lambda case: case.n_features) if len(longest) > 1 else []


def samples_heading(case: Case, usual_k: int) -> str:
    """Return the number of samples, and of neighbors where that is not the usual one."""
    text = f"n = {short_number(case.n_samples)}"
    return text if case.k == usual_k else f"{text}, k = {case.k}, float32"


def series_tables(cases: Sequence[Case], headings: Sequence[str]) -> Iterator[str]:
    """Yield a table of times, peers by cases, then failures, and a folded table of memory."""
    peers = list(dict.fromkeys(result.peer for case in cases for result in case.results))
    alike = [
        case for case in cases if (case.k, case.n_features) == (cases[0].k, cases[0].n_features)
    ]
    growth = {entry["peer"]: f"n^{entry['exponent']:.2f}" for entry in growth_exponents(alike)}
    times, memory = [], []
    for peer in peers:
        found = [(case, case.find(peer)) for case in cases]
        grows = [growth.get(peer, NOTHING)] if growth else []
        times.append([peer_name(peer), *(time_cell(*pair) for pair in found), *grows])
        memory.append([peer_name(peer), *(memory_cell(result) for _, result in found)])
    yield table(["", *headings, *(["grows as"] if growth else [])], times)
    failed = failures(cases)
    if failed:
        yield "; ".join(text.partition(". ")[0] for text in failed) + "."
    yield (
        f"<details><summary>Peak memory</summary>\n\n{table(['', *headings], memory)}\n\n</details>"
    )


def time_cell(case: Case, result: Result | None) -> str:
    """Return a time with its ratio to this package's, or why there is none."""
    if result is None or result.status != "ok":
        return failure_text(result) if result else NOTHING
    text = format_seconds(result.median_seconds)
    if result.peer == REFERENCE:
        return bold(text)
    own = case.reference
    return f"{text} ({format_ratio(result.median_seconds, own.median_seconds)})" if own else text


def memory_cell(result: Result | None) -> str:
    """Return the peak memory of a result."""
    if result is None or result.status != "ok":
        return NOTHING
    text = format_bytes(result.median_peak)
    return bold(text) if result.peer == REFERENCE else text


def real_data(measured: Measurements) -> Iterator[str]:
    """Yield the comparisons on real data."""
    entries = measured.entries("real")
    for real in REAL_DATA:
        if real.file not in entries:
            yield f"*{real.name} was left out: `--data` named no folder with {real.file}.*"
            continue
        case = Case.from_dict(entries[real.file])
        what = "whole fit" if real.table == FIT else "neighbor search"
        yield (
            f"**{real.name.removesuffix('.npz')}**, {case.n_samples:,} x {case.n_features}, "
            f"{real.dtype}, {what}:"
        )
        yield case_table(case, {})


def stage_shares(measured: Measurements, plots: Path) -> Iterator[str]:
    """Yield the share of each stage of a fit."""
    entries = list(measured.entries("stages").values())
    if not entries:
        return
    plot = plots / "stages.png"
    plot_stages(plot, entries)
    yield f"![The share of each stage of a fit]({plots.name}/{plot.name})"
    measured_stages = {stage for entry in entries for stage in entry["stages"]}
    texts = [f"*{stage}* is {text}" for stage, text in STAGES.items() if stage in measured_stages]
    yield ", ".join(texts) + "."
    rows = []
    for entry in entries:
        stages, seconds = entry["stages"], sum(entry["stages"].values())
        share = sum(stages.get(name, 0.0) for name in BEFORE_NEIGHBORS_END) / seconds
        rows.append(
            [
                f"n = {entry['n_samples']:,}, d = {entry['n_features']}",
                format_seconds(entry["fit"]),
                f"{share:.0%}",
                f"{format_seconds(entry['cut'])} ({entry['cut'] / entry['fit']:.1%} of the fit)",
            ]
        )
    yield table(["", "fit", "up to the neighbors", "a cut at another beta"], rows)


def machine_limits(measured: Measurements) -> Iterator[str]:
    """Yield how far the neighbor search is from what the machine can do."""
    limits = measured.entries("limits")
    if not {"bandwidth", "product"} <= limits.keys():
        return
    bandwidth, flops = max(limits["bandwidth"].values()), limits["product"]["flops"]
    yield (
        f"With {plural(measured.settings['threads'], 'thread')} this machine copies arrays larger "
        f"than the caches at {limits['bandwidth']['copy'] / 1e9:.1f} GB/s, adds them at "
        f"{limits['bandwidth']['add'] / 1e9:.1f} GB/s (as STREAM counts bytes), and multiplies "
        f"float32 matrices at {flops / 1e9:.0f} GFLOP/s. The search must at least write its "
        "answer, a distance and a row number for each neighbor. Comparing all pairs by matrix "
        "products would take 2 n n d operations; above 100% most pairs were never compared."
    )
    cases = [*measured.cases(SEARCH, "search"), *measured.cases(SEARCH, "real")]
    rows = []
    for case in sorted(cases, key=lambda case: (case.n_features, case.n_samples)):
        if case.reference is not None:
            seconds = case.reference.median_seconds
            written = case.n_samples * case.k * ENTRY_BYTES / seconds
            compared = 2 * case.n_samples**2 * case.n_features / seconds
            name = "" if case.description.startswith("20 Gaussian") else f" ({case.description})"
            rows.append(
                [
                    f"n = {case.n_samples:,}, d = {case.n_features}{name}",
                    format_seconds(seconds),
                    f"{significant(written / 1e9)} GB/s",
                    f"{written / bandwidth:.1%}",
                    f"{significant(compared / 1e9)} GFLOP/s",
                    format_share(compared / flops),
                ]
            )
    header = ["search", "time", "answer written", "of the bandwidth", "all pairs at"]
    yield table([*header, "of the product rate"], rows)


def format_share(share: float) -> str:
    """Return a share in percent, or as a factor where it is far above 1.

    Examples
    --------
    >>> format_share(0.5), format_share(1234.25)
    ('50%', '1,234 times')
    """
    return f"{share:.0%}" if share < 10 else f"{share:,.0f} times"


def small_inputs(measured: Measurements) -> Iterator[str]:
    """Yield the fixed costs."""
    entries = measured.entries("small")
    cases = {key: Case.from_dict(entry) for key, entry in entries.items() if "table" in entry}
    if cases:
        first = next(iter(cases.values()))
        headings = [plural(int(key.rpartition("=")[2]), "thread") for key in cases]
        yield f"One fit of {first.n_samples} samples, d = {first.n_features}:"
        yield next(series_tables(list(cases.values()), headings))
    if "import" in entries:
        yield (
            f"`import quickshiftpp` takes {format_seconds(entries['import']['seconds'])} when "
            "`sklearn.base` is imported already."
        )
