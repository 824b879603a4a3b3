"""Writes the columns of the input and the labels to a file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ._errors import BadInput, optional
from ._files import Outputs
from ._tables import ArrayData, Data

Labels = Mapping[str, npt.NDArray[np.int32]]

_BATCH_ROWS = 1 << 16


def check_format(data: Data, suffix: str) -> None:
    """Refuse a format that cannot store the columns of the input, before any computation."""
    if suffix in (".csv", ".tsv", ".parquet"):
        with optional(f"writing {suffix} files"):
            import pyarrow as pa
    if suffix == ".parquet" or isinstance(data, ArrayData):
        return
    import pyarrow as pa

    opaque = (pa.types.is_nested, pa.types.is_binary, pa.types.is_large_binary)
    for name, column in zip(data.names, data.table.columns, strict=True):
        if any(check(column.type) for check in opaque):
            raise BadInput(
                f"column '{name}' holds {column.type}, which {suffix} cannot store: give --output "
                "a name that ends in .parquet."
            )
    if suffix in (".npy", ".npz") and len(set(data.names)) < len(data.names):
        twice = next(name for name in data.names if data.names.count(name) > 1)
        raise BadInput(
            f"several columns are named '{twice}', which {suffix} cannot store: give --output a "
            "name that ends in .csv or .parquet."
        )


def write(data: Data, labels: Labels, path: Path, suffix: str) -> None:
    """Write the columns of the input and the labels, in the format of the suffix."""
    writers: dict[str, Callable[[Data, Labels, BinaryIO], None]] = {
        ".csv": partial(_write_delimited, delimiter=","),
        ".tsv": partial(_write_delimited, delimiter="\t"),
        ".parquet": _write_parquet,
        ".npy": _write_npy,
        ".npz": _write_npz,
    }
    with Outputs() as outputs, outputs.open(path) as file:
        writers[suffix](data, labels, file)


def _with_labels(table: Any, labels: Labels) -> Any:
    import pyarrow as pa

    for name, values in labels.items():
        table = table.append_column(name, pa.array(values))
    return table


def _write_parquet(data: Data, labels: Labels, file: BinaryIO) -> None:
    table = data.table
    with optional("writing .parquet files"):
        import pyarrow.parquet as pq
    pq.write_table(_with_labels(table, labels), file)


def _write_delimited(data: Data, labels: Labels, file: BinaryIO, *, delimiter: str) -> None:
    table = data.table if isinstance(data, ArrayData) or data.text is None else data.text
    with optional("writing .csv and .tsv files"):
        import pyarrow as pa
        import pyarrow.compute as pc

    def quoted(cells: Any) -> Any:
        text = pc.fill_null(cells.cast(pa.string()), "")
        special = pc.match_substring_regex(text, f'[{delimiter}"\r\n]')
        doubled = pc.replace_substring(text, '"', '""')
        return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)

    table = _with_labels(table, labels)
    names = quoted(pa.array(table.column_names, pa.string())).to_pylist()
    file.write((delimiter.join(names) + "\n").encode())
    for batch in table.to_batches(max_chunksize=_BATCH_ROWS):
        lines = pc.binary_join_element_wise(*map(quoted, batch.columns), delimiter)
        file.write(("\n".join(lines.to_pylist()) + "\n").encode())


def _write_npy(data: Data, labels: Labels, file: BinaryIO) -> None:
    """Write a structured array: one field per column."""
    columns = {**_numpy_columns(data), **labels}
    fields = [(name, column.dtype) for name, column in columns.items()]
    array = np.empty(data.n_samples, dtype=fields)
    for name, column in columns.items():
        array[name] = column
    np.lib.format.write_array(file, array, allow_pickle=False)


def _write_npz(data: Data, labels: Labels, file: BinaryIO) -> None:
    """Write an array as X, a table as one array per column.

    Not with numpy.savez, which cannot write arrays of some names, such as "file".
    """
    columns = {"X": data.matrix} if isinstance(data, ArrayData) else _numpy_columns(data)
    with zipfile.ZipFile(file, "w") as archive:
        for name, column in {**columns, **labels}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, column, allow_pickle=False)


def _numpy_columns(data: Data) -> dict[str, npt.NDArray[Any]]:
    """Return the columns as arrays that load without unpickling."""
    if isinstance(data, ArrayData):
        return dict(zip(data.names, data.matrix.T, strict=True))
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = {}
    for name, column in zip(data.names, data.table.columns, strict=True):
        values = column.to_numpy()
        if values.dtype == object and pa.types.is_decimal(column.type):
            values = column.cast(pa.float64()).to_numpy()
        elif values.dtype == object:
            values = pc.fill_null(column.cast(pa.string()), "").to_numpy().astype(np.str_)
        columns[name] = values
    return columns
