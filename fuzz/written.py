"""A case as a few lines of Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def as_python(target: str, case: Mapping[str, Any]) -> str:
    """Return lines that run a case.

    Examples
    --------
    >>> import numpy as np
    >>> print(as_python("tree", {"X": np.eye(2, dtype=np.float32), "k": 1}))
    import numpy as np
    from fuzz.targets import check
    <BLANKLINE>
    X = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    check("tree", X=X, k=1)
    """
    arrays = {name: value for name, value in case.items() if isinstance(value, np.ndarray)}
    lines = ["import numpy as np"] if arrays else []
    lines += ["from fuzz.targets import check", ""]
    for name, array in arrays.items():
        lines.append(f"{name} = np.array({array.tolist()}, np.{_dtype_name(array.dtype)})")
        if array.size == 0:
            lines[-1] += f".reshape({array.shape})"
    given = ", ".join(f"{name}={name if name in arrays else repr(case[name])}" for name in case)
    lines.append(f'check("{target}", {given})')
    return "\n".join(lines)


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return "bool_" if dtype == np.bool_ else dtype.name
