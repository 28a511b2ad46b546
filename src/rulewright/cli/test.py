"""rulewright test: a model on rows with known classes, and against its certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulewright.certificates import load_model
from rulewright.cli.class_costs import costs_from_texts
from rulewright.cli.console import busy, out, page_width, print_json
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.cli.options import Data, DataTable, Json, ModelPath, Overwrite, Quiet, Target
from rulewright.cli.result_files import check_page_file, write_page
from rulewright.data import DataFile, Table, labels_of, open_data
from rulewright.errors import InputError
from rulewright.models import Model

By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COL",
        help="Column whose values form groups: their error rates, and how much they differ; "
        "repeatable.",
    ),
]
TestCosts = Annotated[
    list[str] | None,
    typer.Option(
        "--class-costs",
        "--cost",
        metavar="CLASS=NUMBER",
        help="Cost of misclassifying a case of a class, 1 for others; repeatable. By default the "
        "costs that the model was chosen by.",
    ),
]
TestWeight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COL", help="Column of weights: adds the weighted error."),
]
ReportOut = Annotated[
    Path | None,
    typer.Option(
        "--report", "-r", metavar="FILE", help="Write the tables and charts: .html, .md or .csv."
    ),
]
Delta = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="Each table of intervals holds with confidence 1 - delta; level of the test against "
        "the certificate.",
    ),
]
FailOnExcess = Annotated[
    bool,
    typer.Option(
        "--fail-on-excess",
        help=f"Exit with {NOT_HELD} if there are more errors than the certificate allows, or "
        "nothing to compare with.",
    ),
]


def test(
    model: ModelPath,
    data: Data,
    target: Target = None,
    by: By = None,
    class_costs: TestCosts = None,
    weight: TestWeight = None,
    table: DataTable = None,
    report: ReportOut = None,
    delta: Delta = 0.05,
    fail_on_excess: FailOnExcess = False,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Test a model on rows with known classes that it was not learnt from.

    Prints the error with an exact interval, the confusion matrix, AUC, calibration, each rule, and
    whether the errors agree with the certificate. Rows without a class are left out; a class that
    the model does not know counts as misclassified.

    Example: rulewright test model.json later.csv --by sex --cost ill=5
    """
    loaded = load_model(model)
    if not isinstance(loaded, Model):
        raise InputError(
            f"test is for classifiers, and {model.name} holds a regression model. rulewright "
            "certify checks its certificate."
        )
    name = target or loaded.target
    if name is None:
        raise InputError(f"{model.name} does not say which column is the class: give --target.")
    check_page_file({"--report": report}, {"model": model, "input": data}, overwrite=overwrite)
    columns = list(dict.fromkeys(by or ()))
    with busy(quiet or json) as report_progress, open_data(data, table) as file:
        report_progress("testing the model", 0, None)
        rows = _read(loaded, file, name, [*columns, *([weight] if weight else [])])
        labels, known = labels_of(rows, name)
        result = loaded.test(
            rows.select(list(loaded.kinds)),
            [label if there else None for label, there in zip(labels, known, strict=True)],
            by={column: rows.column(column).cells() for column in columns},
            class_costs=_costs(class_costs, loaded),
            sample_weight=_weights(rows, weight),
            delta=delta,
        )
    page = result.page(f"Test of {model.name} on {data.name}")
    if report is not None:
        write_page(page, report)
    if json:
        files = {} if report is None else {"report": str(report)}
        print_json({**result.to_dict(), **files})
    else:
        console = out(report)
        console.print(page.text(page_width()).rstrip("\n"))
        if report is not None:
            console.print(f"\nreport: {report}")
    compared = result.certificate
    if fail_on_excess and (compared is None or not compared.within):
        raise typer.Exit(NOT_HELD)


def _read(model: Model, file: DataFile, target: str, more: list[str]) -> Table:
    """Read the columns that the model uses, the class, and the columns of groups and weights."""
    kinds = dict(model.kinds)
    others = [name for name in dict.fromkeys([target, *more]) if name not in kinds]
    file.need([*kinds, *others])
    return file.read_as({**kinds, **file.kinds(others)})


def _costs(texts: list[str] | None, model: Model) -> Any:
    if not texts:
        return None
    costs = costs_from_texts(texts, model.classes)
    if isinstance(costs, str):
        raise InputError("--class-costs balanced is for fit. Write CLASS=NUMBER here.")
    return costs


def _weights(rows: Table, name: str | None) -> Any:
    if name is None:
        return None
    numbers = rows.numbers(name)
    if np.isnan(numbers).any():
        raise InputError(
            f"Column {name!r}, the weights, is missing in {int(np.isnan(numbers).sum())} rows. "
            "Fill in 0 to leave a row out."
        )
    return numbers
