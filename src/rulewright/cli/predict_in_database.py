"""Answers of a model for a table of a database, computed there by SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rulewright.cli.console import busy, out, print_json
from rulewright.data import POSTGRES_PREFIXES, OpenDatabase, open_data, open_database
from rulewright.errors import InputError, preview
from rulewright.models import Model, RegressionModel
from rulewright.render import name_text


def predict_in_database(
    model: Model | RegressionModel,
    data: Path,
    table: str | None,
    engine: str,
    into: str | None,
    *,
    view: bool,
    keep: Sequence[str],
    overwrite: bool,
    quiet: bool,
    json: bool,
) -> None:
    """Create a table or view of a model's answers in the database that holds the rows."""
    if not into:
        raise InputError("--engine needs --into NAME, the name of the new table or view.")
    if engine.startswith(POSTGRES_PREFIXES):
        if table is not None:
            raise InputError("With an address in --engine, DATA is the table: leave out --table.")
        wanted: str | None = str(data)
    else:
        wanted = table
        _check_file(model, data, table)
    with busy(quiet or json), open_database(engine, data) as database:
        schema, name = database.source(wanted)
        kept = _kept(database.column_names(schema, name), model.kinds, keep)
        statement = model.export(
            "sql",
            dialect=database.dialect,
            shape="view" if view else "table",
            table=name,
            schema=schema,
            view=into,
            keep=kept,
        )
        rows = database.create(statement, into, name, overwrite=overwrite)
        _report(database, into, rows, json)


def _check_file(model: Model | RegressionModel, data: Path, table: str | None) -> None:
    """Refuse columns that are absent, or texts where the model has numbers."""
    with open_data(data, table) as file:
        file.need(list(model.kinds))
        numeric = [name for name, kind in model.kinds.items() if kind == "numeric"]
        kinds = file.kinds(numeric)
        strange = [name for name in numeric if kinds[name] != "numeric"]
    if strange:
        raise InputError(
            f"Column {preview(strange)} was numeric in training, and holds values of the kind "
            f"{kinds[strange[0]]!r} here. Correct the cells, or cast the column in a view."
        )


def _kept(names: Sequence[str], kinds: Mapping[str, str], keep: Sequence[str]) -> list[str]:
    """Return the columns to keep, by default all; absent columns are refused."""
    absent = [name for name in (*kinds, *keep) if name not in names]
    if absent:
        raise InputError(f"The table has no column {preview(absent)}. It has {preview(names)}.")
    return list(keep or names)


def _report(database: OpenDatabase, into: str, rows: int, json: bool) -> None:
    if json:
        print_json({"rows": rows, "engine": database.dialect, "into": into})
        return
    out().print(f"{rows:,} rows answered in {database.dialect}\npredictions: {name_text(into)}")
