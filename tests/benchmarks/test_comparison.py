"""The benchmark programs: they run, and what they print and write is right.

Nothing here depends on how long anything takes.
"""

from __future__ import annotations

import doctest
import io
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from click.testing import CliRunner
from rich.console import Console

from benchmarks import cases
from benchmarks.cases import (
    Case,
    Result,
    case_table,
    failures,
    growth_exponent,
    growth_exponents,
    growth_table,
)
from benchmarks.compare import comparison_command
from benchmarks.data import blobs, load_samples, typical_radius
from benchmarks.measure import MemoryMeter, Request
from benchmarks.peers import TABLES, Peer, Settings, compare_distances
from benchmarks.session import explain_failure, run_process, start_result
from reporting.tables import show

ROOT = Path(__file__).parents[2]


def run_program(module, *arguments):
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


def make_case(n_samples, seconds_by_peer):
    results = [
        Result(
            peer,
            rounds=[{"seconds": value, "peak_bytes": 2**20} for value in seconds],
            judgment={"clusters": 1234},
        )
        for peer, seconds in seconds_by_peer.items()
    ]
    return Case(n_samples, 2, 20, "test data", results)


def printed(markdown):
    text = io.StringIO()
    show(Console(file=text, width=120), markdown)
    return text.getvalue()


def make_request(folder="", **changes):
    request = Request("CLUSTERERS", "quickshiftpp", str(folder), Settings(20, 1), 7.0, 60.0, 2**31)
    return replace(request, **changes)


def cells(text, first):
    """Return the cells of the one row that begins with this."""
    (row,) = (line for line in text.splitlines() if line.split()[:1] == [first])
    return row.split()


def test_clustering_program(tmp_path):
    output = tmp_path / "folder" / "result.json"
    peers = "quickshiftpp,sklearn-dbscan"
    run = run_program(
        "benchmarks", "--sizes", 500, "--repeats", 1, "--peers", peers, "--output", output
    )
    assert run.returncode == 0, run.stderr
    content = json.loads(output.read_text())

    assert content["machine"]["cores"] >= 1
    assert content["machine"]["simd_level"]
    assert set(content["machine"]["versions"]) >= {"quickshiftpp", "numpy", "scikit-learn"}
    assert content["settings"]["repeats"] == 1
    assert content["growth"] == []
    (case,) = content["cases"]
    assert (case["n_samples"], case["n_features"], case["k"]) == (500, 2, 20)
    assert [result["peer"] for result in case["results"]] == peers.split(",")
    for result in case["results"]:
        assert result["status"] == "ok"
        assert len(result["rounds"]) == 1
        assert result["min_seconds"] <= result["median_seconds"] <= result["max_seconds"]
        assert result["median_peak_bytes"] >= 0
        assert result["clusters"] >= 1
        assert 0 <= result["noise"] <= 1
    assert case["results"][0]["time_ratio"] == 1
    assert case["results"][0]["noise"] == 0

    assert "n = 500, d = 2, k = 20: 20 Gaussian blobs" in run.stdout
    assert content["machine"]["simd_level"] in run.stdout
    assert "1.00x" in cells(run.stdout.partition("n = 500")[2], "quickshiftpp")
    assert cells(run.stdout.partition("n = 500")[2], "sklearn-dbscan")
    assert str(output) in run.stdout


def test_neighbors_program_on_a_file(tmp_path):
    data, output = tmp_path / "data.npz", tmp_path / "result.json"
    np.savez(data, X=np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32))
    run = run_program(
        "benchmarks.neighbors",
        *("--data", data, "--k", 5, "--repeats", 1, "--output", output),
        *("--peers", "quickshiftpp,scipy"),
    )
    assert run.returncode == 0, run.stderr
    (case,) = json.loads(output.read_text())["cases"]
    assert (case["n_samples"], case["n_features"], case["data"]) == (300, 3, "data.npz")
    assert [result["agrees"] for result in case["results"]] == [True, True]
    assert "yes" in cells(run.stdout.partition("n = 300")[2], "scipy")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--peers", "nobody"], "no peer is called 'nobody'"),
        (["--sizes", "many"], "not a list of positive whole numbers"),
        (["--sizes", "0"], "not a list of positive whole numbers"),
        (["--sizes", "inf"], "not a list of positive whole numbers"),
        (["--sizes", "10", "--k", "11"], "more than the 10 samples"),
    ],
)
def test_bad_options_get_a_sentence(arguments, sentence):
    result = CliRunner().invoke(comparison_command(TABLES["CLUSTERERS"]), arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"Y": np.zeros((3, 2))}, "no array named X"),
        ({"X": np.zeros(3)}, "must be a matrix"),
        ({"X": np.full((3, 2), np.nan)}, "not finite"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path, arrays, sentence):
    path = tmp_path / "data.npz"
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=sentence):
        load_samples(path)


def test_a_missing_peer_is_reported_with_what_to_install():
    absent = Peer("absent", "absent", "no_such_module", "nothing", fit=lambda X, _: X)
    result = start_result(absent)
    assert result.status == "missing"

    case = Case(500, 2, 20, "test data", [result])
    assert failures([case]) == ["absent is not installed: pip install 'quickshiftpp[bench]'"]
    assert cells(printed(case_table(case, {})), "absent")[1] == "missing"
    assert case.to_dict()["results"][0]["status"] == "missing"


