"""Error messages, and text that is safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

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
    is_plain = name == name.strip() and name and "," not in name and name.isprintable()
    return name if is_plain else repr(name)


def printable(text: str) -> str:
    r"""Escape control characters, which could take over the terminal or forge other lines.

    Names of files and columns come from strangers. All text that contains one goes through here
    before it is printed.

    Examples
    --------
    >>> print(printable("size\x1b[2J in \N{GREEK SMALL LETTER MU}m\n"))
    size\x1b[2J in μm\n
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


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
