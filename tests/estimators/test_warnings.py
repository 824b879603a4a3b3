"""A setting that shows next to nothing is told, with the remedy; a choice of ours never is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from quickshiftpp import DegenerateClusteringWarning, QuickshiftPP

X = np.random.default_rng(0).normal(size=(100, 2))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 20, "beta": 0.99}, r"beta=0.99 and k=20 give one cluster only.*smaller beta or k"),
        ({"k": 2, "beta": 0.3}, r"over half of the \d+ clusters are single.*min_cluster_size"),
        ({"k": 1, "beta": 0.3}, r"over half of the 100 clusters are single"),
        ({"k": 60, "beta": 0.3}, r"k=60 neighbors are more than half of the 100 samples.*smaller"),
    ],
)
def test_degenerate_settings(parameters, message):
    with pytest.warns(DegenerateClusteringWarning, match=message) as caught:
        QuickshiftPP(**parameters).fit(X)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "parameters",
    [{}, {"k": "auto", "beta": "auto"}, {"k": 20}, {"k": 8, "beta": 0.3, "min_cluster_size": "k"}],
)
def test_other_settings(parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        QuickshiftPP(**parameters).fit(X)
        QuickshiftPP(**parameters).fit(np.vstack([X, X + 20]))
