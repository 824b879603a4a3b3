"""Photographs against human segmentations: ``python -m experiments.segmentation --data DIR``.

The validation photographs of BSDS500 are segmented with this package, as shipped and with one
change at a time (`own`), and with scikit-image's `felzenszwalb`, `quickshift` and `slic` and
scikit-learn's Mean Shift, each over its own settings (`peers`). `measures` compares segmentations,
`units` applies it to every photograph and method, `summary` finds the best settings, and `report`
fills in the page ``docs/segmentation_quality.md``.

The photographs are split into two halves, every other one by name. Settings, and the defaults of
the package, are chosen on the first half; the second half confirms them.
"""
