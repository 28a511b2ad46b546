"""rulewright explain: the rule that answered each row of a table, the reason, and the runner-up."""

from __future__ import annotations

from rulewright.certificates import load_model
from rulewright.cli.console import busy
from rulewright.cli.drift_notices import (
    DriftLevel,
    DriftOptions,
    FailOnDrift,
    LogPath,
    finish_run,
)
from rulewright.cli.options import (
    Batch,
    Data,
    DataTable,
    ExcelSafe,
    Json,
    Keep,
    ModelPath,
    OutPath,
    Overwrite,
    Quiet,
)
from rulewright.cli.predict import (
    CLASS_COLUMNS,
    VALUE_COLUMNS,
    AnsweringRun,
    Columns,
    Sink,
    columns_of,
    summarise,
)
from rulewright.data import CellColumn, Table, coded_cells, open_data
from rulewright.models import DRIFT_LEVEL, Model, RegressionModel

WHY: Columns = [("why", "VARCHAR")]
RUNNER_UP: Columns = [("runner_up", "VARCHAR")]


def explain(
    model: ModelPath,
    data: Data,
    out_path: OutPath = None,
    keep: Keep = None,
    table: DataTable = None,
    batch: Batch = 1 << 14,
    excel_safe: ExcelSafe = False,
    fail_on_drift: FailOnDrift = False,
    drift_level: DriftLevel = DRIFT_LEVEL,
    log: LogPath = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Explain each row's prediction: the rule that answered it, and why.

    The output is that of predict and two columns more: the row's own values against the rule, and
    what would have answered otherwise (nothing, for a tree). For a vote it names all rules that
    voted, and the votes of the runner-up. Rows that differ from the training rows are noticed as
    by predict.

    Example: rulewright explain model.json new.csv --keep customer --out reasons.csv
    """
    loaded = load_model(model)
    kept = keep or []
    columns = [*VALUE_COLUMNS, *WHY]
    if isinstance(loaded, Model):
        columns = [*CLASS_COLUMNS, *WHY, *RUNNER_UP]
    sink = Sink(columns_of(kept, columns), out_path, json, excel_safe)
    sink.check({"model": model, "input": data}, overwrite=overwrite)
    options = DriftOptions(fail_on_drift, drift_level, log)
    options.check({"model": model, "input": data}, out_path)
    run = AnsweringRun(loaded, kept, batch, columns, _explained)
    with busy(quiet or json) as report_progress, open_data(data, table) as file:
        file.need([*loaded.kinds, *kept])
        sink.put(run.answers(file, report_progress))
    report = run.counter.report(drift_level)
    summarise(loaded, run.counts, report, out_path, quiet, json)
    finish_run("explain", (model, data), run.counts, report, options, quiet=quiet)


def _explained(model: Model | RegressionModel, table: Table) -> list[CellColumn]:
    """Columns that explain each row; a share that is NaN is left empty."""
    return [
        coded_cells([None if cell != cell else cell for cell in cells])
        for cells in model.explained(table).values()
    ]
