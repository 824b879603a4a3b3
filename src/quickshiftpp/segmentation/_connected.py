"""Segments in one piece: components of equal labels that touch along an axis."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Labels = npt.NDArray[np.int32]


def connected_segments(labels: Labels, min_size: int) -> Labels:
    """Split segments into connected ones, and join those below `min_size` to a neighbour.

    A small piece joins the segment that it shares the longest border with, of equally long ones the
    first. One that touches nothing remains. Pieces are numbered by the segment that they come from,
    then by their first pixel in C order; -1 stays -1.
    """
    first, second = _touching(labels)
    same = labels.flat[first] == labels.flat[second]
    pieces = _components(labels.size, first[same], second[same])
    # Only borders matter from here on.
    first, second = pieces[first[~same]], pieces[second[~same]]
    inside = labels.ravel() >= 0
    _, start = np.unique(pieces, return_index=True)
    is_piece = inside[start]
    sizes = np.bincount(pieces)
    joined = _join_small(first, second, sizes, is_piece, min_size)
    order = np.lexsort((start, labels.flat[start]))
    kept = order[is_piece[order] & (joined[order] == order)]
    number = np.full(len(start), -1, dtype=np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    found: Labels = number[joined][pieces].reshape(labels.shape)
    return found


def _touching(labels: Labels) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return all pairs of pixels, by number, that touch along an axis, both inside the mask."""
    pixel = np.arange(labels.size, dtype=np.int32).reshape(labels.shape)
    firsts, seconds = [], []
    for axis in range(labels.ndim):
        ahead = [slice(None)] * labels.ndim
        behind = [slice(None)] * labels.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        both = (labels[tuple(behind)] >= 0) & (labels[tuple(ahead)] >= 0)
        firsts.append(pixel[tuple(behind)][both])
        seconds.append(pixel[tuple(ahead)][both])
    return np.concatenate(firsts), np.concatenate(seconds)


def _components(
    size: int, first: npt.NDArray[np.int32], second: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return the component of each node of a graph, numbered by their first members."""
    weights = np.ones(len(first), dtype=bool)
    graph = coo_array((weights, (first, second)), shape=(size, size))
    _, found = connected_components(graph, directed=False)
    _, start = np.unique(found, return_index=True)
    number = np.empty(len(start), dtype=np.int32)
    number[np.argsort(start)] = np.arange(len(start), dtype=np.int32)
    renumbered: npt.NDArray[np.int32] = number[found]
    return renumbered


def _join_small(
    first: npt.NDArray[np.int32],
    second: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int64],
    is_piece: npt.NDArray[np.bool_],
    min_size: int,
) -> npt.NDArray[np.int64]:
    """Return for each piece the one that it ends up in: itself, if it is large enough.

    Rounds, in each of which every small piece that has no smaller neighbour joins another: one
    round would let two small pieces swap places, one piece after another would take as many rounds
    as there are pieces.
    """
    target = np.arange(len(sizes))
    sizes = sizes.copy()
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs, border = np.unique(np.stack([low, high]), axis=1, return_counts=True)
    while True:
        small = is_piece & (target == np.arange(len(target))) & (sizes < min_size)
        one = np.concatenate([pairs[0], pairs[1]])
        other = np.concatenate([pairs[1], pairs[0]])
        length = np.concatenate([border, border])
        # The smallest first, by number where equal: an order, so that no two join each other.
        rank = np.empty(len(sizes), dtype=np.int64)
        rank[np.lexsort((np.arange(len(sizes)), sizes))] = np.arange(len(sizes))
        blocked = np.zeros(len(sizes), dtype=bool)
        blocked[one[small[one] & small[other] & (rank[other] < rank[one])]] = True
        moves = small[one] & ~blocked[one]
        if not moves.any():
            return target
        one, other, length = one[moves], other[moves], length[moves]
        best = np.lexsort((other, -length, one))
        movers, position = np.unique(one[best], return_index=True)
        into = np.arange(len(sizes))
        into[movers] = other[best][position]
        np.add.at(sizes, into[movers], sizes[movers])
        target = into[target]
        pairs, border = _merge_pairs(into[pairs], border)


def _merge_pairs(
    pairs: npt.NDArray[np.int64], border: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Add up the borders between the same two pieces, and drop those inside one."""
    pairs = np.sort(pairs, axis=0)
    between = pairs[0] != pairs[1]
    merged, place = np.unique(pairs[:, between], axis=1, return_inverse=True)
    return merged, np.bincount(place.ravel(), border[between], merged.shape[1]).astype(np.int64)
