"""What all estimators share: checked parameters, and fits that are all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from sklearn.base import BaseEstimator, ClusterMixin

from .._search.algorithm import ALGORITHMS
from .._validation import N_JOBS, VERBOSE, Allowed, check_parameters, choice

SEARCH_PARAMETERS: dict[str, Allowed] = {
    "algorithm": choice(*ALGORITHMS),
    "n_jobs": N_JOBS,
    "verbose": VERBOSE,
}


class DensityClusterer(ClusterMixin, BaseEstimator):
    """Base of the estimators."""

    _allowed: ClassVar[dict[str, Allowed]]

    @contextmanager
    def _fitting(self) -> Iterator[None]:
        """Check the parameters; put the estimator back as it was if the fit fails."""
        check_parameters(self.get_params(deep=False), self._allowed)
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
