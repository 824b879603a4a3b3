"""The floors that the project has set itself, each beside what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..peers import REFERENCE
from ..report import format_seconds, growth_exponent, plural, significant
from ..session import Case, Result
from .scope import REAL_DATA
from .store import Entry, Measurements

SEARCH, FIT = "NEIGHBOR_SEARCHES", "CLUSTERERS"
UP_TO_NEIGHBORS = ("checks", "index", "neighbors")
TREES = ("pykdtree", "scipy", "scikit-learn")

SEARCH_FLOORS = {
    (1_000_000, 2): 4.0,
    (1_000_000, 3): 4.0,
    (1_000_000, 5): 5.0,
    (100_000, 2): 2.5,
    (100_000, 5): 2.5,
    (100_000, 10): 2.5,
    (100_000, 16): 5.0,
}
MNIST_FLOORS = {"faiss": 5.0, "scikit-learn": 15.0}
FIT_FLOORS = {"tomato": 6.0, "fast_hdbscan": 15.0}
FIT_SHAPES = ((1_000_000, 2), (1_000_000, 3))
REAL_FIT_FLOOR = 5.0
GROWTH_SIZES = (100_000, 1_000_000, 10_000_000)
GROWTH_CEILING = 1.10
HUGE_SHAPE = (100_000_000, 2)
HUGE_BYTES = 24 * 10**9
CUT_SHAPE = (1_000_000, 2)
REST_CEILING = 0.20
CUT_CEILING = 0.03
IMPORT_CEILING = 0.050

# Where a ratio rests on fewer, the table says so.
ENOUGH_ROUNDS = 3

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Verdict:
    """One row of the table.

    Attributes
    ----------
    what, floor, measured : str
        For people.
    met : bool or None
        None where there is no measurement.
    """

    what: str
    floor: str
    measured: str = NOT_MEASURED
    met: bool | None = None


def find_case(cases: Iterable[Case], shape: tuple[int, int]) -> Case | None:
    """Return the comparison with so many samples and columns."""
    return next((case for case in cases if (case.n_samples, case.n_features) == shape), None)


def finished(case: Case, peers: Sequence[str]) -> list[Result]:
    """Return the results of those of the peers that came to their end, the fastest first."""
    results = [r for r in case.results if r.peer in peers and r.status == "ok"]
    return sorted(results, key=lambda result: result.median_seconds)


def speed_verdict(what: str, floor: float, case: Case | None, peers: Sequence[str]) -> Verdict:
    """Compare with the fastest of the peers; where none came to its end, with its time limit."""
    floor_text = f"{floor:g}x faster"
    if case is None or case.reference is None:
        return Verdict(what, floor_text)
    own = case.reference.median_seconds
    rivals = finished(case, peers)
    if rivals:
        rival = rivals[0]
        ratio = rival.median_seconds / own
        rounds = min(len(case.reference.rounds), len(rival.rounds))
        few = f"; {plural(rounds, 'round')}" if rounds < ENOUGH_ROUNDS else ""
        measured = f"{significant(ratio)}x ({versus(own, rival.peer, rival.median_seconds)}{few})"
        return Verdict(what, floor_text, measured, ratio >= floor)
    late = [r for r in case.results if r.peer in peers and r.status == "timeout"]
    if not late:
        return Verdict(what, floor_text, f"{NOT_MEASURED}: {', '.join(peers)} did not run")
    bound = float(late[0].message.strip("> s"))
    measured = f"over {significant(bound / own)}x ({late[0].peer} {late[0].message})"
    return Verdict(what, floor_text, measured, True if bound / own >= floor else None)


def versus(own: float, peer: str, seconds: float) -> str:
    """Return two times side by side."""
    return f"{format_seconds(own)} against {peer} {format_seconds(seconds)}"


def search_verdicts(measured: Measurements) -> Iterator[Verdict]:
    """Yield the floors of the neighbour search."""
    cases = list(measured.cases(SEARCH, "search"))
    for (n, d), floor in SEARCH_FLOORS.items():
        yield speed_verdict(
            f"all k-NN, n = {n:,}, d = {d}, against trees",
            floor,
            find_case(cases, (n, d)),
            TREES,
        )
    mnist = next(measured.cases(SEARCH, "real"), None)
    for peer, floor in MNIST_FLOORS.items():
        yield speed_verdict(f"all k-NN, MNIST (70,000 x 784), against {peer}", floor, mnist, [peer])


def fit_verdicts(measured: Measurements) -> Iterator[Verdict]:
    """Yield the floors of the whole fit."""
    cases = [case for case in measured.cases(FIT, "fit") if case.k == measured.settings["k"]]
    for peer, floor in FIT_FLOORS.items():
        for n, d in FIT_SHAPES:
            what = f"whole fit, n = {n:,}, d = {d}, against {peer}"
            yield speed_verdict(what, floor, find_case(cases, (n, d)), [peer])
    real = {case.description: case for case in measured.cases(FIT, "real")}
    for entry in REAL_DATA:
        if entry.table == FIT:
            name = entry.file.rpartition("/")[2]
            case = real.get(name)
            peers = [r.peer for r in case.results if r.peer != REFERENCE] if case else []
            what = f"whole fit, {name.removesuffix('.npz')}, against the fastest peer that finishes"
            yield speed_verdict(what, REAL_FIT_FLOOR, case, peers)
    yield growth_verdict(cases)


def growth_verdict(cases: Sequence[Case]) -> Verdict:
    """Judge the growth of the whole fit over two powers of ten."""
    what = (
        f"growth exponent of the whole fit, d = 2, n = {GROWTH_SIZES[0]:,} to {GROWTH_SIZES[-1]:,}"
    )
    floor = f"at most {GROWTH_CEILING:.2f}"
    found = [find_case(cases, (n, 2)) for n in GROWTH_SIZES]
    seconds = [case.reference.median_seconds for case in found if case and case.reference]
    if len(seconds) < len(GROWTH_SIZES):
        return Verdict(what, floor)
    exponent = growth_exponent(GROWTH_SIZES, seconds)
    times = ", ".join(map(format_seconds, seconds))
    return Verdict(what, floor, f"{exponent:.2f} ({times})", exponent <= GROWTH_CEILING)


def huge_verdict(measured: Measurements) -> Verdict:
    """Judge the largest fit, by all the memory of its process."""
    what, floor = "n = 100,000,000, d = 2, float32, k = 10", "finishes within 24 GB"
    case = find_case(measured.cases(FIT, "fit"), HUGE_SHAPE)
    if case is None:
        return Verdict(what, floor)
    if case.reference is None:
        (own,) = (result for result in case.results if result.peer == REFERENCE)
        return Verdict(what, floor, own.message, met=False)
    resident = max(entry["resident_bytes"] for entry in case.reference.rounds)
    seconds = format_seconds(case.reference.median_seconds)
    text = f"{resident / 1e9:.1f} GB at the peak, input included; {seconds}"
    return Verdict(what, floor, text, resident <= HUGE_BYTES)


def stage_verdicts(measured: Measurements) -> Iterator[Verdict]:
    """Yield what follows the neighbour search, and a cut of the finished tree."""
    rows = (
        (f"all after the neighbours, n = {CUT_SHAPE[0]:,}", "at most", REST_CEILING),
        (f"a cut at another beta, n = {CUT_SHAPE[0]:,}", "under", CUT_CEILING),
    )
    entries = measured.entries("stages").values()
    entry = next((e for e in entries if (e["n_samples"], e["n_features"]) == CUT_SHAPE), None)
    parts = (time_after_neighbors(entry), entry["cut"]) if entry else (None, None)
    for (what, words, ceiling), part in zip(rows, parts, strict=True):
        floor = f"{words} {ceiling:.0%} of the fit"
        if entry is None or part is None:
            yield Verdict(what, floor)
            continue
        share = part / entry["fit"]
        text = f"{share:.1%} ({format_seconds(part)} of {format_seconds(entry['fit'])})"
        yield Verdict(what, floor, text, share <= ceiling)


def time_after_neighbors(entry: Entry) -> float:
    """Return the seconds of a fit that follow the neighbour search."""
    seconds: dict[str, float] = entry["stages"]
    return sum(part for stage, part in seconds.items() if stage not in UP_TO_NEIGHBORS)


def small_verdicts(measured: Measurements) -> Iterator[Verdict]:
    """Yield the fixed costs: the fit of few samples, and the import."""
    what, floor = "fit of 200 samples in 2-D", "no slower than scikit-learn's DBSCAN"
    cases = {
        key: Case.from_dict(entry)
        for key, entry in measured.entries("small").items()
        if "table" in entry
    }
    own = next(
        (
            c.reference
            for key, c in cases.items()
            if key.endswith(f"threads={measured.settings['threads']}")
        ),
        None,
    )
    rivals = [r for case in cases.values() for r in finished(case, ["sklearn-dbscan"])]
    if own is None or not rivals:
        yield Verdict(what, floor)
    else:
        best = min(result.median_seconds for result in rivals)
        text = versus(own.median_seconds, "DBSCAN, with the better number of threads,", best)
        yield Verdict(what, floor, text, own.median_seconds <= best)
    what, floor = "import, beyond that of `sklearn.base`", f"under {IMPORT_CEILING * 1e3:.0f} ms"
    entry = measured.entries("small").get("import")
    if entry is None:
        yield Verdict(what, floor)
    else:
        seconds = entry["seconds"]
        yield Verdict(what, floor, format_seconds(seconds), seconds < IMPORT_CEILING)


def all_verdicts(measured: Measurements) -> list[Verdict]:
    """Return every row of the table."""
    return [
        *search_verdicts(measured),
        *fit_verdicts(measured),
        huge_verdict(measured),
        *stage_verdicts(measured),
        *small_verdicts(measured),
    ]
