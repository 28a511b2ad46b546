"""A classifier tested on rows with known classes: errors, groups, rules, and its certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import excess_test, split_interval
from rulewright.certificates import RateInterval, rates_by_group
from rulewright.data import Table, detect_table, is_missing, text_of
from rulewright.errors import InputError, preview
from rulewright.evaluation.measures import (
    Floats,
    Integers,
    area_under_curve,
    brier_score,
    calibration_error,
    mean_interval,
    probability_bins,
    rule_results,
)
from rulewright.evaluation.results import CertificateComparison, CostResult, ModelTest
from rulewright.models import Model, read_class_costs
from rulewright.render import class_text
from rulewright.rules import ABSTAIN
from rulewright.selection import model_costs

DEFAULT_DELTA = 0.05
UNKNOWN = -1
"""Class number of a label that the model does not know; it is never an answer."""


@dataclass(frozen=True, eq=False)
class AnsweredRows:
    """Rows of a test with the answers of the model.

    Attributes
    ----------
    y : array of int
        Class number of each row; ``UNKNOWN`` for a class that the model does not know.
    labels : list
        The class of each row.
    rules, answers : arrays of int
        The rule that answers, and its class number; ``ABSTAIN`` for no answer.
    chances : array
        Probability of each class.
    weight : array or None
    left_out : int
        Rows without a class, or of weight zero, which are not among these.
    """

    y: Integers
    labels: list[Any]
    rules: Integers
    answers: Integers
    chances: Floats
    weight: Floats | None
    left_out: int

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which rows are misclassified; those without an answer are."""
        wrong: NDArray[np.bool_] = (self.answers != self.y) | (self.y == UNKNOWN)
        return wrong

    @property
    def unknown(self) -> Counter[str]:
        """Texts of the classes that the model does not know, with their numbers of rows."""
        codes = self.y.tolist()
        pairs = zip(self.labels, codes, strict=True)
        return Counter(text_of(label) for label, code in pairs if code == UNKNOWN)

    @property
    def likely(self) -> Floats:
        """Probability of the predicted class; NaN where there is no answer."""
        found = self.chances[np.arange(self.y.size), self.answers]
        return np.where(self.answers == ABSTAIN, np.nan, found)


def evaluate(
    model: Model,
    X: Any,
    y: Any,
    *,
    by: Any = None,
    class_costs: Any = None,
    sample_weight: Any = None,
    delta: float = DEFAULT_DELTA,
) -> ModelTest:
    """Test a model on rows with known classes; see ``Model.test``."""
    if not isinstance(model, Model):
        raise InputError(
            "test is for classifiers, and this is a regression model. Compare predict(X) with the "
            "numbers, or check its certificate with verify."
        )
    rows, kept = answered_rows(model, X, y, sample_weight)
    groups = {name: np.asarray(found, object)[kept] for name, found in read_by(X, by).items()}
    return tested(model, rows, groups, class_costs, delta)


def answered_rows(
    model: Model, X: Any, y: Any, sample_weight: Any = None
) -> tuple[AnsweredRows, NDArray[np.intp]]:
    """Return the rows that have a class and a weight above 0, with the model's answers.

    The second result are their numbers among all rows.
    """
    table: Table = model.table(X)
    labels = np.asarray(y, dtype=object)
    if labels.shape != (table.rows,):
        raise InputError(
            f"y must have one class for each of the {table.rows} rows, got shape {labels.shape}."
        )
    known = np.array([not is_missing(label) for label in labels.tolist()], np.bool_)
    weight = _read_weight(sample_weight, table.rows)
    kept = np.flatnonzero(known if weight is None else known & (weight > 0))
    if not kept.size:
        raise InputError("No row has a class, so there is nothing to test on.")
    codes = class_numbers(model, labels[kept].tolist())
    rows = table if kept.size == table.rows else table.take(kept)
    rules, chances = model.body.answered(rows, model.probabilities)
    answers = np.array(model.body.outputs, np.int32)[rules]
    return (
        AnsweredRows(
            codes,
            labels[kept].tolist(),
            rules,
            answers,
            chances,
            None if weight is None else weight[kept],
            table.rows - kept.size,
        ),
        kept,
    )


def class_numbers(model: Model, labels: Sequence[Any]) -> Integers:
    """Return the class number of each label, ``UNKNOWN`` for one that the model does not know.

    A label that is equal to none of the classes is compared by its text.
    """
    exact = {label: number for number, label in enumerate(model.classes)}
    texts = {text_of(label): number for number, label in enumerate(model.classes)}
    codes = [exact.get(label, texts.get(text_of(label), UNKNOWN)) for label in labels]
    if all(code == UNKNOWN for code in codes):
        raise InputError(
            f"The labels are {preview(dict.fromkeys(labels))}, but the model's classes are "
            f"{preview(model.classes)}. Use the labels of training."
        )
    return np.array(codes, np.int32)


