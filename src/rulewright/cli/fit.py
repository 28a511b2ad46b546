"""rulewright fit: a table in, rules and their certificate out."""

from __future__ import annotations

import os
import shlex
import time
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.cli.options import Data, DataTable, Json, Quiet
from rulewright.cli.screen import busy, out, print_json, warn
from rulewright.cli.show import certificate_json, print_model, rules_json
from rulewright.data import Table, labels_of, open_data
from rulewright.errors import InputError, preview
from rulewright.families import as_families, prepare
from rulewright.learners.covering import Task, best_path, covering_paths
from rulewright.learners.parameters import (
    read_delta,
    read_kinds,
    read_max_rules,
    read_penalty,
)
from rulewright.learners.progress import listen
from rulewright.learners.sample import Sample
from rulewright.models import PathEntry, cautions, save_model
from rulewright.selection import select_by_certificate


class Learner(str, Enum):
    """What can be learnt."""

    AUTO = "auto"
    SCM = "scm"


class KindChoice(str, Enum):
    """Kinds of set covering machine."""

    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"
    BEST = "best"


def fit(
    data: Data,
    target: Annotated[str, typer.Option("--target", "-t", help="The column that holds the class.")],
    learner: Annotated[
        Learner,
        typer.Option(help="auto tries several and keeps the best certificate."),
    ] = Learner.AUTO,
    out_path: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the model here.")
    ] = None,
    report_path: Annotated[
        Path | None,
        typer.Option("--report", "-r", metavar="FILE", help="Write an HTML report here."),
    ] = None,
    kind: Annotated[
        KindChoice | None, typer.Option(help="scm: which machine; conjunction unless said.")
    ] = None,
    p: Annotated[
        float | None,
        typer.Option("--penalty", "-p", help="scm: price of losing an example; 1 unless said."),
    ] = None,
    max_rules: Annotated[int, typer.Option(help="At most so many rules.")] = 10,
    delta: Annotated[
        float, typer.Option(help="The certificate fails with at most this probability.")
    ] = 0.05,
    categorical: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A numeric column that holds categories; repeatable."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column to leave out, such as a key; repeatable."),
    ] = None,
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out rows whose class is missing.")
    ] = False,
    table: DataTable = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; 0 for all cores.")] = 0,
    seed: Annotated[
        int | None, typer.Option(help="For learners that use chance; these use none.")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn rules from a table, and say how far they can be trusted.

    Example: rulewright fit patients.csv --target diagnosis --out model.json --report report.html
    """
    if learner is Learner.AUTO and (kind is not None or p is not None):
        raise typer.BadParameter("--kind and --penalty are chosen by auto; use --learner scm.")
    with busy(quiet or json) as tell:
        tell(f"reading {data.name}", 0, None)
        with open_data(data, table) as file:
            file.need([target])
            whole = file.read(drop or (), categorical or ())
        features, y, classes, rows = _labelled(whole, target, drop_unlabelled)
        sample = Sample.of(features, y, classes, target=target)
        task = Task(sample, as_families("auto"), read_delta(delta))
        start = time.perf_counter()
        with listen(tell):
            entry, path, how = _search(task, learner, kind, p, max_rules, jobs)
        seconds = time.perf_counter() - start
    if report_path is not None:
        _report(report_path, entry, path, task, rows, data, out_path, table)
    entry = entry.renumbered(rows)
    if out_path is not None:
        save_model(entry.model, out_path)
    written = [
        (what, path) for what, path in (("model", out_path), ("report", report_path)) if path
    ]
    if json:
        print_json(
            {
                "learner": how,
                "rules": rules_json(entry.model),
                "certificate": certificate_json(entry.certificate),
                "cautions": cautions(entry.model, sample.table),
                "training_errors": entry.errors,
                "rows": features.rows,
                "columns": len(features.columns),
                "seconds": round(seconds, 4),
                **{what: str(path) for what, path in written},
            }
        )
        return
    _print(entry, features, how, seconds, written)
    warn(cautions(entry.model, sample.table))


def _labelled(
    whole: Table, target: str, drop_unlabelled: bool
) -> tuple[Table, NDArray[np.int32], tuple[Any, Any], NDArray[np.intp]]:
    """Split the class off the table, and number it; say which rows have one."""
    labels, known = labels_of(whole, target)
    features = whole.without([target])
    missing = int((~known).sum())
    if missing and not drop_unlabelled:
        raise InputError(
            f"Column {target!r}, the class, is missing in {missing} of {whole.rows} rows (first in "
            f"row {int(np.argmin(known))}). Leave these rows out with --drop-unlabelled."
        )
    if missing:
        features, labels = features.take(known), labels[known]
    if not features.columns:
        raise InputError(f"There is no column besides the class {target!r} to learn from.")
    classes, codes = np.unique(labels, return_inverse=True)
    if classes.size != 2:
        raise InputError(
            f"The class must have two values; column {target!r} has {classes.size}: "
            f"{preview(classes.tolist())}. Merge classes, or choose another column."
        )
    negative, positive = classes.tolist()
    return features, codes.astype(np.int32), (negative, positive), np.flatnonzero(known)


def _search(
    task: Task,
    learner: Learner,
    kind: KindChoice | None,
    p: float | None,
    max_rules: int,
    jobs: int,
) -> tuple[PathEntry, list[PathEntry], str]:
    threads = jobs if jobs > 0 else os.cpu_count() or 1
    most = read_max_rules(max_rules)
    if learner is Learner.AUTO:
        selection = select_by_certificate(task, max_rules=most, threads=threads)
        best = selection.chosen
        how = f"scm, {best.kind}, p = {best.p:g}, the best certificate of {len(selection.tried)}"
        return best.entry, selection.path, how
    kinds = read_kinds((kind or KindChoice.CONJUNCTION).value)
    penalty = read_penalty(1.0 if p is None else p)
    search = prepare(task.families, task.sample.table, threads)
    path = best_path(covering_paths(task, kinds, penalty, most, search))
    return path[-1], path, f"scm, {(kind or KindChoice.CONJUNCTION).value}, p = {float(penalty):g}"


def _report(
    path: Path,
    entry: PathEntry,
    sizes: list[PathEntry],
    task: Task,
    rows: NDArray[np.intp],
    data: Path,
    model: Path | None,
    table: str | None,
) -> None:
    from rulewright.report import facts, write_report  # noqa: PLC0415  (only needed here)

    database = f" --table {shlex.quote(table)}" if table else ""
    check = f"rulewright certify {shlex.quote(str(model))} {shlex.quote(str(data))}{database}"
    title = f"{data.name}: rules for {task.sample.target}"
    content = facts(
        entry,
        sizes,
        task.sample.table,
        task.sample.y,
        title=title,
        row_numbers=rows,
        checks=[check] if model else [],
    )
    write_report(path, content)


def _print(
    entry: PathEntry,
    features: Table,
    how: str,
    seconds: float,
    written: list[tuple[str, Path]],
) -> None:
    console = out()
    console.print(
        f"{features.rows} rows, {len(features.columns)} columns; {how}; {seconds:.2f} s\n"
    )
    print_model(entry.model, console)
    for what, path in written:
        console.print(f"{what}: {path}")
