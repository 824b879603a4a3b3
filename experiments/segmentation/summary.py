"""From the scores of every photograph, method and setting to the result on the page.

The best setting for the whole set (ODS, optimal data set scale) is the one with the best mean; the
best for each photograph (OIS, optimal image scale) the mean of the best scores. Both use the
truth, as in the literature. Boundaries are added up over photographs before the F-measure is
taken, as in the benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from reporting.store import Record

from .measures import BoundaryCounts
from .own import CHANGES, CUT_ONLY, STEPS, SWEEP
from .peers import PEERS
from .units import name_of

# With the sign that makes more better.
MEASURES = {"covering": 1, "rand_index": 1, "variation": -1}
REFERENCE = "felzenszwalb"

FloatArray: TypeAlias = npt.NDArray[np.float64]
# Scores by method, setting and photograph.
Scores: TypeAlias = dict[str, dict[str, dict[str, Record]]]


def collect(records: Iterable[Record]) -> Scores:
    """Arrange the scores by method, setting and photograph."""
    scores: Scores = {}

    def put(method: str, setting: str, photograph: str, score: Record) -> None:
        scores.setdefault(method, {}).setdefault(setting, {})[photograph] = score

    peers = {peer.name for peer in PEERS}
    for record in records:
        method, photograph = record["settings"]["method"], record["photograph"]
        result: Record = record["result"]
        if method == "people":
            put(method, "", photograph, mean_of(result["scores"]))
        elif method in peers:
            put(method, name_of(record["settings"]["parameters"]), photograph, result)
        elif method == "shipped":
            put(method, "", photograph, result)
        else:
            for variant, by_cut in result.items():
                for cut, score in by_cut.items():
                    put(variant, cut, photograph, score)
    return scores


def mean_of(scores: list[Record]) -> Record:
    """Return the mean of several scores of one photograph; counts are added up."""
    mean: Record = {
        name: float(np.mean([score[name] for score in scores])) for name in (*MEASURES, "segments")
    }
    mean["boundary"] = np.sum([score["boundary"] for score in scores], axis=0).tolist()
    return mean


def table_of(by_setting: Mapping[str, Mapping[str, Record]], name: str, photographs: list[str]
) -> FloatArray:  # fmt: skip
    """Return one figure for all settings and photographs."""
    return np.array([[one[photo][name] for photo in photographs] for one in by_setting.values()])


def region_row(by_setting: Mapping[str, Mapping[str, Record]], photographs: list[str]) -> Record:
    """Return the best scores for the whole set and for each photograph."""
    row: Record = {"settings": len(by_setting)}
    for name, sign in MEASURES.items():
        table = table_of(by_setting, name, photographs)
        best = int(np.argmax(sign * table.mean(axis=1)))
        row[name] = {
            "ods": float(table[best].mean()),
            "at": list(by_setting)[best],
            "ois": float((sign * table).max(axis=0).mean() * sign),
        }
    return row


def boundary_row(by_setting: Mapping[str, Mapping[str, Record]], photographs: list[str]) -> Record:
    """Return the best F-measure for the whole set and for each photograph."""
    counts = table_of(by_setting, "boundary", photographs)
    whole = [BoundaryCounts(*one).f_measure for one in counts.sum(axis=1).tolist()]
    each = np.array([[BoundaryCounts(*one).f_measure for one in row] for row in counts.tolist()])
    chosen = counts[each.argmax(axis=0), np.arange(len(photographs))].sum(axis=0)
    return {
        "ods": max(whole),
        "at": list(by_setting)[int(np.argmax(whole))],
        "ois": BoundaryCounts(*chosen.tolist()).f_measure,
    }


def row_of(by_setting: Mapping[str, Mapping[str, Record]], photographs: list[str]) -> Record:
    """Return the best of all measures that were taken, and the means by setting."""
    row = region_row(by_setting, photographs)
    first = next(iter(by_setting.values()))[photographs[0]]
    if "boundary" in first:
        row["boundary"] = boundary_row(by_setting, photographs)
    row["course"] = {
        name: table_of(by_setting, name, photographs).mean(axis=1).tolist()
        for name in (*MEASURES, "segments")
    }
    return row


def merits(scores: Scores, name: str, photographs: list[str]) -> FloatArray:
    """Return how far each setting is on the way from the reference to people."""
    low, high = (region_row(scores[end], photographs) for end in (REFERENCE, "people"))
    shares = []
    for measure, sign in MEASURES.items():
        start, end = low[measure]["ods"], high[measure]["ods"]
        means = table_of(scores[name], measure, photographs).mean(axis=1)
        # Better is more, also where people are not: in photographs that they disagree on.
        shares.append(sign * (means - start) / max(abs(end - start), 1e-9))
    return np.asarray(np.mean(shares, axis=0))


def chosen(scores: Scores, name: str, halves: tuple[list[str], list[str]]) -> Record:
    """Choose one setting on the first half, and return what it gives on both."""
    by_setting = scores[name]
    best = int(merits(scores, name, halves[0]).argmax())
    by_photo = list(by_setting.values())[best]
    names = (*MEASURES, "segments")
    return {
        "at": list(by_setting)[best],
        "settings": len(by_setting),
        "merits": [float(merits(scores, name, half)[best]) for half in halves],
        "halves": [
            {one: float(np.mean([by_photo[photo][one] for photo in half])) for one in names}
            for half in halves
        ],
    }


def paired(scores: Scores, row: Record, photographs: list[str]) -> Record:
    """Return what is shipped and the reference at its best for each measure, by photograph."""
    pairs: Record = {}
    shipped, reference = scores["shipped"][""], scores[REFERENCE]
    for name in MEASURES:
        best = reference[row[name]["at"]]
        pairs[name] = [[best[one][name], shipped[one][name]] for one in photographs]
    return pairs


def wins(pairs: Record) -> dict[str, Any]:
    """Return how often what is shipped is better, and how certain the mean difference is."""
    found = {}
    for name, sign in MEASURES.items():
        gains = sign * np.diff(np.array(pairs[name]), axis=1).ravel()
        error = float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else 0.0
        found[name] = {
            "better": int(np.count_nonzero(gains > 0)),
            "gain": float(gains.mean()),
            "standard_error": error,
        }
    return found


def summarize(records: list[Record]) -> Record:
    """Return the result, as JSON."""
    scores = collect(records)
    photographs = sorted(scores["shipped"][""])
    halves = photographs[0::2], photographs[1::2]
    peers = [peer.name for peer in PEERS]
    main = ["people", "shipped", SWEEP, CUT_ONLY, *peers]
    rows = {name: row_of(scores[name], photographs) for name in main}
    by_half = [
        {name: region_row(scores[name], half) for name in ("people", "shipped", REFERENCE)}
        for half in halves
    ]
    variants = [variant.name for variant in (*STEPS, *CHANGES)]
    # Not all work is done on all photographs.
    thorough = set(photographs).intersection(
        *(next(iter(scores[name].values())) for name in variants)
    )
    parts = (
        [one for one in halves[0] if one in thorough],
        [one for one in halves[1] if one in thorough],
    )
    compared = {
        **{name: chosen(scores, name, parts) for name in variants},
        **{name: chosen(scores, name, halves) for name in peers},
        f"{REFERENCE}, one setting": chosen(scores, REFERENCE, parts),
    }
    pairs = paired(scores, rows[REFERENCE], photographs)
    tried = sum(
        len(settings) for name, settings in scores.items()
        if name not in ("people", *(peer.name for peer in PEERS))
    )  # fmt: skip
    seconds: dict[str, list[float]] = {}
    for record in records:
        seconds.setdefault(record["settings"]["method"], []).append(record["seconds"])
    return {
        "photographs": len(photographs),
        "rows": rows,
        "halves": by_half,
        "thorough": [len(part) for part in parts],
        "chosen": compared,
        "pairs": pairs,
        "wins": wins(pairs),
        "tried": tried,
        "seconds": {name: sum(values) for name, values in seconds.items()},
    }
