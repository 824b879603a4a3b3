"""How well a segmentation agrees with those that people drew of the same photograph.

``docs/segmentation_quality.md`` defines the measures. Those of regions are computed from the table
that counts the pixels which a region of one segmentation shares with a region of the other. The
mean over people in [1]_ is over the pixels of all their segmentations, which are equally many.

References
----------
.. [1] P. Arbelaez, M. Maire, C. Fowlkes, J. Malik. Contour Detection and Hierarchical Image
   Segmentation. IEEE TPAMI 33(5), 2011, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from scipy.spatial import cKDTree
from skimage import morphology

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

TOLERANCE = 0.0075  # of the diagonal, as in the benchmark


class RegionScores(NamedTuple):
    """Agreement of regions with one person, or the mean over people."""

    covering: float
    rand_index: float
    variation: float


class BoundaryCounts(NamedTuple):
    """Boundary pixels with a partner, and all of them; counts of several images add up."""

    matched: int
    drawn: int
    recalled: int
    human: int

    @property
    def f_measure(self) -> float:
        """The harmonic mean of precision and recall."""
        precision = self.matched / max(self.drawn, 1)
        recall = self.recalled / max(self.human, 1)
        return 2 * precision * recall / max(precision + recall, np.finfo(float).tiny)


def compact(labels: npt.ArrayLike) -> IntArray:
    """Return labels, in the same shape, that run from 0 without gaps.

    Examples
    --------
    >>> compact([[7, 7], [9, 3]]).tolist()
    [[1, 1], [2, 0]]
    """
    array = np.asarray(labels).astype(np.int64)
    low, high = int(array.min()), int(array.max())
    if high - low >= max(array.size, 1024):
        return np.unique(array, return_inverse=True)[1].reshape(array.shape).astype(np.int64)
    # Without sorting, which would take most of the time of all measures.
    present = np.bincount(array.ravel() - low) > 0
    return (np.cumsum(present) - 1)[array - low]


def contingency(labels: npt.ArrayLike, truth: npt.ArrayLike) -> IntArray:
    """Count the pixels that each region shares with each region of the truth.

    Examples
    --------
    >>> contingency([0, 0, 1, 1], [5, 5, 5, 7]).tolist()
    [[2, 0], [1, 1]]
    """
    rows, columns = compact(labels).ravel(), compact(truth).ravel()
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    counts = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1])
    return counts.reshape(shape)


def compare_regions(labels: npt.ArrayLike, truth: npt.ArrayLike) -> RegionScores:
    """Compare two segmentations of at least two pixels.

    Parameters
    ----------
    labels, truth : array-like of int, of the same shape
        The machine's segmentation, and a person's, which it is to cover.

    Examples
    --------
    >>> compare_regions([0, 0, 1, 1], [5, 5, 5, 5])  # doctest: +ELLIPSIS
    RegionScores(covering=0.5, rand_index=0.33..., variation=1.0)
    """
    shared = contingency(labels, truth)
    machine, human = shared.sum(axis=1), shared.sum(axis=0)
    n_pixels = int(human.sum())
    overlap = shared / (machine[:, None] + human[None, :] - shared)
    covering = float(human @ overlap.max(axis=0)) / n_pixels

    def pairs(counts: IntArray) -> float:
        return float(np.sum(counts * (counts - 1.0)) / 2)

    all_pairs = n_pixels * (n_pixels - 1.0) / 2
    disagreeing = pairs(machine) + pairs(human) - 2 * pairs(shared)

    def entropy(counts: IntArray) -> float:
        shares = counts[counts > 0] / n_pixels
        return float(-np.sum(shares * np.log2(shares)))

    # Of the joint distribution: I = H(S) + H(S') - H(S, S').
    variation = 2 * entropy(shared) - entropy(machine) - entropy(human)
    return RegionScores(covering, 1 - disagreeing / all_pairs, max(variation, 0.0))


def score_regions(labels: npt.ArrayLike, people: Sequence[npt.ArrayLike]) -> RegionScores:
    """Return the mean agreement with several people."""
    scores = [compare_regions(labels, person) for person in people]
    return RegionScores(*np.mean(scores, axis=0).tolist())


def boundary(labels: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Mark the pixels whose right or lower neighbor has another label, thinned to a line."""
    array = np.asarray(labels)
    marked = np.zeros(array.shape, dtype=bool)
    marked[:, :-1] |= array[:, :-1] != array[:, 1:]
    marked[:-1] |= array[:-1] != array[1:]
    thin: Callable[..., npt.NDArray[np.bool_]] = morphology.thin  # untyped
    return thin(marked)


def correspond(one: FloatArray, other: FloatArray, radius: float) -> IntArray:
    """Pair as many points as possible, none with two partners and none beyond a distance.

    Returns
    -------
    ndarray of shape (len(one),)
        The partner among `other` of each point of `one`, -1 for none.
    """
    if not len(one) or not len(other):
        return np.full(len(one), -1, dtype=np.int64)
    near = cKDTree(one).sparse_distance_matrix(cKDTree(other), radius, output_type="coo_matrix")
    # A flow from a source to `one` to `other` to a sink, one unit through each point.
    source, sink = len(one) + len(other), len(one) + len(other) + 1
    starts = [np.full(len(one), source), near.row, np.arange(len(other)) + len(one)]
    ends = [np.arange(len(one)), near.col + len(one), np.full(len(other), sink)]
    edges = np.concatenate(starts), np.concatenate(ends)
    capacity = csr_array(
        (np.ones(len(edges[0]), dtype=np.int32), edges), shape=(sink + 1, sink + 1)
    )
    flow = maximum_flow(capacity, source, sink, method="dinic").flow.tocoo()
    used = (flow.data > 0) & (flow.row < len(one))
    partners = np.full(len(one), -1, dtype=np.int64)
    partners[flow.row[used]] = flow.col[used] - len(one)
    return partners


def line(labels: npt.ArrayLike) -> FloatArray:
    """Return the coordinates of the boundary pixels of a segmentation."""
    return np.argwhere(boundary(labels)).astype(np.float64)


def compare_boundaries(
    labels: npt.ArrayLike,
    people: Sequence[npt.ArrayLike],
    lines: Sequence[FloatArray] | None = None,
) -> BoundaryCounts:
    """Count the boundary pixels that correspond to those of any person, and the other way.

    Parameters
    ----------
    labels : array-like of int
    people : sequence of array-like of int
    lines : sequence of ndarray, optional
        What `line` returns for each person, where it is at hand.
    """
    array = np.asarray(labels)
    radius = TOLERANCE * float(np.hypot(*array.shape))
    drawn = line(array)
    found = np.zeros(len(drawn), dtype=bool)
    recalled = human = 0
    for points in lines if lines is not None else map(line, people):
        partners = correspond(drawn, points, radius)
        found |= partners >= 0
        recalled += int(np.count_nonzero(partners >= 0))
        human += len(points)
    return BoundaryCounts(int(found.sum()), len(drawn), recalled, human)
