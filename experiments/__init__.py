"""The experiments behind the paper's reproduction and the package's own choices.

One sub-package for each study::

    python -m experiments all --data DIR            paper: every claim of the paper, tested
    python -m experiments.segmentation --data DIR   photographs against human segmentations
    python -m experiments.selection --data DIR      the automatic choice of k and beta

Results are stored as JSON by ``reporting.store``, so that an interrupted run resumes. The pages
``docs/paper.md`` and ``docs/segmentation_quality.md`` are Markdown templates filled in from these
results. `cores` is the one file that uses internals of the package's search and tree.
"""
