"""Reads tables from .csv, .tsv, .parquet, .npy and .npz files."""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import BadInput, first_line, listed, optional, shown
from ._tables import ArrayData, Data, TableData

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_CANDIDATE_DELIMITERS = ",;\t|"
_MISSING_CELLS = ("", "na", "n/a", "#n/a", "nan", "-nan", "null", "none")


def read(path: Path) -> Data:
    """Read a file in the format of its suffix."""
    suffix = path.suffix.lower()
    readers: dict[str, Callable[[Path], Data]] = {
        ".parquet": _read_parquet,
        ".npy": _read_npy,
        ".npz": _read_npz,
    }
    try:
        data = readers.get(suffix, _read_delimited)(path)
        names = data.names
    except BadInput:
        raise
    except MemoryError as error:
        raise BadInput(
            f"the file '{path}' declares more data than fits into memory: check that it is "
            "complete, or give fewer rows."
        ) from error
    except Exception as error:  # damaged files make the libraries raise errors of any kind
        raise BadInput(
            f"the file '{path}' cannot be read as {suffix} ({first_line(error)}): check that it is "
            "complete and that its suffix matches its format."
        ) from error
    if data.n_samples == 0 or not names:
        raise BadInput(
            f"the file '{path}' has {data.n_samples} rows and {len(names)} columns: "
            "clustering needs at least one of each."
        )
    return data


def _read_parquet(path: Path) -> TableData:
    with optional("reading .parquet files"):
        import pyarrow.parquet as pq
    with path.open("rb") as file:  # pyarrow cannot open a name that is not UTF-8
        table = pq.ParquetFile(file).read()
    table.validate(full=True)  # text that is not UTF-8, for example, would fail only when used
    return TableData(table)


def _read_npy(path: Path) -> Data:
    with path.open("rb") as file:
        return _from_array(_load(file, f"the file '{path}'"), f"the file '{path}'")


def _read_npz(path: Path) -> Data:
    with zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        if "X" not in names and len(names) != 1:
            held = f"the arrays {listed(names)}" if names else "no arrays"
            raise BadInput(
                f"the file '{path}' contains {held}, but needs one named X, or a single one: save "
                "the samples as X."
            )
        name = "X" if "X" in names else names[0]
        source = f"the array {name} of '{path}'"
        with archive.open(archive.namelist()[names.index(name)]) as file:
            data = _from_array(_load(file, source), source)
    others = [other for other in names if other != name]
    if others:
        data.notes.append(f"only the array {name} of {path.name} was read, not {listed(others)}")
    return data


def _load(file: Any, source: str) -> npt.NDArray[Any]:
    """Read one array without unpickling, because a pickle can run any code."""
    try:
        array: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    except ValueError as error:
        if "Object arrays" not in str(error):
            raise
        raise BadInput(
            f"{source} contains Python objects (dtype object), which are not loaded because that "
            "could run code: save it as numbers, such as float64."
        ) from error
    return array


def _from_array(array: npt.NDArray[Any], source: str) -> Data:
    if array.dtype.names:
        return _from_structured(array, source)
    if array.dtype.kind not in "buif":
        raise BadInput(
            f"{source} has dtype {array.dtype}, but only real numbers can be clustered: save it as "
            "numbers, such as float64."
        )
    if array.ndim not in (1, 2):
        raise BadInput(
            f"{source} has the shape {array.shape}, with {array.ndim} dimensions, but must have 2: "
            "reshape it to one row per sample."
        )
    array = _usual_numbers(array)
    return ArrayData(array[:, None] if array.ndim == 1 else array)


