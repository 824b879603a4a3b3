"""Comparisons that count themselves, and say what differs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from comparators import assert_same_fit, assert_same_rows

_MOST_SHOWN = 600


class DifferenceError(AssertionError):
    """A result is not what it must be."""


class Checks:
    """Compares results with what is expected of them.

    Attributes
    ----------
    count : int
        The number of comparisons so far.
    """

    def __init__(self) -> None:
        self.count = 0

    @contextmanager
    def _compare(self, what: str) -> Iterator[None]:
        self.count += 1
        try:
            yield
        except AssertionError as error:
            text = " ".join(str(error).split())
            raise DifferenceError(f"{what}: {text[:_MOST_SHOWN]}") from error

    def holds(self, what: str, condition: Any, detail: Any = "does not hold") -> None:
        """Require a condition."""
        self.count += 1
        if not condition:
            raise DifferenceError(f"{what}: {str(detail)[:_MOST_SHOWN]}")

    def equal(self, what: str, found: Any, expected: Any) -> None:
        """Require equal values, or arrays of equal shape and values."""
        with self._compare(what):
            np.testing.assert_array_equal(found, expected, strict=False)
            assert np.shape(found) == np.shape(expected), "the shapes differ"

    def close(self, what: str, found: Any, expected: Any, tolerance: float) -> None:
        """Require values that differ by no more than a tolerance, absolute and relative."""
        with self._compare(what):
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)

    def same_rows(self, what: str, X: Any, found: Any, expected: Any) -> None:
        """Require row numbers of equal samples; -1 only with -1."""
        with self._compare(what):
            assert_same_rows(X, found, expected)

    def same_fit(self, what: str, X: Any, found: Any, expected: Any, rows: Any = None) -> None:
        """Require two fits to agree in every attribute, the second one of ``X[rows]``."""
        with self._compare(what):
            assert_same_fit(X, found, expected, rows)
