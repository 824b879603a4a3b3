"""Connected segments: components of pixels of equal label that touch along an axis."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Labels = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.int32]


def connected_segments(labels: Labels, min_size: int) -> Labels:
    """Split segments into connected pieces, and join pieces below `min_size` to a neighbor.

    A small piece joins the neighbor with which it shares the longest border; ties go to the one
    with the lowest number. A piece without neighbors stays. Pieces are numbered by the segment they
    come from, then by their first pixel in C order; -1 stays -1.
    """
    first, second = _touching(labels)
    same = labels.flat[first] == labels.flat[second]
    pieces = _components(labels.size, first[same], second[same])
    # From here on only pairs of pixels across a border matter.
    first, second = pieces[first[~same]], pieces[second[~same]]
    inside = labels.ravel() >= 0
    _, start = np.unique(pieces, return_index=True)
    is_piece = inside[start]
    joined: Numbers = np.arange(len(start))
    if min_size > 1:
        joined = _join_small(first, second, np.bincount(pieces), is_piece, min_size)
    order = np.lexsort((start, labels.flat[start]))
    kept = order[is_piece[order] & (joined[order] == order)]
    number = np.full(len(start), -1, dtype=np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    found: Labels = number[joined][pieces].reshape(labels.shape)
    return found


def _touching(labels: Labels) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return all pairs of pixels inside the mask that touch along an axis, by pixel number."""
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


def _components(size: int, first: Numbers, second: Numbers) -> npt.NDArray[np.int32]:
    """Return the component of each node of a graph; components are numbered by first member."""
    weights = np.ones(len(first), dtype=bool)
    # 32-bit numbers: SciPy 1.11.1 and 1.11.2 take no others.
    nodes = first.astype(np.int32, copy=False), second.astype(np.int32, copy=False)
    graph = coo_array((weights, nodes), shape=(size, size))
    _, found = connected_components(graph, directed=False)
    _, start = np.unique(found, return_index=True)
    number = np.empty(len(start), dtype=np.int32)
    number[np.argsort(start)] = np.arange(len(start), dtype=np.int32)
    renumbered: npt.NDArray[np.int32] = number[found]
    return renumbered


def _join_small(
    first: Numbers, second: Numbers, sizes: Numbers, is_piece: npt.NDArray[np.bool_], min_size: int
) -> Numbers:
    """Return the piece that each piece is joined to: itself, if it is large enough.

    In each round every small piece chooses a neighbor. All pieces linked by these choices become
    one, with the number of the large piece among them, or else of the first. Each round at least
    halves the number of small pieces that have a neighbor.
    """
    count = len(sizes)
    target = np.arange(count)
    while True:
        is_small = is_piece & (target == np.arange(count)) & (sizes < min_size)
        low, high, length = _borders(target[first], target[second], count)
        one, other = np.concatenate([low, high]), np.concatenate([high, low])
        length = np.concatenate([length, length])
        chooses = is_small[one]
        if not chooses.any():
            return target
        one, other, length = one[chooses], other[chooses], length[chooses]
        best = np.lexsort((other, -length, one))
        chooser, place = np.unique(one[best], return_index=True)
        linked = _components(count, chooser, other[best][place])
        # Large pieces choose no neighbor, so no two of them are linked.
        _, name = np.unique(linked, return_index=True)
        large = np.flatnonzero(~is_small & (target == np.arange(count)))
        name[linked[large]] = large
        into = name[linked]
        sizes = np.bincount(into, weights=sizes, minlength=count).astype(np.int64)
        target = into[target]


def _borders(first: Numbers, second: Numbers, count: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the pairs of pieces that touch, and the length of each border."""
    apart = first != second
    low = np.minimum(first[apart], second[apart]).astype(np.int64)
    high = np.maximum(first[apart], second[apart])
    keys, length = np.unique(low * count + high, return_counts=True)
    low, high = np.divmod(keys, count)
    return low, high, length
