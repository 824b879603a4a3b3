"""Inputs for which the projection errs nearly as much as its bounds allow.

The bounds of the core have such tests in C++; `docs/exactness.md` lists how close they come.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from plans import project_on
from quickshiftpp._search import projection
from quickshiftpp._search.projection import (
    SUMMED_COLUMNS,
    UNIT,
    lengthening_bound,
    project_rows,
    projection_error,
)

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def true_length(vector):
    return math.sqrt(math.fsum(vector.astype(np.float64) ** 2))


def large_and_small(n_features):
    """Return a vector in which every product with itself but the first is lost in float32 sums."""
    vector = np.full(n_features, 2.0**-12 * (1 - 2.0**-12), dtype=np.float32)
    vector[0] = 1
    return vector


def sum_in_order(products):
    """Return the float32 sum of products as a matrix product may compute it, in parts."""
    parts = [
        np.add.accumulate(products[start : start + SUMMED_COLUMNS], dtype=np.float32)[-1]
        for start in range(0, len(products), SUMMED_COLUMNS)
    ]
    return np.add.accumulate(np.array(parts), dtype=np.float32)[-1]


def test_lengthening_of_one_axis():
    """A vector along an axis that is too long is lengthened by nearly the bound."""
    for length in (1 + 2.0**-20, 1.001):
        axis = np.zeros((1, 300), dtype=np.float32)
        axis[0, 7] = length
        bound = lengthening_bound(axis)
        assert length <= bound
        assert length - 1 > 0.99 * (bound - 1)


def test_lengthening_of_parallel_axes():
    """Equal axes lengthen most of all."""
    axes = np.zeros((4, 10), dtype=np.float32)
    axes[:, 0] = 1
    assert lengthening_bound(axes) >= 2


def test_lengthening_that_float64_loses():
    """What the products of the axes lose to rounding counts as well."""
    axis = np.full((1, 300_000), 2.0**-27, dtype=np.float32)
    axis[0, 0] = 1
    assert true_length(axis[0]) <= lengthening_bound(axis)
    assert lengthening_bound(axis) - 1 < 10 * (true_length(axis[0]) - 1)


@pytest.mark.parametrize("n_features", [40, 256, 784])
def test_sums_of_a_float32_projection(n_features):
    """The worst order of summation comes close to the bound, and the product stays within it."""
    vector = large_and_small(n_features)
    length = true_length(vector)
    bound = projection_error(FLOAT32, 1, n_features) * lengthening_bound(vector[None]) * length
    products = vector * vector
    error = abs(float(sum_in_order(products)) - math.fsum(vector.astype(np.float64) ** 2))
    assert error <= bound
    assert error > 0.94 * bound
    for n_axes in (1, 8, 40):
        axes = np.eye(n_axes, n_features, dtype=np.float32)
        axes[0] = vector
        limit = projection_error(FLOAT32, n_axes, n_features) * lengthening_bound(axes) * length
        rows = np.repeat(vector[None], 600, axis=0)
        found = project_rows(rows, np.zeros(n_features), 1.0, axes, FLOAT32)
        exact = axes.astype(np.float64) @ vector.astype(np.float64)
        assert (np.linalg.norm(found - exact, axis=1) <= limit).all()


@pytest.mark.parametrize("precision", [FLOAT32, FLOAT64])
def test_conversion_to_float32(precision):
    """Coordinates just above a power of two are rounded by 97% of the bound, apart from each other.

    In float32 the bound also covers sums that are exact here.
    """
    n = 15
    value = 0.25 + 2.0**-26 + 2.0**-40
    X = np.array([[value] * n, [-value] * n])
    axes = np.eye(n, dtype=np.float32)
    coordinates = project_rows(X, np.zeros(n), 1.0, axes, precision).astype(np.float64)
    apart = np.linalg.norm(coordinates[0] - coordinates[1]) - np.linalg.norm(X[0] - X[1])
    bound = 2 * projection_error(precision, n, n) * lengthening_bound(axes)
    assert apart <= bound
    sums = n * UNIT[precision] * math.sqrt(n)
    assert apart > 0.96 * (bound - 2 * sums)


@pytest.mark.parametrize("precision", [FLOAT32, FLOAT64])
def test_both_samples_of_a_pair_err(precision, monkeypatch):
    """A distance between two projections errs by what either of them may be moved."""
    if precision == FLOAT64:
        monkeypatch.setattr(projection, "_FLOAT32_ERROR_SHARE", 0.0)
    X = np.random.default_rng(0).normal(size=(50, 15))
    assert project_on(X, 7).error >= 2 * projection_error(precision, 7, 15)
