"""rulewright serve: a workbench in the browser, from a local server."""

from __future__ import annotations

import signal
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from rulewright.certificates import load_model
from rulewright.cli.console import out, print_json
from rulewright.cli.data import first_look
from rulewright.cli.learner_forms import learner_forms
from rulewright.cli.options import DataTable, Json
from rulewright.cli.outputs import SIGNALS
from rulewright.cli.survey_lines import survey_json
from rulewright.data import open_data
from rulewright.errors import FileError, InputError
from rulewright.models import is_model_file
from rulewright.workbench import Session, TaskRunner, Workbench, WorkbenchServer

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[MODEL] [DATA]",
        help="A model file, a table, or a model and its table. A table stays where it is.",
        show_default=False,
    ),
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Port of the server; 0 takes a free one.")
]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
]
Folder = Annotated[
    Path,
    typer.Option(
        metavar="FOLDER", help="Folder of the session: a new one, or that of an earlier session."
    ),
]
MaxUpload = Annotated[
    int, typer.Option(min=1, metavar="MEGABYTES", help="Maximum size of an uploaded table.")
]


def serve(
    files: Files = None,
    port: Port = 0,
    no_browser: NoBrowser = False,
    folder: Folder = Path("rulewright-session"),
    max_upload: MaxUpload = 1024,
    table: DataTable = None,
    json: Json = False,
) -> None:
    """Open a workbench in the browser: fit, compare, edit and export models.

    The server listens on this machine only, and answers only requests with the token of its
    address. Tables, models, reports and logs are files in the session folder: a later start with
    the same folder continues the session. Ctrl+C stops the server and what it runs.

    Examples: rulewright serve patients.csv; rulewright serve model.json train.csv --port 8000
    """
    model, data = _sorted(files or [])
    target = None if model is None else load_model(model).target
    if data is not None:
        _check_table(data, table)
    session = Session(folder)
    try:
        stored = None if data is None else session.refer_to(data, table)
        if model is not None:
            session.keep_model(model, table=stored.id if stored else None, target=target)
        bench = Workbench(session, learner_forms(), look_at, TaskRunner(), max_upload << 20)
        server = _listening(bench, port)
    except BaseException:
        session.close()
        raise
    if json:
        print_json({"address": server.access.address, "folder": str(session.folder)})
    else:
        out().print(f"Workbench: {server.access.address}\nSession folder: {session.folder}")
    sys.stdout.flush()  # another program may wait for the address
    if not no_browser:
        threading.Thread(target=webbrowser.open, args=[server.access.address], daemon=True).start()
    _serve(server, bench)


def _sorted(files: list[Path]) -> tuple[Path | None, Path | None]:
    """Return the model and the table among the arguments."""
    models = [path for path in files if is_model_file(path)]
    tables = [path for path in files if path not in models]
    if len(models) > 1 or len(tables) > 1:
        raise InputError(
            f"serve takes at most one model and one table, got {len(models)} and {len(tables)}."
        )
    return next(iter(models), None), next(iter(tables), None)


def _check_table(data: Path, table: str | None) -> None:
    """Refuse a table that cannot be read, before a session begins."""
    if str(data) == "-":
        raise InputError("serve reads files, and no standard input. Write the table to a file.")
    with open_data(data, table):
        pass


def _listening(bench: Workbench, port: int) -> WorkbenchServer:
    try:
        return WorkbenchServer(bench, port)
    except OSError as error:
        raise FileError(
            f"Cannot listen on port {port}: {error.strerror or error}. Choose another --port."
        ) from error


def _serve(server: WorkbenchServer, bench: Workbench) -> None:
    """Answer requests until a signal comes."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        bench.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def look_at(path: Path, target: str | None, table: str | None) -> dict[str, Any]:
    """Return a first look at a table as ``rulewright data --json`` prints it."""
    return survey_json(first_look(path, target, table=table), target)
