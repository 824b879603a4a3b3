"""Samples in the native index: blocks of them, with a k-d tree over the blocks or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress
from .._scaling import joint_exponent, scale
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

    def align(
        self, samples: FloatArray, squared: npt.NDArray[np.float64], threads: int
    ) -> tuple[Any, Any, npt.NDArray[np.float64]]:
        """Bring new samples and these to one precision and one scale.

        Parameters
        ----------
        samples : ndarray
            The new samples, validated.
        squared : ndarray of shape (n_samples,)
            Squared lengths, in the scale of this index.
        threads : int

        Returns
        -------
        queries, targets : Index
            The new samples and these.
        squared : ndarray of shape (n_samples,)
            The squared lengths in the common scale.
        """
        index: Any = self.index
        is_single = isinstance(index, _core.IndexFloat32)
        if is_single and samples.dtype == np.float32:
            return build_index(samples, index.has_tree, threads), index, squared
        samples = samples.astype(np.float64, copy=False)
        exponent = joint_exponent(samples, self.scale_exponent)
        shift = exponent - self.scale_exponent
        if is_single:
            index = self._index_as_float64(threads)
        if shift != 0:
            index = build_index(scale(index.rows(threads), shift), index.has_tree, threads)
        queries = build_index(scale(samples, exponent), index.has_tree, threads)
        return queries, index, squared if shift == 0 else np.ldexp(squared, 2 * shift)

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
