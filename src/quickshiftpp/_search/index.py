"""Samples in the native index: blocks of them, with a k-d tree over the blocks or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress
from .._scaling import has_room, rows_beyond, scale_new_samples
from .._threads import resolve_threads
from .._validation import FloatArray

Index: TypeAlias = _core.IndexFloat32 | _core.IndexFloat64


def build_index(X: FloatArray, tree: bool, threads: int, progress: Progress | None = None) -> Index:
    """Copy the samples into an index, with a k-d tree or without."""
    if X.dtype == np.float32:
        return _core.IndexFloat32(X.view(np.float32), tree, threads, progress)
    return _core.IndexFloat64(X.view(np.float64), tree, threads, progress)


@dataclass(eq=False)
class IndexedSamples:
    """Samples in an index: what an estimator keeps of its data.

    Attributes
    ----------
    index : Index
        The samples, multiplied by ``2**scale_exponent``.
    scale_exponent : int
        0 for all but extreme data.
    algorithm : str
        How to search among them: "kd_tree", "cascade" or "brute".
    """

    index: Index
    scale_exponent: int
    algorithm: str
    _as_float64: Index | None = None

    def rows_beyond(self, samples: FloatArray, threads: int) -> npt.NDArray[np.bool_]:
        """Return which of some new samples are so far away that all of these are equally near.

        Each of their squared distances is then the sum of the new sample's own squares, to the last
        bit, and larger than any float64 in the scale of this index.

        Raises
        ------
        ValueError
            Where a new sample is too large for that scale, yet these are not negligible beside it.
        """
        is_beyond = rows_beyond(samples, self.scale_exponent)
        if is_beyond.any() and not has_room(self.index.rows(threads)):
            row = int(np.argmax(is_beyond))
            value = samples[row, np.argmax(np.abs(samples[row]))]
            raise ValueError(
                f"X has the value {value:g} in row {row}, but the samples of the fit range over so "
                "many powers of ten that float64 cannot hold the squares of their values and of "
                "this one: remove the row, or set the smallest values to 0 before the fit."
            )
        return is_beyond

    def align(self, samples: FloatArray, threads: int) -> tuple[FloatArray, Any]:
        """Bring new samples to the scale of these, and both to one precision.

        Parameters
        ----------
        samples : ndarray
            The new samples, validated, none of them beyond the scale.
        threads : int

        Returns
        -------
        scaled : ndarray
            The new samples.
        index : Index
            These samples.
        """
        index: Any = self.index
        if isinstance(index, _core.IndexFloat32) and samples.dtype != np.float32:
            index = self._index_as_float64(threads)
        elif isinstance(index, _core.IndexFloat64):
            samples = samples.astype(np.float64, copy=False)
        return scale_new_samples(samples, self.scale_exponent), index

    def _index_as_float64(self, threads: int) -> Any:
        """Return an index of the same samples in float64, built once."""
        if self._as_float64 is None:
            rows = self.index.rows(threads).astype(np.float64)
            self._as_float64 = build_index(rows, self.index.has_tree, threads)
        return self._as_float64

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the samples as an array: an index is quickly built again."""
        state = dict(vars(self))
        index = state.pop("index")
        state["_as_float64"] = None
        return {**state, "rows": index.rows(resolve_threads(None)), "has_tree": index.has_tree}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows, has_tree = state.pop("rows"), state.pop("has_tree")
        vars(self).update(state)
        rows = np.require(rows, requirements=["C_CONTIGUOUS", "ALIGNED"])
        self.index = build_index(rows, has_tree, resolve_threads(None))
