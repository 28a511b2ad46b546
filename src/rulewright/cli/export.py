"""rulewright export: a model as a program or document, checked by running it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from rulewright.certificates import load_model
from rulewright.cli.console import busy, data_stream, out, print_json
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.cli.options import DataTable, Json, ModelPath, Overwrite, Quiet
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.data import open_data, write_atomically
from rulewright.errors import InputError
from rulewright.exports import Agreement, check_export
from rulewright.models import Model, RegressionModel, is_model_file
from rulewright.render import RENDERERS, export_options, file_content

BATCH = 1 << 16
MARK = "Rulewright model:"
"""What an export has near its start."""
PICKLED = b"\x80"
"""What an object of joblib starts with, in which the mark comes later."""

Form = Annotated[
    str,
    typer.Option(
        "--to", metavar="FORM", help=f"Form of the export: {', '.join(RENDERERS)}.", prompt=False
    ),
]
Check = Annotated[
    Path | None,
    typer.Option(
        metavar="DATA",
        help="Run the export on these rows, and compare its answers with those of the model.",
    ),
]
OptionOf = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Option of the form, such as prefix=risk (c) or cases=100 (excel); repeatable.",
    ),
]


def export(
    model: ModelPath,
    to: Form,
    out_path: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write here, not to the screen."),
    ] = None,
    check: Check = None,
    set_options: OptionOf = None,
    reasons: Annotated[
        bool, typer.Option(help="Whether the export holds the text of each rule.")
    ] = True,
    table: DataTable = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Write a model as a program or document that gives the same answers.

    With --check, the export is run on the rows of a table, and its classes, rules and probabilities
    are compared with those of the model, bit by bit. The exit code is 3 if one differs.

    Examples: rulewright export model.json --to python --out model.py; rulewright export model.json
    --to sql --check train.csv
    """
    loaded = load_model(model)
    options = _options(to, set_options or [], reasons)
    if out_path is not None:
        inputs = {"model": model} | ({"input": check} if check else {})
        output = Output("--out", out_path, "an earlier export", _is_export)
        check_outputs([output], inputs, overwrite=overwrite)
    text = loaded.export(to, **options)
    if out_path is not None:
        with exit_on_signals(), write_atomically(out_path) as temporary:
            temporary.write_bytes(file_content(text))
    elif check is None and not isinstance(text, str):
        raise InputError(f"The form {to!r} is a file, not text. Add --out FILE to write it.")
    elif check is None and not json:
        data_stream().write(text if text.endswith("\n") else f"{text}\n")
    agreement = None
    if check is not None:
        with busy(quiet or json):
            agreement = _checked(loaded, to, options, check, table)
    _report(to, text, out_path, agreement, json)
    if agreement is not None and agreement.differing:
        raise typer.Exit(NOT_HELD)


def _options(form: str, given: list[str], reasons: bool) -> dict[str, Any]:
    """Return the options of a form; one that it does not have is refused."""
    known = export_options(form)
    options: dict[str, Any] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not equals or name not in known or name == "reasons":
            names = [each for each in known if each != "reasons"]
            raise InputError(
                f"--set {setting!r}: the form {form!r} has the options "
                f"{', '.join(names) or '(none)'}. Write --set NAME=VALUE."
            )
        several = known[name].several
        if name in options and not several:
            raise InputError(f"--set {setting!r}: {name} has a value already.")
        try:
            found = known[name].value(value)
        except InputError as error:
            raise InputError(f"--set {setting!r}: {error}") from error
        options[name] = [*options.get(name, []), found] if several else found
    if not reasons:
        if "reasons" not in known:
            raise InputError(f"The form {form!r} always has its reasons: leave out --no-reasons.")
        options["reasons"] = False
    return options


def _is_export(path: Path) -> bool:
    if is_model_file(path):
        return True
    try:
        if zipfile.is_zipfile(path):  # a workbook
            with zipfile.ZipFile(path) as book:
                return MARK.encode() in book.read("docProps/core.xml")
        with path.open("rb") as file:
            head = file.read(1000)
            head += file.read() if head.startswith(PICKLED) else b""
            return MARK.encode() in head
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


def _checked(
    model: Model | RegressionModel,
    form: str,
    options: dict[str, Any],
    data: Path,
    table: str | None,
) -> Agreement:
    """Run the export on all rows of a table."""
    engine, rows, agree = "", 0, 0
    differing: tuple[int, ...] = ()
    with open_data(data, table) as file:
        file.need(list(model.kinds))
        for batch, _ in file.batches(model.kinds, (), BATCH):
            found = check_export(model, model.table(batch), form, **options)
            differing += tuple(rows + row for row in found.differing)
            engine, rows, agree = found.engine, rows + found.rows, agree + found.agree
    if not rows:
        raise InputError(f"{data.name} has no rows to check the export on.")
    return Agreement(engine, rows, agree, differing)


def _report(
    form: str, text: Any, path: Path | None, agreement: Agreement | None, json: bool
) -> None:
    if json:
        facts: dict[str, Any] = {"form": form}
        facts |= {"text": text} if path is None and agreement is None else {}
        facts |= {"out": str(path)} if path is not None else {}
        if agreement is not None:
            facts |= {
                "engine": agreement.engine,
                "rows": agreement.rows,
                "agree": agreement.agree,
                "differing": list(agreement.differing[:10]),
            }
        print_json(facts)
        return
    if path is not None:
        out(path).print(f"export: {path}")
    if agreement is not None:
        out(path).print(str(agreement))
