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
    """A file of real data and what is measured on it."""

    file: str  # below the folder of --data
    table: str
    dtype: str = "float64"
    peers: tuple[str, ...] | None = None  # None for all
    # Lower bounds on those of `Protocol`, where a floor rests on slow peers.
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
    """The sizes of the page, as (n_samples, n_features)."""

    search: Sequence[Shape]
    fit: Sequence[Shape]
    stages: Sequence[Shape]
    small: Shape  # where the fixed cost of a fit shows
    huge: Sequence[Shape]  # for this package alone, in float32
    huge_k: int
    product_size: int  # the rows of the matrices whose product is timed
    stream_bytes: int  # of each array that is copied to find the bandwidth of memory


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
    """The rules of a run."""

    scope: Scope = FULL
    data: Path | None = None  # the folder with real data
    peers: tuple[str, ...] | None = None  # other than this package; None for all
    k: int = 20
    threads: int = 2
    repeats: int = 3
    seed: int = 0
    # Seconds: a slower fit is not repeated. Enough for three rounds of what a floor rests on.
    patience: float = 35.0
    timeout: float = 120.0  # seconds for one fit of a peer
    memory_limit: float = 16.0  # GiB of address space for one process of a peer

    # For the huge sizes: the time is generous, the memory is what the floor allows.
    huge_timeout = 1_800.0
    huge_memory_bytes = 24 * 10**9

    def settings(self) -> Mapping[str, Any]:
        """Return what measurements must have in common to be on one page."""
        kept = ("k", "threads", "seed", "timeout", "memory_limit")
        return {name: getattr(self, name) for name in kept}
