"""rulewright predict: answers of a model for the rows of a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.certificates import load_model
from rulewright.cli.class_costs import costs_from_texts
from rulewright.cli.console import ReportProgress, busy, data_stream, out, print_json, warn_line
from rulewright.cli.drift_notices import (
    DriftLevel,
    DriftOptions,
    FailOnDrift,
    LogPath,
    RunCounter,
    finish_run,
)
from rulewright.cli.options import (
    AllClasses,
    AsView,
    Batch,
    Data,
    DataTable,
    Engine,
    ExcelSafe,
    Into,
    Json,
    Keep,
    ModelPath,
    NewCosts,
    OutPath,
    Overwrite,
    Quiet,
)
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals
from rulewright.cli.predict_in_database import predict_in_database
from rulewright.data import (
    CellColumn,
    CellType,
    DataFile,
    RowWriter,
    Table,
    excel_safe_cell,
    is_earlier_output,
    is_parquet_name,
    is_standard_output,
    is_workbook_name,
    open_data,
    write_rows,
)
from rulewright.errors import InputError, preview
from rulewright.models import DRIFT_LEVEL, DriftReport, Model, RegressionModel
from rulewright.render import PREDICTED_PROBABILITY, name_text, number_text
from rulewright.rules import ABSTAIN

Columns = list[tuple[str, CellType]]
CLASS_PREFIX = "probability_of_"
"""Start of the names of the columns with the probability of each class."""
CLASS_COLUMNS: Columns = [
    ("prediction", "VARCHAR"),
    (PREDICTED_PROBABILITY, "DOUBLE"),
    ("rule", "BIGINT"),
]
Answers = Iterator[tuple[int, list[CellColumn]]]
"""The number of the first row of a batch, and its columns but the row number."""
CellsOf = Callable[[Model | RegressionModel, Table], list[CellColumn]]
"""Function that returns the columns of an answer, the prediction first."""

VALUE_COLUMNS: Columns = [("prediction", "DOUBLE"), ("rule", "BIGINT")]


def predict(
    model: ModelPath,
    data: Data,
    out_path: OutPath = None,
    keep: Keep = None,
    class_costs: NewCosts = None,
    table: DataTable = None,
    batch: Batch = 1 << 16,
    engine: Engine = None,
    into: Into = None,
    view: AsView = False,
    excel_safe: ExcelSafe = False,
    all_classes: AllClasses = False,
    fail_on_drift: FailOnDrift = False,
    drift_level: DriftLevel = DRIFT_LEVEL,
    log: LogPath = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Predict every row of a table of any size, in its order.

    The output has one line for each row: its number from 0, the columns to keep, the prediction,
    the probability of the predicted class, and the number of the rule that answered. The
    probability is the share of the class among the training rows that the same rule answered
    (smoothed); --all-classes adds that of each class. A regression model has none. A model that
    abstains predicts "abstain" (-1 among numbers) with no probability where no rule holds; the
    number of these rows is printed at the end. With --class-costs the prediction is the class of
    the smallest expected cost by these probabilities; the certificate is not about these answers.

    The rows are compared with the training rows while they are read: unseen categories, missing
    values, values outside the range of training, and the share of rows that each rule answers. Each
    difference is a line on standard error. Exit code 3 with --fail-on-drift.

    With --engine, the rows stay in their database: the exported SQL answers them there, and --into
    names the new table, with the columns to keep, by default all of them.

    Examples: rulewright predict model.json new.csv --out answers.csv; rulewright predict model.json
    bank.duckdb --table customers --engine duckdb --into answers
    """
    loaded = load_model(model)
    if engine is None and (into is not None or view):
        raise InputError("--into and --view are for --engine, which answers inside a database.")
    if engine is not None:
        if out_path is not None or class_costs or excel_safe or all_classes:
            raise InputError("--engine has no --out, --class-costs, --excel-safe or --all-classes.")
        if fail_on_drift or log is not None:
            raise InputError(
                "--engine has no --fail-on-drift and no --log: the rows stay in the database. Run "
                "rulewright monitor on the table."
            )
        predict_in_database(
            loaded,
            data,
            table,
            engine,
            into,
            view=view,
            keep=keep or [],
            overwrite=overwrite,
            quiet=quiet,
            json=json,
        )
        return
    cells_of = _priced_cells(loaded, class_costs)
    own = VALUE_COLUMNS if _is_regression(loaded) else CLASS_COLUMNS
    if all_classes:
        own, cells_of = with_all_classes(loaded, own, cells_of)
    kept = keep or []
    sink = Sink(columns_of(kept, own), out_path, json, excel_safe)
    sink.check({"model": model, "input": data}, overwrite=overwrite)
    options = DriftOptions(fail_on_drift, drift_level, log)
    options.check({"model": model, "input": data}, out_path)
    run = AnsweringRun(loaded, kept, batch, own, cells_of)
    with busy(quiet or json) as report_progress, open_data(data, table) as file:
        file.need([*loaded.kinds, *kept])
        sink.put(run.answers(file, report_progress))
    report = run.counter.report(drift_level)
    summarise(loaded, run.counts, report, out_path, quiet, json)
    finish_run("predict", (model, data), run.counts, report, options, quiet=quiet)


