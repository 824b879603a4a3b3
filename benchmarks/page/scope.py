"""What the page covers, and the rules that all of its measurements follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..peers import FIT, SEARCH

Shape = tuple[int, int]


@dataclass(frozen=True)
class RealData:
    """A file of real data and what is measured on it.

    Attributes
    ----------
    file : str
        The path below the folder of ``--data``.
    table : str
        The table of peers.
    dtype : str
        What to convert the samples to.
    peers : tuple of str or None
        Who takes part; None for all.
    patience, timeout : float
        Lower bounds on the seconds of `Protocol`, where a floor rests on slow peers.
    """

    file: str
    table: str
    dtype: str = "float64"
    peers: tuple[str, ...] | None = None
    patience: float = 0.0
    timeout: float = 0.0

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.file.rpartition("/")[2]


REAL_DATA = (
    RealData("points/geolife_2m.npz", FIT),
    RealData("points/sorvilier_scan.npz", FIT),
    # Pixels are whole numbers, exact in float32, the only type that faiss takes.
    RealData(
        "paper/mnist.npz",
        SEARCH,
        "float32",
        ("quickshiftpp", "scikit-learn", "faiss"),
        patience=200.0,
        timeout=300.0,
    ),
)


@dataclass(frozen=True)
class Scope:
    """The sizes of the page, as (n_samples, n_features).

    Attributes
    ----------
    search, fit : sequence of Shape
        For the neighbor searches and for the clusterers.
    stages : sequence of Shape
        Where the share of each stage is measured.
    small : Shape
        Where the fixed cost of a fit shows.
    huge : sequence of Shape
        For this package alone, in float32 and with `huge_k` neighbors.
    huge_k : int
    product_size : int
        The number of rows of the matrices whose product is timed.
    stream_bytes : int
        The size of each array that is copied to find the bandwidth of memory.
    """

    search: Sequence[Shape]
    fit: Sequence[Shape]
    stages: Sequence[Shape]
    small: Shape
    huge: Sequence[Shape]
    huge_k: int
    product_size: int
    stream_bytes: int


# The page plots time over n for this number of columns.
COLUMNS_OVER_N = 2

_OVER_N = [(n, COLUMNS_OVER_N) for n in (10_000, 100_000, 1_000_000, 10_000_000)]
_OVER_D = [(10_000, d) for d in (2, 4, 16, 64, 256, 784)]
_OTHERS = [(1_000_000, 3), (1_000_000, 5), (100_000, 5), (100_000, 10), (100_000, 16)]

FULL = Scope(
    search=(*_OVER_N, *_OTHERS, *_OVER_D),
    fit=(*_OVER_N, (1_000_000, 3), *_OVER_D),
    stages=(*_OVER_N[:3], (1_000_000, 3), (1_000_000, 5), (10_000, 64)),
    small=(200, 2),
    huge=((100_000_000, 2),),
    huge_k=10,
    product_size=4096,
    stream_bytes=2**28,
)

_QUICK_SHAPES = ((1_000, 2), (3_000, 2), (10_000, 2), (1_000, 16))

QUICK = Scope(
    search=_QUICK_SHAPES,
    fit=_QUICK_SHAPES,
    stages=((3_000, 2), (10_000, 2)),
    small=(200, 2),
    huge=(),
    huge_k=10,
    product_size=1024,
    stream_bytes=2**26,
)


@dataclass(frozen=True)
class Protocol:
    """The rules of a run.

    Attributes
    ----------
    scope : Scope
        The sizes.
    data : Path or None
        The folder with real data.
    peers : tuple of str or None
        The names of those who take part beside this package; None for all.
    k, threads, repeats, seed : int
        The number of neighbors, of threads, of rounds, and the seed of the samples.
    patience : float
        Seconds: a fit that took longer is not repeated. Enough for three rounds of every fit that
        a floor rests on.
    timeout : float
        Seconds for one fit of a peer.
    memory_limit : float
        GiB of address space for one process of a peer.
    """

    scope: Scope = FULL
    data: Path | None = None
    peers: tuple[str, ...] | None = None
    k: int = 20
    threads: int = 2
    repeats: int = 3
    seed: int = 0
    patience: float = 35.0
    timeout: float = 120.0
    memory_limit: float = 16.0

    # For the huge sizes: the time is generous, the memory is what the floor allows.
    huge_timeout = 1_800.0
    huge_memory_bytes = 24 * 10**9

    def settings(self) -> Mapping[str, Any]:
        """Return what measurements must have in common to be on one page."""
        kept = ("k", "threads", "seed", "timeout", "memory_limit")
        return {name: getattr(self, name) for name in kept}
