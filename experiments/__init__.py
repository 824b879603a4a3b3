"""Experiments behind the package's choices, each runnable with ``python -m experiments.NAME``."""
