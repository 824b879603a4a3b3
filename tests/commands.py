"""The command line, called within the process of a test."""

from __future__ import annotations

from click.testing import CliRunner, Result

from quickshiftpp.cli import main


def run(*arguments: object, color: bool = False) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], color=color)


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
