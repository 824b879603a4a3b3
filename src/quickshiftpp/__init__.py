"""Quickshift++ density clustering: exact, fast, and every beta from one fit.

The architecture in a paragraph. Data flows one way, and every stage has one file here, one header
and one source in the C++ core (``cpp/``), one binding and one test, all of the same name::

    neighbors  ->  density  ->  modes  ->  ascent  ->  estimators  ->  segmentation, plotting, cli

``_neighbors`` copies the samples into blocks and finds each sample's k nearest, with a k-d tree
over them, for many columns with the ``_cascade``, in images with ``_pixels``; ``_density`` turns
the distance to the k-th into a density, and beta into a quotient of radii; ``_modes`` builds the
tree of modes and saddles of the mutual neighbor graph, which holds the clustering for every beta;
``_ascent`` finds each sample's nearest denser sample, by which samples outside a cluster-core climb
to one. ``_landscape`` runs the last three for one k after another, ``_selection`` chooses among
them and ``_sweep`` shows them all; ``_estimators``, ``_mcores`` and ``_quick_shift`` put these
together for scikit-learn, on what they share in ``_cores`` and ``_base``, and ``segmentation`` does
for images.
A stage never imports a later one, the bindings hold no algorithm, and Python holds no loop over
samples. ``_validation`` and ``_memory`` guard the entrance and ``_progress`` carries word out.
"""

from ._estimators.mcores import MCores
from ._estimators.quick_shift import QuickShift
from ._estimators.quickshiftpp import DegenerateClusteringWarning, QuickshiftPP
from ._search.memory import estimate_memory
from ._search.neighbors import all_neighbors
from ._selection.sweep import Sweep, sweep
from ._tree.mode_tree import ModeTree

__version__ = "0.1.0"

__all__ = [
    "DegenerateClusteringWarning",
    "MCores",
    "ModeTree",
    "QuickShift",
    "QuickshiftPP",
    "Sweep",
    "all_neighbors",
    "estimate_memory",
    "sweep",
]
