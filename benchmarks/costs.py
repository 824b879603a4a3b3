"""Measures the constants of ``quickshiftpp/_search/costs.py``: ``calibrate costs``.

Searches of one thread are timed in several shapes. The time of a sample is about the sum of four
parts: one for itself, one for each of its columns, one for each other sample, and one for each
column of each other sample. Least squares give all four. A constant is one of these parts, or a
difference between two searches:

- `TREE_QUERY`, `TREE_QUERY_COLUMN` and `TREE_COLUMN` are those of noise, of which a tree visits
  nearly all pairs.
- `PAIR`, `QUERY`, `QUERY_COLUMN`, `INTEGERS_COLUMN` and `FLOATS_COLUMN` are those of noise, of
  which few pairs pass the screen.
- `BYTES_COLUMN` is half of `INTEGERS_COLUMN`, since a vector holds twice as many bytes: what passes
  8 bits would hide it here. `benchmarks screen` measures both by themselves.
- `REFINED` and `REFINED_COLUMN` are what one sample far out adds to the search by 8 and 16 bits: so
  far that all other pairs pass 8 bits, and few of them pass 16; compared with groups of close
  samples, of which few pairs pass 8 bits.
- `EXACT` and `EXACT_COLUMN` are what one sample farther out adds to the search by 16 bits: so far
  that all other pairs pass.

`FIRST_NEIGHBORS` is a number. `FIRST_CANDIDATES` was counted: in searches of 1,000 to 50,000
samples by 8 bits, the second filter compared 170 to 330 more for each than the pilot says that pass
in the end. `NEIGHBOR` was set by searches of 3,000 x 64 for 20 to 2,000 neighbors: these three are
not measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from quickshiftpp import _core, all_neighbors
from quickshiftpp._search import cascade, costs
from quickshiftpp._search.cascade import Plan
from reporting.tables import NOTHING, table

from .peers import Samples

K = 20
SIZES, COLUMNS = (500, 1_000, 2_000, 4_000), (16, 32, 128, 512)
# Samples of a group: a few more than are looked for.
GROUP = 32


class Parts(NamedTuple):
    """The parts of the time of a sample, in nanoseconds."""

    query: float
    query_column: float
    pair: float
    pair_column: float


def noise(n_samples: int, n_features: int, farthest: float | None = None) -> Samples:
    """Draw from one Gaussian; one sample may lie so many times as far out as the others."""
    X = np.random.default_rng(0).standard_normal((n_samples, n_features), dtype=np.float32)
    if farthest is not None:
        X[0, 0] = farthest * np.sqrt(n_features)
    return X


def groups(n_samples: int, n_features: int) -> Samples:
    """Draw groups of samples that are equal but for the columns by which samples are ordered.

    Other groups are far beyond the neighbors, and the order still brings no blocks that could be
    discarded as a whole.
    """
    rng = np.random.default_rng(0)
    X = np.sign(noise(n_samples, n_features))[rng.permutation(n_samples) // GROUP]
    axes = _core.ORDER_AXES  # those columns that vary most
    X[:, :axes] = 1.1 * rng.standard_normal((n_samples, axes))
    return X


@contextmanager
def by_plan(in_integers: bool, in_bytes: bool) -> Iterator[None]:
    """Let cascades that are built meanwhile compare all columns in these numbers."""
    chosen = cascade.choose_plan
    plan = Plan(None, None, 0.0, 0.0, in_integers, in_bytes)
    cascade.choose_plan = lambda X, threads: plan  # noqa: ARG005
    try:
        yield
    finally:
        cascade.choose_plan = chosen


def processor_seconds(work: Callable[[], object]) -> float:
    """Return the time that the processor spends on some work, without waiting for its turn."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measure_parts(
    make: Callable[[int, int], Samples],
    algorithm: str,
    repeats: int,
    sizes: Sequence[int],
    columns: Sequence[int],
) -> Parts:
    """Time a search in all shapes, and return the parts that explain its times best."""
    shapes = list(product(sizes, columns))
    searches = [
        partial(all_neighbors, make(*shape), K, algorithm=algorithm, n_jobs=1) for shape in shapes
    ]
    # Round after round, so that other work on the machine slows all alike.
    rounds = [[processor_seconds(search) for search in searches] for _ in range(repeats)]
    n, d = np.array(shapes, dtype=np.float64).T
    times = np.min(rounds, axis=0) * 1e9 / n
    # Relative errors count, so that large shapes do not decide alone.
    terms = np.column_stack([np.ones(len(n)), d, n, n * d]) / times[:, np.newaxis]
    return Parts(*np.linalg.lstsq(terms, np.ones(len(n)), rcond=None)[0].tolist())


def measure_costs(
    repeats: int, sizes: Sequence[int] = SIZES, columns: Sequence[int] = COLUMNS
) -> dict[str, float]:
    """Return the constants by name; those of 8 bits only where the processor multiplies them."""
    measure = partial(measure_parts, repeats=repeats, sizes=sizes, columns=columns)
    tree = measure(noise, "kd_tree")
    found = {"TREE_QUERY": tree.query, "TREE_QUERY_COLUMN": tree.query_column}
    found["TREE_COLUMN"] = tree.pair_column
    with by_plan(in_integers=False, in_bytes=False):
        found["FLOATS_COLUMN"] = measure(noise, "cascade").pair_column
    with by_plan(in_integers=True, in_bytes=False):
        screen = measure(noise, "cascade")
        exact = measure(partial(noise, farthest=1e6), "cascade")
    found |= {"QUERY": screen.query, "QUERY_COLUMN": screen.query_column}
    found |= {"PAIR": screen.pair, "INTEGERS_COLUMN": screen.pair_column}
    found["EXACT"] = exact.pair - screen.pair
    found["EXACT_COLUMN"] = exact.pair_column - screen.pair_column
    if costs.has_bytes():
        with by_plan(in_integers=True, in_bytes=True):
            screen = measure(groups, "cascade")
            refined = measure(partial(noise, farthest=16.0), "cascade")
        found["BYTES_COLUMN"] = found["INTEGERS_COLUMN"] / 2
        found["REFINED"] = refined.pair - screen.pair
        found["REFINED_COLUMN"] = refined.pair_column - screen.pair_column
    return found


def costs_table(measured: dict[str, float]) -> str:
    """Return the constants, as they are and as they were measured, as Markdown."""
    present = {name: value for name, value in vars(costs).items() if name.isupper()}
    # Two digits, without an exponent.
    texts = {name: f"{float(f'{value:.2g}'):g}" for name, value in measured.items()}
    rows = [[name, f"{value:g}", texts.get(name, NOTHING)] for name, value in present.items()]
    return table(["name", "in the code", "measured"], rows, "Nanoseconds of one thread")
