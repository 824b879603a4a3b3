"""The paper's table: nine sets and six algorithms (section "Clustering Experiments")."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from reporting.store import Record, Unit

from .algorithms import TAU_RATIOS, units_for
from .claim import Claim
from .curves import Curve, best, is_inside, nearest_setting, share_of_range, thinning_loss
from .data import mnist_draws, read
from .dbscan import MIN_SAMPLES
from .paper_figures import ALGORITHMS, DATASETS, RESULTS, beta_for
from .scores import SCORES
from .table_page import COINCIDENT, values


def units(directory: Path) -> list[Unit]:
    """Return the work: all sets, and the random thousands of MNIST."""
    sets = [read(directory, name) for name in DATASETS]
    return [unit for data in (*sets, *mnist_draws(directory)) for unit in units_for(data)]


def collect(records: list[Record]) -> tuple[dict[str, dict[str, Record]], list[dict[str, Record]]]:
    """Arrange the records by set and algorithm, and the draws of MNIST separately."""
    sets: dict[str, dict[str, Record]] = {}
    draws: dict[int, dict[str, Record]] = {}
    for record in records:
        settings = record["settings"]
        draw = settings.get("draw")
        target = (
            sets.setdefault(settings["set"], {}) if draw is None else draws.setdefault(draw, {})
        )
        target[settings["algorithm"]] = record
    return sets, [draws[draw] for draw in sorted(draws)]


def curves_of(work: dict[str, Record]) -> dict[str, Curve]:
    """Return all curves of one set, by name."""
    return {
        name: curve
        for record in work.values()
        for name, curve in record["result"].get("curves", {}).items()
    }


def cell(curve: Curve) -> Record:
    """Return the best of each score, where it is, and how well the range was searched."""
    found: Record = {"parameter": curve["parameter"], "settings": len(curve["values"])}
    for name in SCORES:
        found[name], found[f"{name}_at"] = best(curve, name)
    found["thinning_loss"] = thinning_loss(curve, "ari")
    found["inside"] = is_inside(curve, "ari") and is_inside(curve, "ami")
    return found


def choose_ratio(sets: dict[str, dict[str, Curve]]) -> tuple[float, dict[str, float]]:
    """Return the tau, in bandwidths, with which Quick Shift comes nearest to the paper's column.

    The paper does not state its tau, so this is inferred.
    """
    misses = {
        f"{ratio:g}": float(
            np.mean(
                [
                    abs(best(curves[f"quick_shift_{ratio:g}"], score)[0] - getattr(paper, score))
                    for name, curves in sets.items()
                    for paper in [RESULTS[name]["quick_shift"]]
                    for score in ("ari", "ami")
                ]
            )
        )
        for ratio in TAU_RATIOS
    }
    return min(TAU_RATIOS, key=lambda ratio: misses[f"{ratio:g}"]), misses


def compare(name: str, algorithm: str, curve: Curve, draws: list[Curve]) -> Record:
    """Compare one cell with the paper's, with what may explain a difference."""
    found, paper = cell(curve), RESULTS[name][algorithm]
    value, miss = nearest_setting(curve, *paper)
    found |= {
        "paper": paper._asdict(),
        "difference": {score: found[score] - getattr(paper, score) for score in paper._fields},
        "coincident_at": value if miss <= COINCIDENT else None,
        "above": share_of_range(curve, np.array(curve["ari"]) > paper.ari),
    }
    if draws:
        found["draws"] = {score: [best(one, score)[0] for one in draws] for score in SCORES}
    return found


def own_best(record: Record, beta: float) -> Record:
    """Return the package's best: k tuned at the paper's beta, both tuned, and neither."""
    result = record["result"]
    row = result["betas"].index(beta)
    summary: Record = {"automatic": result["automatic"]}
    for name in SCORES:
        scores = np.array(result["scores"][name])
        place = np.unravel_index(int(scores.argmax()), scores.shape)
        summary[name] = {
            "k": float(scores[:, row].max()),
            "k_and_beta": float(scores.max()),
            "at": [result["ks"][int(place[0])], result["betas"][int(place[1])]],
        }
    return summary


def protocol(sets: dict[str, dict[str, Record]], draws: list[dict[str, Record]]) -> Record:
    """Return what the paper leaves open: starts, seeds, and `min_samples`."""
    seeds = {name: work["mean_shift"]["result"]["seeds"] for name, work in sets.items()}
    return {
        "starts": {name: work["k_means"]["settings"]["inits"] for name, work in sets.items()},
        "starts_of_draws": draws[0]["k_means"]["settings"]["inits"] if draws else None,
        "fewer_seeds": {
            name: count for name, count in seeds.items() if count < DATASETS[name].n_samples
        },
        "min_samples": MIN_SAMPLES,
    }


def summarize(records: list[Record]) -> Record:
    """Return every cell of the table with the paper's."""
    sets, draws = collect(records)
    curves = {name: curves_of(work) for name, work in sets.items()}
    drawn = [curves_of(work) for work in draws]
    ratio, misses = choose_ratio(curves)
    source = {name: name for name in ALGORITHMS} | {"quick_shift": f"quick_shift_{ratio:g}"}
    table: dict[str, Any] = {}
    for name, work in sets.items():
        extra = drawn if name == "mnist" else []
        table[name] = {
            algorithm: compare(
                name, algorithm, curves[name][source[algorithm]],
                [one[source[algorithm]] for one in extra],
            )
            for algorithm in ALGORITHMS
        }  # fmt: skip
        for algorithm in ("mcores", "quickshiftpp"):
            table[name][algorithm]["reference"] = cell(curves[name][f"{algorithm}_reference"])
        table[name]["quick_shift"]["by_tau"] = {
            f"{ratio:g}": best(curves[name][f"quick_shift_{ratio:g}"], "ari")[0]
            for ratio in TAU_RATIOS
        }
        table[name]["own"] = own_best(work["own"], beta_for(name))
    every = [record for work in (*sets.values(), *draws) for record in work.values()]
    return {
        "table": table,
        "tau_ratio": ratio,
        "tau_misses": misses,
        "seconds": {
            "table": sum(
                record["seconds"]
                for work in sets.values()
                for name, record in work.items()
                if name != "own"
            ),
            "everything": sum(record["seconds"] for record in every),
        },
        "cores": os.cpu_count(),
        "protocol": protocol(sets, draws),
    }


CLAIM = Claim("table", units, summarize, values)
