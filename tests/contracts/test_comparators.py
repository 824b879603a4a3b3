"""The comparators fail when they should."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from comparators import assert_same_fit, assert_same_rows
from quickshiftpp import QuickshiftPP

X = np.random.default_rng(0).normal(size=(60, 2))


def test_same_rows():
    twins = np.array([[0.0], [0.0], [1.0]])
    assert_same_rows(twins, [0, 2, -1], [1, 2, -1])
    for wrong in ([2, 2, -1], [0, 2, 2], [-1, 2, -1]):
        with pytest.raises(AssertionError):
            assert_same_rows(twins, [0, 2, -1], wrong)


ATTRIBUTES = (
    "labels_",
    "core_labels_",
    "radii_",
    "log_density_",
    "parents_",
    "mode_indices_",
    "n_clusters_",
    "tree_",
)


@pytest.mark.parametrize("attribute", [name for name in ATTRIBUTES if name != "tree_"])
def test_same_fit_sees_a_change(attribute):
    model = QuickshiftPP(5).fit(X)
    assert_same_fit(X, model, model)
    changed = SimpleNamespace(**{name: getattr(model, name) for name in ATTRIBUTES})
    assert_same_fit(X, model, changed)
    value = getattr(model, attribute)
    setattr(changed, attribute, value + 1 if np.isscalar(value) else np.roll(value, 1))
    with pytest.raises(AssertionError):
        assert_same_fit(X, model, changed)


def test_same_fit_sees_another_tree():
    with pytest.raises(AssertionError):
        assert_same_fit(X, QuickshiftPP(5).fit(X), QuickshiftPP(6).fit(X))
