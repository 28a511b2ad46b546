"""rulewright predict: a model and a table in, an answer a row out."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rulewright.cli.options import Data, DataTable, Json, ModelPath, Quiet
from rulewright.cli.screen import Tell, busy, out, print_json
from rulewright.data import CellType, DataFile, open_data, write_rows
from rulewright.models import Model, RegressionModel, load_model
from rulewright.render import number_text

Columns = list[tuple[str, CellType]]
CLASS_COLUMNS: Columns = [
    ("prediction", "VARCHAR"),
    ("probability", "DOUBLE"),
    ("rule", "BIGINT"),
]
VALUE_COLUMNS: Columns = [("prediction", "DOUBLE"), ("rule", "BIGINT")]


def predict(
    model: ModelPath,
    data: Data,
    out_path: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write CSV or .parquet here, not to the screen."
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column of DATA to copy to the output; repeatable."),
    ] = None,
    table: DataTable = None,
    batch: Annotated[int, typer.Option(min=1, help="Rows held in memory at a time.")] = 1 << 16,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Answer every row of a table, in its order, however large it is.

    The output has a line a row: its number from 0, the columns to keep, the prediction, the share
    of that class among the training rows that the same rule answered (smoothed), and the number of
    that rule. A regression model has no such share.
    """
    loaded = load_model(model)
    kept = keep or []
    is_regression = isinstance(loaded, RegressionModel)
    copied: Columns = [(name, "VARCHAR") for name in kept]
    told = VALUE_COLUMNS if is_regression else CLASS_COLUMNS
    columns: Columns = [("row", "BIGINT"), *copied, *told]
    counts: Counter[Any] = Counter()
    with busy(quiet or json) as tell, open_data(data, table) as file:
        answers = _answers(loaded, file, kept, batch, counts, tell)
        if out_path is not None:
            with write_rows(out_path, columns) as writer:
                for rows in answers:
                    writer.write(rows)
        elif json:
            names = [name for name, _ in columns]
            for rows in answers:
                for row in rows:
                    print_json(dict(zip(names, row, strict=True)))
        else:
            screen = csv.writer(sys.stdout, lineterminator="\n")
            screen.writerow(name for name, _ in columns)
            for rows in answers:
                screen.writerows(rows)
    if out_path is not None:
        (_summary_of_values if is_regression else _summary)(counts, out_path, json)


def _answers(
    model: Model | RegressionModel,
    file: DataFile,
    keep: list[str],
    size: int,
    counts: Counter[Any],
    tell: Tell,
) -> Iterator[list[tuple[Any, ...]]]:
    done = 0
    said = _said(model)
    for batch, kept in file.batches(model.kinds, keep, size):
        tell("rows answered", done, None)
        answers = model.body.answer(model.table(batch)).tolist()
        counts.update(said[a][0] for a in answers)
        yield [
            (done + i, *copied, *said[a])
            for i, (a, copied) in enumerate(zip(answers, kept, strict=True))
        ]
        done += batch.rows


def _said(model: Model | RegressionModel) -> list[tuple[Any, ...]]:
    """Give the cells that each rule of a model writes for a row."""
    if isinstance(model, RegressionModel):
        return [(value, i + 1) for i, value in enumerate(model.values)]
    return [
        (model.classes[output], float(model.probabilities[i, output]), i + 1)
        for i, output in enumerate(model.body.outputs)
    ]


def _summary(counts: Counter[Any], path: Path, json: bool) -> None:
    rows = sum(counts.values())
    if json:
        print_json(
            {
                "rows": rows,
                "predictions": {str(label): n for label, n in sorted(counts.items(), key=str)},
                "out": str(path),
            }
        )
        return
    shares = ", ".join(f"{label}: {n}" for label, n in sorted(counts.items(), key=str))
    out().print(f"{rows} rows answered ({shares})\npredictions: {path}")


def _summary_of_values(counts: Counter[Any], path: Path, json: bool) -> None:
    rows = sum(counts.values())
    ends = (min(counts), max(counts)) if counts else None
    if json:
        print_json({"rows": rows, "range": ends, "out": str(path)})
        return
    span = f" (from {number_text(ends[0])} to {number_text(ends[1])})" if ends else ""
    out().print(f"{rows} rows answered{span}\npredictions: {path}")
