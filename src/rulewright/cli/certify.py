"""rulewright certify: check the certificate in a model file against the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from rulewright.certificates import (
    Certificate,
    GroupStatements,
    RuleStatements,
    SplitCertificate,
    Verification,
    load_model,
    table_assumptions,
    unlabelled_caution,
)
from rulewright.cli.certificate_lines import cost_json, detail_lines, sentence_lines
from rulewright.cli.certify_regression import CertifyOptions, certify_regression_file
from rulewright.cli.console import busy, gathered, out, print_json, warn
from rulewright.cli.exit_codes import NOT_HELD
from rulewright.cli.fit_out_of_core import refuse_options
from rulewright.cli.options import (
    Data,
    DataTable,
    Json,
    ModelPath,
    Overwrite,
    Quiet,
    Target,
    Verbose,
    output_path,
)
from rulewright.cli.row_units import IN_ENGINE, OrderBy, unit_values
from rulewright.cli.rules_files import (
    RulesOptions,
    certify_rules_file,
    check_report,
    has_rules_to_certify,
    write_checked_report,
)
from rulewright.cli.show import certificate_json
from rulewright.data import DataFile, Table, labels_of, open_data
from rulewright.errors import InputError
from rulewright.models import Model, RegressionModel
from rulewright.render import name_text

Strict = Annotated[
    bool, typer.Option("--strict", help=f"Exit with {NOT_HELD} where there is any caution.")
]
OutOfCore = Annotated[
    bool,
    typer.Option(
        "--out-of-core",
        help="Check a split by key from counts of rows that stay in the file, Parquet or DuckDB.",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COL", help="The column of weights that the fit was given."),
]

By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="COL",
        help="Print the error rates of the groups that a column forms, and how much they differ; "
        "needs a split certificate; repeatable.",
    ),
]
Rules = Annotated[
    bool,
    typer.Option(
        "--rules", help="Print bounds on the precision of each rule; needs a split certificate."
    ),
]
Like = Annotated[
    Path | None,
    typer.Option(
        "--like",
        metavar="MODEL",
        help="Model whose columns and classes a rules file has; by default those of DATA.",
    ),
]
Settled = Annotated[
    bool,
    typer.Option(
        "--settled",
        help="Say that a rules file was settled before anybody looked at these rows.",
    ),
]
Delta = Annotated[
    float, typer.Option(help="Probability with which the certificate of a rules file may fail.")
]
ModelOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write the model of a rules file here.",
        callback=output_path,
    ),
]
ReportOut = Annotated[
    Path | None,
    typer.Option(
        "--report",
        "-r",
        metavar="FILE",
        help="Write an HTML report here, if the certificate holds.",
    ),
]


@dataclass(frozen=True, eq=False)
class CertifiedRows:
    """The training data of a model file, as it was read.

    Attributes
    ----------
    table : Table
        All columns that were read.
    names : list of str
        Columns of the file that may have been offered to the learner.
    labels, known, weights : arrays
        Classes, where they are known, and weights, which are 0 where they are not.
    """

    table: Table
    names: list[str]
    labels: NDArray[Any]
    known: NDArray[np.bool_]
    weights: NDArray[Any]

    def units(self, certificate: Certificate) -> dict[str, Any]:
        """Groups or times of the rows, where the certificate names their column."""
        if not isinstance(certificate, SplitCertificate) or certificate.unit_column is None:
            return {}
        ordered = certificate.unit == "time"
        values = unit_values(self.table, certificate.unit_column, ordered=ordered)
        return {f"{certificate.unit}s": values}

    def features(self, model: Model) -> Table:
        """Return the columns of the model."""
        return self.table.select([column.name for column in model.columns])


@dataclass(frozen=True)
class FurtherStatements:
    """Groups by column, and rules; all hold at once with the confidence of the certificate."""

    by: dict[str, GroupStatements]
    rules: RuleStatements | None

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked for as JSON values."""
        by = {"by": {name: found.to_dict() for name, found in self.by.items()}} if self.by else {}
        return by if self.rules is None else {**by, "by_rule": self.rules.to_dict()}

    def texts(self) -> list[str]:
        """Return each table as text."""
        groups = [f"By {name_text(name)}. {found}" for name, found in self.by.items()]
        return groups if self.rules is None else [*groups, str(self.rules)]


