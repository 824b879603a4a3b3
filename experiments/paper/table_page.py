"""The tables and counts of the page on the paper's table, from the result of `table`."""

from __future__ import annotations

import numpy as np

from reporting.store import Record
from reporting.tables import bold, format_score, table
from reporting.verdicts import Verdict, count_met

from .claim import Values
from .paper_figures import ALGORITHMS, DATASETS, beta_for

# Scores that differ by at most this are the same, or close.
SAME = 0.002
CLOSE = 0.03
# If both scores of one setting are this near to the paper's, the paper used that setting.
COINCIDENT = 0.0005
# The best score should not depend on which values were tried by more than this.
FINE = 0.01
# A coarse search may miss a share of the range as small as this.
NEEDLE = 0.1

# The algorithms whose parameter is not a whole number, so that not every value can be tried.
CONTINUOUS = ("dbscan", "mean_shift", "quick_shift")
OTHERS = [name for name in ALGORITHMS if name != "quickshiftpp"]
# The sets on which the paper's figures are those of the rule of its code.
CODE_SETS = ("images", "glass")
TITLES = {name: summary.title for name, summary in DATASETS.items()}


def reached(found: Record) -> list[Verdict]:
    """Return for each set whether Quickshift++ reaches both scores of the paper."""
    verdicts = []
    for name, row in found.items():
        cell = row["quickshiftpp"]
        required, measured = (
            " / ".join(format_score(scores[score]) for score in ("ari", "ami"))
            for scores in (cell["paper"], cell)
        )
        met = all(cell["difference"][score] >= -SAME for score in ("ari", "ami"))
        verdicts.append(Verdict(TITLES[name], required, measured, met))
    return verdicts


def code_miss(found: Record) -> float:
    """Return the largest difference from the paper with the code's rule, where that matters."""
    cells = [found[name]["quickshiftpp"] for name in CODE_SETS if name in found]
    misses = [
        abs(cell["reference"][score] - paper)
        for cell in cells
        for score, paper in cell["paper"].items()
    ]
    return max(misses, default=0.0)


def explain(name: str, found: Record) -> tuple[str, bool]:
    """Return what is known about a cell that is not close to the paper's, and if it explains it.

    A better score than the paper's is explained by the search, a worse one is not.
    """
    paper, parameter = found["paper"]["ari"], found["parameter"]
    if found["coincident_at"] is not None:
        at = f"{parameter} = {found['coincident_at']:.3g}"
        return f"the paper's two scores are those at {at}; other settings do better", True
    if name == "mnist":
        low, high = min(found["draws"]["ari"]), max(found["draws"]["ari"])
        inside = low <= paper <= high
        text = f"the range of random thousands, {format_score(low)} to {format_score(high)}"
        if inside:
            return f"other images: within {text}", True
        return f"other images: outside {text}: not explained", False
    if found["difference"]["ari"] > 0:
        how = "finer" if found["above"] < NEEDLE else "wider"
        return f"a {how} search: {found['above']:.1%} of our range exceeds the paper's score", True
    near = {r: v for r, v in found.get("by_tau", {}).items() if abs(v - paper) <= CLOSE}
    if near:
        listed = ", ".join(f"{format_score(v)} with tau = {r} h" for r, v in near.items())
        return f"the paper's tau is not known: {listed}", True
    return "not reached with any setting: not explained", False


def ours_and_paper(found: Record, score: str) -> str:
    """Return our score and the paper's."""
    return f"{format_score(found[score])} ({format_score(found['paper'][score])})"


def main_table(found: Record) -> str:
    """Return the paper's table with ours."""
    rows = []
    for name, row in found.items():
        for score, label in (("ari", TITLES[name]), ("ami", "")):
            top = max(row[algorithm][score] for algorithm in ALGORITHMS)
            cells = []
            for algorithm in ALGORITHMS:
                text = ours_and_paper(row[algorithm], score)
                cells.append(bold(text) if row[algorithm][score] == top else text)
            rows.append([label, score.upper(), *cells])
    title = "Best score over the range of the one parameter: ours (the paper's)"
    return table(["set", "", *ALGORITHMS.values()], rows, title)


def quickshiftpp_table(found: Record) -> str:
    """Return Quickshift++ in detail."""
    rows = []
    for name, row in found.items():
        cell, reference = row["quickshiftpp"], row["quickshiftpp"]["reference"]
        rows.append(
            [
                TITLES[name],
                *(
                    f"{ours_and_paper(cell, s)} at k = {cell[f'{s}_at']:.0f}"
                    for s in ("ari", "ami")
                ),
                *(format_score(reference[s]) for s in ("ari", "ami")),
                "-" if cell["coincident_at"] is None else f"k = {cell['coincident_at']:.0f}",
            ]
        )
    header = ["set", "ARI", "AMI", "ARI, code's rule", "AMI, code's rule", "paper's pair at"]
    return table(header, rows, "Quickshift++: ours (the paper's)")


def today_table(found: Record) -> str:
    """Return the mutual information as scikit-learn computes it today."""
    rows = [
        [TITLES[name], *(format_score(row[a]["ami_mean"]) for a in ALGORITHMS)]
        for name, row in found.items()
    ]
    title = "Best AMI as scikit-learn computes it today, over the mean entropy"
    return table(["set", *ALGORITHMS.values()], rows, title)


