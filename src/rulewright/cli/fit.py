"""rulewright fit: a table in, rules and their certificate out."""

from __future__ import annotations

import os
import shlex
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, certified_front, unlabelled_caution
from rulewright.cli.category_orders import Order, read_orders
from rulewright.cli.certificate_lines import front_json, front_lines
from rulewright.cli.console import PlainConsole, busy, gathered, out, print_json, warn
from rulewright.cli.fit_out_of_core import LazyFit, read_source, refuse_options
from rulewright.cli.learner_options import FitCommand, given_settings, option_text
from rulewright.cli.options import (
    All,
    Categorical,
    DataTable,
    Json,
    Overwrite,
    Quiet,
    Verbose,
    output_path,
)
from rulewright.cli.outputs import Output, check_outputs, exit_on_signals, make_folder
from rulewright.cli.row_units import IN_ENGINE, Group, Key, OrderBy, Time, unit_values, units_of
from rulewright.cli.show import certificate_json, print_model, rules_json, shortened
from rulewright.data import (
    CategoricalColumn,
    Column,
    Table,
    key_columns,
    labels_of,
    no_labels,
    open_data,
    table_cautions,
    text_labels,
)
from rulewright.errors import InputError, preview
from rulewright.kernels import keep_freed_memory
from rulewright.learners import Path as ModelPath
from rulewright.learners import (
    Sample,
    best_with_rules,
    certified_cost,
    check_classes,
    code_labels,
    entry_worth,
    learn,
    remarks,
)
from rulewright.models import is_model_file, save_model

Target = Annotated[str, typer.Option("--target", "-t", help="Column that holds the class.")]
FitData = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, Parquet or Excel file, or a DuckDB or SQLite file (see --table); - reads "
        "standard input. duckdb:///FILE?table=NAME learns inside a DuckDB file.",
        show_default=False,
    ),
]
OutOfCore = Annotated[
    bool,
    typer.Option(
        "--out-of-core",
        help="Learn from counts of rows that stay in the file, Parquet or DuckDB: for tables that "
        "do not fit in memory, with --learner tree.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="With --out-of-core, estimate the scans of the table, and stop."
    ),
]
Learner = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Learner; rulewright learners lists them. --learner NAME --help shows its options.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the model here; - is standard output.",
        callback=output_path,
    ),
]
ReportPath = Annotated[
    Path | None, typer.Option("--report", "-r", metavar="FILE", help="Write an HTML report here.")
]
EmbedRows = Annotated[
    int,
    typer.Option(
        "--embed-rows",
        metavar="N",
        min=0,
        help="Allow the report to hold the values of the first N rows; otherwise it lists cases by "
        "their row numbers.",
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COL",
        help="Show in the report how often the model is wrong in each group that a column forms; "
        "repeatable.",
    ),
]
Drop = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="Column to leave out; repeatable.")
]
DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out rows whose class is missing.")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Number of threads; 0 for all cores.")]
NoProfile = Annotated[
    bool,
    typer.Option(
        "--no-profile",
        help="Write the model without the ranges, categories and counts of the training rows that "
        "predict compares new rows with.",
    ),
]
Front = Annotated[
    bool,
    typer.Option(
        "--front",
        help="List the models with a better certificate than all smaller ones, and keep them in "
        "the file: rulewright show MODEL --size N takes another size, at no price.",
    ),
]
FrontFolder = Annotated[
    Path | None,
    typer.Option(
        "--front-out",
        metavar="FOLDER",
        help="Write each model of the front here, as size-N.json.",
    ),
]

COMMAND_CLASS = FitCommand
"""Class of the command, whose options depend on the learner."""


