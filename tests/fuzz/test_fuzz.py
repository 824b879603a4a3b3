"""The fuzzing program: what is planted is found, with the right case, and nothing else is."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fuzz import edits, written
from fuzz.__main__ import ENVIRONMENT, main
from fuzz.checks import Checks, DifferenceError
from fuzz.edits import apply_edits, draw_edits
from fuzz.report import describe, summary
from fuzz.samples import KINDS, draw_samples
from fuzz.supervisor import CASES_PER_SEED, CRASH, DIFFERENCE, LEAK, TIMEOUT, MemoryWatch, Run
from fuzz.targets import TARGETS
from fuzz.targets.base import check
from fuzz.targets.files import FileTarget
from fuzz.written import as_python

HERE = Path(__file__).parent
SHIPPED = dict(TARGETS)
FILES = [name for name, target in SHIPPED.items() if isinstance(target, FileTarget)]


@pytest.fixture
def planted(monkeypatch):
    """The module of planted faults, which workers can import by its name."""
    monkeypatch.syspath_prepend(str(HERE))
    import planted

    yield planted.__name__
    for name in set(TARGETS) - set(SHIPPED):
        del TARGETS[name]
    del sys.modules["planted"]


def bad_cases(target, count=60):
    return [number for number in range(count) if TARGETS[target].numbered(number)["is_bad"]]


def test_a_wrong_label_is_found_and_made_small(planted):
    run = Run(["wrong_label"], modules=[planted])
    run.run_one("wrong_label", 7)
    (finding,) = run.findings
    assert (finding.kind, finding.case) == (DIFFERENCE, "wrong_label:7")
    assert finding.what.startswith("labels_: Arrays are not equal")
    assert "--case wrong_label:7" in describe(finding)
    # The lines are the whole case: five samples of one column are the fewest that fail.
    space: dict = {}
    lines, call = finding.lines.rsplit("\n", 1)
    exec(lines, space)
    assert space["X"].shape == (5, 1)
    with pytest.raises(DifferenceError, match="labels_"):
        exec(call, space)


def test_a_crash_is_found(planted):
    bad = bad_cases("aborts")
    run = Run(["aborts"], modules=[planted])
    run.run_one("aborts", bad[0])
    (finding,) = run.findings
    assert (finding.kind, finding.case) == (CRASH, f"aborts:{bad[0]}")
    assert "SIGABRT" in finding.what
    assert "a new process ends the same way" in finding.what
    assert finding.lines.endswith('check("aborts", is_bad=True)')


def test_a_run_goes_on_after_a_crash(planted, monkeypatch):
    monkeypatch.setattr("fuzz.supervisor._MOST_LOST", 2)
    monkeypatch.setattr("fuzz.supervisor._SHOWN_ALIKE", 0)  # the same case again: tested above
    bad = bad_cases("aborts")
    run = Run(["aborts"], modules=[planted])
    run.run(300, jobs=1)
    assert [finding.number for finding in run.findings] == bad[:2]
    assert run.tallies["aborts"].cases == bad[1] + 1
    assert run.tallies["aborts"].is_given_up
    assert "Stopped early, after too many findings: `aborts`." in summary(run, 1, 60, 0)


def test_a_hang_is_found(planted):
    bad = bad_cases("hangs")
    run = Run(["hangs"], modules=[planted])
    run.run_one("hangs", bad[0])
    (finding,) = run.findings
    assert (finding.kind, finding.case) == (TIMEOUT, f"hangs:{bad[0]}")
    assert "no result after" in finding.what
    assert "planted.py" in finding.what


def test_a_leak_is_found(planted):
    run = Run(["leaks", "uses_memory"], modules=[planted], on_finding=lambda _: run.stop())
    run.run(300, jobs=1)
    assert [(finding.kind, finding.target) for finding in run.findings] == [(LEAK, "leaks")]
    assert 0 <= run.findings[0].number <= run.tallies["leaks"].cases
    assert "has grown by" in run.findings[0].what


def test_memory_that_is_given_back_is_no_leak():
    rng = np.random.default_rng(0)
    watch = MemoryWatch(warm_up=10, window=20, limit=1000)
    for number in range(500):  # up to 50 times the limit, but back again and again
        extra = 0 if number % 7 == 0 else int(rng.integers(0, 50_000))
        assert watch.observe("a", number, 10_000 + extra) is None
    grown = [watch.observe("ab"[n % 2], n, 70_000 + 10 * n + (n % 2)) for n in range(200)]
    found = [leak for leak in grown if leak is not None]
    assert found
    assert all(growth > 1000 for _, _, growth in found)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_number_is_a_case(name):
    target = SHIPPED[name]
    for number in (0, 17, 3 * CASES_PER_SEED + 5):
        first, again = (as_python(name, target.numbered(number)) for _ in range(2))
        assert first == again
        assert first != as_python(name, target.numbered(number + 1))


@pytest.mark.parametrize("name", [name for name in SHIPPED if name not in FILES])
def test_first_cases(name):
    """Cases that the first minute of every run with seed 0 has too."""
    target, checks = SHIPPED[name], Checks()
    for number in range(4 if name == "outliers" else 12):
        target.check(checks, **target.numbered(number))
    assert checks.count > 0


@pytest.mark.parametrize("name", FILES)
def test_valid_files(name):
    for file in range(12):
        assert check(name, file=file, edits=[]) > 0


@pytest.mark.parametrize("module", [edits, written])
def test_examples(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_example_of_the_page(planted):
    """It holds for the package, and does not hold where a label is wrong."""
    page = (HERE.parents[1] / "docs" / "reliability.md").read_text()
    example = page.split("```python\n")[1].split("```")[0]
    assert 'check("quickshiftpp"' in example
    exec(example, {})
    assert planted in sys.modules
    with pytest.raises(DifferenceError):
        check("wrong_label", X=np.arange(5.0)[:, None], k=2, beta=0.5)


def test_edits_are_small_and_repeatable():
    content = bytes(range(256))
    for seed in range(200):
        drawn = draw_edits(np.random.default_rng(seed), words=[b"word"])
        damaged = apply_edits(content, drawn)
        assert damaged == apply_edits(content, drawn)
        assert len(damaged) < 1000
    assert apply_edits(b"", [("flip", 3, 1), ("cut", 9, 0), ("insert", 1, b"x")]) == b"x"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_samples_is_finite(kind):
    for seed in range(20):
        X = KINDS[kind](np.random.default_rng(seed), 1 + seed, 1 + seed % 5)
        assert X.ndim == 2
        assert 1 <= len(X) <= 1 + seed
        assert np.isfinite(X).all()


def test_samples_have_both_precisions():
    drawn = [draw_samples(np.random.default_rng(seed)) for seed in range(50)]
    assert {X.dtype for X in drawn} == {np.dtype(np.float32), np.dtype(np.float64)}


def test_a_few_seconds(tmp_path):
    targets = [name for name in SHIPPED if name not in (*FILES, "outliers")]
    only = [argument for name in targets for argument in ("--only", name)]
    output = tmp_path / "summary.md"
    options = ["--minutes", "0.08", "--seed", "1", "--jobs", "1", "--summary", str(output)]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", *options, *only],
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    text = output.read_text()
    assert "| target | cases | checks | differences | crashes | timeouts | leaks |" in text
    assert "seed 1: no finding." in text


def fuzz(*arguments):
    # Named here, so that they are as before afterwards.
    return CliRunner(env=ENVIRONMENT).invoke(main, arguments)


def test_one_case(planted):
    done = fuzz("--case", "neighbors:3")
    assert done.exit_code == 0
    assert done.stdout == "neighbors:3: 2 checks, nothing differs\n"
    done = fuzz("--load", planted, "--case", "wrong_label:7")
    assert done.exit_code == 1
    assert "difference in wrong_label:7\n  labels_: Arrays are not equal" in done.stdout
    assert "again: python -m fuzz --case wrong_label:7" in done.stdout


def test_wrong_names():
    done = fuzz("--only", "no_such")
    assert done.exit_code == 2
    assert "there is no target 'no_such': choose from" in done.stderr
    done = fuzz("--case", "tree")
    assert done.exit_code == 2
    assert "'tree' is not TARGET:NUMBER" in done.stderr
    assert set(fuzz("--list").stdout.split()) >= set(SHIPPED)
