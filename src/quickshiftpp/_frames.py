"""Tables in the data frame library that the user has."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from ._validation import NONE, choice

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")


def to_frame(columns: Mapping[str, npt.NDArray[Any]], library: str | None = None) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns : mapping of str to ndarray
        The columns, in order.
    library : {"pandas", "polars", "pyarrow"}, optional
        By default the first of these that is already imported, or else installed.
    """
    (choice(*FRAME_LIBRARIES) | NONE).check("library", library)
    wanted = FRAME_LIBRARIES if library is None else (library,)
    for name in sorted(wanted, key=lambda candidate: candidate not in sys.modules):
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        table = dict(columns)
        return module.table(table) if name == "pyarrow" else module.DataFrame(table)
    raise ModuleNotFoundError(
        f"to_frame needs one of {', '.join(wanted)}, and none is installed: pip install {wanted[0]}"
    )
