"""From samples to neighbors: scale, choose a search, check memory, index, search.

Every fit, sweep, segmentation and neighbor table takes this way. The result, :class:`Neighbors`, is
the one form that the tree is built from, wherever the neighbors come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import _core
from .._progress import Progress, stage
from .._scaling import scale_samples
from .._threads import worthwhile_threads
from .._validation import FloatArray
from .algorithm import choose_algorithm
from .cascade import Cascade, build_cascade
from .index import IndexedSamples, build_index
from .memory import check_fit, skips_lists
from .pixels import Grid, search_windows


@dataclass(eq=False)
class Neighbors:
    """The neighbors of every sample, for the largest k that is needed.

    Attributes
    ----------
    samples : IndexedSamples
        They settle ties, and find the nearest denser sample where no list holds one.
    lists : NeighborLists
        Each sample's k nearest, in increasing distance; radii alone where lists are skipped.
    cascade : Cascade or None
        Finds the nearest denser sample faster, where the lists came from it.
    threads : int
    verbose : bool
    """

    samples: IndexedSamples
    lists: _core.NeighborLists
    cascade: Cascade | None
    threads: int
    verbose: bool

    def nearest_below(self, key: Any, limit: Any, progress: Progress | None) -> Any:
        """Return for each sample the row of the nearest one whose key is below its limit."""
        if self.cascade is not None:
            return self.cascade.nearest_below(key, limit, self.threads, progress)[0]
        index: Any = self.samples.index
        return _core.nearest_below(index, index, key, limit, self.threads, progress)[0]


class PreparedSamples(NamedTuple):
    """Samples in the scale of their search.

    Attributes
    ----------
    scaled : ndarray
        The samples, multiplied by ``2**scale_exponent``; as they were given where that is 0.
    scale_exponent : int
    algorithm : str
        How to search among them: "kd_tree", "cascade" or "brute".
    """

    scaled: FloatArray
    scale_exponent: int
    algorithm: str


def prepare_samples(
    samples: FloatArray,
    k: int,
    *,
    algorithm: str,
    threads: int,
    can_cascade: bool = True,
) -> PreparedSamples:
    """Scale validated samples, and choose a search.

    Parameters
    ----------
    samples : ndarray
        Validated samples.
    k : int
        The largest number of neighbors that will be searched for, 0 for none.
    algorithm : str
        One of ``ALGORITHMS``.
    threads : int
    can_cascade : bool
        Whether "auto" may choose the cascade.
    """
    scaled, exponent = scale_samples(samples)
    chosen = choose_algorithm(algorithm, scaled, threads, k=k, can_cascade=can_cascade)
    return PreparedSamples(scaled, exponent, chosen)


def index_samples(
    samples: FloatArray,
    k: int,
    *,
    algorithm: str,
    threads: int,
    needs_lists: bool = True,
    n_ks: int = 1,
    can_cascade: bool = True,
    verbose: bool = False,
) -> tuple[IndexedSamples, FloatArray]:
    """Prepare validated samples for a fit, and build the index. Returns the scaled samples, too.

    Parameters
    ----------
    samples, k, algorithm, threads, can_cascade
        See :func:`prepare_samples`.
    needs_lists : bool
        False where radii are enough once the neighbors are found.
    n_ks : int
        The number of values of k that will be used.
    verbose : bool
        Whether the time taken is printed.
    """
    with stage("index", verbose) as progress:
        scaled, exponent, chosen = prepare_samples(
            samples, k, algorithm=algorithm, threads=threads, can_cascade=can_cascade
        )
        check_fit(scaled, k, chosen, keep_lists=needs_lists, n_ks=n_ks)
        index = build_index(scaled, chosen == "kd_tree", threads, progress)
    return IndexedSamples(index, exponent, chosen), scaled


@contextmanager
def find_neighbors(
    samples: FloatArray,
    k: int,
    *,
    algorithm: str,
    threads: int,
    needs_lists: bool = True,
    n_ks: int = 1,
    verbose: bool = False,
) -> Iterator[Neighbors]:
    """Find the k nearest samples of every sample. The lists are freed when the block ends.

    The parameters are those of :func:`index_samples`.
    """
    threads = worthwhile_threads(threads, *samples.shape)
    indexed, scaled = index_samples(
        samples,
        k,
        algorithm=algorithm,
        threads=threads,
        needs_lists=needs_lists,
        n_ks=n_ks,
        verbose=verbose,
    )
    index: Any = indexed.index
    cascade = None
    with stage("neighbors", verbose) as progress:
        if indexed.algorithm == "cascade":
            cascade = build_cascade(scaled, threads, progress, index=index)
            lists = cascade.neighbor_lists(k, threads, progress)
        else:
            n_samples, n_features = scaled.shape
            only_radii = not needs_lists and skips_lists(
                n_samples, n_features, k, indexed.algorithm
            )
            lists = _core.neighbor_lists(index, k, threads, progress, only_radii)
    with _freed_afterwards(Neighbors(indexed, lists, cascade, threads, verbose)) as neighbors:
        yield neighbors


@contextmanager
def find_pixel_neighbors(
    samples: FloatArray, grid: Grid, k: int, *, algorithm: str, threads: int
) -> Iterator[Neighbors]:
    """Find the k nearest pixels of every pixel, as :func:`find_neighbors` would.

    Parameters
    ----------
    samples : ndarray
        The coordinates of every pixel on the grid, then its colors.
    grid : Grid
    k, threads : int
    algorithm : {"auto", "windows", "kd_tree"}
        Search in windows of the image, in the k-d tree, or whichever is faster.
    """
    tree_or_auto = "kd_tree" if algorithm == "windows" else algorithm
    indexed, _ = index_samples(
        samples, k, algorithm=tree_or_auto, threads=threads, can_cascade=False
    )
    index: Any = indexed.index
    with stage("neighbors") as progress:
        lists = None
        if algorithm != "kd_tree" and indexed.scale_exponent == 0 and index.has_tree:
            lists = search_windows(index, grid, k, algorithm == "windows", threads, progress)
        if lists is None:
            lists = _core.neighbor_lists(index, k, threads, progress)
    with _freed_afterwards(Neighbors(indexed, lists, None, threads, False)) as neighbors:
        yield neighbors


@contextmanager
def _freed_afterwards(neighbors: Neighbors) -> Iterator[Neighbors]:
    try:
        yield neighbors
    finally:
        del neighbors.lists, neighbors.cascade
