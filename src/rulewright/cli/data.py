"""rulewright data: a first look at a file; or the data sets that come with the program."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from rulewright.certificates import unlabelled_caution
from rulewright.cli.console import out, print_json, warn
from rulewright.cli.options import Categorical, DataTable, Json, Overwrite, output_path
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.survey_lines import survey_json, survey_lines
from rulewright.data import Survey, Table, detect_table, labels_of, open_data, survey, write_table
from rulewright.datasets import Dataset, available, load
from rulewright.learners import code_labels
from rulewright.render import name_text


def data(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|NAME",
            help="A table to look at, or the name of a data set; lists the data sets if omitted.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column of FILE that holds the class.")
    ] = None,
    categorical: Categorical = None,
    table: DataTable = None,
    out_path: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the data set NAME here, as CSV, .parquet or .xlsx.",
            callback=output_path,
        ),
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Look at a table before learning from it, or write a data set to a file.

    Of a file it prints how each column is read, what is missing, the most frequent categories or
    the smallest, middle and largest values, and the classes. It warns of columns that fit would
    leave out, of dates that are read as text, of a column that gives the class away, of rare
    classes and of few rows. Data sets come from the folder named by RULEWRIGHT_DATA, from
    scikit-learn, from the extra rulewright[datasets], or (by name only) from OpenML.

    Examples: rulewright data patients.csv --target diagnosis; rulewright data wdbc --out wdbc.csv
    """
    if name is None:
        if out_path is not None:
            raise typer.BadParameter("Name the data set to write.")
        _list(json)
        return
    if _is_path(name):
        if out_path is not None:
            raise typer.BadParameter("--out is for data sets by name, not for a file.")
        _look(Path(name), target, categorical or [], table, json)
        return
    dataset = load(name)
    if out_path is not None:
        whole = _whole(dataset)
        kind = "a file of this data set"
        output = Output("--out", out_path, kind, lambda path: _holds(path, whole))
        check_outputs([output], {}, overwrite=overwrite)
        with exit_on_signals():
            write_table(out_path, whole)
    _describe(dataset, out_path, json)


def _is_path(name: str) -> bool:
    """Whether an argument is a file, and not the name of a data set."""
    return name == "-" or bool(Path(name).suffix) or Path(name).is_file()


def _look(
    path: Path, target: str | None, categorical: list[str], table: str | None, json: bool
) -> None:
    found = first_look(path, target, categorical, table)
    if json:
        print_json(survey_json(found, target))
        return
    out().print("\n".join(survey_lines(found, target)))
    warn(found.cautions)


def first_look(
    path: Path, target: str | None, categorical: Sequence[str] = (), table: str | None = None
) -> Survey:
    """Return a first look at the table in a file; with a target, at the rows that have a class."""
    with open_data(path, table) as file:
        file.need([target] if target else [])
        whole = file.read((), categorical)
    if target is None:
        return survey(whole.observed(), keep=categorical)
    labels, known = labels_of(whole, target)
    classes, codes = code_labels(labels[known])
    features = whole.without([target]).take(known).observed()
    found = survey(features, codes, classes.tolist(), keep=categorical)
    absent = unlabelled_caution(int((~known).sum()), whole.rows)
    return replace(found, cautions=(*found.cautions, *absent))


def _list(json: bool) -> None:
    found = available()
    if json:
        print_json([{"name": name, "source": source} for name, source in found.items()])
        return
    width = max(map(len, found))
    for name, source in found.items():
        out().print(f"{name:<{width}}  {source}")


def _whole(dataset: Dataset) -> Table:
    labels = detect_table(np.array(dataset.y, dtype=object).reshape(-1, 1))
    labels = labels.renamed([dataset.target])
    return Table([*dataset.table.columns, *labels.columns], dataset.table.rows)


def _holds(path: Path, table: Table) -> bool:
    """Whether a file has the content that would be written for this table."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / path.name
        write_table(written, table)
        return filecmp.cmp(path, written, shallow=False)


def _describe(dataset: Dataset, path: Path | None, json: bool) -> None:
    labels, counts = np.unique(dataset.y, return_counts=True)
    table = dataset.table
    if json:
        print_json(
            {
                "name": dataset.name,
                "source": dataset.source,
                "rows": table.rows,
                "numeric": len(table.numeric),
                "categorical": len(table.categorical),
                "target": dataset.target,
                "classes": dict(zip(map(str, labels.tolist()), counts.tolist(), strict=True)),
                "out": str(path) if path else None,
            }
        )
        return
    counted = zip(labels.tolist(), counts.tolist(), strict=True)
    classes = ", ".join(f"{name_text(str(label))}: {count:,}" for label, count in counted)
    out(path).print(
        f"{dataset.name} (from {dataset.source}): {table.rows:,} rows, "
        f"{len(table.numeric)} numeric and {len(table.categorical)} categorical columns\n"
        f"class {dataset.target!r}: {classes}"
    )
    if path:
        out(path).print(f"data: {path}")