def _usual_numbers(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert numbers to a type and byte order that pyarrow and the search support."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:  # longdouble
        array = array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _from_structured(array: npt.NDArray[Any], source: str) -> TableData:
    with optional("reading structured arrays"):
        import pyarrow as pa
    names = list(array.dtype.names or ())
    if array.ndim != 1:
        raise BadInput(
            f"{source} is a structured array of shape {array.shape}, but must have one dimension: "
            "flatten it first."
        )
    columns = []
    for name in names:
        try:
            columns.append(pa.array(np.ascontiguousarray(_usual_numbers(array[name]))))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise BadInput(
                f"the field {shown(name)} of {source} has dtype {array.dtype[name]}, but only real "
                "numbers and text can be read: leave it out of the file, or convert it."
            ) from error
    return TableData(pa.Table.from_arrays(columns, names=names))


def _read_delimited(path: Path) -> TableData:
    """Read every cell as text, and infer the type of each column from all of its cells."""
    with optional("reading .csv and .tsv files"):
        import pyarrow as pa
        import pyarrow.csv as pacsv

    notes: list[str] = []
    encoding = _encoding(path, notes)
    delimiter, header = _header(path, encoding, notes)
    numbers = [str(i) for i in range(len(header))]
    with path.open("rb") as file:  # pyarrow cannot open a name that is not UTF-8
        cells = pacsv.read_csv(
            file,
            read_options=pacsv.ReadOptions(column_names=numbers, encoding=encoding),
            parse_options=pacsv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(column_types=dict.fromkeys(numbers, pa.string())),
        )
    if header and all(_is_number_text(name) for name in header):
        notes.append("the first line contains only numbers, so it was read as data, not as names")
        names = [f"x{i}" for i in range(len(header))]
    else:
        names, cells = header, cells.slice(1)
    text = cells.rename_columns(names)
    typed = [_typed(column, decimal_comma=delimiter == ";") for column in text.columns]
    return TableData(pa.Table.from_arrays(typed, names=names), text, notes)


def _encoding(path: Path, notes: list[str]) -> str:
    with path.open("rb") as file:
        start = file.read(2)
        if start in (b"\xff\xfe", b"\xfe\xff"):
            return "utf-16"
    try:
        with path.open(encoding="utf-8") as lines:
            while lines.read(1 << 20):
                pass
    except UnicodeDecodeError:
        notes.append(f"{path.name} is not UTF-8 and was read as Latin-1; the output is UTF-8")
        return "latin-1"
    return "utf-8"


def _header(path: Path, encoding: str, notes: list[str]) -> tuple[str, list[str]]:
    expected = _DELIMITERS[path.suffix.lower()]
    python_encoding = "utf-8-sig" if encoding == "utf-8" else encoding
    with path.open(encoding=python_encoding, newline="") as file:
        line = next((line for line in file if line.strip()), "")
        outside_quotes = "".join(line.split('"')[::2])
        others = _CANDIDATE_DELIMITERS.replace(expected, "")
        delimiter = max(expected + others, key=outside_quotes.count)
        file.seek(0)
        header = next((row for row in csv.reader(file, delimiter=delimiter) if row), [])
    if not header:
        raise BadInput(f"the file '{path}' is empty: clustering needs at least one row.")
    if delimiter != expected:
        notes.append(f"the cells of {path.name} are separated by {delimiter!r}")
    return delimiter, header


def _is_number_text(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.strip().lower() not in _MISSING_CELLS


def _typed(column: Any, *, decimal_comma: bool) -> Any:
    """Convert a column of text to integers, floats or booleans if every cell is one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    missing = pc.is_in(pc.utf8_lower(trimmed), pa.array(_MISSING_CELLS))
    cells = pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)
    if cells.null_count == len(cells):
        return pa.chunked_array([pa.nulls(len(cells))])
    plain = pc.replace_substring_regex(cells, r"^\+", "")
    for kind in (pa.int64(), pa.float64(), pa.bool_()):
        try:
            return plain.cast(kind)
        except pa.ArrowInvalid:
            continue
    if decimal_comma:
        try:
            return pc.replace_substring(plain, ",", ".").cast(pa.float64())
        except pa.ArrowInvalid:
            pass
    return column
