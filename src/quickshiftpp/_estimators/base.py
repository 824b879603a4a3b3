"""What all estimators share: an index of the samples, and fits that are all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils._param_validation import Interval, StrOptions

from .._progress import stage
from .._search.memory import check_memory
from .._search.neighbors import ALGORITHMS, Index, build_index, choose_algorithm
from .._validation import FloatArray, resolve_threads, scale, scaling_exponent, validate_samples

SEARCH_CONSTRAINTS: dict[str, Any] = {
    "algorithm": [StrOptions(set(ALGORITHMS))],
    "n_jobs": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Integral, None, -1, closed="right"),
        None,
    ],
    "verbose": ["verbose"],
}


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Put the estimator back as it was if the block fails or is interrupted."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class IndexedClusterer(ClusterMixin, BaseEstimator):
    """Keeps the samples of the fit in a native index, and pickles them as an array."""

    algorithm: str
    n_jobs: int | None
    verbose: bool

    _can_cascade: ClassVar[bool] = True
    _algorithm: str
    _index: Index
    _index_as_float64: Index | None = None
    _unit: int

    def _build_index(self, X: Any, threads: int) -> FloatArray:
        samples = validate_samples(X, estimator=self)
        self._unit = scaling_exponent(samples)
        self._index_as_float64 = None
        with stage("index", self.verbose) as progress:
            scaled = scale(samples, self._unit)
            self._algorithm = choose_algorithm(
                self.algorithm, scaled, threads, can_cascade=self._can_cascade
            )
            n_samples = samples.shape[0]
            ks = self._candidate_ks(n_samples)
            check_memory(
                scaled,
                max(ks, default=0),
                self._algorithm,
                keep_lists=self._keeps_lists(n_samples),
                n_ks=len(ks),
            )
            self._index = build_index(scaled, self._algorithm == "kd_tree", threads, progress)
        return samples

    def _candidate_ks(self, n_samples: int) -> list[int]:  # noqa: ARG002
        """Return the numbers of neighbours that the fit looks at, ascending."""
        return []

    def _keeps_lists(self, n_samples: int) -> bool:  # noqa: ARG002
        """Return whether the fit needs neighbour lists even where radii would do."""
        return False

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_index_as_float64", None)
        index = state.pop("_index", None)
        if index is not None:
            state["_index_rows"], state["_index_has_tree"] = index.rows(), index.has_tree
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rows, tree = state.pop("_index_rows", None), state.pop("_index_has_tree", None)
        super().__setstate__(state)
        if rows is not None:
            self._index = build_index(rows, tree, resolve_threads(None))
