"""Theorems 1 and 2 and Lemma 2, on densities whose cores and regions are known."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import KDTree
from scipy.special import gammaln

from reporting.store import Record, Unit
from reporting.tables import table

from ..common import FloatArray
from ..cores import fit_cores
from .claim import Claim, Values
from .densities import DENSITIES, LINE, PLANE, Density, Truth, truth_of
from .paper_figures import CONDITION, printed_exponent
from .theory_figures import draw, formula

BETA = 0.4
RADIUS, RHO = 0.03, 0.1  # R and rho of the interiors
CORE_TRIALS, ERROR_TRIALS = 10, 5
# Three decades where k is well below n; fewer where long lists of neighbors take too much memory.
SIZES = tuple(round(10 ** (half / 2)) for half in range(4, 11))
SIZES_PRINTED = SIZES[:5]
ERROR_SIZES = tuple(round(10 ** (half / 2)) for half in range(4, 13))
ERROR_SIZES_PRINTED = ERROR_SIZES[:6]
QUERIES = {1: 4000, 2: 120}  # points along an axis at which the error of the density is measured
MARGIN = 0.1  # of the faces of the cube, where a ball may reach outside


@dataclass(frozen=True)
class Regime:
    """How k grows with n: ``k = factor * n^exponent``."""

    name: str
    factor: float
    exponent: float

    def k(self, n_samples: int) -> int:
        """Return the number of neighbors for a number of samples."""
        wanted: float = self.factor * float(n_samples) ** self.exponent
        return max(4, round(wanted))


def regimes(dimension: int) -> list[Regime]:
    """Return the regimes: k well below n, and three that only the printed condition admits.

    The first has exponents near that which balances the two terms of Lemma 2, and below the
    printed one; the second lies halfway between the printed exponent and 1; the others are in
    proportion to n.
    """
    between = 0.5 * (1 + printed_exponent(dimension))
    return [
        Regime("below", 1.0 if dimension == 1 else 2.0, 0.6 if dimension == 1 else 0.5),
        Regime("printed", 0.3, between),
        Regime("tenth", 0.1, 1.0),
        Regime("large", 0.4, 1.0),
    ]


def predicted_slope(dimension: int, exponent: float) -> float:
    """Return the slope in log n of Lemma 2's bound, without logarithms."""
    return 0.0 - min(exponent / 2, (1 - exponent) / dimension)


def match_cores(truth: Truth, X: FloatArray, core_labels: Any, modes: Any) -> list[int]:
    """Return for each estimated core the true one that holds most of its samples, -1 for none."""
    inside = truth.at(truth.cores, X)
    matched = []
    for label in range(len(modes)):
        hits = inside[core_labels == label]
        hits = hits[hits >= 0]
        matched.append(int(np.bincount(hits).argmax()) if hits.size else -1)
    return matched


def judge(truth: Truth, X: FloatArray, k: int) -> Record:
    """Cluster one sample and compare the result with the truth."""
    fit = next(fit_cores(X, [k], BETA)).literal
    matched = np.array(match_cores(truth, X, fit.core_labels, fit.modes))
    owner = np.where(fit.core_labels >= 0, matched[fit.core_labels], -1)
    true_core = truth.at(truth.cores, X)
    interior, region = truth.at(truth.interiors, X), truth.at(truth.regions, X)
    given = matched[fit.quickshiftpp]
    is_right = sorted(matched.tolist()) == list(range(truth.n_cores))
    distances = [
        truth.hausdorff(core, X[owner == core])
        for core in range(truth.n_cores)
        if (owner == core).any()
    ]
    inside = interior >= 0
    return {
        "cores": len(fit.modes),
        "bijective": bool(is_right),
        "hausdorff": max(distances) if len(distances) == truth.n_cores else None,
        "missing": float(np.mean(owner[true_core >= 0] != true_core[true_core >= 0])),
        "interior": float(np.mean(given[inside] == interior[inside])),
        "regions": float(np.mean(given == region)),
    }


def query_points(dimension: int) -> FloatArray:
    """Return the points at which the error of the density is measured, faces included."""
    axis = np.linspace(0, 1, QUERIES[dimension])
    mesh = np.meshgrid(*[axis] * dimension, indexing="ij")
    return np.stack(mesh, axis=-1).reshape(-1, dimension)