def certify(
    model: ModelPath,
    data: Data,
    target: Target = None,
    table: DataTable = None,
    weight: Weight = None,
    by: By = None,
    rules: Rules = False,
    like: Like = None,
    settled: Settled = False,
    delta: Delta = 0.05,
    out_path: ModelOut = None,
    report_path: ReportOut = None,
    overwrite: Overwrite = False,
    strict: Strict = False,
    out_of_core: OutOfCore = False,
    order_by: OrderBy = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Check a model's certificate against its training data, or certify rules in a text file.

    A model with a compression certificate is rebuilt from the training rows it names. For a split
    certificate the recipe is run again on the design rows, which must find the same model. Errors
    and the cases of rules are counted again, and the bound is computed again. Everything that the
    data cannot show is listed.
    For a regression model the errors on the check rows are measured again.
    Rows without a class are left out, as in fit --drop-unlabelled. The exit code is 3 where the
    certificate does not hold. With --by and --rules, all that is printed holds at once with the
    confidence of the certificate.

    MODEL can also be a rules file, which a person wrote, or which edit made from a model. A model
    without a certificate that can be written as such a file, as a report makes it, is taken as one.

        # the first rule that holds answers; lines that begin with a space go on
        income > 60 and age between 25 and 60 -> good
        at least 2 of (debts = none; owner = yes; not (age < 25)) -> good
        otherwise -> bad

    Rules that vote end with "-> good with 1.5 votes". Conditions of a scorecard end with "-> 3
    points", and before the last line is "4 points or more -> good".

    Its errors on DATA are counted. Without --settled the bound pays for the description of the
    rules, so it holds even if they were edited with these rows in view. --settled says that they
    were settled before anybody looked at these rows; the bound is then that of a test, and nobody
    can check what you say.

    Examples: rulewright certify model.json train.csv; rulewright certify rules.txt train.csv
    --target class --out edited.json; rulewright certify rules.txt new.csv --like model.json
    --settled
    """
    if order_by is not None and not out_of_core:
        raise InputError(IN_ENGINE)
    if str(model) != "-" and has_rules_to_certify(model):
        if by or rules:
            raise InputError("--by and --rules need a model with a split certificate.")
        options_of_rules = RulesOptions(
            target=target,
            table=table,
            weight=weight,
            out=out_path,
            report=report_path,
            like=like,
            settled=settled,
            delta=delta,
            strict=strict,
            overwrite=overwrite,
            verbose=verbose,
            json=json,
        )
        certify_rules_file(model, data, options_of_rules)
        return
    found_model = load_model(model)
    if out_path is not None or like is not None or settled:
        raise InputError(
            f"--out, --like and --settled are for rules files; {model.name} is not one."
        )
    if isinstance(found_model, RegressionModel):
        if by or rules or report_path is not None:
            raise InputError(
                f"--by, --rules and --report are about classes; {model.name} holds a regression "
                "model. Leave them out."
            )
        options = CertifyOptions(target, table, weight, quiet=quiet, verbose=verbose, json=json)
        cautions = certify_regression_file(found_model, model.name, data, options)
        if strict and cautions:
            raise typer.Exit(NOT_HELD)
        return
    loaded, certificate = found_model, _certificate_of(found_model, model)
    if report_path is not None:
        check_report(report_path, {"model": model, "input": data}, overwrite=overwrite)
    name = target or loaded.target
    if name is None:
        raise InputError(f"{model.name} does not say which column is the class: give --target.")
    columns = list(dict.fromkeys(by or ()))
    splits = _with_statements(certificate, model) if columns or rules else None
    with (
        busy(quiet or json) as report_progress,
        gathered(UserWarning),
        open_data(data, table) as file,
    ):
        report_progress(_work(certificate), 0, None)
        if out_of_core:
            refuse_options(
                {"--by": columns, "--rules": rules, "--weight": weight, "--report": report_path}
            )
            found, ignored = _lazy_verification(loaded, certificate, file, name, order_by)
            further = FurtherStatements({}, None)
        else:
            rows = _read(loaded, certificate, file, name, weight, columns)
            found, ignored = _verification(loaded, certificate, file, rows, data.name)
            further = _further(loaded, splits, rows, columns, rules)
            if report_path is not None:
                checked = replace(certificate, unverified=False, cautions=found.cautions)
                kept = rows.features(loaded).take(rows.known)
                write_checked_report(
                    replace(loaded, certificate=checked),
                    kept,
                    rows.labels[rows.known],
                    report_path,
                    data,
                )
    if json:
        print_json(
            {
                "holds": True,
                "columns_not_offered": ignored,
                **certificate_json(certificate),
                **cost_json(loaded),
                "text": certificate.sentence,
                "assumptions": list(found.assumptions),
                "cautions": list(found.cautions),
                **further.to_dict(),
            }
        )
    else:
        _print(loaded, certificate, found, data.name, further, verbose=verbose)
    if strict and found.cautions:
        raise typer.Exit(NOT_HELD)


def _certificate_of(model: Model, path: Path) -> Certificate:
    if model.certificate is None:
        raise InputError(f"{path.name} holds no certificate: there is nothing to check.")
    certificate: Certificate = model.certificate
    return certificate


def _with_statements(certificate: Certificate, path: Path) -> SplitCertificate:
    """Refuse forms that say nothing about groups and single rules."""
    if not isinstance(certificate, SplitCertificate):
        raise InputError(
            f"--by and --rules need a split certificate; {path.name} has one of the form "
            f"{certificate.form!r}. Fit again with --certificate split."
        )
    return certificate


def _read(
    model: Model,
    certificate: Certificate,
    file: DataFile,
    target: str,
    weight: str | None,
    by: list[str],
) -> CertifiedRows:
    """Read the columns of a model, and those with the class, weights, groups and times."""
    kinds = {column.name: column.kind for column in model.columns}
    weighing: dict[str, Any] = {weight: "numeric"} if weight else {}
    unit = certificate.unit_column if isinstance(certificate, SplitCertificate) else None
    more = [*by, *([unit] if unit else [])]
    file.need([target, *kinds, *weighing, *more])
    others = [name for name in more if name not in kinds]
    whole = file.read_as(kinds | file.kinds(others) | weighing | file.kinds([target]))
    names = [name for name in file.names if name not in (target, weight, unit)]
    labels, known = labels_of(whole, target)
    # A row without a class counts as absent, as a row of weight zero does.
    labels[~known] = model.classes[0]
    weights = np.where(known, whole.numbers(weight), 0.0) if weight else known
    return CertifiedRows(whole, names, labels, known, weights)


def _verification(
    model: Model, certificate: Certificate, file: DataFile, rows: CertifiedRows, data: str
) -> tuple[Verification, list[str]]:
    """Check a certificate against a file; return also the columns not offered to the learner."""
    features = rows.features(model)
    offered = [column.name for column in model.columns]
    seen = file.kinds(offered)
    found = certificate.verify(
        model, features, rows.labels, sample_weight=rows.weights, **rows.units(certificate)
    ).adding(
        tuple(table_assumptions(rows.names, seen, model.columns, data)),
        tuple(unlabelled_caution(int((~rows.known).sum()), rows.table.rows)),
    )
    return found, [name for name in rows.names if name not in offered]


def _lazy_verification(
    model: Model, certificate: Certificate, file: DataFile, target: str, order_by: str | None
) -> tuple[Verification, list[str]]:
    """Check a certificate by counts of rows that stay in a file, as ``_verification`` does."""
    found = certificate.verify(replace(model, target=target), file.lazy_frame(), order_by=order_by)
    known = [target, getattr(certificate, "unit_column", None), *(c.name for c in model.columns)]
    return found, [name for name in file.names if name not in known]


def _further(
    model: Model,
    certificate: SplitCertificate | None,
    rows: CertifiedRows,
    by: list[str],
    rules: bool,
) -> FurtherStatements:
    """Return statements about groups and rules, each with an equal part of delta."""
    if certificate is None:
        return FurtherStatements({}, None)
    times = rows.units(certificate).get("times")
    more: dict[str, Any] = {"delta": certificate.delta / (len(by) + rules), "times": times}
    data = (model, rows.features(model), rows.labels, rows.weights)
    groups = {
        name: certificate.by_group(rows.table.column(name).cells(), *data, **more) for name in by
    }
    return FurtherStatements(groups, certificate.by_rule(*data, **more) if rules else None)


def _work(certificate: Certificate) -> str:
    """Return what a check does, for the display of progress."""
    if not isinstance(certificate, SplitCertificate):
        return "checking the certificate"
    learner = certificate.recipe["learner"]
    return f"running the recipe again: {learner} on {certificate.design:,} design rows"


def _print(
    model: Model,
    certificate: Certificate,
    found: Verification,
    data: str,
    further: FurtherStatements,
    *,
    verbose: bool,
) -> None:
    console = out()
    lines = [
        f"The certificate holds: {certificate.checks_text(data)}, and the bound was computed "
        "again.",
        *sentence_lines(model),
        *(detail_lines(certificate, model) if verbose else []),
        "\nTaken on trust, since data cannot show it:",
    ]
    for line in lines:
        console.print(line)
    for assumption in found.assumptions:
        console.print(f"- {assumption}")
    for text in further.texts():
        console.print(f"\n{text}")
    warn(found.cautions)
