"""rulewright compare: learners side by side on a table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulewright.cli.class_costs import costs_from_texts
from rulewright.cli.console import busy_cells, out, page_width, print_json, warn
from rulewright.cli.fit import (
    Drop,
    DropUnlabelled,
    LoadedSample,
    Target,
    load_sample,
)
from rulewright.cli.options import Categorical, Data, DataTable, Json, Overwrite, Quiet
from rulewright.cli.reproduce import Jobs
from rulewright.cli.result_files import (
    PageOut,
    Quick,
    Store,
    check_page_file,
    open_store,
    write_page,
)
from rulewright.cli.row_units import Group, Time, units_of
from rulewright.data import Table, labels_of, open_data
from rulewright.errors import InputError
from rulewright.experiments import Comparison
from rulewright.experiments import compare as compare_learners
from rulewright.learners import Units

Learners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="Learner to compare; repeatable. By default all of this library, and baselines of "
        "scikit-learn: majority, naive-bayes, logistic, lda, perceptron, knn, svm, mlp, cart, "
        "bagging, forest, extra-trees and boosting.",
    ),
]
Test = Annotated[
    Path | None,
    typer.Option(
        "--test", metavar="FILE", help="Test on the rows of this file, not by cross-validation."
    ),
]
Folds = Annotated[
    int | None,
    typer.Option(min=2, help="Number of folds; 10, or 5 with --quick.", show_default=False),
]
Repeats = Annotated[
    int | None,
    typer.Option(min=1, help="Number of shuffles; 3, or 1 with --quick.", show_default=False),
]
MaxRows = Annotated[
    int | None, typer.Option(min=10, help="Compare on a random sample of at most N rows.")
]
ClassCosts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CLASS=NUMBER",
        help="Cost of misclassifying a case of a class; 1 for other classes; repeatable.",
    ),
]
ComparisonReport = Annotated[
    Path | None, typer.Option("--report", "-r", metavar="FILE", help="Write an HTML page here.")
]


def compare(
    data: Data,
    target: Target,
    learner: Learners = None,
    test: Test = None,
    group: Group = None,
    time_column: Time = None,
    folds: Folds = None,
    repeats: Repeats = None,
    max_rows: MaxRows = None,
    class_costs: ClassCosts = None,
    categorical: Categorical = None,
    drop: Drop = None,
    drop_unlabelled: DropUnlabelled = False,
    table: DataTable = None,
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of the shuffles.")] = 0,
    jobs: Jobs = 0,
    store: Store = None,
    report_path: ComparisonReport = None,
    out_path: PageOut = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Compare learners on a table: errors, sizes, certificates and paired tests.

    All learners are tested on the same rows, which they have not learnt from. Finished parts are
    kept: a comparison that was stopped goes on where it was.

    Example: rulewright compare patients.csv --target diagnosis --quick --report compare.html
    """
    inputs = {"input": data, "test file": test, "store": store}
    check_page_file({"--report": report_path, "--out": out_path}, inputs, overwrite=overwrite)
    loaded, units = _loaded(
        data, target, table, drop, categorical, drop_unlabelled, group, time_column
    )
    sample = loaded.sample
    kept = sample.table.without(list(sample.left_out))
    labels = np.array(sample.classes, dtype=object)[sample.y]
    tested = None if test is None else _test_rows(test, target, kept, drop, categorical)
    costs = None if not class_costs else costs_from_texts(class_costs, sample.classes)
    if costs == "balanced":
        raise InputError("--class-costs must be CLASS=NUMBER; the table has balanced errors too.")
    with open_store(store, f"compare-{data.stem}") as results:
        with busy_cells(quiet or json, f"comparing on {data.name}") as progress:
            found = compare_learners(
                learner or None,
                kept,
                labels,
                folds=folds,
                repeats=repeats,
                seed=seed,
                groups=units.groups,
                times=units.times,
                X_test=None if tested is None else tested[0],
                y_test=None if tested is None else tested[1],
                class_costs=costs,
                quick=quick,
                max_rows=max_rows,
                n_jobs=jobs if jobs > 0 else os.cpu_count() or 1,
                store=results,
                title=f"{data.name}: learners of {target}",
                progress=progress,
            )
        place = results.path
    for path in (report_path, out_path):
        if path is not None:
            write_page(found.page, path)
    _show(found, loaded, {"report": report_path, "page": out_path, "results": place}, json)


def _show(
    found: Comparison, loaded: LoadedSample, files: dict[str, Path | None], json: bool
) -> None:
    if json:
        print_json(_json(found) | {what: str(path) for what, path in files.items() if path})
        return
    console = out(files["report"], files["page"])
    console.print(found.page.text(page_width()))
    for what, path in files.items():
        if path is not None:
            console.print(f"{what}: {path}")
    warn([*loaded.notices, *loaded.cautions])


def _loaded(
    data: Path,
    target: str,
    table: str | None,
    drop: list[str] | None,
    categorical: list[str] | None,
    drop_unlabelled: bool,
    group: str | None,
    time_column: str | None,
) -> tuple[LoadedSample, Units]:
    columns = [name for name in (group, time_column) if name]
    with open_data(data, table) as file:
        file.need([target, *columns])
        whole = file.read(drop or (), categorical or ())
    loaded = load_sample(whole, target, drop_unlabelled, categorical or (), columns)
    by_row = whole.select(list(dict.fromkeys(columns))).take(loaded.sample.rows)
    return loaded, units_of(by_row, group, time_column)


def _test_rows(
    path: Path,
    target: str,
    like: Table,
    drop: list[str] | None,
    categorical: list[str] | None,
) -> tuple[Table, Any]:
    """Rows and labels of a file to test on, with the columns of the training table."""
    with open_data(path) as file:
        file.need([target, *like.names])
        whole = file.read([name for name in drop or () if name in file.names], categorical or ())
    labels, known = labels_of(whole, target)
    if not known.all():
        raise InputError(
            f"{path.name}: the class {target!r} is missing in {int((~known).sum())} rows."
        )
    return whole.select(like.names), labels.astype(object)


def _json(found: Comparison) -> dict[str, Any]:
    best, taken = found.recommendation.best, found.recommendation.taken
    return {
        "summary": found.summary,
        "lowest": best.name,
        "take": None if taken is None else taken.name,
        "learners": [
            {
                "learner": one.name,
                "error": float(one.errors.mean()),
                "deviation": one.deviation(),
                "balanced_error": one.balanced_error,
                "cost": None if one.costs is None else one.loss,
                **{name: one.mean(name) for name in ("rules", "literals", "fit_seconds")},
                "size": one.size,
                "certificate": one.mean("bound"),
                "errors": one.errors.tolist(),
            }
            for one in found.measures
        ],
        "tests": found.test_rows(),
        "left_out": found.refused,
        "how": found.how,
    }
