"""Access to fitted estimators, alone or at the end of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .. import ModeTree
from .._validation import InvalidParameterError


def clusterer_of(estimator: Any) -> Any:
    """Return the fitted clusterer: the estimator itself, or the last step of a pipeline."""
    while isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    if not hasattr(estimator, "mode_indices_"):
        raise InvalidParameterError(
            f"estimator is a {type(estimator).__name__}, but it must be one of this package: give "
            "a QuickshiftPP, MCores or QuickShift, or a pipeline that ends with one."
        )
    return estimator


def clusterer_with_tree(estimator: Any, display: type) -> tuple[Any, ModeTree]:
    """Return the fitted clusterer and its tree of modes."""
    clusterer = clusterer_of(estimator)
    tree = getattr(clusterer, "tree_", None)
    if not isinstance(tree, ModeTree):
        raise InvalidParameterError(
            f"{type(clusterer).__name__} has no tree of modes, which {display.__name__} draws: "
            "give a QuickshiftPP or an MCores."
        )
    return clusterer, tree


def transformed(estimator: Any, X: Any) -> Any:
    """Return samples as the clusterer sees them: after the earlier steps of a pipeline."""
    while isinstance(estimator, Pipeline):
        if len(estimator) > 1:
            X = estimator[:-1].transform(X)
        estimator = estimator.steps[-1][1]
    return X


def input_names(estimator: Any, X: Any) -> list[str] | None:
    """Return the column names of the fit, or those of X; None where there are none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    return None if names is None else [str(name) for name in names]


def transformed_names(estimator: Any, X: Any) -> list[str] | None:
    """Return the names of the columns that the clusterer sees, if the pipeline can tell them."""
    names = input_names(estimator, X)
    if not isinstance(estimator, Pipeline) or len(estimator) == 1:
        return names
    try:
        outputs = [str(name) for name in estimator[:-1].get_feature_names_out()]
    except (AttributeError, ValueError):
        return None
    # A scaled column keeps its name but not its unit.
    return [f"{name} (transformed)" if name in (names or ()) else name for name in outputs]


def mode_labels(clusterer: Any, tree: ModeTree) -> npt.NDArray[np.int64]:
    """Return the label of the cluster of each mode of the tree, -1 for modes without a cluster.

    A mode of sufficient prominence has no cluster if `min_cluster_size` dissolved it.
    """
    samples = tree.modes["index"]
    order = np.argsort(samples)
    labels = np.full(len(samples), -1, dtype=np.int64)
    labels[order[np.searchsorted(samples[order], clusterer.mode_indices_)]] = np.arange(
        clusterer.n_clusters_
    )
    return labels