def edge_limit(density: Density) -> float:
    """Return the limit of the error on the boundary, where each face cuts a ball in half."""
    points = query_points(density.dimension)
    faces = ((points == 0) | (points == 1)).sum(axis=1)
    return float(((1 - 0.5**faces) * density.pdf(points)).max())


def density_errors(density: Density, X: FloatArray, k: int) -> tuple[float, float]:
    """Return the largest error of the k-NN density inside the support, and on its boundary."""
    d = density.dimension
    points = query_points(d)
    radii = KDTree(X).query(points, k=[k], workers=2)[0][:, 0]
    log_volume = 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)
    estimate = np.exp(np.log(k / len(X)) - log_volume - d * np.log(radii))
    errors = np.abs(estimate - density.pdf(points))
    inner = ((points >= MARGIN) & (points <= 1 - MARGIN)).all(axis=1)
    edge = ((points == 0) | (points == 1)).any(axis=1)
    return float(errors[inner].max()), float(errors[edge].max())


def compute(kind: str, density: Density, regime: Regime, n_samples: int, trials: int) -> Record:
    """Judge the cores, or the errors of the density, of several independent samples."""
    k = regime.k(n_samples)
    record: Record = {
        "kind": kind, "density": density.name, "regime": regime.name, "n": n_samples, "k": k
    }  # fmt: skip
    drawn = [
        density.sample(n_samples, np.random.default_rng([trial, n_samples]))
        for trial in range(trials)
    ]
    if kind == "cores":
        truth = truth_of(density, BETA, RADIUS, RHO)
        rows = [judge(truth, X, k) for X in drawn]
        return {**record, "true_cores": truth.n_cores, "trials": rows}
    inside, edge = zip(*(density_errors(density, X, k) for X in drawn), strict=True)
    return {**record, "inside": inside, "edge": edge}


def units(_: Path, largest: int | None = None) -> list[Unit]:
    """Return the work, of up to `largest` samples."""
    work = []
    for density in DENSITIES.values():
        for regime in regimes(density.dimension):
            is_below = regime.name == "below"
            sizes = {
                "cores": (SIZES if is_below else SIZES_PRINTED, CORE_TRIALS),
                "errors": (ERROR_SIZES if is_below else ERROR_SIZES_PRINTED, ERROR_TRIALS),
            }
            work += [
                Unit(
                    f"theory-{kind}-{density.dimension}d-{regime.name}-{n}",
                    {
                        "kind": kind, "density": asdict(density), "regime": asdict(regime),
                        "n": n, "trials": trials, "beta": BETA, "interior": [RADIUS, RHO],
                    },
                    partial(compute, kind, density, regime, n, trials),
                )
                for kind, (numbers, trials) in sizes.items()
                for n in numbers
                if largest is None or n <= largest
            ]  # fmt: skip
    return work


