"""The benchmark page: it measures, goes on where it stopped, and says what it found.

Nothing here depends on how long anything takes.
"""

from __future__ import annotations

import doctest
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")

from click.testing import CliRunner

from benchmarks import session
from benchmarks.__main__ import main
from benchmarks.cases import Case, Result
from benchmarks.data import BLOCK_SAMPLES, Dataset, blobs
from benchmarks.map.measure import Cell
from benchmarks.measure import measure
from benchmarks.page import render
from benchmarks.page.floors import SEARCH_FLOORS, all_floors
from benchmarks.page.measure import (
    SECTIONS,
    compare,
    make_plan,
    measure_missing,
    reason_to_leave_out,
)
from benchmarks.page.render import write_page
from benchmarks.page.scope import FULL, REAL_DATA, Protocol, Scope
from benchmarks.page.store import Measurements
from benchmarks.peers import REFERENCE

GIB = 2**30

TINY = Scope(
    search=((200, 2), (200, 6)),
    fit=((200, 2), (200, 3)),
    stages=((300, 2),),
    small=(100, 2),
    huge=((500, 2),),
    huge_k=4,
    product_size=32,
    stream_bytes=2**16,
)

MACHINE = {
    "time": "2020-01-01T00:00:00+00:00",
    "system": "Linux 6.1",
    "processor": "A processor",
    "architecture": "x86_64",
    "cores": 2,
    "memory_bytes": 8 * GIB,
    "load_average": 0.0,
    "simd_level": "avx2",
    "python": "3.11.0",
    "versions": {"quickshiftpp": "0.1"},
}


@pytest.fixture(scope="module")
def real_data(tmp_path_factory):
    """A folder with a tiny stand-in for the last of the files of real data."""
    folder = tmp_path_factory.mktemp("data")
    path = folder / REAL_DATA[-1].file
    path.parent.mkdir()
    np.savez(path, X=np.random.default_rng(0).integers(255, size=(150, 3), dtype=np.uint8))
    return folder


@pytest.fixture(scope="module")
def protocol(real_data):
    # One peer for each table, both of which come with the package.
    peers = ("scikit-learn", "sklearn-dbscan")
    return Protocol(scope=TINY, data=real_data, peers=peers, k=5, threads=1, repeats=1)


@pytest.fixture(scope="module")
def measured(protocol):
    """Everything, measured in this process; test_comparison.py starts processes."""
    measurements = Measurements(MACHINE, protocol.settings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "run_process", measure)
        jobs = measure_missing(measurements, protocol, list(SECTIONS), ignore, ignore)
    assert jobs == sum(len(entries) for entries in measurements.sections.values())
    return measurements


def ignore(_text):
    pass


def no_measurements(**settings):
    return Measurements(MACHINE, {**Protocol().settings(), **settings})


def make_case(n_samples, n_features, seconds, k=20, data="blobs", resident=GIB):
    """Return a comparison from seconds, or a status, by peer."""
    results = [
        Result(peer, rounds=[{"seconds": s, "peak_bytes": n_samples, "resident_bytes": resident}])
        if isinstance(s, float)
        else Result(peer, s, "> 120 s")
        for peer, s in seconds.items()
    ]
    return Case(n_samples, n_features, k, data, results)


def entry_of(table, case):
    return {"table": table, **case.to_dict()}


def verdict_of(measurements, *words):
    (verdict,) = (v for v in all_floors(measurements) if all(word in v.what for word in words))
    return verdict


def test_every_section_is_measured(measured):
    assert list(measured.sections) == list(SECTIONS)
    for section, table in (("search", "NEIGHBOR_SEARCHES"), ("fit", "CLUSTERERS")):
        for case in measured.cases(table, section):
            assert case.reference is not None
            assert case.reference.rounds[0]["resident_bytes"] > 0
    huge = list(measured.cases("CLUSTERERS", "fit"))[-1]
    assert (huge.n_samples, huge.k) == (500, 4)
    assert [result.status for result in huge.results] == ["ok", "left out"]
    assert list(measured.entries("real")) == [REAL_DATA[-1].file]
    assert measured.entries("limits")["product"]["flops"] > 0
    (stages,) = measured.entries("stages").values()
    assert list(stages["stages"])[:3] == ["checks", "index", "neighbors"]
    assert sum(stages["stages"].values()) == pytest.approx(stages["fit"])


