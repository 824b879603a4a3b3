"""Connected pieces, and the order in which they merge: by literal algorithms and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quickshiftpp.segmentation._connected import connected_segments
from quickshiftpp.segmentation._merging import Merging, merge_segments


def pairs_of_pixels(shape):
    """Yield all pairs of pixels that touch along an axis."""
    for place in np.ndindex(*shape):
        for axis in range(len(shape)):
            other = tuple(at + (axis == a) for a, at in enumerate(place))
            if other[axis] < shape[axis]:
                yield place, other


def literal_merging(labels, colors, radii, flat):
    """Compute all differences anew after each merge, from the pixels."""
    labels = labels.copy()
    color, radius = np.zeros((*labels.shape, colors.shape[1])), np.zeros(labels.shape)
    color[labels >= 0], radius[labels >= 0] = colors, radii
    total = (labels >= 0).sum()
    steps, differences = [], []
    while True:
        borders = {}
        for one, other in pairs_of_pixels(labels.shape):
            a, b = sorted((labels[one], labels[other]))
            if 0 <= a < b:
                borders.setdefault((a, b), []).append((radius[one] + radius[other]) / 2)
        if not borders:
            return steps, np.maximum.accumulate(differences)
        found = []
        for (a, b), along in borders.items():
            n, m = (labels == a).sum(), (labels == b).sum()
            apart = np.linalg.norm(
                color[labels == a].mean(axis=0) - color[labels == b].mean(axis=0)
            )
            inner = min(radius[labels == a].mean(), radius[labels == b].mean())
            share = n * m / (n + m) / total
            large = share * min(n, m) ** (1 - 1 / labels.ndim) / len(along)
            found.append((apart * np.mean(along) ** 2 / (inner * flat) * math.sqrt(large), a, b))
        difference, a, b = min(found)
        steps.append([a, b])
        differences.append(difference)
        labels[labels == b] = a


@pytest.mark.parametrize("shape", [(40,), (7, 9), (3, 4, 5)])
@pytest.mark.parametrize("seed", range(4))
def test_merging_is_the_literal_one(shape, seed):
    rng = np.random.default_rng(seed)
    coarse = rng.integers(-1, 5, [-(-length // 2) for length in shape])
    for axis in range(len(shape)):
        coarse = np.repeat(coarse, 2, axis=axis)
    rough = coarse[tuple(slice(length) for length in shape)].astype(np.int32)
    labels = connected_segments(rough, 1)
    inside = (labels >= 0).sum()
    colors, radii = rng.random((inside, 3)), rng.uniform(0.5, 2, inside)
    steps, differences = literal_merging(labels, colors, radii, 1.7)
    found = merge_segments(labels, colors, radii, 1.7)
    assert found.n_segments == labels.max() + 1
    assert found.pairs.tolist() == steps
    np.testing.assert_allclose(found.differences, differences, rtol=1e-10)


def test_targets():
    merging = Merging(5, np.array([1.0, 2.0, 2.0, 7.0]), np.array([[3, 4], [0, 3], [1, 2], [0, 1]]))
    assert merging.targets(limit=0.9).tolist() == [0, 1, 2, 3, 4]
    assert merging.targets(limit=1.0).tolist() == [0, 1, 2, 3, 3]
    assert merging.targets(limit=2.0).tolist() == [0, 1, 1, 0, 0]
    assert merging.targets(n_segments=3).tolist() == [0, 1, 2, 0, 0]
    assert merging.targets(limit=2.0, n_segments=4).tolist() == [0, 1, 2, 3, 3]
    assert merging.targets().tolist() == [0] * 5


def joined(rows, min_size):
    labels = np.array([[".abcd".index(c) - 1 for c in row] for row in rows], dtype=np.int32)
    found = connected_segments(labels, min_size)
    return ["".join(".01234567"[number + 1] for number in row) for row in found]


@pytest.mark.parametrize(
    ("rows", "min_size", "expected"),
    [
        # Pieces are numbered by their segment, then by their first pixel.
        (["abba", "aaab"], 1, ["0221", "0003"]),
        # By the longest border: three to b, one to a.
        (["aaaa", "bcbb", "bbbb"], 2, ["0000", "1111", "1111"]),
        # Equally long borders: to the lowest number.
        (["aab", "acb", "abb"], 2, ["001", "001", "011"]),
        # A piece of exactly the least size stays.
        (["aaa", "bbc", "ccc"], 2, ["000", "112", "222"]),
        (["aaa", "bbc", "ccc"], 3, ["000", "111", "111"]),
        # What is masked out connects nothing, and is no neighbor.
        (["a.a", "a.b"], 2, ["0.1", "0.1"]),
        (["aa.b"], 2, ["00.1"]),
        # A large piece keeps its place, whichever number comes to join it.
        (["abbb", "bbcc", "cccc"], 2, ["0000", "0011", "1111"]),
        (["caab", "aabb"], 2, ["0001", "0011"]),
        # Small pieces that choose each other become one.
        (["ab.c"], 3, ["00.1"]),
    ],
)
def test_connected_pieces_by_hand(rows, min_size, expected):
    assert joined(rows, min_size) == expected
