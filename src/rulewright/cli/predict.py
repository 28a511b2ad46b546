"""rulewright predict: a model and a table in, an answer a row out."""

from __future__ import annotations

import csv
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from rulewright.cli.options import Batch, Data, DataTable, Json, Keep, ModelPath, OutPath, Quiet
from rulewright.cli.screen import Tell, busy, out, print_json
from rulewright.data import CellType, DataFile, Table, open_data, write_rows
from rulewright.models import Model, RegressionModel, load_model
from rulewright.render import number_text

Columns = list[tuple[str, CellType]]
CLASS_COLUMNS: Columns = [
    ("prediction", "VARCHAR"),
    ("probability", "DOUBLE"),
    ("rule", "BIGINT"),
]
Answers = Iterator[list[tuple[Any, ...]]]
Say = Callable[[Model | RegressionModel, Table], Iterable[tuple[Any, ...]]]
"""Gives the cells of each row, the prediction first."""

VALUE_COLUMNS: Columns = [("prediction", "DOUBLE"), ("rule", "BIGINT")]


def predict(
    model: ModelPath,
    data: Data,
    out_path: OutPath = None,
    keep: Keep = None,
    table: DataTable = None,
    batch: Batch = 1 << 16,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Answer every row of a table, in its order, however large it is.

    The output has a line a row: its number from 0, the columns to keep, the prediction, the share
    of that class among the training rows that the same rule answered (smoothed), and the number of
    that rule. A regression model has no such share. A row that no rule of a model that abstains
    answers has the prediction "abstain" (-1 among numbers) and no share; how many there are is
    said at the end.
    """
    loaded = load_model(model)
    kept = keep or []
    is_regression = isinstance(loaded, RegressionModel)
    copied: Columns = [(name, "VARCHAR") for name in kept]
    told = VALUE_COLUMNS if is_regression else CLASS_COLUMNS
    columns: Columns = [("row", "BIGINT"), *copied, *told]
    counts: Counter[Any] = Counter()
    with busy(quiet or json) as tell, open_data(data, table) as file:
        put_out(answers_of(loaded, file, kept, batch, counts, tell, _said), columns, out_path, json)
    summarise(loaded, counts, out_path, quiet, json)


def summarise(
    model: Model | RegressionModel,
    counts: Counter[Any],
    path: Path | None,
    quiet: bool,
    json: bool,
) -> None:
    """Say how many rows got which answer, and where they are; beside the screen only what lacks."""
    if path is None:
        _note(model, counts, quiet or json)
    elif isinstance(model, RegressionModel):
        _summary_of_values(counts, path, json)
    else:
        _summary(model, counts, path, json)


def put_out(answers: Answers, columns: Columns, path: Path | None, json: bool) -> None:
    """Write rows to a file, or to the screen as CSV or as JSON."""
    if path is not None:
        with write_rows(path, columns) as writer:
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


def answers_of(
    model: Model | RegressionModel,
    file: DataFile,
    keep: list[str],
    size: int,
    counts: Counter[Any],
    tell: Tell,
    say: Say,
) -> Answers:
    """Answer a file batch by batch: number, columns to keep, and the cells that ``say`` gives."""
    done = 0
    for batch, kept in file.batches(model.kinds, keep, size):
        tell("rows answered", done, None)
        said = list(say(model, model.table(batch)))
        counts.update(cells[0] for cells in said)
        yield [
            (done + i, *copied, *cells)
            for i, (cells, copied) in enumerate(zip(said, kept, strict=True))
        ]
        done += batch.rows


def _said(model: Model | RegressionModel, table: Table) -> Iterator[tuple[Any, ...]]:
    """Give the cells that a model writes for each row."""
    if isinstance(model, RegressionModel):
        answers = model.body.answer(table)
        return zip(model.numbers[answers].tolist(), (answers + 1).tolist(), strict=True)
    answers, labels, likely = model.judged(table)
    shares = (None if math.isnan(share) else share for share in likely.tolist())
    return zip(labels.tolist(), shares, (answers + 1).tolist(), strict=True)


def _unanswered(model: Model, counts: Counter[Any]) -> int:
    return counts[model.abstain_label] if model.abstains else 0


def _note(model: Model | RegressionModel, counts: Counter[Any], quiet: bool) -> None:
    """Say beside the screen's lines how many of them are no answers."""
    unanswered = _unanswered(model, counts) if isinstance(model, Model) else 0
    if unanswered and not quiet:
        print(f"{unanswered} of {sum(counts.values())} rows unanswered", file=sys.stderr)


def _summary(model: Model, counts: Counter[Any], path: Path, json: bool) -> None:
    rows, unanswered = sum(counts.values()), _unanswered(model, counts)
    if json:
        print_json(
            {
                "rows": rows,
                "unanswered": unanswered,
                "predictions": {str(label): n for label, n in sorted(counts.items(), key=str)},
                "out": str(path),
            }
        )
        return
    shares = ", ".join(
        f"{label}: {n}"
        for label, n in sorted(counts.items(), key=str)
        if not _is_none(model, label)
    )
    left = f", {unanswered} unanswered" if model.abstains else ""
    out().print(f"{rows - unanswered} rows answered ({shares}){left}\npredictions: {path}")


def _is_none(model: Model, label: Any) -> bool:
    return model.abstains and bool(label == model.abstain_label)


def _summary_of_values(counts: Counter[Any], path: Path, json: bool) -> None:
    rows = sum(counts.values())
    ends = (min(counts), max(counts)) if counts else None
    if json:
        print_json({"rows": rows, "range": ends, "out": str(path)})
        return
    span = f" (from {number_text(ends[0])} to {number_text(ends[1])})" if ends else ""
    out().print(f"{rows} rows answered{span}\npredictions: {path}")
