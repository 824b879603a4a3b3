"""The targets: one file for each, named here.

A new target is a class with a name, decorated with ``register``; see :class:`base.Target`. Targets
on a matrix of samples start from :class:`sampled.SampledTarget`, those on files from
:class:`files.FileTarget`.
"""

from . import (
    automatic,
    images,
    invariance,
    mcores,
    neighbors,
    outliers,
    pickles,
    pictures,
    quick_shift,
    quickshiftpp,
    sweeps,
    tables,
    tree,
)
from .base import TARGETS, Case, Target, check, register

__all__ = [
    "TARGETS", "Case", "Target", "automatic", "check", "images", "invariance", "mcores",
    "neighbors", "outliers", "pickles", "pictures", "quick_shift", "quickshiftpp", "register",
    "sweeps", "tables", "tree",
]  # fmt: skip
