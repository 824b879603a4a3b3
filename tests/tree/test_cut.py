"""Cuts of trees made by hand: cores to the last bit, and clusters below the least size."""

from __future__ import annotations

import numpy as np
import pytest

from quickshiftpp import _core
from quickshiftpp._tree.mode_tree import ModeTree


def tree_of(squared_radii, parents, basins, modes, saddles, parent_modes, sizes):
    """A tree whose positions are rows."""
    native = _core.ModeTree.__new__(_core.ModeTree)
    numbers = (np.array(values, dtype=np.int32) for values in (parents, basins, modes, saddles))
    native.__setstate__(
        (
            np.arange(len(squared_radii), dtype=np.int32),
            np.array(squared_radii, dtype=np.float64),
            *numbers,
            np.array(parent_modes, dtype=np.int32),
            np.array(sizes, dtype=np.int64),
        )
    )
    return ModeTree(native, k=2, dimension=2.0, scale_exponent=0, threads=2)


def three_clusters():
    """Samples 0 to 4 around the densest mode, 5 to 7 around the next, 8 and 9 around the last.

    From 8 the climb leads through 5 to 0.
    """
    return tree_of(
        squared_radii=[1, 50, 51, 52, 53, 2, 60, 61, 4, 70],
        parents=[-1, 0, 1, 0, 3, 0, 5, 6, 5, 8],
        basins=[0, 0, 0, 0, 0, 1, 1, 1, 2, 2],
        modes=[0, 5, 8],
        saddles=[-1, 7, 9],
        parent_modes=[-1, 0, 1],
        sizes=[10, 5, 2],
    )


ALL, TWO, ONE = [0] * 5 + [1] * 3 + [2] * 2, [0] * 5 + [1] * 5, [0] * 10


@pytest.mark.parametrize(
    ("size", "labels", "modes"),
    [
        (1, ALL, [0, 5, 8]),
        (2, ALL, [0, 5, 8]),  # a cluster of exactly the least size stays
        (3, TWO, [0, 5]),
        # The second cluster has 3 samples before the third joins it, and is dissolved too.
        (4, ONE, [0]),
        (5, ONE, [0]),
        (6, ONE, [0]),  # from the densest mode there is no way to climb
        (1000, ONE, [0]),
    ],
)
def test_least_size(size, labels, modes):
    tree = three_clusters()
    found = tree._cut(0.5, size)
    assert found.labels.tolist() == labels
    assert found.mode_rows.tolist() == modes
    assert found.sizes.tolist() == np.bincount(labels).tolist()
    # The cores are the modes alone; a dissolved cluster loses its core.
    expected = np.full(10, -1)
    expected[modes] = range(len(modes))
    np.testing.assert_array_equal(found.core_labels, expected)
    assert tree.n_clusters(0.5, min_cluster_size=size) == len(modes)


def test_a_core_that_takes_over_another():
    """At the saddle of a mode its basin joins the parent's core, if that reaches the saddle."""
    tree = three_clusters()
    native = tree._native
    assert native.saddle_ratios().tolist() == [np.inf, 30.5, 17.5]
    below, at = np.nextafter(17.5, 0), 17.5
    assert len(native.cut(below, 1, 1)[1]) == 3
    # The third mode has no core any more, but its saddle, at 70, is outside the second's, 2 * 17.5.
    labels, modes, _, core, _ = native.cut(at, 1, 1)
    assert modes.tolist() == [0, 1]
    assert core.tolist() == [0, 1, -1]
    assert labels.tolist() == TWO
    labels, modes, _, core, reach = native.cut(61.0, 1, 1)
    assert modes.tolist() == [0]
    assert core.tolist() == [0, 0, -1]  # the saddles are at 61 and 70
    assert reach[:2].tolist() == [61.0, 61.0]
    assert native.cut(70.0, 1, 1)[3].tolist() == [0, 0, 0]


def test_cores_reach_as_far_as_the_quotient_says():
    """The last bit: a sample is inside where its squared radius over the mode's is at most q."""
    rng = np.random.default_rng(0)
    corrected = 0
    for _ in range(300):
        mode, limit = rng.uniform(0.1, 10), rng.uniform(1.01, 8)
        radii = [mode, mode * limit]
        for _ in range(3):
            radii = [np.nextafter(radii[1], 0), *radii, np.nextafter(radii[-1], np.inf)]
            radii.remove(mode)
            radii.insert(0, mode)
        radii = np.array(radii)
        tree = tree_of(
            squared_radii=radii,
            parents=[-1] + [0] * (len(radii) - 1),
            basins=[0] * len(radii),
            modes=[0],
            saddles=[-1],
            parent_modes=[-1],
            sizes=[len(radii)],
        )
        _, _, _, *cores = tree._native.cut(limit, 1, 1)
        inside = tree._native.core_labels(*cores, 1) == 0
        np.testing.assert_array_equal(inside, radii / mode <= limit)
        corrected += (inside != (radii <= mode * limit)).any()
    assert corrected > 30  # cases in which the product is off by a bit


def test_counts_at_a_breakpoint():
    """Where the quotient at a saddle is exactly the limit, its mode has no core any more."""
    tree = tree_of(
        squared_radii=[1, 8, 2],
        parents=[-1, 0, 0],
        basins=[0, 0, 1],
        modes=[0, 2],
        saddles=[-1, 1],
        parent_modes=[-1, 0],
        sizes=[3, 1],
    )
    assert tree._native.saddle_ratios().tolist() == [np.inf, 4.0]
    for beta, clusters in ((np.nextafter(0.75, 0), 2), (0.75, 1), (np.nextafter(0.75, 1), 1)):
        assert tree.n_clusters(beta) == clusters
        assert tree._cut(beta, 1).n_clusters == clusters
        assert len(set(tree.labels(beta))) == clusters