def columns_of(keep: Sequence[str], columns: Columns) -> Columns:
    """Columns of an output: the row number, the columns to keep, and the cells of the row."""
    return [("row", "BIGINT"), *((name, "VARCHAR") for name in keep), *columns]


def _is_regression(model: Model | RegressionModel) -> bool:
    return isinstance(model, RegressionModel)


def summarise(
    model: Model | RegressionModel,
    counts: Counter[Any],
    report: DriftReport,
    path: Path | None,
    quiet: bool,
    json: bool,
) -> None:
    """Print the number of rows with each answer and the output file; only abstentions on screen."""
    if path is None or (is_standard_output(path) and not json):
        _note(model, counts, quiet or json)
    elif isinstance(model, RegressionModel):
        _summary_of_values(counts, report, path, json)
    else:
        _summary(model, counts, report, path, json)


@dataclass(frozen=True)
class Sink:
    """Destination of the rows: a file, or the screen as CSV or as JSON."""

    columns: Columns
    path: Path | None
    json: bool
    excel_safe: bool

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [name for name, _ in self.columns]

    def check(self, inputs: Mapping[str, Path], *, overwrite: bool) -> None:
        """Refuse an output that cannot be written, or that would destroy a file."""
        binary = self.path is not None and (
            is_parquet_name(self.path) or is_workbook_name(self.path)
        )
        if self.excel_safe and (binary or (self.path is None and self.json)):
            raise typer.BadParameter("--excel-safe is for CSV, not for JSON, Parquet or .xlsx.")
        self._check_names()
        if self.path is not None:
            kind = "an earlier output of this command with the same columns"
            output = Output("--out", self.path, kind, self._is_earlier)
            check_outputs([output], inputs, overwrite=overwrite)

    def _check_names(self) -> None:
        count = Counter(name.lower() for name in self.names)
        twice = [name for name in self.names if count[name.lower()] > 1]
        if twice:
            raise InputError(
                f"The output would have the column {preview(dict.fromkeys(twice))} twice. Rename "
                "the column of DATA, or leave it out of --keep."
            )

    def _is_earlier(self, path: Path) -> bool:
        safe = [excel_safe_cell(name) for name in self.names]
        # Version 0.1 had a shorter name.
        earlier = ["probability" if name == PREDICTED_PROBABILITY else name for name in self.names]
        return any(is_earlier_output(path, names) for names in (self.names, safe, earlier))

    def put(self, answers: Answers) -> None:
        """Write all rows."""
        if self.path is not None:
            with (
                exit_on_signals(),
                write_rows(self.path, self.columns, excel_safe=self.excel_safe) as writer,
                ThreadPoolExecutor(1) as background,
            ):
                writing = background.submit(lambda: None)
                for first, columns in answers:  # the next are answered while these are written
                    writing.result()
                    writing = background.submit(writer.write_coded, first, columns)
                writing.result()
        elif self.json:
            for first, columns in answers:
                cells = zip(*(column.cells() for column in columns), strict=True)
                for number, row in enumerate(cells, first):
                    print_json(dict(zip(self.names, (number, *row), strict=True)))
        else:
            begun = list(islice(answers, 1))  # an error comes before the header
            screen = RowWriter(data_stream(), self.names, excel_safe=self.excel_safe)
            for first, columns in chain(begun, answers):
                screen.write_coded(first, columns)


