"""Quickshift++ and its peers side by side: time and peak memory, measured in one session.

Programs, run from the root of the repository::

    python -m benchmarks                 measures, then writes docs/benchmarks.md with its plots
    python -m benchmarks --quick         QuickshiftPP against other density clusterers; see --help
    python -m benchmarks builds PYTHON   this build of the package against another one
    python -m benchmarks calibrate       what sets the tuning constants of the core
    python -m benchmarks map             neighbor searches over sizes, columns and kinds of data
    python -m benchmarks screen          the cascade's screen beside the peak of the processor
    python -m benchmarks.neighbors       all_neighbors against other exact neighbor searches
    python -m benchmarks.choices         the cost of a cut, an automatic choice and a sweep
    python -m benchmarks.interrupt       how long Ctrl-C takes to stop a fit
    python -m benchmarks.segmentation    the segmentation of images

``peers`` declares who takes part, ``data`` makes the samples, ``measure`` is one fit in its own
process, ``session`` runs such processes in rounds, ``cases`` holds their results, ``machine``
describes the machine, and ``compare`` is the command line. Results are also written as JSON, by
default to ``benchmarks/results``. ``page`` is the benchmark page.
"""
