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
from rulewright.data import CellType, DataFile, Table, open_data, write_rows
from rulewright.models import Model, load_model

ANSWERS: list[tuple[str, CellType]] = [
    ("row", "BIGINT"),
    ("prediction", "VARCHAR"),
    ("probability", "DOUBLE"),
    ("rule", "BIGINT"),
]


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
    that rule.
    """
    loaded = load_model(model)
    kept = keep or []
    columns = [ANSWERS[0], *((name, "VARCHAR") for name in kept), *ANSWERS[1:]]
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
        _summary(counts, out_path, json)


def _answers(
    model: Model, file: DataFile, keep: list[str], size: int, counts: Counter[Any], tell: Tell
) -> Iterator[list[tuple[Any, ...]]]:
    done = 0
    for batch, kept in file.batches(model.kinds, keep, size):
        tell("rows answered", done, None)
        yield _answer(model, batch, kept, done, counts)
        done += batch.rows


def _answer(
    model: Model, batch: Table, kept: list[tuple[Any, ...]], first: int, counts: Counter[Any]
) -> list[tuple[Any, ...]]:
    table = model.table(batch)
    said = [
        (model.classes[output], float(model.probabilities[i, output]), i + 1)
        for i, output in enumerate(model.body.outputs)
    ]
    answers = model.body.answer(table).tolist()
    counts.update(said[a][0] for a in answers)
    return [
        (first + i, *copied, *said[a])
        for i, (a, copied) in enumerate(zip(answers, kept, strict=True))
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
