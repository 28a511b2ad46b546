"""Destinations of output: a file that is replaced as a whole, or a stream that is written to."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rulewright.errors import FileError

TEMPORARY_SUFFIX = ".rulewright-tmp"
"""Suffix of the name of a temporary folder."""

LOCK = "lock"
"""File in a temporary folder, locked while the process that made the folder is alive."""

MAX_LINKS = 40
"""Maximum number of links followed, the same as on Linux."""

MAX_PREFIX_LENGTH = 40
MAX_ATTEMPTS = 5


@dataclass(frozen=True)
class FileDestination:
    """A regular file, which may not exist yet; ``path`` contains no links."""

    path: Path

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """Create a temporary folder beside the file, and remove those that killed processes left.

        It is on the same file system, so a file in it can be moved to its place in one step.
        """
        self.check()
        _remove_stale(self.path)
        with _locked_folder(self.path) as folder:
            yield folder

    def check(self) -> None:
        """Raise an error if the file cannot be written."""
        if self.path.exists() and not os.access(self.path, os.W_OK):
            raise PermissionError(None, "The file is write-protected")
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            self.path.parent.stat()  # raises the reason if the folder does not exist
            raise PermissionError(None, "Permission denied")

    def place(self, temporary: Path) -> None:
        """Move a finished file into place, keeping the mode of an earlier file."""
        umask = os.umask(0)
        os.umask(umask)
        mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o666 & ~umask
        temporary.chmod(mode)
        temporary.replace(self.path)


@dataclass(frozen=True)
class StreamDestination:
    """A device, a pipe, or an open file of this process: written to, never replaced."""

    path: Path
    descriptor: int | None = None

    @contextmanager
    def temporary_folder(self) -> Iterator[Path]:
        """Create a temporary folder; the stream receives the whole output at the end."""
        self.check()
        with tempfile.TemporaryDirectory(suffix=TEMPORARY_SUFFIX) as folder:
            yield Path(folder)

    def check(self) -> None:
        """Raise an error if the stream cannot be written to."""
        if self.descriptor is not None:
            os.fstat(self.descriptor)
        elif not os.access(self.path, os.W_OK):
            raise PermissionError(None, "Permission denied")

    def place(self, temporary: Path) -> None:
        """Write a finished file to the stream."""
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        # A duplicate shares its position: reopening /dev/stdout would begin at the start.
        handle = (
            os.open(self.path, os.O_WRONLY) if self.descriptor is None else os.dup(self.descriptor)
        )
        with temporary.open("rb") as source, open(handle, "wb") as target:
            shutil.copyfileobj(source, target)


Destination = FileDestination | StreamDestination


def destination_of(path: str | os.PathLike[str]) -> Destination:
    """Destination of an output, after following links."""
    named = Path(path)
    descriptor = _own_descriptor(named)
    if descriptor is not None:
        return StreamDestination(named, descriptor)
    try:
        mode = named.stat().st_mode
    except FileNotFoundError:
        return FileDestination(Path(os.path.realpath(named)))
    if stat.S_ISREG(mode):
        return FileDestination(Path(os.path.realpath(named)))
    if stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        raise OSError(None, f"It is a {'folder' if stat.S_ISDIR(mode) else 'disk'}")
    return StreamDestination(named)


def file_to_replace(path: str | os.PathLike[str]) -> Path | None:
    """The existing file that an output would replace, or None."""
    destination = destination_of(path)
    is_file = isinstance(destination, FileDestination) and destination.path.exists()
    return destination.path if is_file else None


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to the same regular file, which may not exist yet."""
    try:
        first, second = destination_of(one), destination_of(other)
        if not isinstance(first, FileDestination) or not isinstance(second, FileDestination):
            return False
        return first.path == second.path or first.path.samefile(second.path)
    except OSError:
        return False


def is_standard_output(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to the standard output of this process."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if an output cannot be written, before the work for it begins."""
    try:
        destination_of(path).check()
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: str | os.PathLike[str], error: Exception) -> FileError:
    """Error that says why an output cannot be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return FileError(
        f"Cannot write {str(path)!r}: {reason}. Choose a path in an existing folder that you "
        "may write to."
    )


def _own_descriptor(path: Path) -> int | None:
    """Open file of this process that a path such as ``/dev/stdout`` leads to, or None."""
    folders = {Path(f"/proc/{os.getpid()}/fd"), Path("/dev/fd")}
    for _ in range(MAX_LINKS):
        folder = Path(os.path.realpath(path.parent))
        if folder in folders and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = folder / path.readlink()
    return None


@contextmanager
def _locked_folder(target: Path) -> Iterator[Path]:
    """Create a temporary folder with a lock, and remove it at the end."""
    for _ in range(MAX_ATTEMPTS):
        folder = Path(
            tempfile.mkdtemp(prefix=_prefix(target), suffix=TEMPORARY_SUFFIX, dir=target.parent)
        )
        lock, is_own = None, False
        try:
            # Until the folder is locked, another process may take it for a stale one.
            with suppress(FileNotFoundError, BlockingIOError):
                lock = _lock(folder)
                is_own = (folder / LOCK).exists()
            if is_own:
                yield folder
                return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)
    raise OSError(None, "Other processes keep removing the temporary folder")


def _lock(folder: Path) -> int | None:
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove_stale(target: Path) -> None:
    """Remove temporary folders for this file whose processes have ended."""
    prefix = _prefix(target)
    with os.scandir(target.parent) as entries:
        folders = [
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(prefix)
            and entry.name.endswith(TEMPORARY_SUFFIX)
            and entry.is_dir(follow_symlinks=False)
        ]
    for folder in folders:
        with suppress(OSError):
            lock = _lock(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _prefix(target: Path) -> str:
    return f".{target.name[:MAX_PREFIX_LENGTH]}."
