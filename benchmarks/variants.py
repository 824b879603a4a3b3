"""Builds of the core beside the installed one, for programs that compile it with changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click


class BuildError(click.ClickException):
    """A build has failed; the message is the output of the compiler."""


def build_core(
    source: Path,
    folder: Path,
    *,
    targets: Sequence[str] = ("_core",),
    options: Sequence[str] = (),
    jobs: int | None = None,
) -> None:
    """Build the core from some sources in a folder, in which only what has changed is compiled.

    Parameters
    ----------
    source : Path
        With the ``CMakeLists.txt`` of the repository.
    folder : Path
    targets : sequence of str
    options : sequence of str
        More options of CMake, for a folder that is new.
    jobs : int, optional
        The number of processes; by default the build tool decides.

    Raises
    ------
    BuildError
    """
    from nanobind import cmake_dir

    commands = []
    if not (folder / "CMakeCache.txt").exists():
        commands.append(
            ["cmake", "-S", str(source), "-B", str(folder), f"-Dnanobind_DIR={cmake_dir()}",
             f"-DPython_EXECUTABLE={sys.executable}", *options]
        )  # fmt: skip
    parallel = ["--parallel"] if jobs is None else ["--parallel", str(jobs)]
    commands.append(["cmake", "--build", str(folder), "--target", *targets, *parallel])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise BuildError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
