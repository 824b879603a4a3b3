"""Goes through the bugs: plants each, and runs its tests until one fails."""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .mutation import Mutation, MutationError, Test
from .project import Project

CAUGHT, MISSED, ERROR = "caught", "missed", "error"


@dataclass(frozen=True)
class Outcome:
    """What became of a bug.

    Attributes
    ----------
    mutation : Mutation
    kind : str
        CAUGHT, MISSED, or ERROR where it could not be tested.
    what : str
        The test that caught it, or the error.
    seconds : float
    """

    mutation: Mutation
    kind: str
    what: str
    seconds: float


class Run:
    """Tests bugs, some at a time, each in a copy of the repository.

    Parameters
    ----------
    root : Path
        The repository.
    mutations : sequence of Mutation
    on_outcome : callable
        Called with each outcome as it comes.
    """

    def __init__(
        self,
        root: Path,
        mutations: Sequence[Mutation],
        on_outcome: Callable[[Outcome], None] = lambda _: None,
        limit: float = 600,
    ) -> None:
        self._root = root
        self._mutations = mutations
        self._on_outcome = on_outcome
        self._limit = limit
        self._sound: set[Test] = set()  # tests that pass without a bug
        self._lock = threading.Lock()

    def run(self, jobs: int = 1) -> list[Outcome]:
        """Return the outcomes, in the order of the mutations."""
        waiting: queue.SimpleQueue[list[Mutation]] = queue.SimpleQueue()
        # One copy tests all that need the sanitizer, since everything is compiled with it first.
        sanitized = [mutation for mutation in self._mutations if _is_sanitized(mutation)]
        others = [[mutation] for mutation in self._mutations if not _is_sanitized(mutation)]
        for group in [sanitized, *others]:
            waiting.put(group)
        outcomes: dict[str, Outcome] = {}
        failures: list[BaseException] = []
        with tempfile.TemporaryDirectory(prefix="mutations-") as name:
            folders = [Path(name) / str(number) for number in range(jobs)]
            workers = [
                threading.Thread(target=self._work, args=(folder, waiting, outcomes, failures))
                for folder in folders
            ]
            for worker in workers:
                worker.start()
            try:
                for worker in workers:
                    worker.join()
            except BaseException as error:  # Ctrl-C: what is running ends first
                failures.append(error)
                for worker in workers:
                    worker.join()
        if failures:
            raise failures[0]
        return [outcomes[mutation.name] for mutation in self._mutations]

    def _work(
        self,
        folder: Path,
        waiting: queue.SimpleQueue[list[Mutation]],
        outcomes: dict[str, Outcome],
        failures: list[BaseException],
    ) -> None:
        try:
            folder.mkdir()
            project = Project(self._root, folder, self._limit)
            group: list[Mutation] = []
            while not failures:
                if not group:
                    try:
                        group = waiting.get_nowait()[::-1]
                    except queue.Empty:
                        return
                    continue
                mutation = group.pop()
                outcome = self._test(project, mutation)
                with self._lock:
                    outcomes[mutation.name] = outcome
                    self._on_outcome(outcome)
        except BaseException as error:
            failures.append(error)

    def _test(self, project: Project, mutation: Mutation) -> Outcome:
        start = time.monotonic()
        try:
            project.prepare(mutation.tests)
            for test in mutation.tests:
                self._check_sound(project, test)
            start = time.monotonic()
            kind, what = MISSED, ""
            with project.planted(mutation):
                for test in mutation.tests:
                    found = project.failure(test)
                    if found is not None:
                        kind, what = CAUGHT, found
                        break
        except MutationError as error:
            kind, what = ERROR, str(error)
        return Outcome(mutation, kind, what, time.monotonic() - start)

    def _check_sound(self, project: Project, test: Test) -> None:
        """Refuse a test that fails without a bug: it would catch everything."""
        with self._lock:
            if test in self._sound:
                return
        found = project.failure(test)
        if found is not None:
            raise MutationError(f"without the bug, this fails as well: {found}")
        with self._lock:
            self._sound.add(test)


def _is_sanitized(mutation: Mutation) -> bool:
    return any(getattr(test, "sanitized", False) for test in mutation.tests)
