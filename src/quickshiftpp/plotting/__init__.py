"""Plots of a clustering, drawn with matplotlib.

The displays follow scikit-learn's conventions. ``from_estimator`` (or ``from_sweep``) computes and
draws; ``plot`` draws again, into given axes or a new figure. What was drawn is kept in attributes
that end in an underscore. No display calls ``show()``. Estimators may be the last step of a
pipeline. A cluster has the same color in all displays, see :func:`cluster_colors`.

``ClusterDisplay``
    The samples, colored by cluster.
``ProminenceDisplay``
    Every mode by its density and the density of its saddle. A line for beta separates the clusters
    from the other modes.
``ModeTreeDisplay``
    The tree of modes as a dendrogram.
``ClusterCountDisplay``
    The number of clusters at every beta.
``StabilityDisplay``
    How well the clusterings of a grid of k and beta agree with their neighbors in the grid.

matplotlib is installed by the extra ``plot``: ``pip install 'quickshiftpp[plot]'``.
"""

from ._clusters import ClusterDisplay
from ._counts import ClusterCountDisplay
from ._prominence import ProminenceDisplay
from ._stability import StabilityDisplay
from ._style import cluster_colors
from ._tree import ModeTreeDisplay

__all__ = [
    "ClusterCountDisplay",
    "ClusterDisplay",
    "ModeTreeDisplay",
    "ProminenceDisplay",
    "StabilityDisplay",
    "cluster_colors",
]
