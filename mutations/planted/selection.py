"""Bugs in sweeps, votes and the adjusted Rand index."""

from ..mutation import Mutation, Python

VOTE = Python("tests/selection/test_vote.py")
SWEEP = Python("tests/selection/test_sweep.py")

MUTATIONS = [
    Mutation(
        "vote-rounding",
        "which of two equal clusterings wins depends on the order of a sum",
        "src/quickshiftpp/_selection/vote.py",
        "np.argmax(np.round(votes, 9))",
        "np.argmax(votes)",
        [VOTE],
    ),
    Mutation(
        "vote-center",
        "voters far from the center count as much as others",
        "src/quickshiftpp/_selection/vote.py",
        "np.exp(-0.5 * (octaves / _SPREAD_IN_OCTAVES) ** 2)",
        "np.exp(-0.5 * (octaves / _SPREAD_IN_OCTAVES) ** 2 * 0)",
        [VOTE],
    ),
    Mutation(
        "vote-negative-agreement",
        "clusterings that disagree vote for each other",
        "src/quickshiftpp/_selection/vote.py",
        "agreement = np.clip(pairwise_agreement([labels[i] for i in candidates]), 0, 1)",
        "agreement = np.abs(pairwise_agreement([labels[i] for i in candidates]) - 1)",
        [VOTE],
    ),
    Mutation(
        "rand-width",
        "pairs of labels collide where the clusterings differ in size",
        "src/quickshiftpp/_selection/rand_index.py",
        "first.astype(np.int64) * width + second",
        "first.astype(np.int64) * height + second",
        [VOTE],
    ),
    Mutation(
        "rand-pairs",
        "the expected agreement counts samples paired with themselves",
        "src/quickshiftpp/_selection/rand_index.py",
        "max(len(first) * (len(first) - 1) / 2, 1.0)",
        "max(len(first) * len(first) / 2, 1.0)",
        [VOTE],
    ),
    Mutation(
        "rand-twins",
        "a labeling that was met before gets the agreement of another one",
        "src/quickshiftpp/_selection/rand_index.py",
        "agreement[i, j] = agreement[twin[i], j]",
        "agreement[i, j] = agreement[j, j]",
        [VOTE],
    ),
    Mutation(
        "subsample-rows",
        "the subsample are places among the candidates, not rows",
        "src/quickshiftpp/_selection/rand_index.py",
        "return candidates[np.argpartition(hashes[candidates], size)[:size]]",
        "return np.argpartition(hashes[candidates], size)[:size]",
        [VOTE],
    ),
    Mutation(
        "sweep-next-k",
        "agreements are always with the largest k",
        "src/quickshiftpp/_selection/sweep.py",
        "        above = current\n",
        "        above = above or current\n",
        [SWEEP],
    ),
    Mutation(
        "sweep-least-size",
        "min_cluster_size='k' means the largest k",
        "src/quickshiftpp/_selection/sweep.py",
        "size = ks[i] if isinstance(min_cluster_size, str) else min_cluster_size",
        "size = ks[-1] if isinstance(min_cluster_size, str) else min_cluster_size",
        [SWEEP],
    ),
    Mutation(
        "sweep-single-clusters",
        "the best setting may be one that gives a single cluster",
        "src/quickshiftpp/_selection/sweep.py",
        "        eligible = self.n_clusters > 1",
        "        eligible = self.n_clusters > 0",
        [SWEEP],
    ),
]
