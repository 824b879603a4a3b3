"""What is required, what was measured, and whether one meets the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .tables import NOTHING, bold, table

NOT_MEASURED = "not measured"
_WORDS = {True: "yes", False: bold("no"), None: NOTHING}


@dataclass(frozen=True)
class Verdict:
    """One requirement.

    Attributes
    ----------
    what, required, measured : str
        For the reader.
    met : bool or None
        None where there is no measurement.
    """

    what: str
    required: str
    measured: str = NOT_MEASURED
    met: bool | None = None


def count_met(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    """Return how many requirements are met, and how many were measured."""
    judged = [verdict.met for verdict in verdicts if verdict.met is not None]
    return sum(judged), len(judged)


def verdict_table(verdicts: Sequence[Verdict]) -> str:
    """Return a Markdown table with one row per requirement."""
    rows = [[v.what, v.required, v.measured, _WORDS[v.met]] for v in verdicts]
    return table(["what", "required", "measured", "met"], rows, text_columns=4)
