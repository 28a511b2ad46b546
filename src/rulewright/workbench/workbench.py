"""The workbench: addresses, and what is done at each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from rulewright.data import write_atomically
from rulewright.errors import InputError
from rulewright.models import is_model_file
from rulewright.render import file_content
from rulewright.workbench.access import REPORT_POLICY
from rulewright.workbench.forms import (
    LearnerForm,
    certify_arguments,
    check_arguments,
    export_values,
    fit_arguments,
    size_arguments,
    text_in,
)
from rulewright.workbench.json_files import read_json, write_json
from rulewright.workbench.model_facts import model_of, rules_text
from rulewright.workbench.pages import Pages, static_files
from rulewright.workbench.responses import (
    RequestError,
    Response,
    download_response,
    json_response,
    not_found,
    page_response,
)
from rulewright.workbench.session import Readable, Session, StoredModel, StoredTable
from rulewright.workbench.tasks import TaskRunner

Look = Callable[[Path, str | None, str | None], dict[str, Any]]
"""A first look at a table: function of its path, its target and its table, if it has several."""

MAX_UPLOAD = 1 << 30
"""Maximum size of an uploaded table, in bytes."""
MAX_TEXT = 1 << 23
"""Maximum size of any other request, in bytes."""

SUFFIXES = {
    "text": "txt",
    "python": "py",
    "javascript": "js",
    "excel": "xlsx",
    "sklearn": "joblib",
    "markdown": "md",
    "latex": "tex",
    "english": "txt",
}
"""Suffixes of exported files that are not the name of the form."""

FILES = ("model.json", "log.txt")
"""Files of a model that can be downloaded as they are."""


@dataclass
class Body:
    """The body of a request, and the number of its bytes that have not been read."""

    stream: Readable
    left: int
    kind: str

    def read(self, size: int) -> bytes:
        """Read the next bytes, fewer at the end."""
        part = self.stream.read(min(size, self.left))
        self.left -= len(part)
        return part

    def json(self) -> dict[str, Any]:
        """Return the body, which must be a JSON object."""
        if self.left > MAX_TEXT:
            raise _too_large(MAX_TEXT)
        if self.kind != "application/json":
            raise RequestError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The request must be JSON.")
        try:
            value = json.loads(self.read(self.left))
        except (ValueError, RecursionError) as error:
            raise InputError("The request is not JSON.") from error
        if not isinstance(value, dict):
            raise InputError("The request must be a JSON object.")
        return value


class Workbench:
    """The pages and actions of a session.

    Parameters
    ----------
    session : Session
    learners : sequence of LearnerForm
    look : function
        A first look at a table, as ``rulewright data FILE --json`` prints it.
    runner : TaskRunner
    max_upload : int
        Maximum size of an uploaded table, in bytes.
    """

    def __init__(
        self,
        session: Session,
        learners: Sequence[LearnerForm],
        look: Look,
        runner: TaskRunner,
        max_upload: int = MAX_UPLOAD,
    ) -> None:
        self.session, self.runner = session, runner
        self.learners = {form.name: form for form in learners}
        self.max_upload = max_upload
        self._look = look
        self._pages = Pages(session, runner, learners, max_upload)
        self._static = static_files()

    def close(self) -> None:
        """End all tasks, and leave the session to another server."""
        self.runner.close()
        self.session.close()

    def message_page(self, status: HTTPStatus, message: str) -> str:
        """Return the page of a refusal or an error."""
        return self._pages.message(status.phrase, message)

    def get(self, path: str, query: Mapping[str, str]) -> Response:
        """Answer a request for a page or file."""
        match path.split("/")[1:]:
            case [""]:
                return page_response(self._pages.home())
            case ["states"]:
                return json_response(self._states())
            case ["static", name] if name in self._static:
                content, kind = self._static[name]
                return Response(content, kind)
            case ["tables", id]:
                return self._table_page(self._table(id), query)
            case ["models", id]:
                return page_response(self._pages.model(self._model(id)))
            case ["models", id, "report"]:
                return self._report(self._model(id))
            case ["models", id, "files", name]:
                return self._file(self._model(id), name)
            case ["models", id, "export"]:
                return self._export(self._model(id), query)
        raise not_found()

    def post(self, path: str, query: Mapping[str, str], body: Body) -> Response:
        """Answer a request that changes something."""
        parts = path.split("/")[1:]
        if parts == ["tables"]:
            return self._upload(query.get("name", ""), body)
        given = body.json()
        match parts:
            case ["tables", id, "fit"]:
                return self._fit(self._table(id), given)
            case ["tables", id, "delete"]:
                return self._delete_table(self._table(id))
            case ["tables", id, "table"]:
                table = self._table(id)
                self.session.use_table(table, text_in(given, "table"))
                return _made(f"/tables/{table.id}")
            case ["models", id, "delete"]:
                return self._delete_model(self._model(id))
            case ["models", id, "edit"]:
                return self._edit(self._model(id), given)
            case ["models", id, "size"]:
                return self._size(self._model(id), given)
            case ["models", id, "check"]:
                return self._check(self._model(id))
            case ["models", id, "cancel"]:
                return self._cancel(self._model(id))
            case ["models", id, "again"]:
                return self._again(self._model(id))
        raise not_found()

    def first_look(self, table: StoredTable, target: str | None) -> dict[str, Any]:
        """Return a first look at a table; it is kept until the file changes."""
        try:
            changed = table.path.stat()
        except OSError as error:
            raise InputError(
                f"The file {table.path} cannot be read: {error.strerror}. Put it back, or open "
                "another."
            ) from error
        key = json.dumps([changed.st_size, changed.st_mtime_ns, table.table, target])
        kept = table.look(key)
        found = read_json(kept)
        if not found:
            found = self._look(table.path, target, table.table)
            write_json(kept, found)
        return found

    def _table(self, id: str) -> StoredTable:
        found = self.session.table(id)
        if found is None:
            raise not_found()
        return found

    def _model(self, id: str) -> StoredModel:
        found = self.session.model(id)
        if found is None:
            raise not_found()
        return found

    def _table_of(self, stored: StoredModel) -> tuple[StoredTable, str]:
        """Return the table of a model, and its target."""
        table = self.session.table(str(stored.about.get("table")))
        target = stored.about.get("target")
        if table is None or not isinstance(target, str):
            raise InputError(
                "The table of this model is not known. Start the server with both: rulewright "
                "serve MODEL DATA."
            )
        return table, target

    def _table_page(self, table: StoredTable, query: Mapping[str, str]) -> Response:
        target = query.get("target") or None
        try:
            found, problem = self.first_look(table, target), None
        except (InputError, OSError) as error:
            found, problem = None, str(error)
        return page_response(self._pages.table(table, target, found, problem))

    def _states(self) -> dict[str, Any]:
        """Return the state of each model, and what it does."""
        found = {}
        for stored in self.session.models():
            check = self.runner.state(stored.check) if stored.check.folder.is_dir() else None
            found[stored.id] = {
                "state": self.runner.state(stored.task),
                "check": check,
                "progress": stored.task.progress or stored.check.progress,
            }
        return found

    def _upload(self, name: str, body: Body) -> Response:
        if body.left > self.max_upload:
            raise _too_large(self.max_upload)
        if not body.left:
            raise InputError("The file is empty.")
        table = self.session.receive(name or "table", body, body.left)
        return _made(f"/tables/{table.id}")

    def _fit(self, table: StoredTable, given: Mapping[str, Any]) -> Response:
        name = text_in(given, "learner")
        form = self.learners.get(name)
        if form is None:
            raise InputError(f"There is no learner {name!r}.")
        target = text_in(given, "target")
        fit_arguments(table, form, given, Path())  # wrong values are refused before a model begins
        stored = self.session.add_model(kind="fit", name=name, table=table.id, target=target)
        self.runner.start(stored.task, fit_arguments(table, form, given, stored.folder))
        return _made(f"/models/{stored.id}")

    def _edit(self, original: StoredModel, given: Mapping[str, Any]) -> Response:
        """Certify edited rules, or an edited model of a report."""
        table, target = self._table_of(original)
        text = text_in(given, "rules")
        name = f"{original.about['name']}, edited"
        about = {"table": table.id, "target": target, "of": original.id}
        stored = self.session.add_model(kind="edit", name=name, **about)
        with write_atomically(stored.rules) as temporary:
            temporary.write_text(text, encoding="utf-8")
        self.runner.start(stored.task, certify_arguments(table, target, original, stored))
        return _made(f"/models/{stored.id}")

    def _size(self, original: StoredModel, given: Mapping[str, Any]) -> Response:
        size = given.get("size")
        if type(size) is not int or size < 0:
            raise InputError("'size' must be a whole number of 0 or more.")
        about = {key: original.about.get(key) for key in ("table", "target")}
        name = f"{original.about['name']}, size {size}"
        stored = self.session.add_model(kind="size", name=name, of=original.id, **about)
        self.runner.start(stored.task, size_arguments(original, size, stored))
        return _made(f"/models/{stored.id}")

    def _check(self, stored: StoredModel) -> Response:
        table, target = self._table_of(stored)
        if not is_model_file(stored.path):
            raise InputError("This model is not finished.")
        if self.runner.is_busy(stored.check):
            raise InputError("The certificate is being checked.")
        self.runner.start(stored.check, check_arguments(table, target, stored))
        return _made(f"/models/{stored.id}")

    def _cancel(self, stored: StoredModel) -> Response:
        self.runner.cancel(stored.task)
        if stored.check.folder.is_dir():
            self.runner.cancel(stored.check)
        return _made(f"/models/{stored.id}")

    def _again(self, stored: StoredModel) -> Response:
        """Run a command again that failed or was cancelled."""
        if self.runner.state(stored.task) not in ("failed", "cancelled"):
            raise InputError("This model does not need another start.")
        self.runner.start(stored.task, stored.task.command)
        return _made(f"/models/{stored.id}")

    def _delete_table(self, table: StoredTable) -> Response:
        """Remove a table; its models stay."""
        using = [each for each in self.session.models() if each.about.get("table") == table.id]
        if any(self._is_busy(each) for each in using):
            raise InputError("A model of this table is being made or checked. Cancel it first.")
        self.session.remove(table)
        return _made("/")

    def _delete_model(self, stored: StoredModel) -> Response:
        if self._is_busy(stored):
            raise InputError("This model is being made or checked. Cancel it first.")
        self.session.remove(stored)
        return _made("/")

    def _is_busy(self, stored: StoredModel) -> bool:
        checks = stored.check.folder.is_dir()
        return self.runner.is_busy(stored.task) or (checks and self.runner.is_busy(stored.check))

    def _report(self, stored: StoredModel) -> Response:
        if stored.report is None:
            raise InputError("This model has no report yet. Check its certificate to make one.")
        return Response(stored.report.read_bytes(), policy=REPORT_POLICY)

    def _file(self, stored: StoredModel, name: str) -> Response:
        if name == "rules.txt":
            rules, reason = rules_text(model_of(stored))
            if rules is None:
                raise InputError(reason)
            return download_response(rules.encode(), name)
        path = stored.report if name == "report.html" else stored.folder / name
        if name not in (*FILES, "report.html") or path is None or not path.is_file():
            raise not_found()
        return download_response(path.read_bytes(), name)

    def _export(self, stored: StoredModel, query: Mapping[str, str]) -> Response:
        form = query.get("to", "sql")
        given = {name: value for name, value in query.items() if name != "to"}
        content = file_content(model_of(stored).export(form, **export_values(form, given)))
        return download_response(content, f"model.{SUFFIXES.get(form, form)}")


def _made(address: str) -> Response:
    return json_response({"address": address}, HTTPStatus.CREATED)


def _too_large(limit: int) -> RequestError:
    return RequestError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        f"The limit is {limit / 2**20:,.6g} megabytes. Start the server with the file: rulewright "
        "serve FILE.",
    )
