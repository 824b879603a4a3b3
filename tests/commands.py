"""The command line, called within the process of a test."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from click.testing import CliRunner, Result

from quickshiftpp.cli import main


def run(*arguments: object, color: bool = False) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], color=color)


def succeed(*arguments: object) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def refuse(*arguments: object) -> str:
    """Return the one line on stderr of a command that must fail before it prints anything."""
    result = run(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("quickshiftpp: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith("\n")
    return result.stderr


def run_process(
    *arguments: object, first: str = "", **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, after the statements `first`."""
    code = f"import sys\nfrom quickshiftpp.cli import main\n{first}\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, check=False, **options)


def is_clean(text: str) -> bool:
    """Whether the text has no control characters but newlines and the bold type of the summary."""
    for bold in ("\x1b[1m", "\x1b[0m"):
        text = text.replace(bold, "")
    return all(line.isprintable() for line in text.split("\n"))