class AnsweringRun:
    """Answers of a model for a file, batch by batch, with the counts of what was answered.

    ``columns`` are those of ``cells_of``, ``keep`` those of the file that are copied.
    """

    def __init__(
        self,
        model: Model | RegressionModel,
        keep: list[str],
        size: int,
        columns: Columns,
        cells_of: CellsOf,
    ) -> None:
        self._model, self._keep, self._size, self._cells_of = model, keep, size, cells_of
        self._rule = [name for name, _ in columns].index("rule")
        self.counts: Counter[Any] = Counter()
        self.counter = RunCounter(model)

    def answers(self, file: DataFile, report_progress: ReportProgress) -> Answers:
        """Rows of the output in batches: columns to keep, and those of the answers."""
        done, model = 0, self._model
        for batch, kept in file.batches(model.kinds, self._keep, self._size):
            report_progress("rows answered", done, None)
            table = model.table(batch)
            answers = self._cells_of(model, table)
            _count(self.counts, answers[0])
            self.counter.update(table, answers[self._rule])
            yield done, [*kept, *answers]
            done += batch.rows


def _count(counts: Counter[Any], predictions: CellColumn) -> None:
    """Add the number of rows with each prediction."""
    number = np.bincount(predictions.codes, minlength=len(predictions.values)).tolist()
    for value, rows in zip(predictions.values, number, strict=True):
        if rows:
            counts[value] += rows


def _answer_cells(model: Model | RegressionModel, table: Table) -> list[CellColumn]:
    """Columns that a model writes; rows with the same answer are written alike."""
    if isinstance(model, RegressionModel):
        answers = model.body.answer(table)
        rules = list(range(1, model.numbers.size + 1))
        return [CellColumn(answers, model.numbers.tolist()), CellColumn(answers, rules)]
    if model.judged_rules is None:
        answers, labels, likely = model.judged(table)
        return _class_cells(labels, likely, answers, _different(answers, likely))
    labels, likely = model.judged_rules
    every = np.arange(likely.size)
    return _class_cells(labels, likely, every, (every, model.body.answer(table)))


def _class_cells(
    labels: NDArray[Any],
    likely: NDArray[np.float64],
    answers: NDArray[np.integer[Any]],
    different: tuple[NDArray[np.intp], NDArray[np.int32]],
) -> list[CellColumn]:
    """Columns of the class, its probability and the rule; ``different`` rows are written."""
    rows, codes = different
    shares = [None if math.isnan(share) else share for share in likely[rows].tolist()]
    columns = labels[rows].tolist(), shares, (answers[rows] + 1).tolist()
    return [CellColumn(codes, values) for values in columns]


