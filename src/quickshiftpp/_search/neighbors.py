"""The exact k-nearest-neighbor search by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._progress import stage
from .._scaling import unscale
from .._threads import resolve_threads, worthwhile_threads
from .._validation import resolve_k, validate_samples
from .cascade import build_cascade
from .index import build_index
from .memory import check_table
from .pipeline import prepare_samples


def all_neighbors(
    X: npt.ArrayLike, k: int, *, algorithm: str = "auto", n_jobs: int | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Find the k nearest samples of every sample, exactly.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples. float32 stays float32; distances are computed in float64 either way.
    k : int
        The number of neighbors, including the sample itself.
    algorithm : {"auto", "kd_tree", "cascade", "brute"}, default="auto"
        How to search: with a k-d tree over the columns, with a cascade that compares all pairs in
        low precision and discards most (for many columns), or by comparing all pairs exactly. The
        result is the same to the last bit.
    n_jobs : int or None, default=None
        The number of threads. None uses all cores, or fewer where ``OMP_NUM_THREADS``
        or threadpoolctl says so; -1 uses all cores.

    Returns
    -------
    distances : ndarray of shape (n_samples, k)
        Euclidean distances, ascending, the first 0; infinite where beyond the largest float.
    indices : ndarray of shape (n_samples, k)
        Row numbers. The sample itself comes first; among equal squared distances, the lower row
        number. (Squares that differ in their last bit may have the same root.)

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
    threads = worthwhile_threads(resolve_threads(n_jobs), *samples.shape)
    scaled, exponent, chosen = prepare_samples(samples, k, algorithm=algorithm, threads=threads)
    check_table(scaled, k, chosen)
    with stage("neighbors") as progress:
        if chosen == "cascade":
            cascade = build_cascade(scaled, threads, progress)
            distances, indices = cascade.neighbor_table(k, threads, progress)
        else:
            index: Any = build_index(scaled, chosen == "kd_tree", threads, progress)
            distances, indices = _core.neighbor_table(index, k, threads, progress)
    return unscale(distances, exponent), indices
