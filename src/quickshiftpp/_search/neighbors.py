"""Stage 1: each sample's k nearest samples, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import Progress, stage
from .._validation import (
    FloatArray,
    resolve_k,
    resolve_threads,
    scale,
    scaling_exponent,
    validate_samples,
)
from .memory import check_memory, skips_lists
from .projection import Cascade, build_cascade

Index: TypeAlias = _core.IndexFloat32 | _core.IndexFloat64

ALGORITHMS = ("auto", "kd_tree", "cascade", "brute")


def choose_algorithm(
    algorithm: str, X: FloatArray, threads: int, *, can_cascade: bool = True
) -> str:
    """Return the algorithm that "auto" stands for: the fastest for such samples."""
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm is {algorithm!r}, but it must be one of {ALGORITHMS}.")
    if algorithm != "auto":
        return algorithm
    n_samples, n_features = X.shape
    if n_samples <= _core.TREE_SAMPLES:
        return "brute"
    is_large = n_samples >= _core.CASCADE_SAMPLES and n_features >= _core.CASCADE_COLUMNS
    if can_cascade and is_large and not _tree_prunes(X, threads):
        return "cascade"
    return "kd_tree"


def _tree_prunes(X: FloatArray, threads: int) -> bool:
    """Whether a k-d tree over a few of the samples spares a search most of the others."""
    pilot = X[:: X.shape[0] // _core.PILOT_SAMPLES].copy()
    index: Any = build_index(pilot, True, threads)
    share: float = _core.visited_share(index, _core.PILOT_NEIGHBORS, threads)
    return share < _core.PILOT_SHARE


def build_index(X: FloatArray, tree: bool, threads: int, progress: Progress | None = None) -> Index:
    """Copy the samples into blocks, with a k-d tree over them or none."""
    if X.dtype == np.float32:
        return _core.IndexFloat32(X.view(np.float32), tree, threads, progress)
    return _core.IndexFloat64(X.view(np.float64), tree, threads, progress)


@dataclass(frozen=True)
class Searched:
    """The samples and their neighbours.

    Attributes
    ----------
    index
        The samples.
    lists
        Their neighbours.
    cascade
        What found them, where that can find more.
    """

    index: Index
    lists: _core.NeighborLists
    cascade: Cascade | None


def search(
    index: Any,
    X: FloatArray,
    k: int,
    algorithm: str,
    threads: int,
    progress: Progress | None,
    *,
    keep_lists: bool = True,
) -> Searched:
    """Find the k nearest samples of every sample by the algorithm chosen.

    `X` are the samples of the index. Unless `keep_lists`, only the radii are kept where lists would
    be large and the later stages can do without.
    """
    if algorithm != "cascade":
        n_samples, n_features = X.shape
        only_radii = not keep_lists and skips_lists(n_samples, n_features, k, algorithm)
        lists = _core.neighbor_lists(index, k, threads, progress, only_radii)
        return Searched(index, lists, None)
    cascade = build_cascade(index, X, threads, progress)
    return Searched(index, cascade.neighbor_lists(k, threads, progress), cascade)


def index_and_search(
    samples: FloatArray, k: int, algorithm: str, threads: int, n_ks: int = 1
) -> tuple[int, Searched]:
    """Find the k nearest of validated samples, after scaling by a power of two.

    `n_ks` is how many numbers of neighbours the lists are to serve.
    """
    unit = scaling_exponent(samples)
    scaled = scale(samples, unit)
    with stage("neighbors") as progress:
        chosen, index = _index_for_search(scaled, k, algorithm, threads, progress, n_ks)
        return unit, search(index, scaled, k, chosen, threads, progress)


def _index_for_search(
    X: FloatArray, k: int, algorithm: str, threads: int, progress: Progress | None, n_ks: int = 1
) -> tuple[str, Any]:
    """Choose the algorithm and build the index that it needs, where memory allows the search."""
    chosen = choose_algorithm(algorithm, X, threads)
    check_memory(X, k, chosen, n_ks=n_ks)
    return chosen, build_index(X, chosen == "kd_tree", threads, progress)


def as_float64(index: Index, threads: int) -> _core.IndexFloat64:
    """Return an index of the same samples in float64; the index itself where it is that."""
    if isinstance(index, _core.IndexFloat64):
        return index
    return _core.IndexFloat64(index.rows().astype(np.float64), index.has_tree, threads)


def all_neighbors(
    X: npt.ArrayLike, k: int, *, algorithm: str = "auto", n_jobs: int | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Find the k nearest samples of every sample, exactly.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples. float32 stays float32; distances are computed in float64 either way.
    k : int
        How many neighbours, each sample counted as its own first.
    algorithm : {"auto", "kd_tree", "cascade", "brute"}, default="auto"
        How to search: with a k-d tree over the columns, by discarding along a few leading axes (for
        many columns), or by comparing all with all. The result is the same to the last bit.
    n_jobs : int or None, default=None
        The number of threads; None for as many as OpenMP would use, -1 for all cores.

    Returns
    -------
    distances : ndarray of shape (n_samples, k)
        Euclidean distances, ascending, the first 0.
    indices : ndarray of shape (n_samples, k)
        Row numbers. The sample itself comes first; among equal distances, the lower row number.

    Examples
    --------
    >>> from quickshiftpp import all_neighbors
    >>> distances, indices = all_neighbors([[0.0], [1.0], [3.0]], k=2)
    >>> distances.tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.0, 2.0]]
    >>> indices.tolist()
    [[0, 1], [1, 0], [2, 1]]
    """
    samples = validate_samples(X)
    k = resolve_k(k, samples.shape[0])
    threads = resolve_threads(n_jobs)
    unit = scaling_exponent(samples)
    scaled = scale(samples, unit)
    with stage("neighbors") as progress:
        chosen, index = _index_for_search(scaled, k, algorithm, threads, progress)
        if chosen == "cascade":
            found = search(index, scaled, k, chosen, threads, progress)
            distances, indices = _core.list_table(index, found.lists, threads)
        else:
            distances, indices = _core.neighbor_table(index, k, threads, progress)
    return (np.ldexp(distances, -unit) if unit else distances), indices
