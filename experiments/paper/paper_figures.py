"""The paper's own numbers, each with its place in the paper: the only ones entered by hand.

H. Jiang, J. Jang, S. Kpotufe. Quickshift++: Provably Good Initializations for Sample-Based Mean
Shift. ICML 2018, https://arxiv.org/abs/1805.07909.
"""

from __future__ import annotations

from typing import NamedTuple


class Summary(NamedTuple):
    """One row of the table of data sets."""

    letter: str
    title: str
    n_samples: int
    n_features: int
    n_clusters: int


class Scores(NamedTuple):
    """One cell of the table of results: adjusted Rand index, adjusted mutual information."""

    ari: float
    ami: float


# Section "Clustering Experiments", figure "Summary of datasets used".
DATASETS = {
    "seeds": Summary("A", "seeds", 210, 7, 4),
    "phoneme": Summary("B", "phonemes", 4509, 258, 5),
    "iris": Summary("C", "iris", 150, 4, 3),
    "banknote": Summary("D", "banknote", 1372, 4, 2),
    "images": Summary("E", "images", 210, 19, 7),
    "letters": Summary("F", "letters", 20000, 16, 26),
    "mnist": Summary("G", "MNIST", 1000, 784, 10),
    "page_blocks": Summary("H", "page blocks", 5473, 10, 5),
    "glass": Summary("I", "glass", 214, 19, 7),
}

# Section "Clustering Experiments", the columns of the figure with the results, in its order.
ALGORITHMS = {
    "k_means": "k-means",
    "dbscan": "DBSCAN",
    "mcores": "MCores",
    "mean_shift": "Mean Shift",
    "quick_shift": "Quick Shift",
    "quickshiftpp": "Quickshift++",
}

# Section "Clustering Experiments", the figure with the results: for each set the first row and the
# second row, one column for each algorithm.
_ROWS = {
    "seeds": ((0.7092, 0.4473, 0.7327, 0.7319, 0.6715, 0.7261),
              (0.6738, 0.4429, 0.6872, 0.6769, 0.6360, 0.7085)),
    "phoneme": ((0.7432, 0.4458, 0.7361, 0.5974, 0.7165, 0.7530),
                (0.7574, 0.5731, 0.7479, 0.5700, 0.7149, 0.7870)),
    "iris": ((0.7294, 0.5898, 0.7261, 0.7028, 0.6203, 0.7399),
             (0.7418, 0.5865, 0.7265, 0.6106, 0.5836, 0.7424)),
    "banknote": ((0.2893, 0.5584, 0.5145, 0.2434, 0.3318, 0.6152),
                 (0.2690, 0.4594, 0.3857, 0.2351, 0.3397, 0.4866)),
    "images": ((0.4177, 0.3313, 0.5008, 0.3497, 0.4077, 0.5359),
               (0.5497, 0.5264, 0.5814, 0.4656, 0.5364, 0.6456)),
    "letters": ((0.1384, 0.0705, 0.1284, 0.1287, 0.1793, 0.1766),
                (0.3741, 0.4422, 0.4217, 0.3027, 0.4940, 0.5001)),
    "mnist": ((0.3320, 0.1070, 0.2584, 0.2281, 0.2503, 0.3606),
              (0.4629, 0.2164, 0.3483, 0.1958, 0.2911, 0.4806)),
    "page_blocks": ((0.0830, 0.1962, 0.3251, 0.0028, 0.0925, 0.4727),
                    (0.0524, 0.1179, 0.1363, 0.0526, 0.0397, 0.2192)),
    "glass": ((0.2770, 0.2844, 0.2647, 0.2790, 0.2929, 0.2849),
              (0.3865, 0.3542, 0.3523, 0.3858, 0.4195, 0.4250)),
}  # fmt: skip
RESULTS = {
    name: {
        algorithm: Scores(ari, ami) for algorithm, ari, ami in zip(ALGORITHMS, *rows, strict=True)
    }
    for name, rows in _ROWS.items()
}

# Section "Clustering Experiments", caption of the figure with the results.
BETA = 0.3
BETA_BANKNOTE = 0.7

# Section "Simulations", caption of the figure with the toy data sets.
TOY_K = 20
TOY_BETA = 0.7


# Section "Theoretical Analysis", Theorems 1 and 2: this over k must vanish.
CONDITION = "n^(4/(4+d))"


def beta_for(name: str) -> float:
    """Return the beta that the paper used for a set, with MCores and with Quickshift++."""
    return BETA_BANKNOTE if name == "banknote" else BETA


def printed_exponent(dimension: int) -> float:
    """Return the exponent of n in `CONDITION`."""
    return 4 / (4 + dimension)
