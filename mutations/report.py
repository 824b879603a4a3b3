"""What was caught, as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reporting.tables import plural, table

from .mutation import Mutation
from .run import CAUGHT, ERROR, MISSED, Outcome

LEAST_SHARE = 0.95


def share(outcomes: Sequence[Outcome]) -> float:
    """Return the share of the bugs that were caught."""
    return sum(outcome.kind == CAUGHT for outcome in outcomes) / max(len(outcomes), 1)


def is_enough(outcomes: Sequence[Outcome]) -> bool:
    """Return whether enough bugs were caught, and all could be tested."""
    has_errors = any(outcome.kind == ERROR for outcome in outcomes)
    return share(outcomes) >= LEAST_SHARE and not has_errors


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return a table of all bugs, and a sentence on the whole."""
    rows = [
        [
            f"`{outcome.mutation.name}`",
            outcome.kind,
            outcome.what.partition("\n")[0].replace("|", "\\|") or "-",
            f"{outcome.seconds:.0f}",
        ]
        for outcome in outcomes
    ]
    return "\n".join(
        [table(["bug", "", "by", "seconds"], rows, text_columns=3), "", sentence(outcomes)]
    )


def sentence(outcomes: Sequence[Outcome]) -> str:
    """Return how many bugs were caught."""
    counts = Counter(outcome.kind for outcome in outcomes)
    said = f"{counts[CAUGHT]} of {plural(len(outcomes), 'bug')} caught ({share(outcomes):.1%})"
    if counts[MISSED]:
        said += f", {counts[MISSED]} missed"
    if counts[ERROR]:
        said += f", {plural(counts[ERROR], 'error')}"
    return said + "."


def by_part(outcomes: Sequence[Outcome]) -> str:
    """Return how many bugs were caught in each folder, as a table."""
    parts: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        parts.setdefault(outcome.mutation.file.rpartition("/")[0], []).append(outcome)
    rows = [
        [f"`{part}/`", str(len(of)), str(sum(o.kind == CAUGHT for o in of))]
        for part, of in sorted(parts.items())
    ]
    total = [str(len(outcomes)), str(sum(o.kind == CAUGHT for o in outcomes))]
    return table(["part", "bugs", "caught"], [*rows, ["all", *total]])


def listing(mutations: Sequence[Mutation]) -> str:
    """Return the names of the bugs with what each would break."""
    width = max(len(mutation.name) for mutation in mutations)
    return "\n".join(f"{m.name:<{width}}  {m.breaks} ({m.file})" for m in mutations)