def read_by(X: Any, by: Any) -> dict[str, Any]:
    """Read groups: a column of X, several columns, or a dict of names to values."""
    if by is None:
        return {}
    if isinstance(by, Mapping):
        return {str(name): values for name, values in by.items()}
    names = [by] if isinstance(by, str) else list(by)
    if not all(isinstance(name, str) for name in names):
        raise InputError(
            "by must be the name of a column of X, a list of names, or a dict of names to values, "
            f"got {by!r:.80}."
        )
    table = X if isinstance(X, Table) else detect_table(X)
    return {name: table.column(name).cells() for name in names}


def _read_weight(sample_weight: Any, rows: int) -> Floats | None:
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (rows,):
        raise InputError(f"sample_weight must have shape ({rows},), got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise InputError("sample_weight must hold finite numbers of 0 or more.")
    return weight


def tested(
    model: Model, rows: AnsweredRows, groups: Mapping[str, Any], class_costs: Any, delta: float
) -> ModelTest:
    """Return the result of a test from the answers of the model."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    wrong, has_answer = rows.wrong, rows.answers != ABSTAIN
    bins = probability_bins(rows.likely, ~wrong, delta)
    part = delta / max(len(groups), 1)
    classes, answers, confusion = _confusion(model, rows)
    weight = rows.weight
    return ModelTest(
        rows=rows.y.size,
        error=_rate(wrong, delta),
        answered=_rate(wrong[has_answer], delta) if model.abstains else None,
        classes=classes,
        answers=answers,
        confusion=confusion,
        auc=area_under_curve(rows.chances, rows.y),
        brier=brier_score(rows.chances, rows.y),
        calibration_error=calibration_error(bins),
        calibration=bins,
        rules=rule_results(model, rows.rules, rows.answers, rows.y, delta),
        by={
            name: rates_by_group(model, values, rows.y, wrong, part, rows_text="rows")
            for name, values in groups.items()
        },
        cost=_cost(model, rows, class_costs, delta),
        certificate=compared_with_certificate(
            model.certificate, int(wrong.sum()), wrong.size, delta
        ),
        weighted_error=None if weight is None else float(np.average(wrong, weights=weight)),
        delta=delta,
        notes=tuple(_notes(model, rows)),
    )


def _rate(wrong: NDArray[np.bool_], delta: float) -> RateInterval:
    errors = int(wrong.sum())
    return RateInterval(wrong.size, errors, *split_interval(errors, wrong.size, 0.0, 0.0, delta))


def compared_with_certificate(
    certificate: Any, errors: int, rows: int, level: float
) -> CertificateComparison | None:
    """Return the errors against the bound; None without one, and for one about groups of rows."""
    if certificate is None or getattr(certificate, "unit", "row") == "group" or not rows:
        return None
    p_value = excess_test(errors, rows, certificate.bound)
    return CertificateComparison(certificate.bound, certificate.delta, errors, rows, p_value, level)


def _confusion(
    model: Model, rows: AnsweredRows
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Return the names of the classes and answers, and the rows of each class by answer."""
    known, unknown = len(model.classes), rows.unknown
    columns = known + model.abstains
    places = np.where(rows.answers == ABSTAIN, known, rows.answers)
    counts = np.zeros((known + bool(unknown), columns), np.int64)
    np.add.at(counts, (np.where(rows.y == UNKNOWN, known, rows.y), places), 1)
    names = tuple(map(class_text, model.classes))
    return (
        (*names, *(("other classes",) if unknown else ())),
        (*names, *(("no answer",) if model.abstains else ())),
        tuple(map(tuple, counts.tolist())),
    )


def _cost(model: Model, rows: AnsweredRows, class_costs: Any, delta: float) -> CostResult | None:
    """Return the mean cost by the given costs, or by those that the model was chosen by."""
    given = read_class_costs(class_costs, model.classes)
    costs = model_costs(model) if given is None else tuple(map(float, given))
    if costs is None:
        return None
    by_row = np.array([*costs, max(costs)])[rows.y]  # an unknown class is the last
    mean = float((by_row * rows.wrong).mean())
    low, high = mean_interval(mean, rows.y.size, max(costs), delta)
    names = map(class_text, model.classes)
    return CostResult(
        mean, low, high, dict(zip(names, costs, strict=True)), _certified_cost(model, costs)
    )


def _certified_cost(model: Model, costs: Sequence[float]) -> float | None:
    certificate = model.certificate
    if certificate is None or getattr(certificate, "unit", "row") == "group":
        return None
    found: float = certificate.cost_bound(list(costs))
    return found


def _notes(model: Model, rows: AnsweredRows) -> list[str]:
    found = []
    if rows.left_out:
        found.append(f"{rows.left_out:,} rows without a class or of weight zero were left out.")
    unknown = rows.unknown
    if unknown:
        found.append(
            f"{sum(unknown.values()):,} rows have a class that the model does not know "
            f"({preview(unknown)}); they count as misclassified."
        )
    if model.certificate is None:
        found.append("The model has no certificate to compare with.")
    elif getattr(model.certificate, "unit", "row") == "group":
        found.append(
            "The certificate is about groups of rows, so the errors of rows were not compared "
            "with it."
        )
    if rows.weight is not None:
        found.append(
            "Counts and intervals are of rows, each counted once; only the weighted error uses "
            "the weights."
        )
    return found
