"""rulewright certify for regression models."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rulewright.certificates import RegressionCertificate, Verification, table_assumptions
from rulewright.cli.certificate_lines import regression_json, regression_lines
from rulewright.cli.console import busy, gathered, out, print_json, warn
from rulewright.cli.show import NO_CERTIFICATE
from rulewright.data import DataFile, open_data
from rulewright.errors import InputError
from rulewright.models import RegressionModel


@dataclass(frozen=True)
class CertifyOptions:
    """Options of the command that concern regression models."""

    target: str | None
    table: str | None
    weight: str | None
    quiet: bool
    verbose: bool
    json: bool


def certify_regression_file(
    model: RegressionModel, name: str, data: Path, options: CertifyOptions
) -> tuple[str, ...]:
    """Check the certificate of a regression model against a file; return the cautions.

    ``name`` is the name of the model file.
    """
    certificate: RegressionCertificate | None = model.certificate
    if certificate is None:
        raise InputError(
            f"{name} holds a regression model without a certificate: {NO_CERTIFICATE}. Compare its "
            "predictions with rows that it was not trained on."
        )
    target = options.target or model.target
    if target is None:
        raise InputError(f"{name} does not say which column is the target: give --target.")
    with (
        busy(options.quiet or options.json) as report_progress,
        gathered(UserWarning),
        open_data(data, options.table) as file,
    ):
        work = f"running the recipe again: {certificate.recipe['learner']}"
        report_progress(f"{work} on {certificate.design:,} design rows", 0, None)
        found, ignored = _verification(model, certificate, file, target, options.weight)
    if options.json:
        print_json(
            {
                "holds": True,
                "columns_not_offered": ignored,
                **regression_json(certificate),
                "text": certificate.sentence,
                "assumptions": list(found.assumptions),
                "cautions": list(found.cautions),
            }
        )
    else:
        _print(certificate, found, data.name, verbose=options.verbose)
    return found.cautions


def _verification(
    model: RegressionModel,
    certificate: RegressionCertificate,
    file: DataFile,
    target: str,
    weight: str | None,
) -> tuple[Verification, list[str]]:
    """Check a certificate against a file; return also the columns not offered to the learner."""
    kinds = {column.name: column.kind for column in model.columns}
    file.need([target, *kinds, *([weight] if weight else [])])
    numeric = {name: "numeric" for name in (target, weight) if name}
    whole = file.read_as(kinds | numeric)  # type: ignore[arg-type]
    y = whole.numbers(target)
    known = ~np.isnan(y)
    weights = np.where(known, whole.numbers(weight), 0.0) if weight else known.astype(float)
    seen = file.kinds(list(kinds))
    names = [name for name in file.names if name not in (target, weight)]
    found = certificate.verify(model, whole.select(list(kinds)), y, weights)
    assumptions = table_assumptions(names, seen, model.columns, file.path.name)
    absent = int((~known).sum())
    return (
        found.adding(tuple(assumptions), _unknown_caution(absent, whole.rows)),
        [name for name in names if name not in kinds],
    )


def _unknown_caution(absent: int, rows: int) -> tuple[str, ...]:
    if not absent:
        return ()
    return (
        f"{absent} of the {rows} rows have no target and do not count. The certificate is about "
        "new cases like the others: it is not true if the target is missing more often where the "
        "errors are large.",
    )


def _print(
    certificate: RegressionCertificate, found: Verification, data: str, *, verbose: bool
) -> None:
    console = out()
    lines = [
        f"The certificate holds: {certificate.checks_text(data)}, and the bound was computed "
        "again.",
        *regression_lines(certificate, verbose=verbose),
        "\nTaken on trust, since data cannot show it:",
        *(f"- {assumption}" for assumption in found.assumptions),
    ]
    for line in lines:
        console.print(line)
    warn(found.cautions)
