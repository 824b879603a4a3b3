"""The map of neighbor searches: it measures, goes on where it stopped, and shows what it found.

Nothing here depends on how long anything takes.
"""

from __future__ import annotations

import doctest
import json
import sys

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")

from click.testing import CliRunner

from benchmarks.__main__ import main
from benchmarks.map import command, measure, report
from benchmarks.map.kinds import kinds
from benchmarks.map.measure import Cell
from benchmarks.map.picture import plot_map
from benchmarks.map.report import cell_row, summary
from benchmarks.page.store import Measurements
from benchmarks.peers import MAP_SEARCHES, REFERENCE, Settings

MACHINE = {"processor": "A processor", "cores": 2}
SETTINGS = {"k": 20, "threads": 1}


def make_cell(speeds, n_samples=100, n_features=2, kind="noise"):
    """Return a cell with a search of one second, and peers so many times slower."""
    return Cell(kind, n_samples, n_features, {REFERENCE: 1.0, **speeds}, {"faiss": 0.25})


def write(path, cells, machine=MACHINE):
    measured = Measurements(machine, SETTINGS)
    for cell in cells:
        measured.add(command.SECTION, cell.key, cell.to_dict())
    measured.save(path)
    return str(path)


def run_map(*arguments):
    return CliRunner().invoke(main, ["map", *map(str, arguments)])


@pytest.fixture
def two_libraries(monkeypatch):
    some = [peer for peer in MAP_SEARCHES if peer.name in (REFERENCE, "scipy")]
    monkeypatch.setattr(measure, "MAP_SEARCHES", some)


@pytest.mark.usefixtures("two_libraries")
def test_command_resumes_and_its_file_is_shown(tmp_path, monkeypatch):
    output, picture = tmp_path / "map.json", tmp_path / "map.png"
    arguments = ["--kind", "noise", "--columns", 2, "--threads", 1, "--output", output]
    result = run_map(*arguments, "--size", 30, "--picture", picture)
    assert result.exit_code == 0, result.output
    assert "1 cell; a peer is faster" in result.output
    assert picture.read_bytes().startswith(b"\x89PNG")
    first = json.loads(output.read_text())["sections"]["map"]
    assert list(first) == ["Gaussian noise, 30 x 2"]

    asked = []

    def count(workers, cell, *rest):
        asked.append(cell.key)
        measure.measure_cell(workers, cell, *rest)

    monkeypatch.setattr(command, "measure_cell", count)
    result = run_map(*arguments, "--size", 30, "--size", 40)
    assert result.exit_code == 0, result.output
    assert asked == ["Gaussian noise, 40 x 2"]
    content = json.loads(output.read_text())
    both = content["sections"]["map"]
    assert both["Gaussian noise, 30 x 2"] == first["Gaussian noise, 30 x 2"]
    assert content["settings"] == SETTINGS
    for entry in both.values():
        assert entry["seconds"].keys() == {REFERENCE, "scipy"}
        assert all(seconds > 0 for seconds in entry["seconds"].values())
        assert entry["wrong"] == {"scipy": 0}

    result = run_map("--from", output)
    assert result.exit_code == 0, result.output
    assert "2 cells; a peer is faster" in result.output
    assert len(asked) == 1

    result = run_map(*arguments, "--size", 50, "--threads", 2)
    assert result.exit_code == 1
    assert "threads was 2, and is 1 now" in result.output


def test_one_peer_is_enough(tmp_path):
    output = tmp_path / "map.json"
    arguments = ["--kind", "noise", "--columns", 2, "--size", 30, "--threads", 1]
    result = run_map(*arguments, "--peer", "scipy", "--output", output)
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(output.read_text())["sections"]["map"].values()
    assert entry["seconds"].keys() == {REFERENCE, "scipy"}


