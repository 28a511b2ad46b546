"""rulewright show: a model file, read aloud."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from rulewright.cli.options import DataTable, Json, ModelPath
from rulewright.cli.screen import out, print_json, warn
from rulewright.data import open_data
from rulewright.errors import InputError
from rulewright.models import Certificate, Model, Rounded, load_model
from rulewright.models.files import to_json
from rulewright.render import class_text, percent_text

MOST_CLASSES = 6
"""Of more classes only the worst bound is printed."""


def show(
    model: ModelPath,
    decimals: Annotated[
        int | None,
        typer.Option(help="Show the model rounded to so many decimals; needs --data."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DATA", help="Count on this table which answers rounding changes."),
    ] = None,
    table: DataTable = None,
    json: Json = False,
) -> None:
    """Print a model's rules and its certificate."""
    loaded = load_model(model)
    if decimals is not None:
        rounded = _rounded(loaded, decimals, data, table)
        if json:
            print_json(
                {"model": to_json(rounded.model), "changed": rounded.changed, "rows": rounded.rows}
            )
        else:
            out().print(str(rounded))
        return
    if json:
        certificate = loaded.certificate
        print_json(
            {
                "classes": list(loaded.classes),
                "target": loaded.target,
                "columns": list(loaded.body.columns),
                "rules": rules_json(loaded),
                "certificate": certificate_json(certificate) if certificate else None,
            }
        )
        return
    print_model(loaded, out())
    if loaded.certificate is not None:
        warn(loaded.certificate.cautions)


def _rounded(model: Model, decimals: int, data: Path | None, table: str | None) -> Rounded[Model]:
    if data is None:
        raise InputError(
            "A rounded model gives other answers: name a table to count them on with --data."
        )
    changed = rows = 0
    with open_data(data, table) as file:
        for batch, _ in file.batches(model.kinds):
            rounded = model.rounded(decimals, batch)
            changed, rows = changed + rounded.changed, rows + rounded.rows
    if not rows:
        raise InputError(f"{data.name} has columns but no rows.")
    return Rounded(rounded.model, decimals, changed, rows)


def rules_json(model: Model) -> list[dict[str, Any]]:
    """List the rules for a machine."""
    return [
        {
            "number": number + 1,
            "rule": model.rule_text(number),
            "class": model.classes[output],
            "support": support,
            "right": right,
        }
        for number, (output, (support, right)) in enumerate(
            zip(model.body.outputs, model.support, strict=True)
        )
    ]


def certificate_json(certificate: Certificate) -> dict[str, Any]:
    """Give a certificate, and what follows from it, for a machine."""
    return {
        **certificate.to_json(),
        "m": certificate.m,
        "errors": certificate.errors,
        "examples": list(certificate.examples),
        "message_nats": certificate.message_nats,
        "class_bounds": list(certificate.class_bounds),
        "miss_rate_bound": certificate.miss_rate_bound,
        "false_alarm_bound": certificate.false_alarm_bound,
        "text": str(certificate),
    }


def print_model(model: Model, console: Console) -> None:
    """Print the rules, how each did in training, and the certificate."""
    console.print(f"{model}\n\nIn training:")
    for line in _training_lines(model):
        console.print(line)
    certificate = model.certificate
    if certificate is None:
        console.print("\nThis model has no certificate.\n")
        return
    console.print(f"\n{certificate.sentence}\n{_by_class(model, certificate)}\n")


def _by_class(model: Model, certificate: Certificate) -> str:
    """Say the bound of each class, the last one first: of two it is the positive one."""
    bounds = list(zip(model.classes, certificate.class_bounds, strict=True))[::-1]
    if len(bounds) > MOST_CLASSES:
        label, worst = max(bounds, key=lambda pair: pair[1])
        return (
            f"Among new cases of any one class, at most {percent_text(worst)} (of "
            f"{class_text(label)}; all with the same confidence)."
        )
    listed = "; among those that are ".join(
        f"{class_text(label)}, at most {percent_text(bound)}" for label, bound in bounds
    )
    together = "both" if len(bounds) == 2 else "all"
    return f"Among new cases that are {listed} ({together} with the same confidence)."


def _training_lines(model: Model) -> list[str]:
    rules = rules_json(model)
    for number, rule in enumerate(rules):
        rule["rule"] = model.rule_headline(number)  # what it compares with was said above
    said = max(len(rule["rule"]) for rule in rules)
    label = max(len(str(rule["class"])) for rule in rules)
    digits = max(len(f"{rule['support']:g}") for rule in rules)
    lines = []
    for rule in rules:
        cases = "case " if rule["support"] == 1 else "cases"
        share = f"{100 * rule['right'] / rule['support']:5.1f} % right" if rule["support"] else ""
        lines.append(
            f"  {rule['number']:>2}  {rule['rule']:<{said}}  {rule['class']!s:<{label}}  "
            f"{rule['support']:>{digits}g} {cases}  {share}".rstrip()
        )
    return lines
