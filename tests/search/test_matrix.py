"""The core's own matrix product, and orthonormal rows."""

from __future__ import annotations

import numpy as np
import pytest

from quickshiftpp import _core


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("rows", "columns", "width"),
    [(1, 1, 1), (3, 5, 31), (33, 257, 32), (70, 600, 65), (64, 3, 200)],
)
def test_products(rows, columns, width, threads):
    rng = np.random.default_rng(rows)
    a, b = rng.normal(size=(rows, columns)), rng.normal(size=(columns, width))
    exact = a @ b
    # Errors are at most so many times the product of the absolute values.
    allowed = (columns + 2) * (np.abs(a) @ np.abs(b))
    assert (np.abs(_core.product_float64(a, b, threads) - exact) <= 2.0**-53 * allowed).all()
    single = _core.product_float32(a.astype(np.float32), b.astype(np.float32), threads)
    assert single.dtype == np.float32
    assert (np.abs(single - exact) <= 2.0**-23 * allowed).all()


def test_whole_numbers_are_multiplied_exactly():
    rng = np.random.default_rng(1)
    a, b = rng.integers(-9, 9, (50, 700)), rng.integers(-9, 9, (700, 40))
    for product, kind in ((_core.product_float32, np.float32), (_core.product_float64, float)):
        np.testing.assert_array_equal(product(a.astype(kind), b.astype(kind), 2), a @ b)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 5), (40, 100)])
def test_orthonormal_rows(rows, columns):
    vectors = np.random.default_rng(0).normal(size=(rows, columns))
    found = _core.orthonormalize(vectors, 1)
    np.testing.assert_allclose(found @ found.T, np.eye(rows), atol=1e-12)
    # The first rows have the span of the first vectors.
    half = (rows + 1) // 2
    inside = vectors[:half] @ found[:half].T @ found[:half]
    np.testing.assert_allclose(inside, vectors[:half], atol=1e-10)


@pytest.mark.parametrize("kind", ["zero", "equal", "few"])
def test_dependent_rows_are_replaced(kind):
    rng = np.random.default_rng(0)
    vectors = {
        "zero": np.zeros((6, 9)),
        "equal": np.ones((6, 9)),
        "few": rng.normal(size=(6, 2)) @ rng.normal(size=(2, 6)),
    }[kind]
    found = _core.orthonormalize(vectors, 1)
    np.testing.assert_allclose(found @ found.T, np.eye(6), atol=1e-9)


def test_bad_shapes():
    a = np.ones((2, 3))
    for call in (
        lambda: _core.product_float64(a, a, 1),
        lambda: _core.product_float64(a, np.ones((3, 0)), 1),
        lambda: _core.orthonormalize(np.ones((3, 2)), 1),
        lambda: _core.orthonormalize(np.full((2, 3), np.nan), 1),
    ):
        with pytest.raises(ValueError, match=r"matrix|rows|values"):
            call()
