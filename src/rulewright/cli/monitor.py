"""rulewright monitor: batches of rows compared with the training rows and the certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rulewright.certificates import load_model
from rulewright.cli.console import ReportProgress, busy, out, page_width, print_json
from rulewright.cli.drift_notices import DriftLevel
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.cli.options import Batch, DataTable, Json, ModelPath, Overwrite, Quiet, Target
from rulewright.cli.result_files import check_page_file, write_page
from rulewright.data import DataFile, Table, open_data
from rulewright.errors import InputError, preview
from rulewright.evaluation import PERIODS, MonitoredBatches, periods_of
from rulewright.models import DRIFT_LEVEL, Model, RegressionModel

DataFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="Tables of the same columns; each is a batch, in the given order, without --time.",
        show_default=False,
    ),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COL",
        help="Column of dates that divides the rows into batches; each other value is a batch.",
    ),
]
Period = Annotated[
    str,
    typer.Option(metavar="PERIOD", help=f"Length of a batch of dates: {', '.join(PERIODS)}."),
]
MonitorOut = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the tables and charts: .html, .md or .csv."
    ),
]
FailOnFinding = Annotated[
    bool, typer.Option("--fail-on-drift", help=f"Exit with {NOT_HELD} if any batch differs.")
]


def monitor(
    model: ModelPath,
    data: DataFiles,
    time_column: TimeColumn = None,
    period: Period = "month",
    target: Target = None,
    table: DataTable = None,
    batch: Batch = 1 << 16,
    out_path: MonitorOut = None,
    level: DriftLevel = DRIFT_LEVEL,
    fail_on_drift: FailOnFinding = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare batches of rows with the training rows, and their errors with the certificate.

    Each batch is compared as by predict. Where the class is known, its errors are compared with the
    certificate; the class column may be absent. --out draws the batches over time.

    Example: rulewright monitor model.json 2024.csv --time date --period month --out watch.html
    """
    loaded = load_model(model)
    inputs: dict[str, Path | None] = {
        "model": model,
        **{f"input {path.name}": path for path in data},
    }
    check_page_file({"--out": out_path}, inputs, overwrite=overwrite)
    if not 0 < level < 1:
        raise typer.BadParameter(f"--drift-level must be in (0, 1), got {level:g}.")
    if period not in PERIODS:
        raise typer.BadParameter(f"--period must be one of {', '.join(PERIODS)}, got {period!r}.")
    batches = MonitoredBatches(loaded)
    names = _batch_names(data)
    with busy(quiet or json) as report_progress:
        for path in data:
            with open_data(path, table) as file:
                reader = BatchReader(loaded, file, target, time_column, period, names[path])
                reader.count(batches, batch, report_progress)
    result = batches.result(level, in_order=time_column is not None)
    page = result.page(f"Monitoring of {model.name}")
    if out_path is not None:
        write_page(page, out_path)
    if json:
        files = {} if out_path is None else {"out": str(out_path)}
        print_json({**result.to_dict(), **files})
    else:
        console = out(out_path)
        console.print(page.text(page_width()).rstrip("\n"))
        if out_path is not None:
            console.print(f"\npage: {out_path}")
    if fail_on_drift and result.found:
        raise typer.Exit(NOT_HELD)


def _batch_names(paths: list[Path]) -> dict[Path, str]:
    """Names of the files: without their folders where these are not needed."""
    if len(set(paths)) < len(paths):
        raise InputError("A file is given twice.")
    names = [path.name for path in paths]
    return {path: path.name if names.count(path.name) == 1 else str(path) for path in paths}


class BatchReader:
    """Reads a file in parts, which are counted in their batches."""

    def __init__(
        self,
        model: Model | RegressionModel,
        file: DataFile,
        target: str | None,
        time_column: str | None,
        period: str,
        name: str,
    ) -> None:
        self._model, self._file, self._period, self._name = model, file, period, name
        self._time = time_column
        wanted = target or (model.target if isinstance(model, Model) else None)
        self._target = wanted if wanted in file.names else None
        if target is not None:
            file.need([target])
        if target is not None and not isinstance(model, Model):
            raise InputError("--target is for classifiers, and this is a regression model.")
        if self._target is not None and self._target in model.kinds:
            raise InputError(f"Column {preview([self._target])} is one that the rules use.")

    def count(self, batches: MonitoredBatches, size: int, report_progress: ReportProgress) -> None:
        """Count all rows of the file."""
        kinds = dict(self._model.kinds)
        more = [name for name in (self._time, self._target) if name and name not in kinds]
        self._file.need([*kinds, *more])
        kinds |= self._file.kinds(more)
        done = 0
        for rows, _ in self._file.batches(kinds, (), size):
            report_progress(f"rows of {self._name}", done, None)
            batches.update(self._model.table(rows), self._names(rows), self._labels(rows))
            done += rows.rows

    def _names(self, rows: Table) -> list[str]:
        if self._time is None:
            return [self._name] * rows.rows
        return periods_of(rows.column(self._time), self._period)

    def _labels(self, rows: Table) -> list[Any] | None:
        return None if self._target is None else list(rows.column(self._target).cells())
