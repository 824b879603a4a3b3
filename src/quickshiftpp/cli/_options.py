"""Checks of option values that the commands share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from ._errors import BadInput

_CORES = os.cpu_count() or 1
_MOST_THREADS = max(256, 4 * _CORES)  # more than this is almost certainly a typing error


class _Rule(NamedTuple):
    is_allowed: Callable[[Any], bool]
    allowed: str
    remedy: str


_RULES = {
    "k": _Rule(
        lambda k: k >= 1, "a whole number of 1 or more", "leave it out to have it chosen"
    ),
    "beta": _Rule(
        lambda beta: 0 < beta < 1,
        "strictly between 0 and 1",
        "larger values give fewer clusters",
    ),
    "min_cluster_size": _Rule(lambda size: size >= 1, "1 or more", "1 keeps every cluster"),
    "n_segments": _Rule(
        lambda number: number >= 1, "1 or more", "leave it out to have the number found"
    ),
    "merge": _Rule(lambda merge: 0 <= merge < math.inf, "0 or more", "0 merges no segments"),
    "ratio": _Rule(
        lambda ratio: 0 < ratio < math.inf, "above 0", "larger values give colors more weight"
    ),
    "sigma": _Rule(lambda sigma: 0 <= sigma < math.inf, "0 or more", "0 turns the blur off"),
    "min_size": _Rule(lambda size: size >= 1, "1 or more", "1 keeps every segment"),
    "n_jobs": _Rule(
        lambda jobs: jobs != 0 and jobs <= _MOST_THREADS,
        f"from 1 to {_MOST_THREADS}, or -1 for all {_CORES} cores",
        "leave it out for all cores, or what OMP_NUM_THREADS says",
    ),
}  # fmt: skip


def check_options(**given: Any) -> None:
    """Refuse numbers out of range, each option by its name; None and "auto" are always allowed."""
    for name, value in given.items():
        rule = _RULES[name]
        if isinstance(value, int | float) and not rule.is_allowed(value):
            number = f"{value:g}" if isinstance(value, float) else value
            raise BadInput(
                f"--{name.replace('_', '-')} is {number}, but it must be {rule.allowed}: "
                f"{rule.remedy}."
            )


def check_at_most(count: int, things: str, file: Path, **given: Any) -> None:
    """Refuse numbers larger than the number of rows or pixels in a file."""
    for name, value in given.items():
        if isinstance(value, int) and value > count:
            raise BadInput(
                f"--{name.replace('_', '-')} is {value}, but '{file}' has only {count} "
                f"{things if count > 1 else things.removesuffix('s')}: give a number from 1 to "
                f"{count}, or leave it out."
            )


class NumberOrAuto(click.ParamType):  # type: ignore[type-arg]
    """A number, or the word auto."""

    def __init__(self, number: type[int] | type[float]) -> None:
        self.name = f"{'integer' if number is int else 'float'} or auto"
        self._number = number

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float | str:
        """Return the number, or "auto"."""
        if value == "auto":
            return "auto"
        try:
            return self._number(str(value))
        except ValueError:
            kind = "a whole number" if self._number is int else "a number"
            self.fail(f"{value!r} is neither {kind} nor auto", param, ctx)