def test_the_page_shows_what_was_measured(measured, tmp_path):
    path = tmp_path / "folder" / "benchmarks.md"
    write_page(measured, path)
    text = path.read_text()
    for heading in (
        "## Floors",
        "### Over the number of samples, d = 2",
        "### Over the number of columns, n = 200",
        "n = 500, k = 4, float32",
        "**mnist**, 150 x 3",
        "sorvilier_scan.npz was left out",
        "GFLOP/s",
        "relative difference",
        "`import quickshiftpp` takes",
    ):
        assert heading in text
    assert str(tmp_path) not in text
    for plot in ("search-over-d", "fit-over-n", "fit-over-d", "stages"):
        assert f"(benchmarks/{plot}.png)" in text
        assert (path.with_suffix("") / f"{plot}.png").exists()


def test_the_page_shows_the_map(tmp_path):
    mapped = Measurements(MACHINE, {"k": 20, "threads": 2})
    for n_samples, peer_seconds in ((100, 0.5), (200, 3.0)):
        cell = Cell("noise", n_samples, 2, {REFERENCE: 1.0, "scipy": peer_seconds}, {"scipy": 0.0})
        mapped.add("map", cell.key, cell.to_dict())
    write_page(no_measurements(), tmp_path / "page.md", mapped)
    text = (tmp_path / "page.md").read_text()
    assert "(page/map.png)" in text
    assert (tmp_path / "page" / "map.png").exists()
    assert "a peer is faster by more than 10% in 1" in text
    slower = text.partition("Where a peer is faster by more than 10%:")[2].partition("<details>")[0]
    assert "| noise | 100 | 2 |" in slower
    assert "| noise | 200 | 2 |" not in slower


def test_the_page_shows_embeddings(tmp_path):
    embeddings = Measurements(MACHINE, {"k": 20, "threads": 2})
    cell = Cell("texts", 8000, 256, {REFERENCE: 1.0, "faiss": 3.5}, {"faiss": 0.001})
    embeddings.add("map", cell.key, cell.to_dict())
    write_page(no_measurements(), tmp_path / "page.md", embeddings=embeddings)
    text = (tmp_path / "page.md").read_text().partition("## Embeddings")[2]
    assert "--output page/embeddings.json" in text
    assert "| texts | 8,000 | 256 | 1.00 s | faiss | 3.50 s | 3.5 | 0.1% |" in text
    assert not (tmp_path / "page" / "map.png").exists()


def test_the_page_follows_from_the_file_alone(measured, tmp_path):
    file = tmp_path / "measurements.json"
    measured.save(file)
    for name in ("first.md", "second.md"):
        write_page(Measurements.load(file), tmp_path / name)
    first, second = (tmp_path / name for name in ("first.md", "second.md"))
    assert first.read_text().replace("first/", "second/") == second.read_text()
    plots = sorted(first.with_suffix("").iterdir())
    assert plots
    for plot in plots:
        assert plot.read_bytes() == (second.with_suffix("") / plot.name).read_bytes()


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(protocol, tmp_path):
    file = tmp_path / "measurements.json"
    measured = no_measurements()

    def save_then_stop(_job):
        measured.save(file)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_missing(measured, protocol, ["limits", "stages"], ignore, save_then_stop)
    begun = Measurements.load(file)
    assert list(begun.sections) == ["limits"]
    first = dict(begun.entries("limits"))
    assert measure_missing(begun, protocol, ["limits", "stages"], ignore, ignore) == 2
    assert first.items() <= begun.entries("limits").items()
    assert measure_missing(begun, protocol, ["limits", "stages"], ignore, ignore) == 0
    begun.forget(["limits"])
    assert measure_missing(begun, protocol, ["limits", "stages"], ignore, ignore) == 2


