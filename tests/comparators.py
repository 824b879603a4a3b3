"""What it means for two fits to agree."""

from __future__ import annotations

import numpy as np


def assert_same_rows(X, first, second):
    """The same samples up to coinciding ones; -1 only with -1."""
    first, second = np.asarray(first), np.asarray(second)
    np.testing.assert_array_equal(first < 0, second < 0)
    np.testing.assert_array_equal(X[first[first >= 0]], X[second[second >= 0]])


def assert_same_fit(X, first, second, rows=None):
    """Every attribute of two fits agrees to the last bit.

    Parameters
    ----------
    X : ndarray
        The data of the first fit.
    first, second : QuickshiftPP
    rows : ndarray, optional
        The second fit was of ``X[rows]``.
    """
    rows = np.arange(len(X)) if rows is None else rows
    for name in ("labels_", "core_labels_", "radii_", "log_density_"):
        np.testing.assert_array_equal(getattr(first, name)[rows], getattr(second, name), name)
    assert first.n_clusters_ == second.n_clusters_
    parents = np.where(second.parents_ < 0, -1, rows[second.parents_])
    assert_same_rows(X, first.parents_[rows], parents)
    assert_same_rows(X, first.mode_indices_, rows[second.mode_indices_])
    for name in ("log_density", "saddle_log_density", "parent", "prominence", "size"):
        np.testing.assert_array_equal(first.tree_.modes[name], second.tree_.modes[name], name)
