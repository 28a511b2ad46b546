"""A session: tables, models and logs as files in one folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from rulewright.data import write_atomically
from rulewright.errors import FileError, InputError
from rulewright.workbench.json_files import read_json, write_json
from rulewright.workbench.tasks import Task

MARK = "session.json"
"""File by which a folder is known as a session."""
VERSION = 1
ID = re.compile(r"[0-9a-f]{12}")
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
MAX_NAME = 80
CHUNK = 1 << 20


class Readable(Protocol):
    """What an upload is read from."""

    def read(self, size: int, /) -> bytes:
        """Read the next bytes; none at the end."""


@dataclass(frozen=True)
class StoredTable:
    """A table of a session: an uploaded file, or a reference to a file elsewhere."""

    id: str
    folder: Path
    name: str
    path: Path
    table: str | None
    added: float

    @property
    def is_copy(self) -> bool:
        """Whether the file was uploaded, and is one of the session."""
        return self.path.parent == self.folder

    @property
    def files(self) -> list[Path]:
        """The files of the session that belong to the table, the description first."""
        own = [self.path] if self.is_copy else []
        return [self.folder / "about.json", *own, *self.folder.glob("look-*.json")]

    def look(self, key: str) -> Path:
        """Return the file that keeps a first look at the table."""
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self.folder / f"look-{digest}.json"


@dataclass(frozen=True)
class StoredModel:
    """A model of a session, or the attempt to make one."""

    id: str
    folder: Path
    about: dict[str, Any]

    @property
    def path(self) -> Path:
        """The model file; it exists when the task is done."""
        return self.folder / "model.json"

    @property
    def rules(self) -> Path:
        """The edited rules from which the model was made."""
        return self.folder / "rules.txt"

    @property
    def task(self) -> Task:
        """The command that makes the model."""
        return Task(self.folder, self.path)

    @property
    def check(self) -> Task:
        """The command that checks the certificate, and writes the report where there is none."""
        return Task(self.folder / "check", self.folder / "check" / "report.html")

    @property
    def files(self) -> list[Path]:
        """The files of the session that belong to the model, the description first."""
        own = [self.folder / "about.json", self.rules, self.folder / "report.html"]
        return [*own, *self.task.files, *self.check.files]

    @property
    def report(self) -> Path | None:
        """The report, if there is one."""
        pages = (self.folder / "report.html", self.check.product)
        return next((page for page in pages if page.is_file()), None)


class Session:
    """The files of a session, which only one server uses at a time.

    Parameters
    ----------
    folder : path
        A new or empty folder, or that of an earlier session.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        try:
            self._make()
            self._lock = self._locked()
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError(
                f"Cannot use the folder {str(folder)!r}: {error.strerror or error}. Choose another "
                "--folder."
            ) from error

    def close(self) -> None:
        """Leave the folder to another server."""
        self._lock.close()

    def tables(self) -> list[StoredTable]:
        """Return the tables, in the order in which they were added."""
        found = [self._table(folder) for folder in self._entries("tables")]
        return sorted((table for table in found if table is not None), key=lambda t: t.added)

    def models(self) -> list[StoredModel]:
        """Return the models, in the order in which they were begun."""
        found = [self._model(folder) for folder in self._entries("models")]
        known = [model for model in found if model is not None]
        return sorted(known, key=lambda model: float(model.about["added"]))

    def table(self, id: str) -> StoredTable | None:
        """Return the table with an id; None where there is none."""
        return self._table(self.folder / "tables" / id) if ID.fullmatch(id) else None

    def model(self, id: str) -> StoredModel | None:
        """Return the model with an id; None where there is none."""
        return self._model(self.folder / "models" / id) if ID.fullmatch(id) else None

    def refer_to(self, path: Path, table: str | None) -> StoredTable:
        """Add a table that stays where it is, unless the session knows it already."""
        place = path.absolute()
        for known in self.tables():
            if known.path == place and known.table == table:
                return known
        folder = self._new("tables")
        return self._write_table(folder, path.name, {"path": str(place), "table": table})

    def receive(self, name: str, stream: Readable, length: int) -> StoredTable:
        """Add an uploaded table of a given length; an incomplete one is removed again."""
        folder = self._new("tables")
        try:
            file = folder / safe_name(name)
            with file.open("xb") as target:
                _copy(stream, target, length)
            return self._write_table(folder, name, {"file": file.name, "table": None})
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def use_table(self, table: StoredTable, name: str) -> None:
        """Set the table of a database, or the sheet of a workbook, that is read."""
        about = read_json(table.folder / "about.json")
        write_json(table.folder / "about.json", {**about, "table": name})

    def add_model(self, **about: Any) -> StoredModel:
        """Add a model that is about to be made."""
        folder = self._new("models")
        whole = {**about, "added": time.time()}
        write_json(folder / "about.json", whole)
        return StoredModel(folder.name, folder, whole)

    def keep_model(self, path: Path, **about: Any) -> StoredModel:
        """Add a copy of a model file, unless the session has it already."""
        content = path.read_bytes()
        for known in self.models():
            if known.about["kind"] == "file" and known.path.read_bytes() == content:
                return known
        model = self.add_model(kind="file", name=path.name, **about)
        with write_atomically(model.path) as temporary:
            temporary.write_bytes(content)
        return model

    def remove(self, entry: StoredTable | StoredModel) -> None:
        """Remove a table or a model from the session, with the files that the session wrote.

        A table elsewhere stays where it is, and so does a file that someone put into the folder.
        """
        for path in entry.files:  # without the first of them the session does not list the entry
            path.unlink(missing_ok=True)
        for folder in (entry.folder / "check", entry.folder):
            with suppress(OSError):  # another file is there, or no folder
                folder.rmdir()

    def _make(self) -> None:
        """Make the folder; refuse one that holds anything else."""
        mark = self.folder / MARK
        self.folder.mkdir(parents=True, exist_ok=True)
        if not read_json(mark) and any(self.folder.iterdir()):
            raise FileError(
                f"{str(self.folder)!r} is not a session of rulewright serve, and not empty. Choose "
                "another --folder."
            )
        if not read_json(mark):
            write_json(mark, {"rulewright_session": VERSION})
        for part in ("tables", "models"):
            (self.folder / part).mkdir(exist_ok=True)

    def _locked(self) -> IO[bytes]:
        handle = (self.folder / MARK).open("rb")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            handle.close()
            raise FileError(
                f"Another server uses the session {str(self.folder)!r}. Stop it, or choose another "
                "--folder."
            ) from error
        return handle

    def _entries(self, part: str) -> Iterator[Path]:
        return (path for path in (self.folder / part).iterdir() if ID.fullmatch(path.name))

    def _new(self, part: str) -> Path:
        folder = self.folder / part / secrets.token_hex(6)
        folder.mkdir()
        return folder

    def _write_table(self, folder: Path, name: str, source: dict[str, Any]) -> StoredTable:
        write_json(folder / "about.json", {"name": name, **source, "added": time.time()})
        table = self._table(folder)
        assert table is not None
        return table

    def _table(self, folder: Path) -> StoredTable | None:
        about = read_json(folder / "about.json")
        if not about:
            return None
        path = Path(about["path"]) if "path" in about else folder / about["file"]
        table, added = about["table"], float(about["added"])
        return StoredTable(folder.name, folder, about["name"], path, table, added)

    def _model(self, folder: Path) -> StoredModel | None:
        about = read_json(folder / "about.json")
        return StoredModel(folder.name, folder, about) if about else None


def safe_name(name: str) -> str:
    """Return a name for a file, made from the name that a browser sent.

    Examples
    --------
    >>> safe_name("../../etc/pass wd.csv"), safe_name("<b>.csv"), safe_name("..")
    ('pass_wd.csv', 'b_.csv', 'table')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = UNSAFE.sub("_", last).lstrip("._-")[-MAX_NAME:].lstrip("._-")
    reserved = {"about.json"}
    return plain if plain and plain not in reserved and not plain.startswith("look-") else "table"


def _copy(stream: Readable, target: IO[bytes], length: int) -> None:
    left = length
    while left:
        part = stream.read(min(CHUNK, left))
        if not part:
            raise InputError(f"The upload ended {left:,} bytes too early. Send the file again.")
        target.write(part)
        left -= len(part)
    target.flush()
    os.fsync(target.fileno())
