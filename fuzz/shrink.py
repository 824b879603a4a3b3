"""Makes a failing case smaller, as long as it fails in the same way."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from .checks import Checks
from .targets import Case, Target

SHRINK_SECONDS = 10.0


def shrink(target: Target, case: Case, failure_of: Callable[[Target, Case, Checks], str]) -> Case:
    """Return a smaller case that fails too, or the case itself.

    Each proposal of the target that still fails is taken, until none does or time is up. A failure
    is the same if it is about the same thing.
    """
    kind = kind_of(failure_of(target, case, Checks()))
    deadline = time.monotonic() + SHRINK_SECONDS
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for proposal in target.smaller(case):
            if time.monotonic() > deadline:
                return case
            if kind_of(failure_of(target, proposal, Checks())) == kind:
                case, is_smaller = proposal, True
                break
    return case


def kind_of(failure: str) -> str:
    """Return what a failure is about: two with the same text probably have the same cause."""
    # What follows changes with the case: values, numbers of clusters, betas, lines.
    return re.split(r"[(:;]| at ", failure, maxsplit=1)[0]
