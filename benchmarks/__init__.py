"""Quickshift++ and its peers side by side: time and peak memory, measured in one session.

Two programs, run from the root of the repository::

    python -m benchmarks              QuickshiftPP against other density clusterers
    python -m benchmarks.neighbors    all_neighbors against other exact neighbour searches

``peers`` declares who takes part, ``data`` makes the samples, ``measure`` is one fit in a process
of its own, ``session`` runs such processes in rounds, ``machine`` says where, and ``report`` prints
the tables. Results are also written as JSON, by default to ``benchmarks/results``.
"""
