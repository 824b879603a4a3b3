"""Tables: delimited text, Parquet, NumPy arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from .base import register
from .files import TableTarget


def _columns(rng: np.random.Generator) -> dict[str, Any]:
    n, d = int(rng.integers(5, 25)), int(rng.integers(1, 4))
    columns: dict[str, Any] = {}
    for column in range(d):
        values = rng.normal(size=n) if rng.random() < 0.6 else rng.integers(0, 5, n)
        columns[f"x{column}" if rng.random() < 0.8 else f"a name, {column}"] = values
    if rng.random() < 0.4:
        columns["text"] = rng.choice(["red", "green", 'a "blue"', "7 "], n)
    if rng.random() < 0.3:
        columns["flag"] = rng.random(n) < 0.5
    return columns


@register
class DelimitedTarget(TableTarget):
    """Damaged .csv and .tsv files."""

    name = "csv"
    words = (
        b'"', b'""', b"\n", b"\r\n", b"\r", b",", b";", b"\t", b"|", b"nan", b"inf", b"-inf",
        b"1e999", b"1e-999", b"0x10", b"1_000", b"NULL", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf",
        b"\xc3\x28", b"\x1b[31m", "\u00e9".encode(), "\u2028".encode(), b"9" * 400, b"true", b"'",
    )  # fmt: skip

    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Write a table with one of the usual delimiters and encodings."""
        suffix = ".csv" if rng.random() < 0.8 else ".tsv"
        delimiter = "\t" if suffix == ".tsv" else ",;,|"[int(rng.integers(0, 4))]
        columns = _columns(rng)
        rows = [list(columns)] if rng.random() < 0.8 else []
        rows += [[str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
        end = "\n" if rng.random() < 0.8 else "\r\n"
        lines = [delimiter.join(_quoted(cell, delimiter) for cell in row) for row in rows]
        encoding = str(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"]))
        return suffix, (end.join(lines) + end).encode(encoding)


def _quoted(cell: str, delimiter: str) -> str:
    if delimiter in cell or '"' in cell or "," in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell


@register
class ParquetTarget(TableTarget):
    """Damaged .parquet files."""

    name = "parquet"
    words = (b"PAR1", b"\x15\x00", b"\x00" * 8)

    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Write a table with one of the usual compressions."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        buffer = io.BytesIO()
        pq.write_table(
            pa.table({name: pa.array(values) for name, values in _columns(rng).items()}),
            buffer,
            compression=str(rng.choice(["none", "snappy", "zstd", "gzip"])),
            use_dictionary=bool(rng.random() < 0.5),
            data_page_version=str(rng.choice(["1.0", "2.0"])),
        )
        return ".parquet", buffer.getvalue()


@register
class ArrayTarget(TableTarget):
    """Damaged .npy and .npz files."""

    name = "npy"
    words = (
        b"'O'", b"'<f8'", b"'>i2'", b"'<U5'", b"(9, 9)", b"True", b"False", b"\x93NUMPY",
        b"PK\x03\x04",
    )  # fmt: skip

    def make(self, rng: np.random.Generator) -> tuple[str, bytes]:
        """Save an array of one of many types, plain or structured, alone or in an archive."""
        n, d = int(rng.integers(5, 25)), int(rng.integers(1, 4))
        dtype = str(rng.choice(["<f8", "<f4", ">f8", "<i4", "u1", "?", "<f2", "longdouble"]))
        array: Any = (rng.normal(size=(n, d)) * 3).astype(dtype)
        if rng.random() < 0.15:
            array = array[:, 0]
        elif rng.random() < 0.15 and dtype not in ("longdouble", "?"):
            fields = [(f"c{column}", array.dtype) for column in range(d)]
            array = np.rec.fromarrays(list(array.T), fields)
        if rng.random() < 0.2:
            array = np.asfortranarray(array)
        buffer = io.BytesIO()
        draw = rng.random()
        if draw < 0.7:
            np.save(buffer, np.asarray(array))
            return ".npy", buffer.getvalue()
        (np.savez if draw < 0.85 else np.savez_compressed)(buffer, X=array, y=np.arange(3))
        return ".npz", buffer.getvalue()
