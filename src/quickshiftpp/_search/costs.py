"""What searches cost, in nanoseconds of one thread: the model by which they are chosen.

None of it changes a result. The constants are those of a Zen 5 core with AVX-512 and VNNI;
``python -m benchmarks calibrate costs`` prints them for the machine it runs on. What decides are
their ratios, which differ less between machines.
"""

from __future__ import annotations

import math
from typing import Any

from .. import _core

# The k-d tree: a sample, and for each column its part of the tree; a pair, for each column.
TREE_QUERY, TREE_QUERY_COLUMN = 880.0, 4.2
TREE_COLUMN = 0.051
# A pair of samples in the screen of the cascade, and for each column: 8 bits, 16 bits, float32.
PAIR = 0.33
BYTES_COLUMN, INTEGERS_COLUMN, FLOATS_COLUMN = 0.0018, 0.0037, 0.0073
# A pair in its second filter, and for each column in 16 bits; float32 takes twice as long.
REFINED, REFINED_COLUMN = 0.71, 0.017
# An exact distance, and for each column.
EXACT, EXACT_COLUMN = 12.0, 0.066
# A sample: its queue, and for each column its coordinates and the exact distances of its list.
QUERY, QUERY_COLUMN = 1300.0, 3.9
# Each neighbor beyond the first ones: what its exact distance and its list take longer than in a
# tree.
NEIGHBOR, FIRST_NEIGHBORS = 70.0, 20
# Candidates that a sample compares in the second filter before its radius is small.
FIRST_CANDIDATES = 300


def tree_time(n_samples: int, n_features: int, share: float = 1.0) -> float:
    """Return the time of a sample that a tree compares with this share of all."""
    return TREE_QUERY + (TREE_QUERY_COLUMN + share * n_samples * TREE_COLUMN) * n_features


def cascade_time(n_samples: int, n_features: int, share: float = 1.0, k: int = 0) -> float:
    """Return the time of a sample by all columns in 16 bits, where few pairs pass."""
    pair = PAIR + INTEGERS_COLUMN * n_features
    neighbors = NEIGHBOR * max(0, k - FIRST_NEIGHBORS)
    pairs = share * n_samples * screened_share(n_samples)
    return QUERY + QUERY_COLUMN * n_features + neighbors + pairs * pair


def screened_share(n_samples: int) -> float:
    """Return the share of all pairs, counted from both sides, that a cascade screens.

    Most pairs are screened once for both sides, those of its first phase once for each.
    """
    blocks = math.ceil(n_samples / _core.BLOCK)
    alone = min(1.0, _core.first_phase_blocks(blocks) / blocks)
    return alone + (1 - alone) / 2


def refined_time(n_features: int, in_integers: bool) -> float:
    """Return the time of a pair in the second filter."""
    return REFINED + REFINED_COLUMN * n_features * (1 if in_integers else 2)


def exact_time(n_features: int) -> float:
    """Return the time of an exact distance."""
    return EXACT + EXACT_COLUMN * n_features


def float32_error(longest: float, typical: float, n_features: int) -> float:
    """Return by how much the screen in float32 may be wrong, in squared distances.

    The bound that it uses, twice: for a radius and for a distance.
    """
    return 2 * 2 * 2.0**-24 * longest * ((n_features + 1.5) * typical + longest)


def has_bytes() -> bool:
    """Return whether the processor multiplies 8-bit integers."""
    level: Any = _core.simd_level()
    return bool(level == "avx512vnni")
