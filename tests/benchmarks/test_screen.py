"""The screen beside the peak of the processor, and what it leaves to be measured exactly."""

from __future__ import annotations

import numpy as np

from benchmarks.screen import exact_distances, share_table, speed_table


def test_speeds():
    lines = speed_table("8 bits,256,200.0,180.0,0.900\n").splitlines()
    assert lines[-1].split("|")[1:-1] == [" 8 bits ", " 256 ", " 200.0 ", " 180.0 ", " 90% "]


def test_hardly_more_than_k_distances_are_exact():
    X = np.random.default_rng(0).standard_normal((1500, 64), dtype=np.float32)
    assert 20 * 1500 <= exact_distances(X, 20, 2) < 24 * 1500
    assert exact_distances(np.repeat(X[:100], 5, axis=0), 3, 1) <= 500 * 500


def test_shares():
    X = np.random.default_rng(0).standard_normal((300, 40), dtype=np.float32)
    text = share_table(X, (100, 900), 5, 1)
    assert "| 100 x 40 |" in text
    assert "| 300 x 40 |" in text
    assert "900" not in text
