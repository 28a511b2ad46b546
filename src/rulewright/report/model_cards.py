"""Model cards: what a model is, how it was made, and how far it can be trusted.

The sections are those of Mitchell et al. (2019), Model Cards for Model Reporting, FAT*, and of the
cards of skops. What only the owner of a model knows is left for the owner to write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.certificates import Certificate, SplitCertificate
from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.experiments import Figure, Listing, Paragraph, ResultColumn, ResultPage, ResultTable
from rulewright.models import ColumnProfile, Model
from rulewright.render import (
    ScaleMark,
    class_text,
    confidence_text,
    count_text,
    cut_text,
    error_interval_text,
    percent_text,
    scale_svg,
    summary_text,
)
from rulewright.selection import cost_sentence, error_sentence, model_costs

OWNER = "(To be written by the owner of the model.)"
MAX_RULES = 100
"""Maximum number of rules that a card lists."""
MAX_CATEGORIES = 12
"""Maximum number of categories of a column that a card lists."""

Section = Paragraph | Listing | ResultTable | Figure


def model_card(
    model: Model,
    *,
    name: str = "model.json",
    checks: Sequence[str] = (),
    groups: Sequence[dict[str, Any]] = (),
) -> ResultPage:
    """Return the card of a model as a page, which can be written as Markdown or HTML.

    Parameters
    ----------
    model : Model
    name : str
        Name of the model, such as that of its file.
    checks : sequence of str
        Commands that check the certificate.
    groups : sequence of dict
        Tables of groups of cases, as ``group_facts`` returns them.
    """
    if not isinstance(model, Model):
        raise InputError(
            "A model card describes a classifier; a regression model has none. Print the model."
        )
    return ResultPage(
        f"Model card: {name}",
        [
            *_details(model),
            *_intended_use(),
            *_rules(model),
            *_training_data(model),
            *_performance(model),
            *_groups(groups),
            *_limits(model, checks),
        ],
    )


def _details(model: Model) -> Iterator[Section]:
    classes = ", ".join(map(class_text, model.classes))
    lines = [
        ("kind of model", summary_text(model.body)),
        ("what it answers", model.target or "the class"),
        ("classes", classes),
        ("columns that it uses", ", ".join(model.body.columns) or "none"),
        ("columns that it could have used", count_text(len(model.columns), "column")),
    ]
    certificate = model.certificate
    if isinstance(certificate, SplitCertificate):
        recipe = certificate.recipe
        lines += [
            ("learner", str(recipe["learner"])),
            ("version of rulewright", str(recipe["version"])),
        ]
    lines += [("owner and contact", OWNER), ("license", OWNER)]
    yield ResultTable("Model details", ["what", "value"], lines)


def _intended_use() -> Iterator[Section]:
    yield Paragraph(
        f"{OWNER} For which decisions is the model meant, who uses it, who is affected, and what "
        "is it not meant for?",
        "Intended use",
    )


def _rules(model: Model) -> Iterator[Section]:
    rows = [
        [
            rule["number"],
            str(rule["rule"]),
            class_text(rule["class"]),
            _count(rule["support"]),
            None if rule["precision"] != rule["precision"] else float(rule["precision"]),
        ]
        for rule in model.get_rules("records")
    ]
    more = len(rows) - MAX_RULES
    note = "Counts are of the training data."
    if more > 0:
        note += f" {more} more rules are not listed: rulewright show prints all."
    columns: list[str | ResultColumn] = [
        "rule",
        "if",
        "answer",
        "cases",
        ResultColumn("right", percent=True),
    ]
    yield ResultTable("Rules", columns, rows[:MAX_RULES], note)


def _training_data(model: Model) -> Iterator[Section]:
    counts = [sum(row[c] for row in model.evidence) for c in range(len(model.classes))]
    total = sum(counts) or 1.0
    rows = [
        [class_text(label), _count(count), count / total]
        for label, count in zip(model.classes, counts, strict=True)
    ]
    shares = ResultColumn("share", percent=True)
    yield ResultTable("Training data", ["class", "cases", shares], rows, f"Source: {OWNER}")
    profile = model.profile
    if profile is None:
        yield Paragraph("The model file has no summary of the columns.")
        return
    fields = {field.name: field for field in model.columns}
    described: list[list[str | int]] = [
        [
            column.name,
            fields[column.name].kind,
            _values(column, fields[column.name]),
            column.missing,
        ]
        for column in profile.columns
    ]
    if described:
        yield ResultTable(
            "Columns that the model uses", ["column", "kind", "values", "missing"], described
        )


def _count(weight: float) -> int | float:
    """Return a number of cases; with sample weights it may be a fraction."""
    return int(weight) if float(weight).is_integer() else float(weight)


def _values(column: ColumnProfile, field: Field) -> str:
    """Return the range of a column, or its categories."""
    if column.low is not None and column.high is not None:
        return f"{cut_text(column.low, field.moment)} to {cut_text(column.high, field.moment)}"
    if column.categories is None:
        return "all missing" if field.is_numeric else "many categories"
    shown = [f"{name} ({rows:,})" for name, rows in column.categories[:MAX_CATEGORIES]]
    more = len(column.categories) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _performance(model: Model) -> Iterator[Section]:
    certificate = model.certificate
    if not isinstance(certificate, Certificate):
        yield Paragraph(
            "The model has no certificate: nothing is known of new cases.", "Performance"
        )
        return
    yield Paragraph(error_sentence(model), "Performance on new cases")
    if isinstance(certificate, SplitCertificate):
        yield Paragraph(error_interval_text(*certificate.interval, certificate.delta))
    counted = certificate.errors / certificate.others if certificate.others else 0.0
    marks = [
        ScaleMark("wrong on the cases counted", counted, "plain"),
        ScaleMark("certified: at most", certificate.bound, "bound"),
    ]
    yield Figure("Errors and bound", scale_svg(marks, label="Counted errors and certified bound"))
    by_class = [
        [class_text(label), percent_text(bound)]
        for label, bound in zip(model.classes, certificate.class_bounds, strict=True)
    ]
    note = f"Each bound holds with {confidence_text(certificate.delta)} confidence."
    yield ResultTable(
        "Errors among the cases of each class", ["class", "wrong at most"], by_class, note
    )
    costs = model_costs(model)
    if costs is None:
        yield Paragraph("There are no costs: all errors count the same.", "Costs")
    else:
        yield Paragraph(cost_sentence(model) or "", "Costs")


def _groups(groups: Sequence[dict[str, Any]]) -> Iterator[Section]:
    if not groups:
        yield Paragraph(
            "No groups of cases were given: rulewright model-card MODEL --data DATA --by COL.",
            "Groups",
        )
    for group in groups:
        note = " ".join([group["caption"], *group["sentences"]])
        yield ResultTable(f"Groups by {group['name']}", group["head"], group["cells"], note)


def _limits(model: Model, checks: Sequence[str]) -> Iterator[Section]:
    certificate = model.certificate
    yield Paragraph(
        f"{OWNER} Which harm can wrong answers do, and to whom?", "Ethical considerations"
    )
    if not isinstance(certificate, Certificate):
        return
    cautions = [f"Caution: {each}" for each in certificate.all_cautions]
    trusted = certificate.assumptions(model)
    yield Listing("Cautions, and what is taken on trust", [*cautions, *trusted])
    if checks:
        yield Listing("How to check the certificate", checks, is_code=True)
