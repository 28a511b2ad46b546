"""rulewright model-card: a card about a model, as Markdown or HTML."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from rulewright.cli.console import data_stream, out, print_json
from rulewright.cli.options import DataTable, Json, ModelPath, Overwrite, Target
from rulewright.cli.result_files import PageOut, check_page_file, write_page
from rulewright.cli.row_units import unit_values
from rulewright.cli.rules_files import model_of_classes
from rulewright.data import labels_of, open_data
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.report import group_facts
from rulewright.report import model_card as card_of

CardData = Annotated[
    Path | None,
    typer.Option("--data", metavar="DATA", help="Training data, to count errors by group."),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by", metavar="COL", help="Column whose values form groups; repeatable; needs --data."
    ),
]


def model_card(
    model: ModelPath,
    data: CardData = None,
    by: By = None,
    target: Target = None,
    table: DataTable = None,
    out_path: PageOut = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Write a model card: what a model is, how it was made, and how far it can be trusted.

    The sections are those of the established model cards: details, intended use, rules, training
    data, performance with its certificate, groups, costs, cautions, and the command that checks the
    certificate. What only the owner knows is left open, to be written in the file.

    Examples: rulewright model-card model.json --out card.md; rulewright model-card model.json
    --data train.csv --by sex --out card.html
    """
    if (data is None) != (not by):
        raise InputError("Give --data and --by together: groups of cases are counted in the data.")
    loaded = model_of_classes(model)
    check_page_file({"--out": out_path}, {"model": model, "input": data}, overwrite=overwrite)
    groups = [] if data is None else _groups(loaded, data, by or [], target, table)
    named = shlex.quote(str(model))
    given = "DATA" if data is None else shlex.quote(str(data))
    checks = [f"rulewright certify {named} {given}"] if loaded.certificate is not None else []
    page = card_of(loaded, name=model.name, checks=checks, groups=groups)
    if out_path is not None:
        write_page(page, out_path)
    if json:
        print_json({"text": page.markdown(), "out": None if out_path is None else str(out_path)})
    elif out_path is None:
        data_stream().write(page.markdown())
    else:
        out(out_path).print(f"card: {out_path}")


def _groups(
    model: Model, data: Path, by: list[str], target: str | None, table: str | None
) -> list[dict[str, object]]:
    """Return the errors of each group of the rows with a class."""
    label = target or model.target
    if label is None:
        raise InputError(f"Name the column of {data.name} that holds the class with --target.")
    kinds = {column.name: column.kind for column in model.columns}
    with open_data(data, table) as file:
        file.need([label, *kinds, *by])
        others = [name for name in by if name not in kinds]
        whole = file.read_as(kinds | file.kinds(others) | file.kinds([label]))
    labels, known = labels_of(whole, label)
    rows = whole.take(np.flatnonzero(known))
    values = {name: unit_values(rows, name) for name in by}
    return group_facts(model, model.table(rows, every=True), model.codes(labels[known]), values)