@pytest.mark.parametrize(
    ("code", "errors", "status", "message"),
    [
        (-signal.SIGALRM, "", "timeout", "> 7 s"),
        (1, "Traceback\nMemoryError: no", "out of memory", "out of memory (limit 2 GiB)"),
        (-signal.SIGABRT, "what(): std::bad_alloc", "out of memory", "limit 2 GiB"),
        (-signal.SIGKILL, "", "out of memory", "limit 2 GiB"),
        (-signal.SIGSEGV, "", "failed", "killed by SIGSEGV"),
        (1, "Traceback\nValueError: no", "failed", "ValueError: no"),
        (
            1,
            "Traceback\na.OddError: no x.\n\n    pip install x",
            "failed",
            "failed: a.OddError: no x.",
        ),
        (3, "", "failed", "exit status 3"),
    ],
)
def test_failures_are_explained(code, errors, status, message):
    found = explain_failure(make_request(), code, errors, is_ready=True)
    assert found[0] == status
    assert message in found[1]


def test_a_process_that_fails_while_setting_up_is_explained(tmp_path):
    status, message = run_process(make_request(tmp_path))  # there are no samples for it to read
    assert status == "failed"
    assert "samples.npy" in message


def test_a_process_that_does_not_get_ready_is_ended(tmp_path):
    np.save(tmp_path / "samples.npy", np.random.default_rng(0).random((100_000, 16)))
    # The warm-up of this many neighbors takes longer.
    request = make_request(tmp_path, settings=Settings(20_000, 1), setup_timeout=0.01)
    assert run_process(request) == ("set-up timeout", "set-up > 0.01 s")


def test_the_deadline_ends_a_process_that_never_returns():
    program = "from benchmarks.measure import deadline\nwith deadline(0.01):\n    while True: pass"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=60)
    assert run.returncode == -signal.SIGALRM


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks cannot be reset")
def test_the_memory_meter_sees_what_is_already_freed():
    meter = MemoryMeter()
    np.ones(8 * 2**20)
    assert 60 * 2**20 < meter.peak() < 100 * 2**20


def test_requests_survive_the_command_line():
    request = make_request("a folder", settings=Settings(20, 2, 0.5))
    assert Request.from_json(request.to_json()) == request


def test_blobs_follow_the_seed():
    X = blobs(100, 3, 0)
    assert X.shape == (100, 3)
    assert X.flags.c_contiguous
    np.testing.assert_array_equal(X, blobs(100, 3, 0))
    assert (blobs(100, 3, 1) != X).any()


def test_the_radius_is_the_median_distance_to_the_kth_sample():
    X = np.arange(11.0)[:, np.newaxis]
    # Inside, the 3rd sample counting itself is one step away; at either end, two.
    assert typical_radius(X, 3, 1) == 1


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_growth_exponent_recovers_a_power(exponent):
    sizes = [1_000, 10_000, 50_000, 1_000_000]
    seconds = [3e-6 * size**exponent for size in sizes]
    assert growth_exponent(sizes, seconds) == pytest.approx(exponent)


def test_growth_needs_three_sizes_that_came_to_their_end():
    cases = [
        make_case(n, {"quickshiftpp": [n * 1e-6], "tomato": [n * n * 1e-9]})
        for n in (100, 1000, 10_000)
    ]
    cases[2].results[1].status = "timeout"
    (growth,) = growth_exponents(cases)
    assert growth["peer"] == "quickshiftpp"
    assert growth["sizes"] == [100, 1000, 10_000]
    assert growth["exponent"] == pytest.approx(1)
    assert "n^1.00" in printed(growth_table([growth]))
    assert growth_exponents(cases[:2]) == []


def test_the_table_shows_medians_spread_and_ratios():
    case = make_case(500, {"quickshiftpp": [2.0, 1.0, 3.0], "tomato": [5.0, 4.0, 9.0]})
    text = printed(case_table(case, {"clusters": "{:,}"}))
    expected = "tomato 5.00 s 4.00 s to 9.00 s 2.50x 1.00 MiB 1.00x 1,234"
    assert cells(text, "tomato") == expected.split()


def test_the_table_shows_a_timeout_and_does_without_a_reference():
    case = make_case(500, {"tomato": [5.0], "hdbscan": []})
    case.results[1].status, case.results[1].message = "timeout", "> 600 s"
    text = printed(case_table(case, {"clusters": "{:,}"}))
    assert cells(text, "tomato") == ["tomato", "5.00", "s", "-", "-", "1.00", "MiB", "-", "1,234"]
    assert cells(text, "hdbscan") == ["hdbscan", ">", "600", "s", "-", "-", "-", "-", "-"]


def test_distances_that_differ_are_noticed():
    distances = np.array([0.0, 1.0, 2.0])
    assert compare_distances(distances, distances) == {"difference": 0, "agrees": True}
    assert not compare_distances(distances * 1.1, distances)["agrees"]
    assert compare_distances(distances, None) == {"difference": None, "agrees": None}


def test_examples_in_docstrings():
    outcome = doctest.testmod(cases)
    assert outcome.attempted > 0
    assert outcome.failed == 0
