"""Quickshift++ and its peers side by side: time and peak memory, measured in one session.

Programs, run from the root of the repository::

    python -m benchmarks              measures, then writes docs/benchmarks.md with its plots
    python -m benchmarks --quick      QuickshiftPP against other density clusterers; see --help
    python -m benchmarks.neighbors    all_neighbors against other exact neighbour searches
    python -m benchmarks.choices      what a cut, an automatic choice and a sweep cost
    python -m benchmarks.interrupt    how long Ctrl-C takes to end a fit

``peers`` declares who takes part, ``data`` makes the samples, ``measure`` is one fit in a process
of its own, ``session`` runs such processes in rounds, ``machine`` says where, and ``report`` prints
the tables. Results are also written as JSON, by default to ``benchmarks/results``. ``page`` is the
page: it has sessions measure, keeps what they find, and draws it.
"""
