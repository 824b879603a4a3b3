"""The program that plants bugs, on a project of one function; and its list of bugs."""

from __future__ import annotations

import doctest
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from mutations import __main__ as program
from mutations import mutation as mutation_module
from mutations.mutation import Mutation, Native, Python, mutate
from mutations.planted import MUTATIONS
from mutations.project import Project, _failed_case, _fault
from mutations.report import by_part, is_enough, sentence, summary
from mutations.run import CAUGHT, ERROR, MISSED, Outcome, Run

ROOT = Path(__file__).parents[2]

CODE = """
def least(a, b):
    return a if a <= b else b


def steps(n):
    count = 0
    while n > 0:
        n -= 1
        count += 1
    return count
"""

TESTS = """
import os
from toy import least, steps

def test_order():
    assert least(1, 2) == 1
    assert least(2, 1) == 1

def test_steps():
    assert steps(3) == 3

def test_kill():
    if steps(2) == 4:
        os.kill(os.getpid(), 9)
"""

BROKEN = "def test_broken():\n    assert False\n"

LEAST, STEPS = Python("tests/test_toy.py", "order"), Python("tests/test_toy.py", "steps")


@pytest.fixture
def toy(tmp_path):
    """A project like ours, without a core."""
    root = tmp_path / "toy"
    (root / "src").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "src" / "toy.py").write_text(CODE)
    (root / "tests" / "test_toy.py").write_text(TESTS)
    (root / "tests" / "test_broken.py").write_text(BROKEN)
    (root / "build").mkdir()
    return root


def planted(name, old, new, *tests):
    return Mutation(name, "something", "src/toy.py", old, new, tests)


def test_every_outcome(toy):
    seen = []
    mutations = [
        planted("wrong", "a <= b", "a >= b", LEAST),
        planted("second test", "count += 1", "count += 2", LEAST, STEPS),
        planted("equivalent", "a <= b", "a < b", LEAST, STEPS),
        planted("stale", "a != b", "a == b", LEAST),
        planted("ambiguous", "return", "yield", LEAST),
        planted("no Python", "a <= b", "a <= ", LEAST),
        planted("no such tests", "a <= b", "a < b", Python("tests/test_toy.py", "nothing")),
        planted("fails anyway", "a <= b", "a >= b", Python("tests/test_broken.py")),
        planted("killed", "count += 1", "count += 2", Python("tests/test_toy.py", "kill")),
    ]
    outcomes = Run(toy, mutations, seen.append).run(jobs=2)
    assert {outcome.mutation.name for outcome in seen} == {m.name for m in mutations}
    found = [(outcome.mutation.name, outcome.kind, outcome.what) for outcome in outcomes]
    for (name, kind, what), (expected_name, expected_kind, said) in zip(
        found,
        [
            ("wrong", CAUGHT, "tests/test_toy.py::test_order"),
            ("second test", CAUGHT, "tests/test_toy.py::test_steps"),
            ("equivalent", MISSED, ""),
            ("stale", ERROR, "the text to replace occurs 0 times in src/toy.py, not once"),
            ("ambiguous", ERROR, "the text to replace occurs 2 times in src/toy.py, not once"),
            ("no Python", ERROR, "it does not compile: expected"),
            ("no such tests", ERROR, "cannot be run"),
            ("fails anyway", ERROR, "without the bug, this fails as well: tests/test_broken.py::"),
            ("killed", CAUGHT, "tests/test_toy.py::test_kill: SIGKILL"),
        ],
        strict=True,
    ):
        assert (name, kind) == (expected_name, expected_kind), what
        assert said in what
    assert (toy / "src" / "toy.py").read_text() == CODE
    assert sentence(outcomes) == "3 of 9 bugs caught (33.3%), 1 missed, 5 errors."
    assert "| `equivalent` | missed | - |" in summary(outcomes)
    assert "| `src/` | 9 | 3 |" in by_part(outcomes)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "work"
    path.mkdir()
    return path


def test_a_bug_is_taken_out_again(toy, folder):
    project = Project(toy, folder)
    assert not (folder / "source" / "build").exists()
    bug = planted("wrong", "a <= b", "a >= b", LEAST)
    for _ in range(2):
        assert project.failure(LEAST) is None
        with project.planted(bug):
            assert "::test_order" in project.failure(LEAST)
    with pytest.raises(RuntimeError), project.planted(bug):
        raise RuntimeError
    assert (folder / "source" / "src" / "toy.py").read_text() == CODE


def test_tests_that_never_end(toy, folder):
    project = Project(toy, folder, limit=3)
    with project.planted(planted("endless", "n -= 1", "n -= 0", STEPS)):
        assert project.failure(STEPS).endswith(": no end after 3 s")


def test_what_is_enough():
    bug = planted("bug", "a", "b")
    caught, missed, error = (Outcome(bug, kind, "", 0.0) for kind in (CAUGHT, MISSED, ERROR))
    assert is_enough([caught] * 19 + [missed])
    assert not is_enough([caught] * 18 + [missed])
    assert not is_enough([caught] * 99 + [error])


def test_names_of_native_failures():
    output = "TEST CASE:  cut: cores\n\ntest_cut.cpp:7: ERROR: CHECK( a == b ) is NOT correct!\n"
    assert _failed_case(output) == "cut: cores"
    output = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n"
    assert _failed_case(output) is None
    assert _fault(output, 1) == "address sanitizer, heap-buffer-overflow"
    assert _fault("", -11) == "SIGSEGV"


def test_examples():
    result = doctest.testmod(mutation_module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_list_is_up_to_date(mutation):
    """Whoever changes a line with a bug planted in it changes the bug as well."""
    text = mutate((ROOT / mutation.file).read_text(), mutation)
    if mutation.file.endswith(".py"):
        compile(text, mutation.file, "exec")
    assert mutation.tests
    for test in mutation.tests:
        path = ROOT / "cpp" / "tests" / test.file if isinstance(test, Native) else ROOT / test.path
        assert path.exists()


def test_the_list_is_long_enough():
    assert len(MUTATIONS) >= 50
    assert set(Counter(mutation.name for mutation in MUTATIONS).values()) == {1}


def test_command_line(monkeypatch, toy, tmp_path):
    bugs = (
        planted("wrong", "a <= b", "a >= b", LEAST),
        planted("equivalent", "a <= b", "a < b", LEAST),
    )
    monkeypatch.setattr(program, "MUTATIONS", bugs)
    monkeypatch.setattr(program, "ROOT", toy)

    def mutations(*arguments):
        return CliRunner().invoke(program.main, arguments)

    assert mutations("--list").stdout.startswith("wrong       something (src/toy.py)\n")
    output = tmp_path / "summary.md"
    done = mutations("--only", "wrong", "--summary", str(output))
    assert done.exit_code == 0, done.output
    assert "caught wrong by tests/test_toy.py::test_order" in done.stdout
    assert "1 of 1 bug caught (100.0%)." in output.read_text()
    done = mutations("--jobs", "1")
    assert done.exit_code == 1
    assert "missed equivalent: something" in done.stdout
    done = mutations("--only", "nothing")
    assert done.exit_code == 2
    assert "there is no bug 'nothing'" in done.stderr
