"""Damaged files on the command line: a result, or one sentence and exit code 2."""

from __future__ import annotations

import contextlib
import io
import tempfile
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from quickshiftpp.cli import main
from quickshiftpp.cli._show import STAGES

from ..checks import Checks
from ..edits import Edit, apply_edits, draw_edits
from ..resources import limited_memory
from .base import Case, Target

# Few enough that valid files are made once and kept, and that keeping them is no leak.
_FILES = 60


class FileTarget(Target):
    """A target whose cases are a valid file, by its number, and edits."""

    share: ClassVar[float] = 0.5
    limit: ClassVar[float] = 30.0
    words: ClassVar[Sequence[bytes]] = ()

    @abstractmethod
    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Make a valid file: its suffix, and what it holds."""

    def draw(self, rng: np.random.Generator) -> Case:
        """Draw a file and its damage; a few files stay as they are."""
        edits = draw_edits(rng, self.words) if rng.random() < 0.97 else []
        return {"file": int(rng.integers(0, _FILES)), "edits": edits}

    def smaller(self, case: Case) -> Iterator[Case]:
        """Propose to leave out an edit."""
        for left_out in range(len(case["edits"])):
            edits = [edit for place, edit in enumerate(case["edits"]) if place != left_out]
            yield {**case, "edits": edits}

    def damaged(self, file: int, edits: Sequence[Edit]) -> tuple[str, bytes]:
        """Return the suffix and the content of a damaged file."""
        suffix, content = _made(self, file)
        return suffix, apply_edits(content, edits)


@lru_cache(maxsize=4 * _FILES)
def _made(target: FileTarget, file: int) -> tuple[str, bytes]:
    return target.make(np.random.default_rng(file))


# Click keeps every stream that it has written to, so that new ones would look like a leak.
_STREAMS = io.StringIO(), io.StringIO()


def check_command(checks: Checks, arguments: Sequence[str], is_valid: bool) -> int:
    """Run the command line here, and check how it ends. Returns the exit code."""
    out, err = _STREAMS
    for stream in _STREAMS:
        stream.seek(0)
        stream.truncate()
    status: Any = None
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
        limited_memory(),
    ):
        warnings.simplefilter("ignore")  # of the libraries that read the file
        try:
            main(list(arguments))
        except SystemExit as end:
            status = end.code
    said = err.getvalue()
    checks.holds("exit code", status in (0, 1, 2), status)
    checks.holds("a valid file is read", status == 0 or not is_valid, said)
    if status != 0:
        # One line after those that say which stage has begun.
        *begun, last = said.splitlines() or [""]
        is_sentence = last.startswith("quickshiftpp: ") and set(begun) <= set(STAGES.values())
        checks.holds("one line on stderr", is_sentence, repr(said))
        checks.equal("nothing on stdout", out.getvalue(), "")
        checks.holds("exit code 1 is for memory", status == 2 or "enough memory" in said, said)
    special = {letter for letter in said + out.getvalue() if ord(letter) < 32} - {"\n", "\t"}
    checks.holds("no control characters on the terminal", not special, sorted(special))
    return int(status)


class TableTarget(FileTarget):
    """Tables for ``quickshiftpp cluster``."""

    def check(self, checks: Checks, *, file: int, edits: Sequence[Edit]) -> None:
        """Cluster the damaged table."""
        suffix, content = self.damaged(file, edits)
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            source, output = Path(name) / f"table{suffix}", Path(name) / "labels.csv"
            source.write_bytes(content)
            arguments = ["cluster", str(source), "--output", str(output), "--n-jobs", "1"]
            arguments += ["--k", "3", "--beta", "0.5"] if file % 2 else []
            status = check_command(checks, arguments, not edits)
            checks.equal("the output exists", output.exists(), status == 0)
            left = sorted(path.name for path in Path(name).iterdir())
            expected = [source.name] if status else [output.name, source.name]
            checks.equal("files", left, sorted(expected))
            checks.holds("the input is unchanged", source.read_bytes() == content)