def mnist_table(row: Record) -> str:
    """Return the random thousands of MNIST."""
    rows = []
    for algorithm, name in ALGORITHMS.items():
        cells = [name]
        for score in ("ari", "ami"):
            drawn = np.array(row[algorithm]["draws"][score])
            mean, spread, low, high = (
                format_score(float(value), 3)
                for value in (drawn.mean(), drawn.std(ddof=1), drawn.min(), drawn.max())
            )
            cells += [ours_and_paper(row[algorithm], score), f"{mean} ± {spread}, {low} to {high}"]
        rows.append(cells)
    drawn_title = f"{len(row['k_means']['draws']['ari'])} random thousands"
    header = ["algorithm", "ARI", f"ARI, {drawn_title}", "AMI", f"AMI, {drawn_title}"]
    title = "MNIST: the first thousand images (the paper's unnamed thousand), and others"
    return table(header, rows, title)


def own_table(found: Record) -> str:
    """Return what the package reaches beyond the paper's protocol."""

    def pair(ari: float, ami: float) -> str:
        return f"{format_score(ari, 3)} / {format_score(ami, 3)}"

    rows = []
    for name, row in found.items():
        own, paper, (k, beta) = row["own"], row["quickshiftpp"], row["own"]["ari"]["at"]
        tuned = pair(own["ari"]["k_and_beta"], own["ami"]["k_and_beta"])
        rows.append(
            [
                TITLES[name],
                pair(paper["ari"], paper["ami"]),
                pair(own["ari"]["k"], own["ami"]["k"]),
                f"{tuned} (k = {k}, beta = {beta:g})",
                *(pair(one["ari"], one["ami"]) for one in own["automatic"].values()),
            ]
        )
    header = ["set", "paper's protocol", "own, k tuned", "own, k and beta tuned",
              "`QuickshiftPP()`", '`k=beta="auto"`']  # fmt: skip
    return table(header, rows, "Beyond the paper: ARI / AMI")


def explanations_table(found: Record, explained: list[tuple[str, str, str]]) -> str:
    """Return the cells that are not close to the paper's."""
    rows = [
        [
            TITLES[name],
            ALGORITHMS[other],
            *(ours_and_paper(found[name][other], score) for score in ("ari", "ami")),
            why,
        ]
        for name, other, why in explained
    ]
    title = f"The cells of the other five columns whose ARI is more than {CLOSE} from the paper's"
    return table(["set", "algorithm", "ARI", "AMI", "what is known"], rows, title, 5)


def tau_values(result: Record) -> Values:
    """Return how each tau compares with the paper's column of Quick Shift."""
    cells = [row["quick_shift"] for row in result["table"].values()]
    close = {
        ratio: sum(abs(cell["by_tau"][ratio] - cell["paper"]["ari"]) <= CLOSE for cell in cells)
        for ratio in result["tau_misses"]
    }
    misses = result["tau_misses"].items()
    return {
        "ratio": f"{result['tau_ratio']:g}",
        "misses": ", ".join(f"{format_score(m, 3)} with tau = {r} h" for r, m in misses),
        "close": ", ".join(f"{count} with tau = {r} h" for r, count in close.items()),
    }


def values(result: Record) -> Values:
    """Return the tables, and counts of their cells."""
    found, done = result["table"], result["protocol"]
    cells = {(name, other): found[name][other] for name in found for other in OTHERS}
    far = {key: cell for key, cell in cells.items() if abs(cell["difference"]["ari"]) > CLOSE}
    explained = {key: explain(key[0], cell) for key, cell in far.items()}
    verdicts = reached(found)
    thin = {
        f"{TITLES[name]} {ALGORITHMS[algorithm]}": row[algorithm]["thinning_loss"]
        for name, row in found.items()
        for algorithm in CONTINUOUS
        if row[algorithm]["thinning_loss"] > FINE
    }
    starts = done["starts"]
    return {
        "beta": beta_for("iris"),
        "beta_banknote": beta_for("banknote"),
        "same": SAME,
        "close": CLOSE,
        "coincident": COINCIDENT,
        "fine": FINE,
        "main": main_table(found),
        "rows": 2 * len(found),
        "wins": sum(
            row["quickshiftpp"][score] == max(row[a][score] for a in ALGORITHMS)
            for row in found.values()
            for score in ("ari", "ami")
        ),
        "cells": len(found) * len(ALGORITHMS),
        "inside": sum(row[a]["inside"] for row in found.values() for a in ALGORITHMS),
        "n_thin": len(thin),
        "thin": ", ".join(f"{key} ({format_score(loss, 3)})" for key, loss in thin.items()),
        "quickshiftpp": quickshiftpp_table(found),
        "n_reached": count_met(verdicts)[0],
        "n_sets": len(found),
        "reached": ", ".join(verdict.what for verdict in verdicts if verdict.met),
        "missed": ", ".join(verdict.what for verdict in verdicts if not verdict.met) or "none",
        "code_sets": " and ".join(TITLES[name] for name in CODE_SETS),
        "code_miss": code_miss(found),
        "n_others": len(cells),
        "n_close": len(cells) - len(far),
        "n_far": len(far),
        "n_explained": sum(is_so for _, is_so in explained.values()),
        "n_unexplained": sum(not is_so for _, is_so in explained.values()),
        "explanations": explanations_table(found, [(*key, why) for key, (why, _) in
                                                   explained.items()]),
        "min_samples": done["min_samples"],
        "starts": max(starts.values()),
        "few_starts": min(starts.values()),
        "few_sets": ", ".join(TITLES[n] for n, c in starts.items() if c < max(starts.values())),
        "seeds": ", ".join(f"{TITLES[n]}, {c:,} random" for n, c in done["fewer_seeds"].items()),
        "tau": tau_values(result),
        "today": today_table(found),
        "mnist": mnist_table(found["mnist"]),
        "own": own_table(found),
        "cores": result["cores"],
        "minutes": {name: seconds / 60 for name, seconds in result["seconds"].items()},
    }  # fmt: skip