def fit(
    context: typer.Context,
    source: FitData,
    target: Target,
    learner: Learner = "auto",
    out_path: Out = None,
    report_path: ReportPath = None,
    embed_rows: EmbedRows = 0,
    by: By = None,
    categorical: Categorical = None,
    order: Order = None,
    drop: Drop = None,
    drop_unlabelled: DropUnlabelled = False,
    no_profile: NoProfile = False,
    table: DataTable = None,
    group: Group = None,
    time_column: Time = None,
    key: Key = None,
    order_by: OrderBy = None,
    out_of_core: OutOfCore = False,
    dry_run: DryRun = False,
    jobs: Jobs = 0,
    overwrite: Overwrite = False,
    front: Front = False,
    front_folder: FrontFolder = None,
    every_line: All = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn rules from a table, with a certificate of their error on new cases.

    Example: rulewright fit patients.csv --target diagnosis --out model.json --report report.html
    """
    place = read_source(source, table, out_of_core=out_of_core)
    _check_outputs(out_path, report_path, place.path, overwrite)
    if place.path is None or place.stays:
        needing_rows = {
            "--report": report_path,
            "--categorical": categorical,
            "--order": order,
            "--drop-unlabelled": drop_unlabelled,
            "--group": group,
            "--time": time_column,
            "--front": front,
            "--front-out": front_folder,
        }
        refuse_options(needing_rows)
        silent = quiet or json
        lazy = LazyFit(place, target, drop or (), key, order_by, out_path, no_profile, silent)
        lazy.run(context, dry_run=dry_run, json=json, whole=every_line)
        return
    keep_freed_memory()
    data, table = place.path, place.table
    if order_by is not None:
        raise InputError(IN_ENGINE)
    if dry_run:
        raise InputError(
            "--dry-run estimates scans of a table that stays in its file: add --out-of-core."
        )
    if front_folder is not None:
        make_folder(front_folder)
    with busy(quiet or json) as report_progress, gathered(UserWarning) as warned:
        report_progress(f"reading {data.name}", 0, None)
        with open_data(data, table) as file:
            file.need([name for name in (target, group, time_column, key, *(by or ())) if name])
            orders = read_orders(order or (), file.names)
            declared = tuple(dict.fromkeys((*(categorical or ()), *orders)))
            whole = file.read(drop or (), declared).with_orders(orders)
            grouping = file.read_as(file.kinds(by)) if by else None
        columns = [name for name in (group, time_column, key) if name]
        loaded = load_sample(whole, target, drop_unlabelled, declared, columns)
        by_row = whole.select(list(dict.fromkeys(columns))).take(loaded.sample.rows)
        units = units_of(by_row, group, time_column, key)
        settings = given_settings(context, loaded.sample.classes)
        check_classes(
            np.array(loaded.sample.classes, object),
            loaded.sample.y,
            f"--learner {settings.learner}",
            settings.max_classes,
            "Use --learner dlm, or merge classes.",
        )
        report_progress(f"learning from {loaded.sample.y.size:,} rows", 0, None)
        start = time.perf_counter()
        threads = jobs if jobs > 0 else os.cpu_count() or 1
        path = learn(
            settings,
            loaded.sample,
            progress=report_progress,
            threads=threads,
            further_cautions=loaded.cautions,
            units=units,
        )
        seconds = time.perf_counter() - start
    said = remarks(path, settings, option_text)
    fitted = Fitted(path, loaded, seconds, (*warned, *path.notices), said)
    if report_path is not None:
        with exit_on_signals():
            shown = {} if grouping is None else _groups(grouping.take(loaded.sample.rows))
            _report(report_path, fitted, data, out_path, table, embed_rows, shown)
    if out_path is not None:
        with exit_on_signals():
            _write_model(fitted, out_path, profile=not no_profile, front=front)
    if front_folder is not None:
        _write_front(fitted, front_folder, data, overwrite)
    written = {"model": out_path, "report": report_path, "models": front_folder}
    files = {what: path for what, path in written.items() if path}
    if json:
        fitted.print_json(files)
    else:
        fitted.show(files, verbose=verbose, front=front or verbose, whole=every_line)


@dataclass(frozen=True, eq=False)
class LoadedSample:
    """The training examples, notices about their columns, and cautions about their rows."""

    sample: Sample
    notices: tuple[str, ...]
    cautions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Result of a fit."""

    path: ModelPath
    loaded: LoadedSample
    seconds: float
    warned: Sequence[str]
    remarks: Sequence[str]

    @property
    def entry(self) -> PathEntry:
        """The model; rows are named by their numbers in the file."""
        return self._named([self.path.entry])[0]

    def _named(self, entries: Sequence[PathEntry]) -> list[PathEntry]:
        """Models with rows by their numbers in the file."""
        return [entry.renumbered(self.loaded.sample.rows) for entry in entries]

    @property
    def notices(self) -> list[str]:
        """Notices for the user, each once."""
        cautions = self.entry.certificate.cautions
        return list(dict.fromkeys((*self.loaded.notices, *self.warned, *cautions)))

    @property
    def cost_bound(self) -> float | None:
        """Certified expected cost, where classes have costs."""
        costs = self.path.costs
        return None if costs is None else certified_cost(self.entry.certificate, costs)

    @property
    def front(self) -> list[PathEntry]:
        """Models with a better certificate than all smaller ones; none without certificates."""
        if self.path.entry.model.certificate is None:
            return []
        worth = partial(entry_worth, costs=self.path.costs)
        return certified_front(self.path.entries, worth)

    @property
    def named_front(self) -> list[PathEntry]:
        """The front; rows are named by their numbers in the file."""
        return self._named(self.front)

    def show(self, written: dict[str, Path], *, verbose: bool, front: bool, whole: bool) -> None:
        """Print the model, its certificate, and what was written."""
        sample, console = self.loaded.sample, out(*written.values())
        print_model(self.entry.model, console, verbose=verbose, whole=whole)
        self._show_remarks(console, whole=whole)
        if front and self.front:
            lines = front_lines(self.front, self.path.entry.model, self.path.costs)
            console.print("\n".join(lines) + "\n")
        console.print(
            f"{sample.y.size:,} rows, {len(sample.table.columns):,} columns; "
            f"{self.path.description}; {self.seconds:.2f} s"
        )
        for what, path in written.items():
            console.print(f"{what}: {path}")
        warn(self.notices)

    def _show_remarks(self, console: PlainConsole, *, whole: bool) -> None:
        """Print remarks on the choice, and the best rules where the model has none."""
        if not self.remarks:
            return
        first, *others = self.remarks
        best = best_with_rules(self.path.entry, self.path.entries, self.path.costs)
        rules = [] if best is None else [self._indented(best, whole=whole)]
        console.print("\n".join([first, *rules, *others, ""]))

    def _indented(self, entry: PathEntry, *, whole: bool) -> str:
        text = shortened(str(self._named([entry])[0].model), whole=whole)
        return textwrap.indent(text, "  ")

    def print_json(self, written: dict[str, Path]) -> None:
        """Print everything as JSON."""
        print_json(self._json() | {what: str(path) for what, path in written.items()})

    def _json(self) -> dict[str, Any]:
        sample = self.loaded.sample
        optimality = self.path.attributes.get("optimality_")
        proof = {} if optimality is None else {"optimality": optimality.to_json()}
        return {
            "learner": self.path.description,
            "rules": rules_json(self.entry.model),
            "certificate": certificate_json(self.entry.certificate),
            "cost_bound": self.cost_bound,
            "cautions": self.notices,
            "remarks": list(self.remarks),
            "front": front_json(self.named_front, self.path.costs),
            "training_errors": self.entry.errors,
            "rows": sample.y.size,
            "columns": len(sample.table.columns),
            "seconds": round(self.seconds, 4),
            **proof,
        }


def _check_outputs(
    out_path: Path | None, report_path: Path | None, data: Path | None, overwrite: bool
) -> None:
    """Refuse outputs that cannot be written or would destroy something, before the fit."""
    outputs = []
    if out_path is not None:
        outputs.append(Output("--out", out_path, "a model file of rulewright", is_model_file))
    if report_path is not None:
        from rulewright.report import is_report  # noqa: PLC0415  (only needed here)

        outputs.append(Output("--report", report_path, "a report of rulewright", is_report))
    check_outputs(outputs, {"input": data} if data else {}, overwrite=overwrite)


def _write_model(fitted: Fitted, path: Path, *, profile: bool, front: bool) -> None:
    """Write the model, with the front if it is asked for."""
    kept = [fitted.entry, *(fitted.named_front if front else ())]
    if not profile:
        kept = [replace(each, model=replace(each.model, profile=None)) for each in kept]
    save_model(kept[0].model, path, front=kept[1:])


def _write_front(fitted: Fitted, folder: Path, data: Path, overwrite: bool) -> None:
    """Write each model of the front to a file named by its size."""
    kind = "a model file of rulewright"
    for entry in fitted.named_front:
        path = folder / f"size-{entry.size}.json"
        output = Output("--front-out", path, kind, is_model_file)
        check_outputs([output], {"input": data}, overwrite=overwrite)
        with exit_on_signals():
            save_model(entry.model, path)


def load_sample(
    whole: Table,
    target: str,
    drop_unlabelled: bool,
    categorical: Sequence[str],
    others: Sequence[str],
) -> LoadedSample:
    """Separate the class from the table, and leave out rows without one."""
    column = whole.column(target)
    known = ~column.missing
    if not known.any():
        raise no_labels(whole, target)
    features = whole.without([target, *others])
    missing = int((~known).sum())
    if missing and not drop_unlabelled:
        raise InputError(
            f"Column {target!r}, the class, is missing in {missing} of {whole.rows} rows (first in "
            f"row {int(np.argmin(known))}). Leave these rows out with --drop-unlabelled."
        )
    if missing:
        features, column = features.take(known), column.take(known)
    if not features.columns:
        raise InputError(f"There is no column besides the class {target!r} to learn from.")
    classes, codes = _coded(column)
    keys = key_columns(features, keep=categorical)
    sample = Sample.of(
        features,
        codes,
        tuple(classes.tolist()),
        rows=np.flatnonzero(known) if missing else np.arange(whole.rows),
        target=target,
        left_out=tuple(keys),
        categorical=tuple(categorical),
    )
    notices = table_cautions(features, codes, classes.tolist(), keys)
    return LoadedSample(sample, notices, tuple(unlabelled_caution(missing, whole.rows)))


def _coded(column: Column) -> tuple[NDArray[Any], NDArray[np.int32]]:
    if isinstance(column, CategoricalColumn) and column.kind != "boolean":
        texts, codes = text_labels(column)
        classes = np.array(texts, object)
    else:
        labels, _ = labels_of(Table([column], column.missing.size), column.name)
        classes, codes = code_labels(labels)
    if classes.size < 2:
        raise InputError(
            f"Column {column.name!r}, the class, has only the value {preview(classes.tolist())}. "
            "Choose another column."
        )
    if classes.size > max(2, codes.size // 2):
        raise InputError(
            f"Column {column.name!r}, the class, has {classes.size} different values in "
            f"{codes.size} rows: {preview(classes.tolist())}. Merge classes, or choose another "
            "column."
        )
    return classes, codes


def _groups(table: Table) -> dict[str, Any]:
    """Return the group of each row, by column."""
    return {name: unit_values(table, name) for name in table.names}


def _report(
    path: Path,
    fitted: Fitted,
    data: Path,
    model: Path | None,
    table: str | None,
    embed_rows: int,
    groups: dict[str, Any],
) -> None:
    from rulewright.report import facts, write_report  # noqa: PLC0415  (only needed here)

    sample = fitted.loaded.sample
    database = f" --table {shlex.quote(table)}" if table else ""
    check = f"rulewright certify {shlex.quote(str(model))} {shlex.quote(str(data))}{database}"
    content = facts(
        fitted.path.entry,
        fitted.path.entries,
        sample.table,
        sample.y,
        title=f"{data.name}: rules for {sample.target}",
        row_numbers=sample.rows,
        checks=[check] if model else [],
        remarks=fitted.remarks,
        costs=fitted.path.costs,
        embed_rows=embed_rows,
        groups=groups,
    )
    write_report(path, content)
