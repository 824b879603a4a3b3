"""Tables and arrays in memory, and the choice of columns to cluster by."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import BadInput, listed, optional, shorten, shown

SUFFIXES = (".csv", ".tsv", ".parquet", ".npy", ".npz")


@dataclass
class Selection:
    """The columns to cluster by, and the names of the others."""

    matrix: npt.NDArray[Any]
    used: list[str]
    left_out: list[str]


@dataclass
class TableData:
    """A table with named columns of any type."""

    table: Any
    text: Any = None  # the cells of a delimited file as text, to write them back unchanged
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self.table.column_names)

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    def select(self, columns: str | None) -> Selection:
        """Return the named columns, or all numeric ones, as a matrix."""
        names, types = self.names, [_value_type(column) for column in self.table.columns]
        if columns is None:
            chosen = [i for i, kind in enumerate(types) if _is_number(kind)]
        else:
            chosen = [self._find(name) for name in _split_names(columns)]
        if not chosen:
            held = zip(names, types, strict=True)
            kinds = listed(f"{shown(name)} ({_kind_name(kind)})" for name, kind in held)
            raise BadInput(
                f"there are no numeric columns among {kinds}: clustering needs at least one."
            )
        values = [self._values(i) for i in chosen]
        narrow = all(column.dtype == np.float32 for column in values)
        matrix = np.empty((self.n_samples, len(chosen)), np.float32 if narrow else np.float64)
        for position, column in enumerate(values):
            matrix[:, position] = column
        unused = sorted(set(range(len(names))) - set(chosen))
        left_out = [shown(names[i]) for i in unused]
        if columns is None:
            reasons = (
                _kind_name(types[i]) + _example(self.table.column(i), types[i]) for i in unused
            )
            left_out = [f"{name} ({why})" for name, why in zip(left_out, reasons, strict=True)]
        return Selection(matrix, [shown(names[i]) for i in chosen], left_out)

    def _find(self, name: str) -> int:
        names = self.names
        matches = [i for i, other in enumerate(names) if other == name]
        if not matches:
            matches = [i for i, other in enumerate(names) if other.strip() == name.strip()]
        if not matches:
            there = listed(map(shown, names))
            raise BadInput(f"there is no column '{name}': choose --columns from {there}.")
        if len(matches) > 1:
            raise BadInput(
                f"{len(matches)} columns are named '{name}': rename all but one of them in the "
                "file."
            )
        return matches[0]

    def _values(self, index: int) -> npt.NDArray[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        column, name = self.table.column(index), self.table.schema.field(index).name
        kind = _value_type(column)
        if not (_is_number(kind) or pa.types.is_boolean(kind)):
            raise BadInput(
                f"column '{name}' holds {_kind_name(kind)}{_example(column, kind)}, but only "
                "numbers can be clustered: leave it out, or convert it to numbers first."
            )
        if column.null_count:
            missing = pc.is_null(column).to_numpy(zero_copy_only=False)
            _refuse_rows(missing, f"column '{name}'", "missing")
        if pa.types.is_dictionary(column.type):
            column = column.cast(kind)
        if pa.types.is_boolean(kind):
            column = column.cast(pa.uint8())
        target = pa.float32() if kind in (pa.float16(), pa.float32()) else pa.float64()
        values: npt.NDArray[Any] = column.cast(target, safe=False).to_numpy()
        _refuse_rows(~np.isfinite(values), f"column '{name}'", "not finite (NaN or infinite)")
        return values


@dataclass
class ArrayData:
    """An array whose columns have numbers instead of names."""

    matrix: npt.NDArray[Any]
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The names that the columns get in a table."""
        return [f"x{i}" for i in range(self.matrix.shape[1])]

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    def select(self, columns: str | None) -> Selection:
        """Return the columns of these numbers, or all, as a matrix."""
        if columns is None:
            matrix, chosen = self.matrix, list(range(self.matrix.shape[1]))
        else:
            chosen = [self._find(number) for number in _split_names(columns)]
            matrix = self.matrix[:, chosen]
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float32 if matrix.dtype == np.float16 else np.float64)
        bad = ~np.isfinite(matrix)
        if bad.any():
            worst = int(np.flatnonzero(bad.any(axis=0))[0])
            _refuse_rows(bad[:, worst], f"column {chosen[worst]}", "not finite (NaN or infinite)")
        left_out = [str(i) for i in sorted(set(range(self.matrix.shape[1])) - set(chosen))]
        return Selection(matrix, [str(i) for i in chosen], left_out)

    def _find(self, number: str) -> int:
        last = self.matrix.shape[1] - 1
        if not number.strip().isdecimal() or int(number) > last:
            raise BadInput(
                f"there is no column '{number}': choose --columns by number, here from 0 to {last}."
            )
        return int(number)

    @property
    def table(self) -> Any:
        """The array as a table."""
        with optional("writing tables"):
            import pyarrow as pa
        columns = [pa.array(np.ascontiguousarray(column)) for column in self.matrix.T]
        return pa.Table.from_arrays(columns, names=self.names)


Data = TableData | ArrayData


def _value_type(column: Any) -> Any:
    import pyarrow as pa

    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(check(kind) for check in checks)


def _kind_name(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_null(kind):
        return "nothing"
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    return str(kind)


def _example(column: Any, kind: Any) -> str:
    """Describe the first cell of a text column that is not a number."""
    if _kind_name(kind) != "text":
        return ""
    import pyarrow.compute as pc

    number = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
    texts = column.cast(kind)
    matches = pc.fill_null(pc.match_substring_regex(texts, number), True)
    rows = np.flatnonzero(~matches.to_numpy(zero_copy_only=False))
    if not rows.size:
        return ""
    cell = shorten(texts[int(rows[0])].as_py(), 40)
    return f", such as '{cell}' in row {rows[0] + 1}"


def _refuse_rows(bad: npt.NDArray[np.bool_], column: str, what: str) -> None:
    rows = np.flatnonzero(bad)
    if not rows.size:
        return
    count = "one value that is" if rows.size == 1 else f"{rows.size} values that are"
    where = "in row" if rows.size == 1 else "the first in row"
    raise BadInput(
        f"{column} has {count} {what}, {where} {rows[0] + 1} (counted from 1): fill in these "
        "values, drop these rows, or leave the column out with --columns."
    )


def _split_names(columns: str) -> list[str]:
    names = next(csv.reader([columns], skipinitialspace=True), [])
    chosen = list(dict.fromkeys(name for name in names if name.strip()))
    if not chosen:
        raise BadInput(
            f"--columns is '{columns}', which contains no name: give names separated by commas."
        )
    return chosen
