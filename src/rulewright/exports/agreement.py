"""The answers of a model and of its export on the same rows, compared bit by bit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.exports.engines import ENGINES, Job
from rulewright.exports.exchange import ExportAnswer, bulk_answers, label_cell, number_cells
from rulewright.models import Model, RegressionModel


@dataclass(frozen=True)
class Agreement:
    """How many rows of a table have the same answer from a model and from its export.

    Attributes
    ----------
    engine : str
        What ran the export.
    rows, agree : int
        Number of rows, and of those with the same class, rule and probabilities.
    differing : tuple of int
        The first few rows with another answer.
    """

    engine: str
    rows: int
    agree: int
    differing: tuple[int, ...]

    def __str__(self) -> str:
        text = f"{self.agree:,} of {self.rows:,} rows have the same answer in {self.engine}"
        if not self.differing:
            return text
        return f"{text}; the first that differs is row {self.differing[0]}"


def model_answers(model: Model | RegressionModel, table: Table) -> list[ExportAnswer]:
    """Return the answers of a model on the rows of a table, as an export gives them."""
    if isinstance(model, RegressionModel):
        rules = model.body.answer(table)
        return bulk_answers(number_cells(model.numbers[rules]), (rules + 1).tolist(), ())
    rules, chances = model.body.answered(table, model.probabilities)
    labels = [label_cell(model.label_of(output)) for output in model.body.outputs]
    answered = [labels[rule] for rule in rules.tolist()]
    return bulk_answers(answered, (rules + 1).tolist(), chances.T)


def compare(engine: str, expected: list[ExportAnswer], found: list[ExportAnswer]) -> Agreement:
    """Compare answers row by row."""
    if len(expected) != len(found):
        raise InputError(
            f"The export answered {len(found)} rows in {engine}, and the data has {len(expected)}."
        )
    pairs = enumerate(zip(expected, found, strict=True))
    differing = [row for row, (one, other) in pairs if one != other]
    agree = len(expected) - len(differing)
    return Agreement(engine, len(expected), agree, tuple(differing[:10]))


def check_export(
    model: Model | RegressionModel, table: Table, form: str, **options: Any
) -> Agreement:
    """Export a model, run the export on the rows of a table, and compare the answers.

    Parameters
    ----------
    model : Model or RegressionModel
    table : Table
        Rows with the columns that the model uses, of the kinds of training.
    form : str
        Name of the form; its engine must be installed.
    **options
        Options of the form that change its answers or where it runs.
    """
    engine = ENGINES.get(form)
    if engine is None:
        raise InputError(
            f"The form {form!r} cannot be checked by running it. These can: {', '.join(ENGINES)}."
        )
    engine = engine.with_options(options)
    engine.need()
    (found,) = engine.run([Job(model, table)])
    return compare(engine.title, model_answers(model, table), found)
