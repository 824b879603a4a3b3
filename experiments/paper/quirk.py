"""Where the paper's code departs from the paper, sample by sample.

On glass and images the paper's figures are those of its code, in which a sample whose level is
below the lowest density of all founds no cluster-core (see `cores.reference`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from reporting.store import Record, Unit
from reporting.tables import format_score, table

from ..cores import CoreFit, fit_cores
from .algorithms import whole_numbers
from .claim import Claim, Values
from .data import DataSet, read
from .paper_figures import DATASETS, RESULTS, beta_for
from .scores import SCORES, score

SETS = ("images", "glass")


def describe(data: DataSet, fit: CoreFit) -> Record:
    """Return the scores of both rules at one k, and every sample in which they differ."""
    literal, reference = fit.literal, fit.reference
    kept = set(reference.modes.tolist())
    before = literal.modes[literal.quickshiftpp]
    after = reference.modes[reference.quickshiftpp]
    return {
        "k": literal.k,
        "literal": dict(zip(SCORES, score(data.y, literal.quickshiftpp), strict=True)),
        "reference": dict(zip(SCORES, score(data.y, reference.quickshiftpp), strict=True)),
        "lost_modes": [mode for mode in literal.modes.tolist() if mode not in kept],
        # A sample has moved if the mode of its cluster is another: the sample, from, to.
        "moved": [
            [sample, int(before[sample]), int(after[sample])]
            for sample in np.flatnonzero(before != after).tolist()
        ],
    }


def compute(data: DataSet) -> Record:
    """Compare the rules at the k that is best for each score by the code's rule."""
    ks = whole_numbers(len(data.X) // 2, len(data.X) // 2, 2)
    # Ascending, so that of equal scores the smallest k counts, as in the table.
    fits = list(fit_cores(data.X, ks, beta_for(data.name)))[::-1]
    scores = np.array([score(data.y, fit.reference.quickshiftpp) for fit in fits])
    return {
        name: describe(data, fits[int(scores[:, place].argmax())])
        for place, name in enumerate(SCORES[:2])
    }


def units(directory: Path) -> list[Unit]:
    """Return the work: one unit for each set."""
    sets = [read(directory, name) for name in SETS]
    return [
        Unit(f"{d.name}-quirk", {"data": d.fingerprint, "set": d.name}, partial(compute, d))
        for d in sets
    ]


def summarize(records: list[Record]) -> Record:
    """Return the results by set."""
    return {record["settings"]["set"]: record["result"] for record in records}


def values(result: Record) -> Values:
    """Return the comparison of the rules."""
    rows, misses, moved = [], [], 0
    for name, by_score in result.items():
        for wanted, found in by_score.items():
            paper = getattr(RESULTS[name]["quickshiftpp"], wanted)
            misses.append(abs(found["reference"][wanted] - paper))
            moved = max(moved, len(found["moved"]))
            rows.append(
                [
                    f"{DATASETS[name].title}, {wanted.upper()}, k = {found['k']}",
                    format_score(paper),
                    format_score(found["reference"][wanted]),
                    format_score(found["literal"][wanted]),
                    ", ".join(map(str, found["lost_modes"])),
                    "; ".join(f"{s} ({old} → {new})" for s, old, new in found["moved"]),
                ]
            )
    header = ["", "paper", "code's rule", "as printed", "modes that lose their core",
              "samples that move"]  # fmt: skip
    title = "The code's rule, sample by sample"
    return {"miss": max(misses), "moved": moved, "samples": table(header, rows, title, 6)}


CLAIM = Claim("quirk", units, summarize, values)
