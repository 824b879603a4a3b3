"""Names of files and columns, whatever their characters, stay on their line of the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from commands import is_clean, run, run_process, succeed  # noqa: E402

SET_TITLE = "\x1b]0;stolen\x07"  # a terminal obeys this by changing its title


def test_names_of_columns_do_not_reach_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "columns.parquet"
    evil = f"a{SET_TITLE}\nb"
    cells = [f"x{SET_TITLE}"] * 9
    pq.write_table(pa.table({evil: np.arange(9.0), f"t{SET_TITLE}": cells, "n": cells}), file)
    result = run("cluster", file, color=True)
    assert result.exit_code == 0
    assert is_clean(result.output), result.output
    assert r"a\x1b]0;stolen\x07\nb" in result.stdout
    assert pq.read_table(tmp_path / "columns.clusters.parquet").column_names[0] == evil
    for wrong in (["--columns", f"t{SET_TITLE}"], ["--columns", f"no{SET_TITLE}"]):
        result = run("cluster", file, *wrong, color=True)
        assert result.exit_code == 2
        assert is_clean(result.output), result.output
        assert result.stderr.count("\n") == 1


def test_names_of_files_do_not_reach_the_terminal(image: Path, table: Path, tmp_path: Path) -> None:
    evil = f"e{SET_TITLE}\n"
    picture, numbers = tmp_path / f"{evil}.png", tmp_path / f"{evil}.csv"
    picture.write_bytes(image.read_bytes())
    numbers.write_bytes(table.read_bytes())
    broken = tmp_path / f"{evil}-half.png"
    broken.write_bytes(image.read_bytes()[:100])
    for arguments, status in (
        (["cluster", numbers], 0),
        (["cluster", table, "-o", tmp_path / f"{evil}-out.csv"], 0),
        (["segment", image, picture, "--k", 5], 0),
        (["segment", broken], 2),
        (["cluster", tmp_path / f"{evil}-none.csv"], 2),
        (["cluster", table, f"--{evil}"], 2),
        ([evil], 2),
    ):
        result = run(*arguments, color=True)
        assert result.exit_code == status, result.output
        assert is_clean(result.output), result.output
        assert r"\x1b]0;stolen\x07" in result.output


def test_names_do_not_reach_the_terminal_in_the_progress_bar(image: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    picture = tmp_path / f"e{SET_TITLE}.png"
    picture.write_bytes(image.read_bytes())
    reading, writing = pty.openpty()
    shown = b""

    def collect() -> None:
        nonlocal shown
        with os.fdopen(reading, "rb", buffering=0) as terminal:
            try:
                while chunk := terminal.read(4096):
                    shown += chunk
            except OSError:  # Linux: the other end was closed
                pass

    reader = threading.Thread(target=collect, daemon=True)
    reader.start()
    done = run_process(
        "segment", image, picture, "--k", 5, stdout=subprocess.DEVNULL, stderr=writing
    )
    os.close(writing)
    reader.join(timeout=60)
    assert done.returncode == 0
    assert rb"\x1b]0;stolen\x07" in shown
    assert SET_TITLE.encode() not in shown


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_that_are_not_unicode(table: Path, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9" + suffix.encode())
    succeed("cluster", table, "-o", file)
    result = succeed("cluster", file)
    assert r"caf\udce9.clusters" in result.stdout
    assert (tmp_path / os.fsdecode(b"caf\xe9.clusters" + suffix.encode())).exists()


def test_a_terminal_without_the_character(tmp_path: Path) -> None:
    file = tmp_path / "units.csv"
    file.write_text("\N{GREEK SMALL LETTER MU}m\n1\n2\n", encoding="utf-8")
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    done = run_process("cluster", file, capture_output=True, env=latin)
    assert done.returncode == 0, done.stderr
    assert rb"columns    \u03bcm" in done.stdout
