"""Checks of input and output files, and outputs that appear only when they are complete."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from ._errors import BadInput, first_line, listed

_STDOUT = 1
_ACL = "system.posix_acl_access"


def check_input(path: Path, wanted: str, suffixes: Sequence[str] = ()) -> None:
    """Refuse a file that cannot be read, or whose suffix is not one of those given."""
    status = _status(path)
    if status is None:
        raise BadInput(f"the file '{path}' does not exist: check the name and the directory.")
    if stat.S_ISDIR(status.st_mode):
        raise BadInput(f"'{path}' is a directory: give {wanted}.")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(
            f"'{path}' is a pipe or a device, which can be read only once: save its content to a "
            "file first."
        )
    if suffixes:
        _check_suffix(path, "the file", suffixes)
    if not os.access(path, os.R_OK):
        raise BadInput(
            f"the file '{path}' cannot be read, because you have no permission: ask its owner, or "
            "give another file."
        )


def check_output(path: Path, suffixes: Sequence[str], default: str, inputs: Sequence[Path]) -> str:
    """Refuse an output that cannot be written; return the suffix of its format.

    A pipe or a device without a suffix, such as /dev/stdout, gets the format `default`.
    """
    status = _status(path)
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise BadInput(f"the output '{path}' is a directory: give --output the name of a file.")
    if path.suffix or not _is_stream(status):
        _check_suffix(path, "the output", suffixes)
    for file in inputs:
        if identity(path) is not None and identity(path) == identity(file):
            raise BadInput(f"the output '{path}' is the input: choose another with --output.")
    check_writable(path)
    return path.suffix.lower() or default


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written or replaced, before any computation."""
    status = _status(path)
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise BadInput(
            f"the output '{path}' is a directory: rename it, or choose another location with "
            "--output."
        )
    if status is not None and _is_stdout(status):
        return
    folder = real(path).parent if path.is_symlink() else path.parent
    if not _is_stream(status) and not folder.is_dir():
        raise BadInput(
            f"the directory '{folder}' of the output does not exist: create it, or choose "
            "another with --output."
        )
    needed = [path] if status is not None else []
    if not _is_stream(status):
        needed.append(folder)  # the new file is written there, and then replaces the old one
    for blocked in needed:
        if not os.access(blocked, os.W_OK):
            raise BadInput(
                f"the output '{path}' cannot be written, because you have no permission to write "
                f"to '{blocked}': choose another location with --output."
            )


def identity(path: Path) -> tuple[int, int] | None:
    """Return what is equal for two paths if they lead to one file; None if there is no file.

    The names may differ: by symbolic links, hard links, or upper and lower case.
    """
    status = _status(path)
    return None if status is None else (status.st_dev, status.st_ino)


def is_stream(path: Path) -> bool:
    """Whether the path leads to a pipe or a device, or to where the standard output goes."""
    return _is_stream(_status(path))


def is_stdout(path: Path) -> bool:
    """Whether the path leads to where the standard output goes."""
    status = _status(path)
    return status is not None and _is_stdout(status)


def real(path: Path) -> Path:
    """Return the path with all symbolic links followed, also those that lead to nothing yet."""
    return Path(os.path.realpath(path))


class Outputs:
    """Files that are replaced once all of them are complete; none if one cannot be written.

    The content goes to a temporary file in the directory of the target, which is renamed at the
    end of the block. Symbolic links are followed, and a file that is replaced keeps its
    permissions. Pipes and devices cannot be renamed: they get the content at the end of the block.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.csv"
    >>> with Outputs() as outputs:
    ...     with outputs.open(path) as file:
    ...         written = file.write(b"1,2")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'1,2'
    """

    def __init__(self) -> None:
        self._pending: list[_Replacement | _Stream] = []

    def __enter__(self) -> Outputs:
        return self

    @contextmanager
    def open(self, path: Path) -> Iterator[BinaryIO]:
        """Open a file to write; say which one it is if the block fails."""
        with _writing(path):
            status = _status(path)
            pending = _Stream(path) if _is_stream(status) else _Replacement.of(path, status)
            self._pending.append(pending)
            with pending.open() as file:
                yield file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for pending in self._pending:
                    with _writing(pending.path):
                        pending.finish()
        finally:
            for pending in self._pending:
                pending.discard()


