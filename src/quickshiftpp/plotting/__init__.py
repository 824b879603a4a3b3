"""Pictures of a clustering: one display per file, drawn with matplotlib.

Every display follows scikit-learn's convention: ``from_estimator`` (or ``from_sweep``) computes and
draws, ``plot`` draws again, into the axes it is given or into a new figure; what was drawn is kept
in attributes that end in an underscore, and nothing is ever shown. The same cluster has the same
color in all of them, see :func:`cluster_colors`.

``ClusterDisplay``
    The samples, with their clusters and cluster-cores.
``ProminenceDisplay``
    Every mode by its density and that of its saddle; beta is a line between clusters and the rest.
``ModeTreeDisplay``
    The same tree as a dendrogram.
``ClusterCountDisplay``
    The number of clusters at every beta.
``StabilityDisplay``
    How well the clusterings of a grid of k and beta agree with their neighbors.

matplotlib is the extra ``plot``: ``pip install 'quickshiftpp[plot]'``.
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
