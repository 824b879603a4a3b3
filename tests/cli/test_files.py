"""Files of the command line: no input is lost, outputs are whole, and names stay on their line."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("click")
pa = pytest.importorskip("pyarrow")
Image = pytest.importorskip("PIL.Image")

import pyarrow.parquet as pq  # noqa: E402
from click.testing import Result  # noqa: E402

from commands import refuse, run  # noqa: E402
from quickshiftpp.cli import _segment  # noqa: E402

ENDINGS = ("overlay.png", "flat.png", "labels.png", "segments.json")
TABLE = "x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(40))
SET_TITLE = "\x1b]0;stolen\x07"  # a terminal obeys this by changing its title


def succeed(*arguments: object) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def process(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run Python code in a process of its own, after an import of ``main``."""
    command = [sys.executable, "-c", f"from quickshiftpp.cli import main\n{code}"]
    return subprocess.run([*command, *map(str, arguments)], check=False, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    values = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)
    Image.fromarray(values).save(path)
    return path


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
    output = table.with_name("other.csv")
    link(table, output)
    assert "is the input" in refuse("cluster", table, "-o", output)
    assert table.read_text() == TABLE


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
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (100, {resource.RLIM_INFINITY}))\n"
        "main(sys.argv[1:])\n"
    )
    done = process(code, command, file, "--k", 6, capture_output=True)
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


STDOUT = "import sys; main(sys.argv[1:])"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_standard_output(table: Path, tmp_path: Path) -> None:
    succeed("cluster", table)
    expected = (tmp_path / "table.clusters.csv").read_bytes()
    done = process(STDOUT, "cluster", table, "-o", "/dev/stdout", capture_output=True)
    assert done.stdout == expected
    assert b"written to /dev/stdout" in done.stderr
    log = tmp_path / "log.txt"
    log.write_bytes(b"before\n")
    with log.open("ab") as file:
        process(STDOUT, "cluster", table, "-o", "/dev/stdout", stdout=file)
    assert log.read_bytes() == b"before\n" + expected


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_formats_that_seek_can_be_piped(table: Path, tmp_path: Path) -> None:
    link, piped = tmp_path / "link.npy", tmp_path / "piped.npy"
    link.symlink_to("/dev/stdout")
    done = process(STDOUT, "cluster", table, "-o", link, capture_output=True)
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
        done = process(STDOUT, "cluster", table, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert b"No space left" in done.stderr.splitlines()[-1]
    assert b"Traceback" not in done.stderr


# Names stay on their line.


def is_clean(text: str) -> bool:
    """Whether the text has no control characters but newlines and the bold type of the summary."""
    for bold in ("\x1b[1m", "\x1b[0m"):
        text = text.replace(bold, "")
    return all(line.isprintable() for line in text.split("\n"))


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
    done = process(
        STDOUT, "segment", image, picture, "--k", 5, stdout=subprocess.DEVNULL, stderr=writing
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
    done = process(STDOUT, "cluster", file, capture_output=True, env=latin)
    assert done.returncode == 0, done.stderr
    assert rb"columns    \u03bcm" in done.stdout


# Files that are damaged, or made to harm.


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


BAD_ARRAYS = {
    "more than memory holds": (
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}", bytes(16)),
        "declares more data than fits into memory",
    ),
    "open parentheses": (npy("(" * 99), "cannot be read as .npy"),
    "code": (npy("__import__('os').abort()"), "cannot be read as .npy"),
    "complex field": (
        npy("{'descr': [('a', '<c16')], 'fortran_order': False, 'shape': (1,)}", bytes(16)),
        "the field a of",
    ),
    "nested field": (
        npy("{'descr': [('a', [('b', '<f8')])], 'fortran_order': False, 'shape': (1,)}", bytes(8)),
        "the field a of",
    ),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_bad_arrays(tmp_path: Path, name: str) -> None:
    content, expected = BAD_ARRAYS[name]
    file = tmp_path / "bad.npy"
    file.write_bytes(content)
    assert expected in refuse("cluster", file)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".npy", ".npz", ".png", ".tif"])
def test_noise(tmp_path: Path, suffix: str) -> None:
    command = "segment" if suffix in (".png", ".tif") else "cluster"
    for seed in range(5):
        file = tmp_path / f"noise{suffix}"
        file.write_bytes(np.random.default_rng(seed).bytes(3000))
        assert is_clean(refuse(command, file))