def test_the_page_of_nothing_says_so(tmp_path):
    write_page(no_measurements(), tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert text.count("*Left out of this run.*") == 7
    assert "was left out: `--data` named no folder" in text
    assert all(verdict.met is None for verdict in all_floors(no_measurements()))
    assert not (tmp_path / "page").exists()


def test_measurements_of_another_machine_or_with_other_settings_do_not_mix():
    measured = no_measurements()
    assert measured.difference_from(MACHINE, measured.settings) is None
    other = {**MACHINE, "time": "2021", "load_average": 9.0}
    assert measured.difference_from(other, measured.settings) is None
    few_pages = {**MACHINE, "memory_bytes": 8 * GIB - 8192}  # that the system keeps to itself
    assert measured.difference_from(few_pages, measured.settings) is None
    assert "memory_bytes was 8.00 GiB, and is 4.00 GiB now" in str(
        measured.difference_from({**MACHINE, "memory_bytes": 4 * GIB}, measured.settings)
    )
    assert "processor was A processor, and is B now" in str(
        measured.difference_from({**MACHINE, "processor": "B"}, measured.settings)
    )
    assert "threads was 2, and is 1 now" in str(
        measured.difference_from(MACHINE, {**measured.settings, "threads": 1})
    )


@pytest.mark.parametrize(
    ("cases", "shape", "reason"),
    [
        ([], (1_000_000, 2), None),
        # At the least, time grows in proportion to the samples.
        ([(10_000, 2, 1.0)], (1_000_000, 2), None),
        ([(10_000, 2, 2.0)], (1_000_000, 2), "≈ 200 s"),
        ([(1_000, 2, 100.0), (10_000, 2, 2.0)], (100_000, 2), None),
        ([(10_000, 2, 1.0), (100_000, 2, "timeout")], (1_000_000, 2), "after n = 100,000"),
        ([(100_000, 2, "timeout"), (10_000, 2, 1.0)], (1_000_000, 2), "after n = 100,000"),
        ([(10_000, 2, "left out")], (100_000, 2), "after n = 10,000"),
        ([(10_000, 2, "out of memory")], (100_000, 2), "after n = 10,000"),
        ([(10_000, 2, "failed")], (100_000, 2), None),
        # Neither fewer samples nor other columns say anything.
        ([(100_000, 2, "timeout")], (10_000, 2), None),
        ([(10_000, 3, "timeout")], (100_000, 2), None),
        ([(10_000, 2, 100.0)], (10_000, 20), None),
    ],
)
def test_who_is_left_out(cases, shape, reason):
    known = [make_case(n, d, {"tomato": seconds}) for n, d, seconds in cases]
    dataset = Dataset(*shape, "", lambda: np.zeros(shape))
    assert reason_to_leave_out("tomato", dataset, known, 120.0) == reason
    assert reason_to_leave_out("hdbscan", dataset, known, 120.0) is None


def test_speed_is_judged_against_the_fastest():
    measured = no_measurements()
    case = make_case(
        1_000_000,
        2,
        {"quickshiftpp": 1.0, "pykdtree": 5.0, "scipy": 3.9, "scikit-learn": "timeout"},
    )
    measured.add("search", "a", entry_of("NEIGHBOR_SEARCHES", case))
    verdict = verdict_of(measured, "all k-NN", "n = 1,000,000, d = 2")
    assert verdict.measured == "3.90x (1.00 s against scipy 3.90 s; 1 round)"
    assert verdict.met is False
    fit = make_case(1_000_000, 2, {"quickshiftpp": 1.0, "tomato": "timeout", "fast_hdbscan": 15.0})
    measured.add("fit", "a", entry_of("CLUSTERERS", fit))
    verdict = verdict_of(measured, "whole fit", "d = 2", "tomato")
    assert verdict.measured == "over 120x (tomato > 120 s)"
    assert verdict.met is True
    assert verdict_of(measured, "whole fit", "d = 2", "fast_hdbscan").met is True
    assert verdict_of(measured, "whole fit", "d = 3", "tomato").met is None


def test_the_page_says_who_failed_and_why(tmp_path):
    measured = no_measurements()
    for d in (2, 200):
        case = make_case(200, d, {"quickshiftpp": 1.0, "pykdtree": "failed"})
        case.results[1].message = "failed: too many columns"
        measured.add("search", str(d), entry_of("NEIGHBOR_SEARCHES", case))
    write_page(measured, tmp_path / "page.md")
    assert "\npykdtree failed: too many columns.\n" in (tmp_path / "page.md").read_text()


@pytest.mark.parametrize(("last", "met"), [(100.0, True), (200.0, False)])
def test_growth_is_judged_over_two_powers_of_ten(last, met):
    measured = no_measurements()
    for n, seconds in ((10_000, 5.0), (100_000, 1.0), (1_000_000, 10.0), (10_000_000, last)):
        case = make_case(n, 2, {"quickshiftpp": seconds})
        measured.add("fit", str(n), entry_of("CLUSTERERS", case))
    assert verdict_of(measured, "growth exponent").met is met


@pytest.mark.parametrize(
    ("outcome", "resident", "met"),
    [(100.0, 20 * 10**9, True), (100.0, 25 * 10**9, False), ("out of memory", 0, False)],
)
def test_the_largest_fit_is_judged_by_all_of_its_memory(outcome, resident, met):
    measured = no_measurements()
    case = make_case(10**8, 2, {"quickshiftpp": outcome}, k=10, resident=resident)
    measured.add("fit", "huge", entry_of("CLUSTERERS", case))
    assert verdict_of(measured, "n = 100,000,000").met is met


def test_few_samples_are_judged_against_the_better_number_of_threads():
    measured = no_measurements()
    for threads, own, rival in ((1, 1.0, 2.0), (2, 3.0, 9.0)):
        case = make_case(200, 2, {"quickshiftpp": own, "sklearn-dbscan": rival})
        measured.add("small", f"n=200,d=2,threads={threads}", entry_of("CLUSTERERS", case))
    measured.add("small", "import", {"seconds": 0.051})
    assert verdict_of(measured, "200 samples").met is False
    assert verdict_of(measured, "import").met is False


@pytest.mark.parametrize(("cut", "met"), [(0.02, True), (0.04, False)])
def test_a_cut_is_judged_at_a_million(cut, met):
    measured = no_measurements()
    entry = {"n_samples": 1_000_000, "n_features": 2, "fit": 1.0, "cut": cut, "stages": {}}
    measured.add("stages", "a", entry)
    assert verdict_of(measured, "another beta").met is met


def test_the_full_page_covers_what_it_judges():
    assert {(1_000_000, 2), (1_000_000, 3), (10_000_000, 2)} <= set(FULL.fit)
    assert SEARCH_FLOORS.keys() <= set(FULL.search)
    assert (1_000_000, 2) in FULL.stages
    assert FULL.huge == ((100_000_000, 2),)


def invoke(*arguments):
    return CliRunner().invoke(main, ["page", *map(str, arguments)])


def test_the_command_writes_the_page_from_a_file(measured, tmp_path):
    file, page = tmp_path / "measured.json", tmp_path / "page.md"
    result = invoke("--render-only", "--measurements", file, "--output", page)
    assert result.exit_code == 1
    assert "nothing is measured yet" in result.output
    measured.save(file)
    result = invoke("--render-only", "--measurements", file, "--output", page)
    assert result.exit_code == 0, result.output
    assert page.read_text().startswith("# Benchmarks")


def test_the_command_measures_and_keeps(tmp_path):
    page = tmp_path / "page.md"
    result = invoke("--quick", "--sections", "stages,limits", "--output", page)
    assert result.exit_code == 0, result.output
    content = json.loads((tmp_path / "page" / "measurements.json").read_text())
    assert list(content["sections"]) == ["limits", "stages"]
    assert "[4 of 4] stages" in result.output
    result = invoke("--quick", "--sections", "stages,limits", "--output", page)
    assert "is measured already" in result.output
    result = invoke("--quick", "--sections", "stages", "--output", page, "--timeout", "7")
    assert result.exit_code == 1
    assert "timeout was 120.0, and is 7.0 now" in " ".join(result.output.split())
    arguments = ("--sections", "stages,limits", "--output", page, "--timeout", "7", "--fresh")
    result = invoke("--quick", *arguments)
    assert result.exit_code == 0, result.output


def test_unknown_sections_get_a_sentence():
    result = invoke("--sections", "search,nothing")
    assert result.exit_code == 2
    assert "no section is called 'nothing'" in " ".join(result.output.split())


def test_a_fit_that_takes_long_is_not_repeated(protocol):
    plan = make_plan("NEIGHBOR_SEARCHES", replace(protocol, patience=0.0, repeats=2))
    plan = replace(plan, peers=[peer for peer in plan.peers if peer.name == "quickshiftpp"])
    dataset = Dataset(100, 2, "", lambda: blobs(100, 2, 0))
    (result,) = compare(plan, dataset, no_measurements(), ignore)["results"]
    assert result["status"] == "ok"
    assert len(result["rounds"]) == 1


def test_samples_come_in_blocks_and_in_either_precision():
    n_samples = BLOCK_SAMPLES + 3
    X = blobs(n_samples, 1, 0, np.float32)
    assert X.dtype == np.float32
    assert len(np.unique(X[-3:])) == 3
    np.testing.assert_array_equal(X, blobs(n_samples, 1, 0).astype(np.float32))


def test_examples_in_docstrings():
    outcome = doctest.testmod(render)
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_stored_measurements_give_the_page_in_the_repository(tmp_path):
    docs = Path(__file__).parents[2] / "docs"
    page = tmp_path / "benchmarks.md"
    names = ("measurements.json", "map.json", "embeddings.json")
    measured, mapped, embeddings = (Measurements.load(docs / "benchmarks" / name) for name in names)
    write_page(measured, page, mapped, embeddings)
    assert page.read_text() == (docs / "benchmarks.md").read_text()
