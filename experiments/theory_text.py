"""What the evidence says about the theorems, in words, from the result of `theory`."""

from __future__ import annotations

from .experiment import Finding
from .paper_figures import CONDITION
from .store import Record
from .theory_figures import formula


def last(regime: Record) -> Record:
    """Return the figures at the largest n of a regime."""
    row: Record = regime["cores"]["rows"][-1]
    return row


def theorem_1(densities: Record) -> str:
    """Return what Theorem 1 says, and what was found."""
    parts = []
    for name, one in densities.items():
        first, final = one["regimes"]["below"]["cores"]["rows"][0], last(one["regimes"]["below"])
        parts.append(
            f"{name}: one to one in {first['right']:.0%} of draws at n = {first['n']:,} and "
            f"{final['right']:.0%} at n = {final['n']:,}, median Hausdorff distance "
            f"{first['hausdorff']:.3f} and {final['hausdorff']:.3f}"
        )
    included = max(
        row["included"]
        for one in densities.values()
        for row in one["regimes"]["below"]["cores"]["rows"]
    )
    missing = " and ".join(
        f"{last(one['regimes']['below'])['missing']:.1%}" for one in densities.values()
    )
    held = "no draw" if included == 0 else f"at most {included:.0%} of draws"
    return (
        "**Theorem 1 holds in the sense of Hausdorff distance, with k well below n.** "
        + ". ".join(part[0].upper() + part[1:] for part in parts)
        + ". Its first inclusion, that every sample of a core is in the estimate, does not hold as "
        f"printed: it held in {held} at any n, and {missing} of the cores' "
        "samples are missing at the largest n. The level of an estimated "
        "core is (1 - beta) times the largest of many noisy densities, which errs upwards, and "
        "samples at the rim fall on either side of it."
    )


def theorem_2(densities: Record) -> str:
    """Return what Theorem 2 says, and what was found."""
    parts = [
        f"{row['interior']:.2%} at n = {row['n']:,} (of all samples: {row['regions']:.2%})"
        for one in densities.values()
        for row in (last(one["regimes"]["below"]),)
    ]
    return (
        "**Theorem 2 holds.** The share of the samples in the interiors that get their own core's "
        f"label comes to {' and '.join(parts)}, on the line and in the plane."
    )


def lemma_2(densities: Record, margin: float) -> str:
    """Return what Lemma 2 says, and what was found."""
    below = [one["regimes"]["below"] for one in densities.values()]
    slopes = " and ".join(
        f"{one['slopes']['inside']:+.2f} (predicted {one['predicted']:+.2f})" for one in below
    )
    edges = " and ".join(
        f"{regime['errors']['edge'][-1]:.3f} ({one['edge_limit']:.3f} in the limit)"
        for one, regime in zip(densities.values(), below, strict=True)
    )
    return (
        "**Lemma 2 holds inside of the support, not on its boundary.** With k well below n the "
        f"largest error at points {margin} or more from the boundary falls with slopes {slopes} in "
        "log n; logarithms, which the lemma has as well, make a fitted slope flatter. On the "
        f"boundary itself it comes to {edges} at the largest n and stays: there a ball holds "
        "samples in a half (in a corner: a quarter) of its volume only, so that the density is "
        "underestimated by that factor for every n, and a supremum over all of a support that "
        "ends abruptly cannot vanish. The theorems survive, since cores keep away from it."
    )


def at_size(regime: Record, n: int) -> str:
    """Return how Theorem 1 fares at one n: cores one to one, and their distance."""
    row = next(row for row in regime["cores"]["rows"] if row["n"] == n)
    distance = "none" if row["hausdorff"] is None else f"{row['hausdorff']:.4f}"
    return f"k = {formula(regime)}: {row['right']:.0%}, {distance}"


def condition(densities: Record) -> str:
    """Return what was found about the condition on k."""
    parts = []
    for name, one in densities.items():
        regimes = one["regimes"]
        n = last(regimes["large"])["n"]
        texts = "; ".join(at_size(regime, n) for regime in regimes.values())
        parts.append(f"{name}, {texts}")
    ends = {
        key: " and ".join(
            f"{one['regimes'][key]['errors']['inside'][-2]:.2f} → "
            f"{one['regimes'][key]['errors']['inside'][-1]:.2f}"
            for one in densities.values()
        )
        for key in ("tenth", "large")
    }
    return (
        f"**The condition on k is not sufficient as printed.** `{CONDITION} / k → 0` bounds k "
        "from below only and admits k in proportion to n. Then the error of the density stops "
        f"falling (last two sizes, line and plane: {ends['tenth']} for the smaller, "
        f"{ends['large']} for the larger proportion), and with the larger one neither theorem "
        "holds at any n. Cores one to "
        f"one and median Hausdorff distance at n = {n:,}: " + "; ".join(parts) + ". The two "
        "proportions were chosen to show both outcomes: a small one finds the cores all the same. "
        "What the evidence supports is `log² n / k → 0` together with `k / n → 0`, as Lemma 2 has "
        f"it. It does not say that k must be below `{CONDITION}`, the printed condition reversed: "
        "above it, yet far below n, cores were found as well and, on these smooth densities, "
        "closer; there the lemma's second term is pessimistic, and more neighbours mean less noise."
    )


def conclusions(result: Record) -> list[str]:
    """Return one paragraph for each."""
    densities = result["densities"]
    return [
        theorem_1(densities),
        theorem_2(densities),
        lemma_2(densities, result["margin"]),
        condition(densities),
    ]


def short(result: Record) -> list[Finding]:
    """Tell it in a few words."""
    below = [one["regimes"]["below"] for one in result["densities"].values()]
    distances = "; ".join(
        f"{one['cores']['rows'][0]['hausdorff']:.3f} → {last(one)['hausdorff']:.3f}"
        for one in below
    )
    interiors = " and ".join(f"{last(one)['interior']:.2%}" for one in below)
    return [
        (
            "Theorem 1",
            f"supported with k well below n: right number of cores, Hausdorff distance {distances};"
            " its first inclusion does not hold as printed",
        ),
        ("Theorem 2", f"supported: {interiors} of the interiors right at the largest n"),
        ("Lemma 2", "supported inside of the support, not on its boundary"),
        (
            "the condition on k",
            "not sufficient as printed: k in proportion to n fails; k / n → 0 is needed",
        ),
    ]