@pytest.mark.parametrize("suffix", [".parquet", ".npz", ".png", ".jpg", ".tif", ".gif", ".webp"])
def test_flipped_bytes(image: Path, tmp_path: Path, suffix: str) -> None:
    """A damaged file is read, or refused in one line; it never ends in a traceback."""
    whole = tmp_path / f"whole{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.table({"a": np.arange(50.0), "b": ["text"] * 50}), whole)
    elif suffix == ".npz":
        np.savez_compressed(whole, X=np.random.default_rng(0).normal(size=(50, 2)))
    else:
        Image.open(image).save(whole)
    content = whole.read_bytes()
    command = "cluster" if suffix in (".parquet", ".npz") else "segment"
    damaged = tmp_path / f"damaged{suffix}"
    refused = 0
    for place in np.linspace(0, len(content) - 1, 40).astype(int):
        flipped = bytearray(content)
        flipped[place] ^= 0xFF
        damaged.write_bytes(flipped)
        result = run(command, damaged, "--k", 5)
        assert result.exit_code in (0, 2), result.output
        if result.exit_code:
            refused += 1
            assert isinstance(result.exception, SystemExit), result.exception
            assert result.stderr.splitlines()[-1].startswith("quickshiftpp: ")
        assert is_clean(result.output)
    assert refused


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "text.parquet"
    text = pa.array([b"fine", b"bad\xff"]).cast(pa.binary()).view(pa.string())
    pq.write_table(pa.table({"a": [1.0, 2.0], "t": text}), file)
    assert "UTF8" in refuse("cluster", file)


def test_bad_places(table: Path, tmp_path: Path) -> None:
    for place in (".", "/", ""):
        assert "is a directory" in refuse("cluster", place)
        assert "is a directory" in refuse("segment", place)
    assert "too long" in refuse("cluster", "x" * 300 + ".csv")
    assert "too long" in refuse("cluster", table, "-o", tmp_path / ("x" * 300 + ".csv"))
    assert "does not exist" in refuse("cluster", table / "inside.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_no_permission(image: Path, table: Path, tmp_path: Path) -> None:
    for file, command in ((table, "cluster"), (image, "segment")):
        file.chmod(0o000)
        assert "no permission" in refuse(command, file)
    table.chmod(0o600)
    output = tmp_path / "drop.csv"
    output.touch()
    output.chmod(0o200)  # may be written, but not read
    succeed("cluster", table, "-o", output)
    assert mode(output) == 0o200
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    assert "cannot be used (Permission denied)" in refuse("cluster", closed / "a.csv")
    closed.chmod(0o700)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_images_that_declare_too_much(tmp_path: Path) -> None:
    size = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(100))
    file = tmp_path / "bomb.png"
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size)
    file.write_bytes(start + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))
    assert "declares too many pixels" in refuse("segment", file)


def test_only_the_error_is_printed(tmp_path: Path) -> None:
    """Pillow logs, and warns, before it raises an error."""
    tags = {256: 4, 257: 4, 258: 8, 259: 1, 262: 1, 273: 8, 277: 60_000, 278: 4, 279: 16}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    file = tmp_path / "samples.tif"
    directory = struct.pack("<H", len(tags)) + entries + bytes(4)
    file.write_bytes(b"II*\0" + struct.pack("<I", 24) + bytes(16) + directory)
    done = process(STDOUT, "segment", file, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"quickshiftpp: the file")
    assert done.stderr.count(b"\n") == 1


def test_images_that_run_programs(image: Path, tmp_path: Path) -> None:
    """Pillow would start Ghostscript, which runs the program that an EPS file is."""
    file = tmp_path / "program.png"
    Image.open(image).save(file, format="EPS")
    assert "is not an image that can be read" in refuse("segment", file)


@pytest.mark.parametrize("kind", [">f8", ">i2", "longdouble"])
def test_fields_in_any_byte_order(tmp_path: Path, kind: str) -> None:
    values = np.arange(20) % 7
    fields = np.rec.fromarrays([values, values[::-1]], [("a", kind), ("b", kind)])
    np.save(tmp_path / "table.npy", fields)
    result = run("cluster", tmp_path / "table.npy")
    assert result.exit_code == 0, result.stderr


def test_a_negative_number_of_rows(tmp_path: Path) -> None:
    """NumPy refuses it, or reads what there is, depending on its version."""
    file = tmp_path / "bad.npy"
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}"
    file.write_bytes(npy(header, bytes(160)))
    result = run("cluster", file)
    assert result.exit_code in (0, 2)
    if result.exit_code == 2:
        assert "cannot be read as .npy" in result.stderr
