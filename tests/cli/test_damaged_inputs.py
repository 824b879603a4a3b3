"""Inputs of the command line that are damaged, out of reach, or made to harm."""

from __future__ import annotations

import os
import stat
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("click")
pa = pytest.importorskip("pyarrow")
Image = pytest.importorskip("PIL.Image")

import pyarrow.parquet as pq  # noqa: E402

from commands import is_clean, refuse, run, run_process, succeed  # noqa: E402


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
    assert stat.S_IMODE(output.stat().st_mode) == 0o200
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
    done = run_process("segment", file, capture_output=True)
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
