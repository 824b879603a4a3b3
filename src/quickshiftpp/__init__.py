"""Quickshift++ density clustering: exact, fast, and every beta from one fit.

Data flows one way. Each stage is a folder of the same name here, in the C++ core (``cpp/``) and in
the tests::

    samples -> _search -> neighbors -> _tree -> ModeTree -> _estimators, _selection, segmentation
                                                         -> plotting, cli

- ``_search`` finds each sample's k nearest samples exactly: with a k-d tree, with a cascade for
  many columns, in windows for images. Every caller goes through ``_search.pipeline``.
- ``_tree`` turns the neighbors into one object, the :class:`ModeTree`: radii, each sample's parent
  (its nearest denser sample), modes, saddles and prominences. Cutting it gives the clustering for
  any beta.
- ``_selection`` chooses k and beta, and sweeps over grids of both.
- ``_estimators`` offers all of this in scikit-learn's interface, ``segmentation`` does for images.

A stage never imports a later one, bindings hold no algorithm, and Python holds no loop over
samples. ``_validation``, ``_scaling`` and ``_threads`` prepare the input; ``_progress`` reports
from inside. docs/architecture.md describes all of it, docs/theory.md proves why it works.
"""

from ._estimators.mcores import MCores
from ._estimators.quick_shift import QuickShift
from ._estimators.quickshiftpp import DegenerateClusteringWarning, QuickshiftPP
from ._search.memory import estimate_memory
from ._search.neighbors import all_neighbors
from ._selection.sweep import Sweep, sweep
from ._tree.mode_tree import ModeTree
from ._validation import InvalidParameterError

__version__ = "0.1.0"

__all__ = [
    "DegenerateClusteringWarning",
    "InvalidParameterError",
    "MCores",
    "ModeTree",
    "QuickShift",
    "QuickshiftPP",
    "Sweep",
    "all_neighbors",
    "estimate_memory",
    "sweep",
]
