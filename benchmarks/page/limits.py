"""What the machine can do at most: move memory, and multiply matrices."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from ..timing import least_seconds
from .store import Entry

REPEATS = 7


def memory_bandwidth(stream_bytes: int, threads: int) -> Entry:
    """Measure how many bytes a second go through memory, as STREAM counts them.

    Parameters
    ----------
    stream_bytes : int
        The size of each array, far beyond the caches.
    threads : int
        Each works on a share of its own.

    Returns
    -------
    dict
        Bytes a second for ``copy``, two words for each element, and ``add``, three.
    """
    a, b, c = (np.full(stream_bytes // 8, value) for value in (0.0, 1.0, 2.0))

    def seconds_for(work: Callable[[slice], object]) -> float:
        bounds = np.linspace(0, len(a), threads + 1).astype(int)
        shares = [slice(*pair) for pair in pairwise(bounds)]
        with ThreadPoolExecutor(threads) as pool:
            return least_seconds(lambda: list(pool.map(work, shares)), REPEATS)

    return {
        "copy": 2 * a.nbytes / seconds_for(lambda part: np.copyto(a[part], b[part])),
        "add": 3 * a.nbytes / seconds_for(lambda part: np.add(b[part], c[part], out=a[part])),
    }


def product_rate(size: int, threads: int) -> Entry:
    """Measure the rate of float32 matrix products through NumPy's BLAS.

    Returns
    -------
    dict
        ``flops``, additions and multiplications a second.
    """
    rng = np.random.default_rng(0)
    a, b = (random_matrix(rng, size) for _ in range(2))
    out = np.empty_like(a)
    with threadpool_limits(threads):
        seconds = least_seconds(lambda: np.matmul(a, b, out=out), REPEATS)
    return {"flops": 2 * size**3 / seconds}


def random_matrix(rng: np.random.Generator, size: int) -> npt.NDArray[np.float32]:
    """Return a square matrix of numbers from 0 to 1."""
    return rng.random((size, size), dtype=np.float32)
