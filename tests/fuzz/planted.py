"""Targets with planted faults, for the tests of the fuzzing program."""

from __future__ import annotations

import os

import numpy as np

from fuzz.targets.base import Target, register
from fuzz.targets.quickshiftpp import QuickshiftPPTarget
from quickshiftpp import ModeTree

MIB = 1 << 20


class Numbered(Target):
    """Every fourth case, about, is bad."""

    def draw(self, rng):
        return {"is_bad": bool(rng.random() < 0.25)}


@register
class WrongLabel(QuickshiftPPTarget):
    """One label is wrong where there are more than four samples."""

    name = "wrong_label"

    def check(self, checks, **case):
        cut = ModeTree._cut

        def wrong_cut(tree, *arguments):
            found = cut(tree, *arguments)
            if len(found.labels) > 4:
                found.labels[2] += 1
            return found

        ModeTree._cut = wrong_cut
        try:
            super().check(checks, **case)
        finally:
            ModeTree._cut = cut


@register
class Aborts(Numbered):
    """Ends the process."""

    name = "aborts"

    def check(self, checks, *, is_bad):
        checks.holds("it is alive", True)
        if is_bad:
            os.abort()


@register
class Hangs(Numbered):
    """Takes an hour."""

    name = "hangs"
    limit = 2.0

    def check(self, checks, *, is_bad):
        checks.holds("it is quick", True)
        while is_bad:
            pass


@register
class Leaks(Numbered):
    """Keeps a mebibyte per case."""

    name = "leaks"
    kept: list = []  # noqa: RUF012
    warm_up = 160

    def check(self, checks, **_):
        checks.holds("there is memory", True)
        Leaks.warm_up -= 1
        if Leaks.warm_up < 0:
            self.kept.append(np.ones(MIB // 8))


@register
class UsesMemory(Numbered):
    """Uses more, but gives it back."""

    name = "uses_memory"

    def check(self, checks, *, is_bad):
        checks.holds("there is memory", np.ones((4 if is_bad else 1) * MIB).any())
