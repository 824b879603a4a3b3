"""Stage 2: densities, and beta as a quotient of radii."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import oracle
from cases import random_case
from quickshiftpp import QuickShift, QuickshiftPP, _core
from quickshiftpp._tree.density import radius_ratio_limit


@pytest.mark.parametrize("seed", range(60))
def test_log_density(seed):
    case = random_case(seed)
    n, d = case.X.shape
    model = QuickshiftPP(case.k, 0.3).fit(case.X)
    expected = [oracle.log_density(r, n, case.k, d) for r in model.radii_]
    np.testing.assert_allclose(model.log_density_, expected, rtol=1e-14, atol=1e-13)


def test_log_density_of_many_columns_is_finite():
    X = np.random.default_rng(0).normal(size=(50, 784)) * 1e3
    assert np.isfinite(QuickshiftPP(5, 0.3).fit(X).log_density_).all()


@pytest.mark.parametrize(
    ("beta", "dimension", "limit"),
    [
        (0.5, 2, 2.0),
        (0.5, 1, 4.0),
        (0.75, 2, 4.0),
        (0.875, 3, 4.0),
        (0.3, 2, 10 / 7),
        (0.9, 1, 100.0),
    ],
)
def test_limits_that_are_numbers_people_know(beta, dimension, limit):
    assert radius_ratio_limit(beta, float(dimension)) == limit


@pytest.mark.parametrize("beta", [1e-17, 1e-9, 0.1, 0.3, 0.999999, 1 - 2**-53])
@pytest.mark.parametrize("dimension", [1, 2, 3, 7])
def test_limits_are_rounded_correctly(beta, dimension):
    limit = radius_ratio_limit(beta, float(dimension))
    exact = (1 - Fraction(repr(beta))) ** -2  # to the power 1 / dimension
    half_ulp = Fraction(math.ulp(limit)) / 2
    assert (Fraction(limit) - half_ulp) ** dimension <= exact
    assert (Fraction(limit) + half_ulp) ** dimension >= exact


def test_limits_do_not_overflow():
    assert radius_ratio_limit(0.999, 0.01) == np.finfo(float).max


def test_gaussian_sums_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    rows = rng.permutation(len(X))
    density = QuickShift(0.7).fit(X).log_density_
    np.testing.assert_array_equal(QuickShift(0.7).fit(X[rows]).log_density_, density[rows])


@pytest.mark.parametrize("bandwidth", [0.01, 0.3, 5.0, 1000.0])
def test_gaussian_density(bandwidth):
    X = np.random.default_rng(0).normal(size=(400, 2))
    sums = np.exp(-oracle.squared_distances(X, X) / (2 * bandwidth**2)).sum(axis=1)
    expected = np.log(sums) - np.log(400) - np.log(2 * np.pi * bandwidth**2)
    np.testing.assert_allclose(QuickShift(bandwidth).fit(X).log_density_, expected, atol=2e-13)


@pytest.mark.parametrize("tree", [True, False])
def test_gaussian_sums_of_very_many_equal_samples(tree):
    """Each term is exactly 1, and the sum exceeds what 64 bits hold of such terms."""
    X = np.repeat([[0.0], [1e9]], [20_000, 70], axis=0)
    sums = _core.gaussian_sums(_core.IndexFloat64(X, tree, 2), 1.0, 2)
    np.testing.assert_array_equal(sums, np.repeat([20_000.0, 70.0], [20_000, 70]))


@pytest.mark.parametrize("exponent", [-700, 600])
def test_densities_in_every_unit(exponent):
    X = np.random.default_rng(0).normal(size=(50, 2))
    expected = QuickshiftPP(5, 0.5).fit(X).log_density_ - 2 * exponent * math.log(2)
    found = QuickshiftPP(5, 0.5).fit(np.ldexp(X, exponent)).log_density_
    np.testing.assert_allclose(found, expected, rtol=1e-12)
