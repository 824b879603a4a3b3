"""The automatic choice of k and beta: ``python -m experiments.selection --data DIR``.

DIR holds one folder per battery with ``NAME.npz`` files (arrays ``X``, ``labels0``, ``labels1``,
and so on; label 0 is noise and not scored), made from the public benchmark suite
gagolews/clustering-data-v1. A score is the best adjusted Rand index over the labelings of a set;
means are taken within a battery, then over batteries. The labels are used for scores only, never
for a choice. `vote` holds the settings and the ways to choose among them.
"""
