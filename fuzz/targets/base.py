"""What a target is, and the registry of all targets."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from ..checks import Checks

Case: TypeAlias = dict[str, Any]


class Target(ABC):
    """Draws cases from numbers, and checks what must hold for them.

    Attributes
    ----------
    name : str
        As in ``--only`` and ``--case``.
    share : float
        The share of the time that the target gets, relative to the others.
    limit : float
        The seconds after which a case counts as hanging, on a busy machine too.
    """

    name: ClassVar[str]
    share: ClassVar[float] = 1.0
    limit: ClassVar[float] = 60.0

    @abstractmethod
    def draw(self, rng: np.random.Generator) -> Case:
        """Draw a case: the keyword arguments of :meth:`check`.

        Values are numbers, text, None, arrays, and lists and tuples of these, so that a case can
        be printed as Python. The package is not called here.
        """

    @abstractmethod
    def check(self, checks: Checks, *args: Any, **case: Any) -> None:
        """Run a case. Any exception is a finding."""

    def smaller(self, case: Case) -> Iterator[Case]:  # noqa: ARG002
        """Propose smaller cases, the smallest first, to see whether they fail too."""
        yield from ()

    def numbered(self, number: int) -> Case:
        """Return the case of a number."""
        return self.draw(np.random.default_rng([zlib.crc32(self.name.encode()), number]))


TARGETS: dict[str, Target] = {}

_Class = TypeVar("_Class", bound=type[Target])


def register(target: _Class) -> _Class:
    """Add a target to the registry; a decorator for its class."""
    TARGETS[target.name] = target()
    return target


def check(target: str, **case: Any) -> int:
    """Check one case of a target, and return the number of comparisons."""
    checks = Checks()
    TARGETS[target].check(checks, **case)
    return checks.count
