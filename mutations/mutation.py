"""What a planted bug is, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

ALL_LEVELS = ("baseline", "avx2", "avx512", "avx512vnni")


@dataclass(frozen=True)
class Native:
    """Some of the native tests.

    Attributes
    ----------
    file : str
        The end of the path of a file in ``cpp/tests``.
    cases : str
        The names of its test cases as doctest's ``--test-case`` takes them, with ``*`` for any
        text; by default all. A comma separates names: use ``*`` for one within a name.
    levels : tuple of str
        Run once with each of these instruction sets, as far as the processor has them; by default
        once, with the widest.
    sanitized : bool
        Compile with the address sanitizer.
    """

    file: str
    cases: str = "*"
    levels: tuple[str, ...] = ("",)
    sanitized: bool = False

    def __str__(self) -> str:
        cases = "" if self.cases == "*" else f" '{self.cases}'"
        return f"{self.file}{cases}{', sanitized' if self.sanitized else ''}"


@dataclass(frozen=True)
class Python:
    """Some of the Python tests.

    Attributes
    ----------
    path : str
        A file or folder of tests, or one test as pytest names it.
    select : str
        As pytest's ``-k`` takes it; by default all.
    """

    path: str
    select: str = ""

    def __str__(self) -> str:
        return f"{self.path} -k '{self.select}'" if self.select else self.path


Test: TypeAlias = Native | Python


@dataclass(frozen=True)
class Mutation:
    """A bug to plant.

    Attributes
    ----------
    name : str
    breaks : str
        What would go wrong, in a few words.
    file : str
        The file to change, from the root of the repository.
    old, new : str
        Text that occurs once in the file, and what it becomes.
    tests : sequence of Native or Python
        The tests of the stage, the fastest first. They are run until one fails.
    """

    name: str
    breaks: str
    file: str
    old: str
    new: str
    tests: Sequence[Test]

    @property
    def is_native(self) -> bool:
        """Whether the core has to be compiled."""
        return self.file.startswith("cpp/")


class MutationError(Exception):
    """A mutation cannot be tested: the list has to be mended, or the tests."""


def mutate(text: str, mutation: Mutation) -> str:
    """Return the text of a file with the bug.

    Examples
    --------
    >>> bug = Mutation("strict", "ties", "a.py", "a <= b", "a < b", [])
    >>> mutate("print(a <= b)", bug)
    'print(a < b)'
    >>> mutate("print(b >= a)", bug)
    Traceback (most recent call last):
        ...
    mutations.mutation.MutationError: the text to replace occurs 0 times in a.py, not once
    """
    count = text.count(mutation.old)
    if count != 1:
        raise MutationError(
            f"the text to replace occurs {count} times in {mutation.file}, not once"
        )
    return text.replace(mutation.old, mutation.new)
