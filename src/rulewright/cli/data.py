"""rulewright data: list the available data sets, or write one of them to a file."""

from __future__ import annotations

import filecmp
import tempfile
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from rulewright.cli.console import out, print_json
from rulewright.cli.options import Json, Overwrite
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.data import Table, detect_table, write_table
from rulewright.datasets import Dataset, available, load
from rulewright.render import name_text


def data(
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a data set; lists all if omitted.", show_default=False),
    ] = None,
    out_path: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write it here, as CSV or .parquet."),
    ] = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """List the available data sets, or write one of them to a file.

    They come from the folder named by RULEWRIGHT_DATA, from scikit-learn, from the extra
    rulewright[datasets], or (by name only) from OpenML.
    """
    if name is None:
        if out_path is not None:
            raise typer.BadParameter("Name the data set to write.")
        _list(json)
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
