"""The planted bugs, by the part of the repository that they are in.

``search``, ``cascade``, ``kernels``, ``support``, ``tree`` and ``bindings`` are in the core, the
others in the Python package.
"""

from . import (
    bindings,
    cascade,
    cli,
    estimators,
    kernels,
    package_search,
    package_tree,
    search,
    segmentation,
    selection,
    support,
    tree,
)

MUTATIONS = (
    *search.MUTATIONS,
    *cascade.MUTATIONS,
    *kernels.MUTATIONS,
    *support.MUTATIONS,
    *tree.MUTATIONS,
    *bindings.MUTATIONS,
    *package_search.MUTATIONS,
    *package_tree.MUTATIONS,
    *selection.MUTATIONS,
    *estimators.MUTATIONS,
    *segmentation.MUTATIONS,
    *cli.MUTATIONS,
)