def test_files_are_combined_and_later_cells_count(tmp_path):
    one = write(tmp_path / "one.json", [make_cell({"scipy": 2.0}), make_cell({"scipy": 3.0}, 200)])
    two = write(tmp_path / "two.json", [make_cell({"faiss": 0.5}, 200)])
    result = run_map("--from", one, "--from", two, "--picture", tmp_path / "map.svg")
    assert result.exit_code == 0, result.output
    assert "2 cells; a peer is faster by more than 10% in 1" in result.output
    assert "<svg" in (tmp_path / "map.svg").read_text()

    other = write(tmp_path / "other.json", [], {**MACHINE, "cores": 4})
    result = run_map("--from", one, "--from", other)
    assert result.exit_code == 1
    assert "cores was 2, and is 4 now" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--kind", "nothing"], "no kind of data is called 'nothing'"),
        (["--picture", "map.txt"], "does not end with .png or .svg"),
        (["--size", "3"], "not in the range x>=20"),
        (["--peer", "quickshiftpp"], "'quickshiftpp' is not one of"),
    ],
)
def test_bad_options_get_a_sentence(arguments, sentence):
    result = run_map(*arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_from_measures_nothing_that_could_be_written(tmp_path):
    path = write(tmp_path / "map.json", [])
    result = run_map("--from", path, "--output", path)
    assert result.exit_code == 2
    assert "--from measures nothing" in result.output


def test_summary():
    cells = [
        make_cell({"scipy": 8.0, "faiss": 9.0}),
        make_cell({"scipy": 0.92}, 200),  # a little faster does not count
        make_cell({"scipy": 7.0, "faiss": 0.5}, 3000, 16, "blobs"),
        make_cell({}, 4000),
    ]
    assert summary(cells) == (
        "4 cells, in 1 of which every peer would take more than 60 s; a peer is faster by more "
        "than 10% in 1; worst: 0.50 times as fast as faiss (blobs, 3,000 x 16); "
        "geometric mean: 1.5."
    )
    assert summary(cells[3:]) == "1 cell, none of them with a peer."


def test_rows_show_the_fastest_peer_and_its_errors():
    row = cell_row(make_cell({"scipy": 8.0, "faiss": 2.0}))
    assert row == ["noise", "100", "2", "1.00 s", "faiss", "2.00 s", "2.0", "25.0%"]
    assert cell_row(make_cell({"scipy": 8.0}))[-1] == ""
    assert cell_row(make_cell({}))[4:] == ["-"] * 4


def test_what_takes_too_long_is_left_out():
    cells = [make_cell({"scipy": 30.0}, 100), make_cell({"faiss": 3.0}, 200)]
    assert command.takes_part(cells, Cell("noise", 50, 2), "scipy")
    assert command.takes_part(cells, Cell("noise", 140, 2), "scipy")
    assert not command.takes_part(cells, Cell("noise", 142, 2), "scipy")
    assert not command.takes_part(cells, Cell("noise", 400, 2), "scipy")
    assert command.takes_part(cells, Cell("noise", 400, 2), "faiss")
    assert not command.takes_part(cells, Cell("noise", 400, 2), "pykdtree")
    assert command.takes_part(cells, Cell("noise", 400, 3), "pykdtree")


def test_peers_that_cannot_be_the_fastest_are_left_out():
    cells = [
        make_cell({"scipy": 0.4, "faiss": 0.1, "pykdtree": 0.4}, 100),
        make_cell({"scipy": 0.5, "faiss": 0.1, "pykdtree": 0.2}, 200),
    ]
    larger = Cell("noise", 300, 2)
    assert not command.takes_part(cells, larger, "scipy")
    assert command.takes_part(cells, larger, "faiss")
    assert command.takes_part(cells, larger, "pykdtree")
    assert command.takes_part(cells, larger, REFERENCE)
    assert command.takes_part(cells[:1], larger, "scipy")


def test_all_searches_find_the_same_neighbors():
    X = kinds(None)["Gaussian noise"](60, 3)
    expected = MAP_SEARCHES[0].fit(X, Settings(5, 1))
    for peer in MAP_SEARCHES:
        if peer.installed:
            found = peer.fit(X, Settings(5, 1))
            np.testing.assert_allclose(found, expected, rtol=1e-5 if peer.exact else 1e-3)


@pytest.mark.parametrize("kind", [kind for kind in kinds(None) if "images" not in kind])
def test_kinds_have_the_shape_and_the_type(kind):
    X = kinds(None)[kind](50, 9)
    assert X.shape == (50, 9)
    assert X.dtype == np.float32
    assert np.isfinite(X).all()


def test_real_data_are_rows_of_a_file(tmp_path):
    make = kinds(tmp_path)["text embeddings (256), images (768)"]
    assert make(20, 256) is None
    (tmp_path / "embeddings").mkdir()
    X = np.random.default_rng(0).random((30, 256), dtype=np.float32)
    np.savez(tmp_path / "embeddings" / "debian_descriptions_256.npz", X=X)
    found = make(20, 256)
    assert found.shape == (20, 256)
    assert {row.tobytes() for row in found} <= {row.tobytes() for row in X}
    assert make(40, 256) is None
    assert make(20, 255) is None


def test_the_picture_has_a_number_for_each_cell(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules["reporting.style"]._STYLE, "svg.fonttype", "none")
    cells = [make_cell({"scipy": 2.5}), make_cell({"scipy": 0.51}, 200), make_cell({}, 200, 4)]
    plot_map(tmp_path / "map.svg", cells, 20, 2)
    text = (tmp_path / "map.svg").read_text()
    assert all(f">{number}<" in text for number in ("2.5", "0.51", "-", "noise"))
    assert "All with 2 threads" in text


def test_examples_in_docstrings():
    outcome = doctest.testmod(report)
    assert outcome.attempted > 0
    assert outcome.failed == 0
