"""What the project requires of itself, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporting.tables import format_seconds, plural, significant
from reporting.verdicts import NOT_MEASURED, Verdict

from ..cases import Case, growth_exponent
from ..peers import FIT, REFERENCE, SEARCH
from .scope import REAL_DATA
from .store import Measurements

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
CUT_CEILING = 0.03
IMPORT_CEILING = 0.050

# The table says if a ratio rests on fewer rounds.
ENOUGH_ROUNDS = 3


def find_case(cases: Iterable[Case], shape: tuple[int, int]) -> Case | None:
    """Return the comparison of that shape."""
    return next((case for case in cases if case.shape == shape), None)


def versus(own: float, peer: str, seconds: float) -> str:
    """Return two times side by side."""
    return f"{format_seconds(own)} against {peer} {format_seconds(seconds)}"


def speed(what: str, floor: float, case: Case | None, peers: Sequence[str]) -> Verdict:
    """Compare with the fastest of the peers; if none finished, with the time limit."""
    required = f"{floor:g}x faster"
    if case is None or case.reference is None:
        return Verdict(what, required)
    own = case.reference.median_seconds
    results = [result for result in case.results if result.peer in peers]
    finished = [result for result in results if result.status == "ok"]
    if finished:
        rival = min(finished, key=lambda result: result.median_seconds)
        ratio = rival.median_seconds / own
        rounds = min(len(case.reference.rounds), len(rival.rounds))
        few = f"; {plural(rounds, 'round')}" if rounds < ENOUGH_ROUNDS else ""
        measured = f"{significant(ratio)}x ({versus(own, rival.peer, rival.median_seconds)}{few})"
        return Verdict(what, required, measured, ratio >= floor)
    late = [result for result in results if result.status == "timeout"]
    if not late:
        return Verdict(what, required, f"{NOT_MEASURED}: {', '.join(peers)} did not run")
    bound = float(late[0].message.strip("> s"))
    measured = f"over {significant(bound / own)}x ({late[0].peer} {late[0].message})"
    return Verdict(what, required, measured, True if bound / own >= floor else None)


def search_floors(measured: Measurements) -> Iterator[Verdict]:
    """Yield the floors of the neighbor search."""
    cases = list(measured.cases(SEARCH, "search"))
    for (n, d), floor in SEARCH_FLOORS.items():
        what = f"all k-NN, n = {n:,}, d = {d}, against trees"
        yield speed(what, floor, find_case(cases, (n, d)), TREES)
    mnist = next(measured.cases(SEARCH, "real"), None)
    for peer, floor in MNIST_FLOORS.items():
        yield speed(f"all k-NN, MNIST (70,000 x 784), against {peer}", floor, mnist, [peer])


def fit_floors(measured: Measurements) -> Iterator[Verdict]:
    """Yield the floors of the whole fit."""
    cases = [case for case in measured.cases(FIT, "fit") if case.k == measured.settings["k"]]
    for peer, floor in FIT_FLOORS.items():
        for n, d in FIT_SHAPES:
            what = f"whole fit, n = {n:,}, d = {d}, against {peer}"
            yield speed(what, floor, find_case(cases, (n, d)), [peer])
    by_file = {case.description: case for case in measured.cases(FIT, "real")}
    for real in REAL_DATA:
        if real.table == FIT:
            case = by_file.get(real.name)
            peers = [r.peer for r in case.results if r.peer != REFERENCE] if case else []
            stem = real.name.removesuffix(".npz")
            what = f"whole fit, {stem}, against the fastest peer that finishes"
            yield speed(what, REAL_FIT_FLOOR, case, peers)
    yield growth(cases)


def growth(cases: Sequence[Case]) -> Verdict:
    """Judge the growth of the whole fit over two powers of ten."""
    what = (
        f"growth exponent of the whole fit, d = 2, n = {GROWTH_SIZES[0]:,} to {GROWTH_SIZES[-1]:,}"
    )
    required = f"at most {GROWTH_CEILING:.2f}"
    found = [find_case(cases, (n, 2)) for n in GROWTH_SIZES]
    seconds = [case.reference.median_seconds for case in found if case and case.reference]
    if len(seconds) < len(GROWTH_SIZES):
        return Verdict(what, required)
    exponent = growth_exponent(GROWTH_SIZES, seconds)
    times = ", ".join(map(format_seconds, seconds))
    return Verdict(what, required, f"{exponent:.2f} ({times})", exponent <= GROWTH_CEILING)


def huge(measured: Measurements) -> Verdict:
    """Judge the largest fit by all the memory of its process."""
    what, required = "n = 100,000,000, d = 2, float32, k = 10", "finishes within 24 GB"
    case = find_case(measured.cases(FIT, "fit"), HUGE_SHAPE)
    own = case.find(REFERENCE) if case else None
    if own is None:
        return Verdict(what, required)
    if own.status != "ok":
        return Verdict(what, required, own.message, met=False)
    resident = max(entry["resident_bytes"] for entry in own.rounds)
    text = f"{resident / 1e9:.1f} GB at the peak, input included"
    text += f"; {format_seconds(own.median_seconds)}"
    return Verdict(what, required, text, resident <= HUGE_BYTES)


def cut(measured: Measurements) -> Verdict:
    """Judge a cut of the finished tree."""
    what = f"a cut at another beta, n = {CUT_SHAPE[0]:,}"
    required = f"under {CUT_CEILING:.0%} of the fit"
    for entry in measured.entries("stages").values():
        if (entry["n_samples"], entry["n_features"]) == CUT_SHAPE:
            share = entry["cut"] / entry["fit"]
            times = f"{format_seconds(entry['cut'])} of {format_seconds(entry['fit'])}"
            return Verdict(what, required, f"{share:.1%} ({times})", share <= CUT_CEILING)
    return Verdict(what, required)


def small_fit(measured: Measurements) -> Verdict:
    """Judge the fit of few samples, each library with its better number of threads."""
    what, required = "fit of 200 samples in 2-D", "no slower than scikit-learn's DBSCAN"
    own, rivals = None, []
    for key, entry in measured.entries("small").items():
        if "table" in entry:
            case = Case.from_dict(entry)
            if key.endswith(f"threads={measured.settings['threads']}"):
                own = case.reference
            rival = case.find("sklearn-dbscan")
            rivals += [rival.median_seconds] if rival and rival.status == "ok" else []
    if own is None or not rivals:
        return Verdict(what, required)
    text = versus(own.median_seconds, "DBSCAN, with the better number of threads,", min(rivals))
    return Verdict(what, required, text, own.median_seconds <= min(rivals))


def package_import(measured: Measurements) -> Verdict:
    """Judge the time of the import."""
    what, required = "import, beyond that of `sklearn.base`", f"under {IMPORT_CEILING * 1e3:.0f} ms"
    entry = measured.entries("small").get("import")
    if entry is None:
        return Verdict(what, required)
    return Verdict(
        what, required, format_seconds(entry["seconds"]), entry["seconds"] < IMPORT_CEILING
    )


def all_floors(measured: Measurements) -> list[Verdict]:
    """Return every requirement with what was measured."""
    return [
        *search_floors(measured),
        *fit_floors(measured),
        huge(measured),
        cut(measured),
        small_fit(measured),
        package_import(measured),
    ]