def slope(sizes: list[int], values: list[float]) -> float:
    """Return the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def summarize_cores(found: list[Record]) -> Record:
    """Return what the theorems are about, for each n."""
    rows = []
    for record in found:
        trials = record["trials"]
        distances = [t["hausdorff"] for t in trials if t["hausdorff"] is not None]
        rows.append(
            {
                "n": record["n"],
                "k": record["k"],
                "right": float(np.mean([t["bijective"] for t in trials])),
                "cores": float(np.median([t["cores"] for t in trials])),
                "hausdorff": float(np.median(distances)) if distances else None,
                **{
                    name: float(np.mean([t[name] for t in trials]))
                    for name in ("missing", "interior", "regions")
                },
                "included": float(np.mean([t["missing"] == 0 for t in trials])),
                "all_interior": float(np.mean([t["interior"] == 1 for t in trials])),
            }
        )
    return {"rows": rows, "true_cores": found[0]["true_cores"]}


def summarize(records: list[Record]) -> Record:
    """Return, for each density and regime, what was found over n, and fitted slopes."""
    results = [record["result"] for record in records]
    summary: Record = {}
    for name, density in DENSITIES.items():
        summary[name] = {
            "dimension": density.dimension,
            "edge_limit": edge_limit(density),
            "regimes": {},
        }
        for regime in regimes(density.dimension):
            mine = [r for r in results if r["density"] == name and r["regime"] == regime.name]
            errors = [r for r in mine if r["kind"] == "errors"]
            sizes = [r["n"] for r in errors]
            course = {
                where: [float(np.mean(r[where])) for r in errors] for where in ("inside", "edge")
            }
            summary[name]["regimes"][regime.name] = {
                **asdict(regime),
                "cores": summarize_cores([r for r in mine if r["kind"] == "cores"]),
                "errors": {"n": sizes, "k": [r["k"] for r in errors], **course},
                "slopes": {where: slope(sizes, values) for where, values in course.items()},
                "predicted": predicted_slope(density.dimension, regime.exponent),
            }
    return {
        "densities": summary,
        "beta": BETA,
        "radius": RADIUS,
        "rho": RHO,
        "margin": MARGIN,
        "trials": [CORE_TRIALS, ERROR_TRIALS],
    }


def cores_table(name: str, regime: Record, trials: int) -> str:
    """Return one regime over n."""
    rows = [
        [
            f"{row['n']:,}",
            f"{row['k']:,}",
            f"{row['right']:.0%}",
            f"{row['cores']:g}",
            "-" if row["hausdorff"] is None else f"{row['hausdorff']:.4f}",
            f"{row['missing']:.2%}",
            f"{row['included']:.0%}",
            f"{row['interior']:.2%}",
            f"{row['all_interior']:.0%}",
        ]
        for row in regime["cores"]["rows"]
    ]
    header = ["n", "k", "cores one to one", "median number", "Hausdorff distance",
              "core samples missed", "draws without a miss", "interior right",
              "draws with all right"]  # fmt: skip
    title = f"{name.capitalize()}, k = {formula(regime)}: {trials} draws of each size"
    return table(header, rows, title)


def slopes_table(densities: Record) -> str:
    """Return predicted and fitted slopes."""
    rows = [
        [
            f"d = {one['dimension']}, k = {formula(regime)}",
            f"{regime['predicted']:+.3f}",
            f"{regime['slopes']['inside']:+.3f}",
            f"{regime['slopes']['edge']:+.3f}",
            f"{regime['errors']['inside'][0]:.2f} → {regime['errors']['inside'][-1]:.2f}",
            f"{regime['errors']['edge'][0]:.3f} → {regime['errors']['edge'][-1]:.3f}",
            f"{regime['errors']['n'][0]:,} → {regime['errors']['n'][-1]:,}",
        ]
        for one in densities.values()
        for regime in one["regimes"].values()
    ]
    header = ["", "slope by Lemma 2", "fitted, inside", "fitted, on the boundary", "error inside",
              "error on the boundary", "n"]  # fmt: skip
    return table(header, rows, "The largest error of the k-NN density over n")


def density_values(name: str, one: Record, n: int, trials: int) -> Values:
    """Return what was found on one density; all regimes have a row for `n`."""
    regimes, below = one["regimes"], one["regimes"]["below"]
    texts = []
    for regime in regimes.values():
        row = next(row for row in regime["cores"]["rows"] if row["n"] == n)
        distance = "none" if row["hausdorff"] is None else f"{row['hausdorff']:.4f}"
        texts.append(f"k = {formula(regime)}: {row['right']:.0%}, {distance}")
    return {
        "first": below["cores"]["rows"][0],
        "last": below["cores"]["rows"][-1],
        "slope": below["slopes"]["inside"],
        "predicted": below["predicted"],
        "edge": below["errors"]["edge"][-1],
        "edge_limit": one["edge_limit"],
        "regimes": "; ".join(texts),
        "cores": cores_table(name, below, trials),
        **{
            key: " → ".join(f"{error:.2f}" for error in regimes[key]["errors"]["inside"][-2:])
            for key in ("tenth", "large")
        },
    }


def values(result: Record) -> Values:
    """Return what was found about the theorems."""
    densities, trials = result["densities"], result["trials"][0]
    n = densities[LINE.name]["regimes"]["large"]["cores"]["rows"][-1]["n"]
    return {
        **{name: result[name] for name in ("beta", "radius", "rho", "margin")},
        **{
            key: density_values(one.name, densities[one.name], n, trials)
            for key, one in (("line", LINE), ("plane", PLANE))
        },
        "n_regimes": n,
        "condition": CONDITION,
        "included": max(
            row["included"]
            for one in densities.values()
            for row in one["regimes"]["below"]["cores"]["rows"]
        ),
        "slopes": slopes_table(densities),
    }


CLAIM = Claim("theory", units, summarize, values, draw, needs_data=False)
