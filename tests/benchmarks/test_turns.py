"""Builds and tuning constants in turns: the programs run, and the table matches the header."""

from __future__ import annotations

import doctest
import sys
from functools import partial

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from click.testing import CliRunner

from benchmarks import calibrate, costs
from benchmarks.__main__ import main
from benchmarks.builds import report
from benchmarks.calibrate import (
    CONSTANTS,
    HEADER,
    NOT_MEASURED,
    SWITCHES,
    WORKLOADS,
    read_header,
    with_value,
)
from benchmarks.turns import Contender, take_turns
from quickshiftpp import _core
from quickshiftpp._search import cascade
from quickshiftpp._search import costs as model

SWITCHED = {name for names, _, _ in SWITCHES for name in names}


def test_every_constant_is_measured_or_excepted():
    text = HEADER.read_text()
    header = read_header(text)
    listed = [*CONSTANTS, *SWITCHED, *NOT_MEASURED]
    assert len(listed) == len(set(listed))
    assert header.keys() == set(listed)
    for name, constant in CONSTANTS.items():
        assert constant.present == header[name]
        assert constant.present not in constant.others
        assert constant.workload in WORKLOADS
        assert read_header(with_value(text, name, 7))[name] == 7


def test_header_is_read():
    text = "inline constexpr std::size_t kA = std::size_t{1} << 4;  // why\n"
    text += "inline constexpr int kB = 2 * kA;\n"
    assert read_header(text) == {"kA": 16, "kB": 32}
    outcome = doctest.testmod(calibrate)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.parametrize("code", [code for _, _, code in WORKLOADS.values()])
def test_workloads_are_python(code):
    compile(code, "workload", "exec")


def test_contenders_take_turns(tmp_path):
    log = tmp_path / "log"
    workload = f"def run():\n    with open({str(log)!r}, 'a') as file: file.write({{name!r}})\n"
    names = ("a", "b", "c")
    contenders = [Contender(sys.executable, workload.format(name=name)) for name in names]
    seconds = take_turns(contenders, 3)
    assert [len(row) for row in seconds] == [3, 3, 3]
    assert all(second > 0 for row in seconds for second in row)
    text = log.read_text()
    assert sorted(text[:3]) == list(names)  # the warm-up
    assert text[3:] == "abcbcacab"


def test_a_contender_that_fails_is_an_error():
    with pytest.raises(RuntimeError, match="failed"):
        take_turns([Contender(sys.executable, "raise SystemExit(3)")], 1)


def test_builds():
    result = CliRunner().invoke(
        main, ["builds", sys.executable, "--shape", "300x2", "--rounds", "1", "--threads", "1"]
    )
    assert result.exit_code == 0, result.output
    assert "300 x 2 blobs" in result.output


def test_ratio_is_this_build_over_the_other():
    text = report({"blobs": [[2.0, 3.0, 9.0], [1.0, 4.0, 3.0]]})
    assert "| blobs | 3.00 s | 3.00 s | 1.000 | 2.000 |" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["calibrate", "kNothing"], "'kNothing' is not measured"),
        (["builds", sys.executable, "--shape", "many"], "not a shape such as 1000x2"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_calibrate_lists_the_constants():
    result = CliRunner().invoke(main, ["calibrate", "--list"])
    assert result.exit_code == 0, result.output
    assert all(name in result.output for name in (*CONSTANTS, *SWITCHED, *NOT_MEASURED))


def test_calibrate_costs(monkeypatch):
    # Of one thread, and of the smallest shapes that four parts can be told from.
    tiny = partial(costs.measure_costs, sizes=(40, 60), columns=(20, 24))
    monkeypatch.setattr(calibrate, "measure_costs", tiny)
    chosen = cascade.choose_plan
    result = CliRunner().invoke(main, ["calibrate", "costs", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    rows = {
        line.split()[0]: line.split()[1:] for line in result.output.splitlines() if line.split()
    }
    constants = {name: value for name, value in vars(model).items() if name.isupper()}
    assert constants
    for name, value in constants.items():
        present, measured = rows[name]
        assert float(present) == value
        needs_bytes = name in ("BYTES_COLUMN", "REFINED", "REFINED_COLUMN")
        is_fixed = name in ("FIRST_CANDIDATES", "FIRST_NEIGHBORS", "NEIGHBOR")
        is_measured = not is_fixed and (model.has_bytes() or not needs_bytes)
        assert (measured != "-") == is_measured
    assert cascade.choose_plan is chosen


def test_parts_of_a_time_are_told_apart(monkeypatch):
    expected = costs.Parts(300.0, 20.0, 0.5, 0.01)

    def seconds(search):
        n, d = search.args[0].shape
        time = expected.query + expected.query_column * d
        return (time + n * (expected.pair + expected.pair_column * d)) * n * 1e-9

    monkeypatch.setattr(costs, "processor_seconds", seconds)
    found = costs.measure_parts(costs.noise, "brute", 1, (40, 80), (4, 8, 16))
    assert found == pytest.approx(expected)


def test_of_groups_only_close_samples_are_near():
    n_samples, n_features = 320, 128
    X = costs.groups(n_samples, n_features).astype(np.float64)
    squared = ((X[:, np.newaxis] - X) ** 2).sum(axis=2)
    # A gap between the samples of a group and all others.
    near = squared < 130
    assert (near.sum(axis=1) == costs.GROUP).all()
    varying = np.argsort(X.var(axis=0))[-_core.ORDER_AXES :]
    assert sorted(varying) == list(range(_core.ORDER_AXES))
