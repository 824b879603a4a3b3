"""The automatic choice of k and beta: a vote among many clusterings.

A setting is good if the settings around it agree with it. The samples are clustered over a grid of
k, around the square root of their number, and of significance levels, each of which gives a beta
for each k. Every clustering votes for every other. A vote weighs more if the two agree more, and if
the voter's k is near the center of the grid. The clustering with the most votes wins: it is the
middle of the widest plateau. A single cluster wins only if nearly all settings give one.
``python -m experiments.selection`` compares the alternatives that were tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .._search.pipeline import Neighbors
from .._tree.build import build_trees
from .._tree.density import significant_beta
from .._tree.mode_tree import ModeTree
from .._validation import FloatArray
from .rand_index import pairwise_agreement, subsample

SIGNIFICANCE_LEVELS = (1.5, 2.0, 3.0, 4.0, 6.0)
# The grid of k: from the largest down by factors of sqrt(2), and the most neighbors to store.
_STEPS = 8
_SMALLEST_K = 6
_LARGEST_K = 256
_MOST_NEIGHBORS = 100_000_000
# The vote: how fast its weight falls with the distance of k from the center, in octaves; the power
# that makes near-identity count; how much the center favors a candidate; and the total weight of
# clusterings with several clusters up to which a single cluster wins.
_SPREAD_IN_OCTAVES = 1.5
_AGREEMENT_POWER = 8
_CENTER_POWER = 0.1
_LEAST_WEIGHT = 0.04


def candidate_ks(n_samples: int) -> list[int]:
    """Return the numbers of neighbors to try, ascending."""
    largest = min(2 * math.sqrt(2 * n_samples), _LARGEST_K, max(16, _MOST_NEIGHBORS / n_samples))
    # Down to a quarter of the center: votes from farther away would have almost no weight.
    smallest = max(_SMALLEST_K, round(min(math.sqrt(n_samples), largest) / 4))
    grid = {round(largest / math.sqrt(2) ** step) for step in range(_STEPS)}
    return sorted(k for k in grid if smallest <= k <= n_samples) or [min(_SMALLEST_K, n_samples)]


@dataclass(frozen=True)
class Choice:
    """The setting that won.

    Attributes
    ----------
    tree : ModeTree
        For the chosen k.
    beta : float
    support : float
        The share of the votes that were for clusterings with more than one cluster.
    """

    tree: ModeTree
    beta: float
    support: float


def choose(
    X: FloatArray,
    neighbors: Neighbors,
    ks: list[int],
    dimension: float | str | None,
    betas_for: Callable[[int], tuple[float, ...]],
    min_cluster_size_for: Callable[[int], int],
) -> Choice:
    """Let the clusterings of all k and their betas vote.

    Parameters
    ----------
    X : ndarray
        The samples.
    neighbors : Neighbors
        Of the same samples, for the largest k.
    ks : list of int
        Ascending.
    dimension : float, "intrinsic" or None
        The dimension that relates radii to densities.
    betas_for : callable
        The betas to try with a k.
    min_cluster_size_for : callable
        The least size of a cluster with a k.
    """
    trees = list(build_trees(neighbors, ks, dimension))[::-1]
    positions = trees[0]._positions(subsample(X))  # the same in all trees of one search
    settings = [(tree, beta) for tree in trees for beta in betas_for(tree.k)]
    cuts = [tree._cut(beta, min_cluster_size_for(tree.k), positions) for tree, beta in settings]
    center = min(math.sqrt(X.shape[0]), ks[-1])
    octaves = np.log2([tree.k / center for tree, _ in settings])
    winner, support = elect(
        [cut.labels for cut in cuts], np.array([cut.n_clusters for cut in cuts]), octaves
    )
    return Choice(*settings[winner], support)


def elect(
    labels: list[npt.NDArray[np.int32]],
    n_clusters: npt.NDArray[np.int64],
    octaves: npt.NDArray[np.float64],
) -> tuple[int, float]:
    """Return the number of the labeling with the most votes, and the support for clusters."""
    weight = np.exp(-0.5 * (octaves / _SPREAD_IN_OCTAVES) ** 2)
    several = n_clusters > 1
    support = float(weight[several].sum() / weight.sum())
    if support <= _LEAST_WEIGHT:
        single = np.where(several, 0.0, weight)
        return int(np.argmax(single if single.any() else weight)), support
    candidates = np.flatnonzero(several)
    agreement = np.clip(pairwise_agreement([labels[i] for i in candidates]), 0, 1)
    weight = weight[candidates]
    votes = (agreement**_AGREEMENT_POWER * weight).sum(axis=1) * weight**_CENTER_POWER
    # Rounded, so that equal votes are equal; argmax then takes the smallest k.
    return int(candidates[np.argmax(np.round(votes, 9))]), support


def significant_betas(k: int) -> tuple[float, ...]:
    """Return the betas of all significance levels for a k."""
    return tuple(significant_beta(k, level) for level in SIGNIFICANCE_LEVELS)
