"""What the studies share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "experiments" / "results"


class MissingDataError(Exception):
    """A file that an experiment needs does not exist."""
