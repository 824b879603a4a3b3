"""How well a clustering agrees with the true classes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import entropy
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import (
    contingency_matrix,
    expected_mutual_information,
    mutual_info_score,
)

# The names of the scores, in the order in which `score` returns them.
SCORES = ("ari", "ami", "ami_mean")


def score(truth: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[float, float, float]:
    """Score a clustering.

    Parameters
    ----------
    truth, labels : array-like of int, one per sample
        Noise counts as one cluster more.

    Returns
    -------
    ari : float
        The adjusted Rand index.
    ami : float
        The adjusted mutual information over the larger of the two entropies: scikit-learn's in
        2018, ``average_method="max"`` today.
    ami_mean : float
        The same over the mean of the two entropies, scikit-learn's default today.

    Examples
    --------
    >>> score([0, 0, 1, 1], [1, 1, 0, 0])
    (1.0, 1.0, 1.0)
    """
    truth, labels = np.asarray(truth), np.asarray(labels)
    ari = float(adjusted_rand_score(truth, labels))
    contingency = contingency_matrix(truth, labels, sparse=True)
    if contingency.shape in ((1, 1), (len(truth), len(truth))):
        # Both clusterings are one cluster, or single samples: alike.
        return ari, 1.0, 1.0
    if 1 in contingency.shape:
        return ari, 0.0, 0.0
    # Both averages from one expectation, which is what takes the time.
    information = mutual_info_score(truth, labels, contingency=contingency)
    expected = expected_mutual_information(contingency, len(truth))
    entropies = [float(entropy(np.ravel(contingency.sum(axis=axis)))) for axis in (0, 1)]
    ami, ami_mean = (
        (information - expected) / max(average - expected, np.finfo(np.float64).eps)
        for average in (max(entropies), float(np.mean(entropies)))
    )
    return ari, float(ami), float(ami_mean)
