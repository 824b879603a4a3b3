"""Outputs of the command line: no input is lost, and each file is whole or as it was."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("pyarrow")

from commands import refuse, run, run_process, succeed
from quickshiftpp.cli import _segment

ENDINGS = ("overlay.png", "flat.png", "labels.png", "segments.json")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# Inputs are not overwritten.


@pytest.mark.parametrize("ending", ["overlay.png", "flat.png", "labels.png", "betas.png"])
def test_an_image_is_not_overwritten_by_the_output_of_another(image: Path, ending: str) -> None:
    other = image.with_name(f"a.{ending}")
    other.write_bytes(image.read_bytes())
    before = contents(image.parent)
    said = refuse("segment", image, other, "--betas", "0.5", "--k", 5)
    assert f"segmenting '{image}' would overwrite the image '{other}'" in said
    assert "--output" in said
    assert contents(image.parent) == before
    succeed("segment", image, other, "--k", 5, "--output", image.parent / "out")


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_an_image_is_not_overwritten_through_a_link(image: Path, tmp_path: Path, link: Any) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    link(image, folder / "a.flat.png")
    before = image.read_bytes()
    assert "would overwrite the image" in refuse("segment", image, "-o", folder, "--k", 5)
    assert image.read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["a.flat.png"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_table_is_not_overwritten_through_a_link(table: Path, link: Any) -> None:
    before = table.read_text()
    output = table.with_name("other.csv")
    link(table, output)
    assert "is the input" in refuse("cluster", table, "-o", output)
    assert table.read_text() == before


def test_outputs_that_are_one_file(image: Path, tmp_path: Path) -> None:
    (tmp_path / "a.overlay.png").symlink_to("a.flat.png")
    assert "are links to the same file" in refuse("segment", image, "--k", 5)
    (tmp_path / "a.overlay.png").unlink()
    other = tmp_path / "b.png"
    other.write_bytes(image.read_bytes())
    (tmp_path / "b.labels.png").symlink_to("a.labels.png")
    assert "would be written to the same files" in refuse("segment", image, other, "--k", 5)
    assert not (tmp_path / "a.labels.png").exists()


# Outputs are whole.


def test_a_failure_leaves_the_old_files(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    succeed("segment", image, "--k", 5)
    before = contents(image.parent)

    def fail(file: Any, *_: object) -> None:
        file.write(b"{")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_segment, "write_summary", fail)  # the last of the four files
    result = run("segment", image, "--k", 8)
    assert result.exit_code == 2
    said = result.stderr.splitlines()[-1]
    assert "a.segments.json' could not be written (No space left on device)" in said
    assert contents(image.parent) == before


def test_an_interrupt_leaves_the_old_files(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    succeed("segment", image, "--k", 5)
    before = contents(image.parent)

    def interrupt(file: Any, *_: object) -> None:
        file.write(b"{")
        raise KeyboardInterrupt

    monkeypatch.setattr(_segment, "write_summary", interrupt)
    assert run("segment", image, "--k", 8).exit_code == 130
    assert contents(image.parent) == before


@pytest.mark.parametrize("command", ["cluster", "segment"])
def test_a_full_disk_leaves_the_old_files(image: Path, table: Path, command: str) -> None:
    """A limit on the size of files stands for a disk that becomes full while a file is written."""
    resource = pytest.importorskip("resource")
    file = table if command == "cluster" else image
    succeed(command, file, "--k", 5)
    before = contents(image.parent)
    limit = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (100, {resource.RLIM_INFINITY}))"
    )
    done = run_process(command, file, "--k", 6, first=limit, capture_output=True)
    assert done.returncode == 2
    said = done.stderr.decode().splitlines()[-1]
    assert "could not be written (File too large)" in said
    assert contents(image.parent) == before


def test_a_failed_figure_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    from quickshiftpp.cli import _figure

    def fail(file: Any, *_: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_figure, "draw", fail)
    figure = tmp_path / "figure.png"
    figure.write_bytes(b"whole")
    assert run("demo", "-o", figure).exit_code == 2
    assert contents(tmp_path) == {"figure.png": b"whole"}


def test_outputs_that_cannot_be_replaced(image: Path, table: Path, tmp_path: Path) -> None:
    (tmp_path / "a.labels.png").mkdir()
    assert "a.labels.png' is a directory" in refuse("segment", image, "--k", 5)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert "Too many levels" in refuse("cluster", table, "-o", tmp_path / "loop.csv")
    (tmp_path / "lost.csv").symlink_to("nowhere/lost.csv")
    assert "nowhere' of the output does not" in refuse(
        "cluster", table, "-o", tmp_path / "lost.csv"
    )
    assert list((tmp_path / "a.labels.png").iterdir()) == []


# Links, permissions, pipes and devices.


def test_links_are_followed(image: Path, table: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "result.csv").write_text("old")
    (tmp_path / "middle.csv").symlink_to(Path("store") / "result.csv")
    link = tmp_path / "link.csv"
    link.symlink_to("middle.csv")
    succeed("cluster", table, "-o", link)
    assert link.is_symlink()
    assert (tmp_path / "middle.csv").is_symlink()
    assert (store / "result.csv").read_text().startswith("x,y,label,core_label\n")
    (tmp_path / "a.flat.png").symlink_to(store / "new.png")  # leads to nothing yet
    succeed("segment", image, "--k", 5)
    assert (tmp_path / "a.flat.png").is_symlink()
    assert (store / "new.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in store.iterdir()) == ["new.png", "result.csv"]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("command", ["cluster", "segment"])
def test_permissions_are_kept(image: Path, table: Path, command: str) -> None:
    file = table if command == "cluster" else image
    endings = ("clusters.csv",) if command == "cluster" else ENDINGS
    outputs = [file.with_name(f"{file.stem}.{ending}") for ending in endings]
    for umask, new in ((0o022, 0o644), (0o077, 0o600)):
        before = os.umask(umask)
        try:
            for old in (None, 0o600, 0o640, 0o666):
                for output in outputs:
                    output.unlink(missing_ok=True)
                    if old is not None:
                        output.write_bytes(b"")
                        output.chmod(old)
                succeed(command, file, "--k", 5)
                assert {mode(output) for output in outputs} == {new if old is None else old}
                assert all(output.stat().st_size for output in outputs)
        finally:
            os.umask(before)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may chown")
def test_the_owner_is_kept(table: Path) -> None:
    output = table.with_name("theirs.csv")
    output.touch(mode=0o640)
    os.chown(output, 12345, 12346)
    succeed("cluster", table, "-o", output)
    status = output.stat()
    assert (status.st_uid, status.st_gid, mode(output)) == (12345, 12346, 0o640)


def test_a_group_that_cannot_be_kept_gets_no_access(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_chown(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    output = table.with_name("shared.csv")
    output.touch(mode=0o600)
    output.chmod(0o664)
    status = output.stat()
    theirs = os.stat_result((*status[:5], status.st_gid + 1, *status[6:]))
    real_stat = Path.stat
    monkeypatch.setattr(os, "chown", refuse_chown)
    monkeypatch.setattr(
        Path, "stat", lambda path, **how: theirs if path == output else real_stat(path, **how)
    )
    succeed("cluster", table, "-o", output)
    monkeypatch.undo()
    assert mode(output) == 0o604


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="access lists are attributes on Linux")
def test_the_access_list_is_kept(table: Path) -> None:
    """Without its list, the permissions of a file would mean more than they did."""
    owner, user, group, mask, others = 1, 2, 4, 16, 32
    nobody = 2**32 - 1
    rows = [
        (owner, 6, nobody),
        (user, 6, 12345),
        (group, 0, nobody),
        (mask, 6, nobody),
        (others, 0, nobody),
    ]
    access = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)
    output = table.with_name("listed.csv")
    output.touch()
    name = "system.posix_acl_access"
    try:
        os.setxattr(output, name, access)
    except OSError as error:
        pytest.skip(f"no access lists here: {error}")
    succeed("cluster", table, "-o", output)
    assert os.getxattr(output, name) == access


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_standard_output(table: Path, tmp_path: Path) -> None:
    succeed("cluster", table)
    expected = (tmp_path / "table.clusters.csv").read_bytes()
    done = run_process("cluster", table, "-o", "/dev/stdout", capture_output=True)
    assert done.stdout == expected
    assert b"written to /dev/stdout" in done.stderr
    log = tmp_path / "log.txt"
    log.write_bytes(b"before\n")
    with log.open("ab") as file:
        run_process("cluster", table, "-o", "/dev/stdout", stdout=file)
    assert log.read_bytes() == b"before\n" + expected


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_formats_that_seek_can_be_piped(table: Path, tmp_path: Path) -> None:
    link, piped = tmp_path / "link.npy", tmp_path / "piped.npy"
    link.symlink_to("/dev/stdout")
    done = run_process("cluster", table, "-o", link, capture_output=True)
    assert done.returncode == 0, done.stderr
    piped.write_bytes(done.stdout)
    assert np.load(piped).dtype.names == ("x", "y", "label", "core_label")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_and_devices_stay(image: Path, table: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    succeed("cluster", table, "-o", pipe)
    reader.join(timeout=60)
    succeed("cluster", table)
    assert received == [(tmp_path / "table.clusters.csv").read_bytes()]
    assert pipe.is_fifo()
    assert "is a pipe or a device" in refuse("cluster", pipe)
    assert "is a pipe or a device" in refuse("segment", pipe)
    succeed("cluster", table, "-o", "/dev/null")
    for ending in ENDINGS:
        (tmp_path / f"a.{ending}").symlink_to("/dev/null")
    succeed("segment", image, "--k", 5)
    assert Path("/dev/null").is_char_device()
    assert "ends in '.txt'" in refuse("cluster", table, "-o", tmp_path / "out.txt")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_devices(table: Path) -> None:
    result = run("cluster", table, "-o", "/dev/full")
    assert result.exit_code == 2
    assert "'/dev/full' could not be written (No space left" in result.stderr
    with Path("/dev/full").open("wb") as full:
        done = run_process("cluster", table, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"No space left" in done.stderr.splitlines()[-1]
    assert b"Traceback" not in done.stderr
