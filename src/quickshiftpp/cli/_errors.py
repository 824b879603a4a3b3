"""Error messages, and checks of input and output files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

_MOST_LISTED = 20


class BadInput(click.ClickException):
    """One sentence that names the value, what is allowed, and the remedy."""

    exit_code = 2


def listed(names: Iterable[str]) -> str:
    """Join names with commas; of very many only the first.

    Examples
    --------
    >>> listed(["a", "b"])
    'a, b'
    """
    names = list(names)
    rest = len(names) - _MOST_LISTED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:_MOST_LISTED]) + more


def shown(name: str) -> str:
    """Return the name of a column, quoted if it would be hard to see.

    Examples
    --------
    >>> shown("width"), shown("x, y"), shown("")
    ('width', "'x, y'", "''")
    """
    return name if name == name.strip() and name and "," not in name else repr(name)


def first_line(error: BaseException, longest: int = 160) -> str:
    """Return the message of another library's error on one line, without a final period."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return shorten(said, longest).rstrip(".")


def shorten(text: str, longest: int) -> str:
    """Put a text on one line of limited length."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


@contextmanager
def optional(purpose: str) -> Iterator[None]:
    """Say what to install if an import inside the block fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "a library").partition(".")[0]
        raise BadInput(
            f"{purpose} needs {library}, which is not installed: pip install 'quickshiftpp[all]'"
        ) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say which file could not be written if the block fails."""
    try:
        yield
    except (OSError, ValueError, NotImplementedError) as error:
        raise BadInput(
            f"the output '{path}' could not be written ({first_line(error)}): choose another "
            "location or format with --output."
        ) from error


def check_input(path: Path, wanted: str, suffixes: Iterable[str] = ()) -> None:
    """Refuse a file that does not exist, or whose suffix is not one of those given."""
    if path.is_dir():
        raise BadInput(f"'{path}' is a directory: give {wanted}.")
    if not path.exists():
        raise BadInput(f"the file '{path}' does not exist: check the name and the directory.")
    if suffixes:
        check_suffix(path, "the file", suffixes)


def check_suffix(path: Path, what: str, suffixes: Iterable[str]) -> None:
    """Refuse a file of an unknown format."""
    if path.suffix.lower() not in suffixes:
        ending = f"ends in '{path.suffix}'" if path.suffix else "has no suffix"
        raise BadInput(
            f"{what} '{path}' {ending}, but only {listed(suffixes)} are supported: "
            "give a file in one of these formats."
        )


def check_output(path: Path, suffixes: Iterable[str]) -> None:
    """Refuse an output that cannot be written, before any computation."""
    if path.is_dir():
        raise BadInput(f"the output '{path}' is a directory: give --output the name of a file.")
    check_suffix(path, "the output", suffixes)
    if not path.parent.is_dir():
        raise BadInput(
            f"the directory '{path.parent}' of the output does not exist: create it, or choose "
            "another with --output."
        )
    blocked = path if path.exists() else path.parent
    if not os.access(blocked, os.W_OK):
        raise BadInput(
            f"the output '{path}' cannot be written, because you have no permission to write to "
            f"'{blocked}': choose another location with --output."
        )