def _different(
    answers: NDArray[np.int32], likely: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return a row of each pair of answer and probability, and the number of each row's pair."""
    count = int(answers.max(initial=-1)) + 1
    row = np.full(count, -1)
    row[answers] = np.arange(answers.size)
    if np.array_equal(likely[row[answers]], likely, equal_nan=True):
        found = row >= 0
        return row[found], (np.cumsum(found) - 1).astype(np.int32)[answers]
    places = np.unique(likely, return_inverse=True)[1]
    _, rows, codes = np.unique(places * count + answers, return_index=True, return_inverse=True)
    return rows, codes.astype(np.int32)


def with_all_classes(
    model: Model | RegressionModel, columns: Columns, cells_of: CellsOf
) -> tuple[Columns, CellsOf]:
    """Columns and cells with the probability of each class after the others."""
    if isinstance(model, RegressionModel):
        raise InputError("--all-classes is for classes, and this model answers with numbers.")
    more: Columns = [(f"{CLASS_PREFIX}{label}", "DOUBLE") for label in model.classes]

    def cells(model: Model | RegressionModel, table: Table) -> list[CellColumn]:
        assert isinstance(model, Model)
        found = cells_of(model, table)
        return [*found, *(_number_cells(chances) for chances in model.chances(table).T)]

    return [*columns, *more], cells


def _number_cells(numbers: NDArray[np.float64]) -> CellColumn:
    values, codes = np.unique(numbers, return_inverse=True)
    return CellColumn(codes.astype(np.int32), values.tolist())


def _priced_cells(model: Model | RegressionModel, texts: list[str] | None) -> CellsOf:
    """Function that returns the cells of each row, by the costs of the command line if any."""
    if not texts:
        return _answer_cells
    if isinstance(model, RegressionModel):
        raise InputError("--class-costs are for classes, and this model answers with numbers.")
    costs = costs_from_texts(texts, model.classes)
    if isinstance(costs, str):
        raise InputError("--class-costs balanced is for fit. Write CLASS=NUMBER here.")

    def cells(model: Model | RegressionModel, table: Table) -> list[CellColumn]:
        assert isinstance(model, Model)
        outputs, answers, chances = model.decided(table, costs)
        likely = chances[range(table.rows), outputs]
        likely[outputs == ABSTAIN] = np.nan
        both = answers * len(model.labels) + outputs - ABSTAIN
        return _class_cells(model.labels[outputs], likely, answers, _different(both, likely))

    return cells


def _unanswered(model: Model, counts: Counter[Any]) -> int:
    return counts[model.abstain_label] if model.abstains else 0


def _note(model: Model | RegressionModel, counts: Counter[Any], quiet: bool) -> None:
    """Print the number of rows without an answer on standard error."""
    unanswered = _unanswered(model, counts) if isinstance(model, Model) else 0
    if unanswered and not quiet:
        warn_line(f"{unanswered:,} of {sum(counts.values()):,} rows unanswered")


def _summary(
    model: Model, counts: Counter[Any], report: DriftReport, path: Path, json: bool
) -> None:
    rows, unanswered = sum(counts.values()), _unanswered(model, counts)
    if json:
        print_json(
            {
                "rows": rows,
                "unanswered": unanswered,
                "predictions": {str(label): n for label, n in sorted(counts.items(), key=str)},
                "out": str(path),
                "drift": report.to_dict(),
            }
        )
        return
    shares = ", ".join(
        f"{name_text(str(label))}: {n:,}"
        for label, n in sorted(counts.items(), key=str)
        if not _is_none(model, label)
    )
    left = f", {unanswered:,} unanswered" if model.abstains else ""
    answered = f"{rows - unanswered:,} rows answered ({shares}){left}"
    out().print(f"{answered}\npredictions: {path}")


def _is_none(model: Model, label: Any) -> bool:
    return model.abstains and bool(label == model.abstain_label)


def _summary_of_values(counts: Counter[Any], report: DriftReport, path: Path, json: bool) -> None:
    rows = sum(counts.values())
    ends = (min(counts), max(counts)) if counts else None
    if json:
        found = {"rows": rows, "range": ends, "out": str(path), "drift": report.to_dict()}
        print_json(found)
        return
    span = f" (from {number_text(ends[0])} to {number_text(ends[1])})" if ends else ""
    out().print(f"{rows:,} rows answered{span}\npredictions: {path}")
