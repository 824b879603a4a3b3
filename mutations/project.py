"""A copy of the repository, in which bugs are planted, compiled and tested."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.variants import BuildError, build_core

from .mutation import Mutation, MutationError, Native, Python, Test, mutate

_NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "*_cache", "__pycache__", ".hypothesis", "*.so", "build", "dist", "results"
)
# An editable installation would import the package from the repository, not from the copy.
_SITE_CUSTOMIZE = """\
import sys

sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "ScikitBuildRedirectingFinder"]
"""
_SKIPPED = 77  # what the native tests return where the processor lacks the instruction set
_FAILED = 1  # what pytest returns if a test has failed, and not for anything else
_SHOWN_LINES = 15

PLAIN, SANITIZED = "plain", "sanitized"
_OPTIONS = {
    PLAIN: ["-DQUICKSHIFTPP_BUILD_TESTS=ON"],
    SANITIZED: [
        "-DQUICKSHIFTPP_BUILD_TESTS=ON",
        "-DQUICKSHIFTPP_BUILD_PYTHON=OFF",
        "-DCMAKE_CXX_FLAGS=-fsanitize=address",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O3",  # without NDEBUG, for assert()
    ],
}
_TARGETS = {PLAIN: ["_core", "quickshiftpp_tests"], SANITIZED: ["quickshiftpp_tests"]}


class Project:
    """A copy of the repository in a folder.

    The core is compiled once. A bug compiles only what it changes; afterwards the build folder is
    put back from a copy, so that the sources that were put back are not compiled again.

    Parameters
    ----------
    root : Path
        The repository, or anything like it; without a ``CMakeLists.txt`` nothing is compiled.
    folder : Path
        An empty folder to work in.
    limit : float
        The seconds that a test command may take before it counts as failed: a bug may make a loop
        endless.
    """

    def __init__(self, root: Path, folder: Path, limit: float = 600) -> None:
        self._folder = folder
        self._limit = limit
        self._source = folder / "source"
        shutil.copytree(root, self._source, ignore=_NOT_COPIED)
        hooks = folder / "hooks"
        hooks.mkdir()
        (hooks / "sitecustomize.py").write_text(_SITE_CUSTOMIZE)
        paths = [hooks, self._source / "src", self._source]
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",  # files change within the resolution of a time stamp
        }
        self._has_core = (self._source / "CMakeLists.txt").exists()
        self._built: set[str] = set()

    def prepare(self, tests: Sequence[Test]) -> None:
        """Compile what some tests need, without a bug."""
        if not self._has_core:
            return
        wanted = {self._kind(test) for test in tests}
        for kind in sorted(wanted - self._built):
            self._build(kind, _TARGETS[kind])
            shutil.copytree(self._build_folder(kind), self._clean_folder(kind), symlinks=True)
            self._built.add(kind)
            if kind == PLAIN:
                self._install_core()
                self._check_import()

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[None]:
        """Plant a bug, and compile it for its tests; take it out again at the end of the block.

        Raises
        ------
        MutationError
            Where the text to replace is not there, or the result does not compile.
        """
        path = self._source / mutation.file
        before = path.read_text()
        status = path.stat()
        text = mutate(before, mutation)
        if path.suffix == ".py":
            _compile(text, mutation.file)
        path.write_text(text)
        try:
            if mutation.is_native and self._has_core:
                self._build_planted(mutation)
            yield
        finally:
            path.write_text(before)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
            if mutation.is_native and self._has_core:
                self._put_back()

    def failure(self, test: Test) -> str | None:
        """Run tests until one fails, and return its name; None if all pass."""
        return self._native(test) if isinstance(test, Native) else self._python(test)

    def _native(self, test: Native) -> str | None:
        program = self._build_folder(self._kind(test)) / "cpp" / "tests" / "quickshiftpp_tests"
        selected = [f"--source-file=*{test.file}", f"--test-case={test.cases}"]
        command = [str(program), *selected, "--abort-after=1", "--no-colors"]
        for level in test.levels:
            environment = {"QUICKSHIFTPP_SIMD": level} if level else {}
            # The tests of failed allocations ask for more than there is.
            code, output = self._run(command, {"ASAN_OPTIONS": "detect_leaks=0", **environment})
            where = f" with {level}" if level else ""
            if code == _SKIPPED:
                continue
            if code is None:
                return f"{test}{where}: no end after {self._limit:g} s"
            if code == 0:
                if re.search(r"test cases:\s*0\b", output):
                    raise MutationError(f"there are no native tests in {test}")
                continue
            return f"{test.file}: {_failed_case(output) or _fault(output, code)}{where}"
        return None

    def _python(self, test: Python) -> str | None:
        command = [sys.executable, "-m", "pytest", "-x", "-v", "--no-header", "--tb=short"]
        command += ["-p", "no:cacheprovider", test.path, *(["-k", test.select] * bool(test.select))]
        code, output = self._run(command)
        if code == 0:
            return None
        started = re.findall(r"^(\S+::.+?)(?: (?:PASSED|SKIPPED|XFAIL).*)?$", output, re.MULTILINE)
        last = started[-1].split(" ")[0] if started else str(test)
        if code is None:
            return f"{last}: no end after {self._limit:g} s"
        if code < 0:
            return f"{last}: {_signal(code)}"
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
        if code != _FAILED or failed is None:
            raise MutationError(f"{test} cannot be run:\n{_end(output)}")
        return failed[1]

    def _run(
        self, command: Sequence[str], environment: dict[str, str] | None = None
    ) -> tuple[int | None, str]:
        """Return the exit code, None where it takes too long, and the output."""
        process = subprocess.Popen(
            command,
            cwd=self._source,
            env={**self._environment, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,  # so that its children end with it
        )
        try:
            output, _ = process.communicate(timeout=self._limit)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return None, output
        return process.returncode, output

    @staticmethod
    def _kind(test: Test) -> str:
        return SANITIZED if isinstance(test, Native) and test.sanitized else PLAIN

    def _build_folder(self, kind: str) -> Path:
        return self._folder / f"build-{kind}"

    def _clean_folder(self, kind: str) -> Path:
        return self._folder / f"clean-{kind}"

    def _build(self, kind: str, targets: Sequence[str]) -> None:
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        build_core(
            self._source,
            self._build_folder(kind),
            targets=targets,
            options=[*generator, *_OPTIONS[kind]],
            jobs=1,
        )

    def _build_planted(self, mutation: Mutation) -> None:
        wanted = {self._kind(test): set[str]() for test in mutation.tests}
        for test in mutation.tests:
            is_native = isinstance(test, Native)
            wanted[self._kind(test)].add("quickshiftpp_tests" if is_native else "_core")
        try:
            for kind, targets in wanted.items():
                self._build(kind, sorted(targets))
        except BuildError as error:
            errors = [line for line in error.message.splitlines() if "error" in line]
            raise MutationError("it does not compile:\n" + "\n".join(errors[:3])) from error
        self._install_core()

    def _put_back(self) -> None:
        for kind in self._built:
            shutil.rmtree(self._build_folder(kind))
            shutil.copytree(self._clean_folder(kind), self._build_folder(kind), symlinks=True)
        self._install_core()

    def _install_core(self) -> None:
        for library in (self._build_folder(PLAIN) / "cpp").glob("_core*.so"):
            shutil.copy(library, self._source / "src" / "quickshiftpp")

    def _check_import(self) -> None:
        code, output = self._run(
            [sys.executable, "-c", "from quickshiftpp import _core; print(_core.__file__)"]
        )
        if code != 0 or not Path(output.strip()).is_relative_to(self._source):
            raise MutationError(f"the copy cannot be imported, but: {_end(output)}")


def _compile(text: str, name: str) -> None:
    try:
        compile(text, name, "exec")
    except SyntaxError as error:
        raise MutationError(f"it does not compile: {error}") from error


def _failed_case(output: str) -> str | None:
    names = re.findall(r"^TEST CASE:\s+(.*)$", output, re.MULTILINE)
    return names[-1] if names else None


def _fault(output: str, code: int) -> str:
    found = re.search(r"ERROR: AddressSanitizer: (\S+)", output)
    if found:
        return f"address sanitizer, {found[1]}"
    return _signal(code) if code < 0 else f"exit code {code}"


def _signal(code: int) -> str:
    return signal.Signals(-code).name


def _end(output: str) -> str:
    return "\n".join(output.strip().splitlines()[-_SHOWN_LINES:])
