"""How much memory a fit or a search needs, and how much there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from .. import _core
from .._validation import FloatArray
from .cascade import PROJECTED_SAMPLES
from .projection import SAMPLED_ROWS

# What needs less is not checked.
_SMALL = 64 << 20

# Lists of more bytes than this are not stored where radii are enough. Searching again instead makes
# the whole fit 3% longer in two columns, 15% in three, 60% in five.
LARGE_LISTS = 1 << 30


def estimate_memory(
    n_samples: int,
    n_features: int,
    k: int,
    *,
    dtype: npt.DTypeLike = np.float64,
    algorithm: str = "kd_tree",
    keep_lists: bool = False,
    n_ks: int = 1,
) -> int:
    """Estimate the peak memory of a fit in bytes, not counting the samples themselves.

    Parameters
    ----------
    n_samples, n_features : int
        The shape of the data.
    k : int
        The number of neighbors, or the largest one if several are tried.
    dtype : data type, default=numpy.float64
        The data type of the samples: float32 or float64.
    algorithm : {"kd_tree", "cascade", "brute"}, default="kd_tree"
        How neighbors are searched for.
    keep_lists : bool, default=False
        Whether the fit needs the neighbor lists. It does if `beta` is not a number, if
        ``dimension="intrinsic"``, and if several `k` are tried. Otherwise, with up to eight
        columns, lists of more than a gibibyte are not stored, and neighbors are searched for again.
    n_ks : int, default=1
        The number of values of `k` that are tried.

    Returns
    -------
    int
        The estimate, within 20% for fits of tens of megabytes or more. The fitted model keeps
        roughly the part that does not depend on `k`.

    Examples
    --------
    >>> from quickshiftpp import estimate_memory
    >>> round(estimate_memory(1_000_000, 2, k=20) / 1e6)
    129
    """
    # Throughout: a copy of the samples in blocks, and their row numbers.
    permanent = n_features * np.dtype(dtype).itemsize + 4.0
    if algorithm == "kd_tree":
        permanent += _tree_bytes(n_features)
    # While the tree is built: radii, ties, parents, mutual parents, basins, and the lists. An entry
    # of a list is a position, and a distance where that is not computed again.
    temporary = 8 + 1 + 4 + 4 + 4.0
    if keep_lists or not skips_lists(n_samples, n_features, k, algorithm):
        entry = 4 if n_features <= _core.RECOMPUTE_COLUMNS else 12
        # With several k: a copy of half of each list, too.
        temporary += (k if n_ks == 1 else 1.5 * k) * entry
    if n_ks > 1:  # radii and ties of a shorter list; radii, parents and basins of every tree
        temporary += 8 + 1 + (8 + 4 + 4) * (n_ks - 1)
    # When it is cut: radii, parents, basins, links, labels, and labels by row.
    temporary = max(temporary, 8 + 4 + 4 + 4 + 4 + 4)
    # Modes: the fewer neighbors, the noisier the density and the more modes.
    temporary += min(100 / max(k, 1), 40)
    if algorithm == "cascade":
        permanent += _cascade_bytes(n_features)
        # Earlier, and freed by then: coordinates along leading axes in float32, and the rows that
        # the axes were computed from, in float64 and twice in float32.
        axes = min(n_features, _core.CASCADE_AXES) if n_samples >= PROJECTED_SAMPLES else 0
        sampled = 16 * n_features * min(1, SAMPLED_ROWS / max(n_samples, 1))
        compared = _comparing_bytes(n_samples, n_features, k)
        temporary = max(temporary + compared, 4 * axes + sampled)
    return round(n_samples * (permanent + temporary))


def estimate_table_memory(
    n_samples: int, n_features: int, k: int, *, dtype: npt.DTypeLike, algorithm: str
) -> int:
    """Estimate the peak memory of `all_neighbors` in bytes, with the tables that it returns."""
    tables = 16 * k
    if algorithm == "cascade":
        # No copy of the samples, but lists with distances, from which the tables are made.
        row = 4 + _cascade_bytes(n_features) + 12 * k
        return round(n_samples * (row + max(_comparing_bytes(n_samples, n_features, k), tables)))
    row = n_features * np.dtype(dtype).itemsize + 4.0
    if algorithm == "kd_tree":
        row += _tree_bytes(n_features)
    return round(n_samples * (row + tables))


def _tree_bytes(columns: int) -> float:
    """Return the bytes per sample that a k-d tree adds to the samples."""
    return 2 / 32 * (2 * 8 * columns + 9)  # two nodes for 32 samples, with boxes in float64


def _cascade_bytes(columns: int) -> float:
    """Return the bytes per sample of a cascade."""
    # All columns in blocks, with a norm: two bytes each, or one and two more in rows, or four and
    # even five in float32, which is rare. Leading axes take less.
    coordinates = 3 * columns + 4
    ordered = min(columns, _core.ORDER_AXES)
    return coordinates + 4 * ordered + 4 + _tree_bytes(ordered)


def _comparing_bytes(n_samples: int, columns: int, k: int) -> float:
    """Return the bytes per sample while a cascade compares pairs of blocks."""
    # Bounds, and which pairs were compared before.
    pairs = 20 + 4 * 128 / 32
    if not _core.searches_jointly(n_samples, columns, k):
        return pairs
    # Where all samples search at the same time: a key and a position for each place in a queue, and
    # a distance for what is left there.
    places = max(2 * k, _core.LONG_QUEUE) + _core.BLOCK + _core.QUEUE_OVERHANG
    return max(pairs, 8 * places + 8 * 1.25 * k)


def skips_lists(n_samples: int, n_features: int, k: int, algorithm: str) -> bool:
    """Return whether a fit that can do without stored lists does so: where they are large."""
    can = algorithm == "kd_tree" and n_features <= _core.RECOMPUTE_COLUMNS
    return can and 4 * n_samples * k > LARGE_LISTS


def check_fit(
    X: FloatArray, k: int, algorithm: str, *, keep_lists: bool = True, n_ks: int = 1
) -> None:
    """Refuse a fit that needs more memory than is available, before it starts."""
    n_samples, n_features = X.shape
    needed = estimate_memory(
        n_samples,
        n_features,
        k,
        dtype=X.dtype,
        algorithm=algorithm,
        keep_lists=keep_lists,
        n_ks=n_ks,
    )
    remedies = ["a smaller k", "a fit of a random part, with predict for the rest"]
    _check(f"A fit of {_describe(X, k)}", needed, remedies, X)


def check_table(X: FloatArray, k: int, algorithm: str) -> None:
    """Refuse a search for all neighbors that needs more memory than is available."""
    n_samples, n_features = X.shape
    needed = estimate_table_memory(n_samples, n_features, k, dtype=X.dtype, algorithm=algorithm)
    _check(f"A search among {_describe(X, k)}", needed, ["a smaller k"], X)


def _describe(X: FloatArray, k: int) -> str:
    return f"{X.shape[0]} samples with {X.shape[1]} columns and k={k}"


def _check(work: str, needed: int, remedies: list[str], X: FloatArray) -> None:
    if needed < _SMALL:
        return
    free = available_memory()
    if free is not None and needed > free:
        if X.dtype == np.float64:
            remedies = ["samples in float32", *remedies]
        raise MemoryError(
            f"{work} needs about {needed / 1e9:.1f} GB, but only {free / 1e9:.1f} GB are free: "
            f"use {', or '.join(remedies)}."
        )


def available_memory() -> int | None:
    """Return how many bytes this process can still allocate, None if the system does not say."""
    limits = [_machine_limit(), _group_limit(), _process_limit()]
    known = [limit for limit in limits if limit is not None]
    return max(0, min(known)) if known else None


def _machine_limit() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _group_limit() -> int | None:
    """Return what the control group allows, as in a container."""
    group = Path("/sys/fs/cgroup")
    try:
        most = (group / "memory.max").read_text().strip()
        if most == "max":
            return None
        statistics = dict(line.split() for line in (group / "memory.stat").open())
        # Pages of files are given back when needed.
        used = int((group / "memory.current").read_text()) - int(statistics["inactive_file"])
        return int(most) - used
    except (OSError, ValueError, KeyError):
        return None


def _process_limit() -> int | None:
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        return most - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
