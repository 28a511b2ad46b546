"""Pages of the workbench as HTML, and the files that they load."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2

from rulewright.render import RENDERERS, count_text, export_options, page_environment, percent_text
from rulewright.report import SCRIPTS, page_style
from rulewright.workbench.forms import LearnerForm
from rulewright.workbench.model_facts import finished_facts, line_facts, subjects
from rulewright.workbench.session import Session, StoredModel, StoredTable
from rulewright.workbench.tasks import Task, TaskRunner

SCRIPT = "text/javascript; charset=utf-8"
STYLE = "text/css; charset=utf-8"
FIRST = "sql"
"""The form of export that is offered first."""


@cache
def _environment() -> jinja2.Environment:
    environment = page_environment("rulewright.workbench")
    environment.filters["percent"] = percent_text
    environment.filters["models_text"] = lambda number: count_text(number, "model")
    return environment


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return the files that pages load, with their kinds, by name."""
    own = files("rulewright.workbench")
    return {
        "report.css": (page_style().encode(), STYLE),
        "workbench.css": (own.joinpath("workbench.css").read_bytes(), STYLE),
        "icon.svg": (own.joinpath("icon.svg").read_bytes(), "image/svg+xml"),
        "elements.js": (SCRIPTS.joinpath("elements.js").read_bytes(), SCRIPT),
        "workbench.js": (own.joinpath("workbench.js").read_bytes(), SCRIPT),
    }


class Pages:
    """The pages of a session.

    Parameters
    ----------
    session : Session
    runner : TaskRunner
    learners : sequence of LearnerForm
    max_upload : int
        Maximum size of an uploaded table, in bytes.
    """

    def __init__(
        self,
        session: Session,
        runner: TaskRunner,
        learners: Sequence[LearnerForm],
        max_upload: int,
    ) -> None:
        self._session, self._runner = session, runner
        self._learners, self._max_upload = learners, max_upload

    def home(self) -> str:
        """Return the page of the whole session: its tables, and its models side by side."""
        lines = [line_facts(self._session, self._runner, each) for each in self._session.models()]
        return _page(
            "home.html.jinja",
            title="Workbench",
            folder=str(self._session.folder),
            tables=self._session.tables(),
            subjects=subjects(lines),
            made=Counter(line["table_id"] for line in lines),
            max_upload=self._max_upload,
        )

    def table(
        self,
        table: StoredTable,
        target: str | None,
        look: dict[str, Any] | None,
        problem: str | None,
    ) -> str:
        """Return the page of a table: its columns, and the form of a fit.

        ``problem`` is why the table cannot be read.
        """
        return _page(
            "table.html.jinja",
            title=table.name,
            table=table,
            target=target,
            look=look,
            problem=problem,
            learners=self._learners,
        )

    def model(self, stored: StoredModel) -> str:
        """Return the page of a model: what it does, or what it is."""
        line = line_facts(self._session, self._runner, stored)
        done = finished_facts(stored) if line["state"] == "done" else None
        return _page(
            "model.html.jinja",
            title=stored.about["name"],
            model=line,
            task=_task_facts(stored.task),
            check=self._check(stored),
            done=done,
            report=stored.report is not None,
            forms={form: list(export_options(form).values()) for form in _forms()},
        )

    def message(self, title: str, message: str) -> str:
        """Return the page of a refusal or an error."""
        return _page("message.html.jinja", title=title, message=message)

    def _check(self, stored: StoredModel) -> dict[str, Any] | None:
        """Return the check of a certificate, where there was one."""
        if not stored.check.folder.is_dir():
            return None
        state = self._runner.state(stored.check)
        return {"state": state, "result": stored.check.result, **_task_facts(stored.check)}


def _forms() -> list[str]:
    """Return the forms of exports, the most frequent first."""
    return [FIRST, *(form for form in RENDERERS if form != FIRST)]


def _task_facts(task: Task) -> dict[str, Any]:
    return {"command": shlex.join(["rulewright", *task.command]), "log": task.log}


def _page(template: str, **facts: Any) -> str:
    return _environment().get_template(template).render(**facts)