@dataclass
class _Replacement:
    """A regular file, with the temporary file that is to replace it."""

    path: Path
    target: Path
    temporary: Path
    handle: int
    replaced: os.stat_result | None

    @classmethod
    def of(cls, path: Path, replaced: os.stat_result | None) -> _Replacement:
        target = real(path)
        handle, name = tempfile.mkstemp(prefix=".quickshiftpp-", dir=target.parent)
        return cls(path, target, Path(name), handle, replaced)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with os.fdopen(self.handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # some file systems notice only here that the disk is full
        self._set_permissions()

    def _set_permissions(self) -> None:
        """Give the temporary file, which is private, the permissions of its target."""
        if self.replaced is None:
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(self.temporary, 0o666 & ~umask)
            return
        mode = stat.S_IMODE(self.replaced.st_mode) & 0o777
        keeps_group = True
        own = self.temporary.stat()
        if (own.st_uid, own.st_gid) != (self.replaced.st_uid, self.replaced.st_gid):
            try:
                os.chown(self.temporary, self.replaced.st_uid, self.replaced.st_gid)
            except OSError:
                try:
                    os.chown(self.temporary, -1, self.replaced.st_gid)
                except OSError:
                    keeps_group = False
                    mode &= 0o707  # what the old group was allowed is not for another group
        access_list = None
        if hasattr(os, "getxattr"):
            with suppress(OSError):  # most files have none
                access_list = os.getxattr(self.target, _ACL)
        if access_list is None:
            os.chmod(self.temporary, mode)
            return
        # The bits for the group are a mask of the list, not what the group may do.
        os.chmod(self.temporary, mode & 0o700)
        if keeps_group:
            with suppress(OSError):
                os.setxattr(self.temporary, _ACL, access_list)

    def finish(self) -> None:
        os.replace(self.temporary, self.target)

    def discard(self) -> None:
        with suppress(OSError):
            self.temporary.unlink()


class _Stream:
    """A pipe or a device. Formats that need to seek are first written to a temporary file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `discard`)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        yield self.content

    def finish(self) -> None:
        self.content.seek(0)
        with self._opened() as stream:
            shutil.copyfileobj(self.content, stream)

    def _opened(self) -> BinaryIO:
        if not is_stdout(self.path):
            return self.path.open("wb")
        # Opening /dev/stdout again would truncate a file that the shell appends to.
        sys.stdout.flush()
        return os.fdopen(os.dup(_STDOUT), "wb")

    def discard(self) -> None:
        self.content.close()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file could not be written if the block fails."""
    try:
        yield
    except (OSError, ValueError, NotImplementedError) as error:
        raise BadInput(
            f"the output '{path}' could not be written ({first_line(error)}): choose another "
            "location or format with --output."
        ) from error


def _status(path: Path) -> os.stat_result | None:
    """Return the status of what the path leads to, or None if there is nothing."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # no permission, a loop of links, a name too long
        raise BadInput(
            f"'{path}' cannot be used ({first_line(error)}): check the name, and the permissions "
            "of its directories."
        ) from error


def _is_stream(status: os.stat_result | None) -> bool:
    """Whether the output must be written in place, because a rename would replace a device.

    A standard output that is redirected to a file counts as well: after a rename, the shell would
    still hold the old file.
    """
    if status is None:
        return False
    return not stat.S_ISREG(status.st_mode) or _is_stdout(status)


def _is_stdout(status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.fstat(_STDOUT))
    except OSError:  # the standard output is closed
        return False


def _check_suffix(path: Path, what: str, suffixes: Iterable[str]) -> None:
    """Refuse a file of an unknown format."""
    if path.suffix.lower() not in suffixes:
        ending = f"ends in '{path.suffix}'" if path.suffix else "has no suffix"
        raise BadInput(
            f"{what} '{path}' {ending}, but only {listed(suffixes)} are supported: "
            "give a file in one of these formats."
        )
