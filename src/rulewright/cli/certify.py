"""rulewright certify: check the certificate in a model file against the data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rulewright.certificates import (
    Certificate,
    SplitCertificate,
    Verification,
    load_model,
    table_assumptions,
    unlabelled_caution,
)
from rulewright.cli.certificate_lines import detail_lines, sentence_lines
from rulewright.cli.console import busy, gathered, out, print_json, warn
from rulewright.cli.options import Data, DataTable, Json, ModelPath, Quiet, Target, Verbose
from rulewright.cli.show import NO_CERTIFICATE, certificate_json
from rulewright.data import DataFile, labels_of, open_data
from rulewright.errors import InputError
from rulewright.models import Model, RegressionModel

NOT_HELD = 3
"""Exit code if a requested check fails."""

Strict = Annotated[
    bool, typer.Option("--strict", help=f"Exit with {NOT_HELD} where there is any caution.")
]
Weight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COL", help="The column of weights that the fit was given."),
]


def certify(
    model: ModelPath,
    data: Data,
    target: Target = None,
    table: DataTable = None,
    weight: Weight = None,
    strict: Strict = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Check a model's certificate against its training data.

    A model with a compression certificate is rebuilt from the training rows it names. For a split
    certificate the recipe is run again on the design rows, which must find the same model. Errors
    and the cases of rules are counted again, and the bound is computed again. Everything that the
    data cannot show is listed.
    Rows without a class are left out, as in fit --drop-unlabelled. The exit code is 3 where the
    certificate does not hold.
    """
    loaded, certificate = _certified(model)
    name = target or loaded.target
    if name is None:
        raise InputError(f"{model.name} does not say which column is the class: give --target.")
    with (
        busy(quiet or json) as report_progress,
        gathered(UserWarning),
        open_data(data, table) as file,
    ):
        report_progress(_work(certificate), 0, None)
        found, ignored = _verification(loaded, certificate, file, name, weight, data.name)
    if json:
        print_json(
            {
                "holds": True,
                "columns_not_offered": ignored,
                **certificate_json(certificate),
                "text": certificate.sentence,
                "assumptions": list(found.assumptions),
                "cautions": list(found.cautions),
            }
        )
    else:
        _print(loaded, found, data.name, verbose)
    if strict and found.cautions:
        raise typer.Exit(NOT_HELD)


def _certified(path: Path) -> tuple[Model, Certificate]:
    loaded = load_model(path)
    if isinstance(loaded, RegressionModel):
        raise InputError(
            f"{path.name} holds a regression model, and such a model has no certificate: "
            f"{NO_CERTIFICATE}. Compare its predictions with rows that it was not trained on."
        )
    if loaded.certificate is None:
        raise InputError(f"{path.name} holds no certificate: there is nothing to check.")
    return loaded, loaded.certificate


def _verification(
    model: Model,
    certificate: Certificate,
    file: DataFile,
    target: str,
    weight: str | None,
    data: str,
) -> tuple[Verification, list[str]]:
    """Check a certificate against a file; return also the columns not offered to the learner."""
    kinds = {column.name: column.kind for column in model.columns}
    weighing: dict[str, Any] = {weight: "numeric"} if weight else {}
    file.need([target, *kinds, *weighing])
    whole = file.read_as(kinds | weighing | file.kinds([target]))
    names = [name for name in file.names if name not in (target, weight)]
    labels, known = labels_of(whole, target)
    # A row without a class counts as absent, as a row of weight zero does.
    labels[~known] = model.classes[0]
    weights = np.where(known, whole.numbers(weight), 0.0) if weight else known
    features = whole.select(list(kinds))
    seen = file.kinds(list(kinds))
    found = certificate.verify(model, features, labels, sample_weight=weights).adding(
        tuple(table_assumptions(names, seen, model.columns, data)),
        tuple(unlabelled_caution(int((~known).sum()), whole.rows)),
    )
    return found, [name for name in names if name not in kinds]


def _work(certificate: Certificate) -> str:
    """Return what a check does, for the display of progress."""
    if not isinstance(certificate, SplitCertificate):
        return "checking the certificate"
    learner = certificate.recipe["learner"]
    return f"running the recipe again: {learner} on {certificate.design:,} design rows"


def _print(model: Model, found: Verification, data: str, verbose: bool) -> None:
    console = out()
    lines = [
        f"The certificate holds: {found.certificate.checks_text(data)}, and the bound was computed "
        "again.",
        *sentence_lines(model),
        *(detail_lines(found.certificate) if verbose else []),
        "\nTaken on trust, since data cannot show it:",
    ]
    for line in lines:
        console.print(line)
    for assumption in found.assumptions:
        console.print(f"- {assumption}")
    warn(found.cautions)
