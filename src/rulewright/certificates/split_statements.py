"""What else follows from the check rows: groups, rules, unanswered cases, other models.

All bounds pay for the choice of the split and of the model, by the certificate's message, and for
the number of bounds that are stated at once. Each result is a statement of its own with confidence
1 - delta. If several results are quoted together, the probabilities that they fail add up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import split_bound, split_interval
from rulewright.certificates.checks import check_abstention, check_sizes, check_wrong
from rulewright.certificates.group_statements import (
    ERROR,
    FALSE_ALARM,
    MISS,
    GroupRates,
    GroupStatements,
    RateInterval,
    groups_of_rows,
    sorted_groups,
)
from rulewright.certificates.rule_statements import (
    AbstentionStatement,
    OtherModelBound,
    RuleStatement,
    RuleStatements,
)
from rulewright.certificates.training_data import TrainingData
from rulewright.errors import CertificateError, InputError, preview
from rulewright.models import Model
from rulewright.render import NO_ANSWER, class_text
from rulewright.rules import ABSTAIN

if TYPE_CHECKING:
    from rulewright.certificates.forms.split import SplitCertificate

ClassNumbers = NDArray[np.int32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

MAX_GROUPS = 100
"""Maximum number of groups that are compared."""


class Predictor(Protocol):
    """Anything that predicts labels: a model, or an estimator."""

    def predict(self, X: Any) -> Any:
        """Return the label of each row."""


@dataclass(frozen=True, eq=False)
class CheckRows:
    """The check rows of a certificate, with the answers of its model.

    Attributes
    ----------
    total : int
        Number of rows of the user's table.
    kept : array of int
        Training rows that count: those of positive weight.
    rows : array of int
        Check rows, as numbers of rows in the user's table, in increasing order.
    y : array of int
        Their class numbers.
    rule : array of int
        Number of the rule that answers each of them.
    answers : array of int
        Class number that each of them is answered with; ``ABSTAIN`` for none.
    """

    total: int
    kept: Rows
    rows: Rows
    y: ClassNumbers
    rule: ClassNumbers
    answers: ClassNumbers

    @property
    def wrong(self) -> Mask:
        """Which check rows are misclassified; those without an answer are."""
        wrong: Mask = self.answers != self.y
        return wrong


def checked_rows(
    certificate: SplitCertificate, model: Model, data: TrainingData, check: Rows
) -> CheckRows:
    """Return the check rows with the model's answers, which must agree with the certificate.

    Parameters
    ----------
    certificate, model, data : the certificate, its model and its training data
    check : array of int
        Places of the check rows among the rows that count.

    Raises
    ------
    CertificateError
        If the certificate is not the model's, or its counts differ.
    """
    check_own(certificate, model)
    rows = data.kept[check]
    y = data.y[rows]
    rule = model.body.answer(data.table.take(rows))
    answers = np.array(model.body.outputs, np.int32)[rule]
    check_sizes(certificate, model, y)
    check_wrong(certificate, answers != y, y, y.size)
    return CheckRows(data.table.rows, data.kept, rows, y, rule, answers)


def check_own(certificate: SplitCertificate, model: Model) -> None:
    """Check that a certificate is the one of a model.

    Raises
    ------
    CertificateError
        If it is not.
    """
    check_abstention(certificate, model)
    if model.certificate is None:
        raise CertificateError(
            "This model has no certificate: it was changed after training, for instance rounded. "
            "Use the model that was certified."
        )
    if model.certificate != certificate:
        raise CertificateError(
            "The model has another certificate. Use the model that this certificate is for."
        )


def group_statements(
    certificate: SplitCertificate, model: Model, check: CheckRows, groups: Any, delta: float
) -> GroupStatements:
    """Return the rates of each group; see ``SplitCertificate.by_group``.

    Given the groups of the check rows, the errors of a group are binomial; given also the labels,
    those of each class are. The number of bounds follows from the groups alone, so that each bound
    may have an equal part of delta.
    """
    texts = np.array(groups_of_rows(groups, check.total, MAX_GROUPS), object)
    names = sorted_groups(set(texts[check.kept].tolist()))
    return rates_by_group(
        model, texts[check.rows], check.y, check.wrong, delta, names, certificate.message_nats
    )


def rates_by_group(
    model: Model,
    groups: Any,
    y: ClassNumbers,
    wrong: Mask,
    delta: float,
    names: Sequence[str | None] | None = None,
    nats: float = 0.0,
    rows_text: str = "check rows",
) -> GroupStatements:
    """Return the rates of each group, with intervals that hold all at once.

    Parameters
    ----------
    model : Model
    groups, y, wrong : arrays
        Group of each row, its class number, and whether it is misclassified.
    delta : float
        Maximum probability that any interval fails.
    names : sequence of str or None, optional
        Texts of the groups; by default those that occur.
    nats : float
        Price of the choice of the model, if it was chosen with the help of these rows.
    rows_text : str
        What the rows are called.
    """
    texts = groups_of_rows(groups, y.size, MAX_GROUPS)
    names = sorted_groups(set(texts)) if names is None else names
    members = [np.array([text == name for text in texts], np.bool_) for name in names]
    rates = _rate_names(model)
    intervals = max(sum(bool(each.any()) for each in members), 1) * len(rates)

    def interval(counted: Mask) -> RateInterval:
        n, k = int(counted.sum()), int((counted & wrong).sum())
        return RateInterval(n, k, *split_interval(k, n, -nats, math.log(intervals), delta))

    found = [
        GroupRates(
            name,
            {
                rate: interval(own if number is None else own & (y == number))
                for rate, number in rates.items()
            },
        )
        for name, own in zip(names, members, strict=True)
    ]
    return GroupStatements(tuple(found), delta, 2 * intervals, rows_text)


def _rate_names(model: Model) -> dict[str, int | None]:
    """Names of the rates, each with the number of the class that it is about; None for all."""
    if len(model.classes) == 2:
        return {ERROR: None, FALSE_ALARM: 0, MISS: 1}
    names: dict[str, int | None] = {ERROR: None}
    for number, label in enumerate(model.classes):
        text = class_text(label)
        names[f"class {label!r}" if text in names else text] = number
    return names


def rule_statements(
    certificate: SplitCertificate, model: Model, check: CheckRows, delta: float
) -> RuleStatements:
    """Return the bounds for each rule; see ``SplitCertificate.by_rule``."""
    outputs = model.body.outputs
    statements = sum(2 if output == ABSTAIN else 3 for output in outputs)
    nats = -certificate.message_nats
    found = []
    for number, output in enumerate(outputs):
        own = check.rule == number
        n, k = int(own.sum()), int((own & check.wrong).sum())
        error = split_bound(k, n, nats, math.log(statements), delta)
        coverage = split_interval(n, check.rows.size, nats, math.log(statements / 2), delta)
        found.append(
            RuleStatement(
                number=number + 1,
                rule=model.rule_headline(number),
                answer=NO_ANSWER if output == ABSTAIN else str(model.classes[output]),
                rows=n,
                wrong=k,
                precision=None if output == ABSTAIN else 1 - error,
                coverage=coverage,
            )
        )
    return RuleStatements(tuple(found), delta, statements)


def abstention_statement(
    certificate: SplitCertificate, check: CheckRows, delta: float
) -> AbstentionStatement:
    """Return bounds on errors among answered cases and on their share; see ``abstention``."""
    answered = check.answers != ABSTAIN
    n, k = int(answered.sum()), int((answered & check.wrong).sum())
    unanswered = answered.size - n
    nats = -certificate.message_nats
    log_statements = math.log(2) if certificate.abstains else 0.0
    share = split_bound(unanswered, answered.size, nats, log_statements, delta)
    return AbstentionStatement(
        answered=n,
        wrong=k,
        unanswered=unanswered,
        error_bound=split_bound(k, n, nats, log_statements, delta),
        unanswered_bound=share if certificate.abstains else 0.0,
        delta=delta,
    )


def other_model_bound(
    certificate: SplitCertificate, model: Model, other: Predictor, X: Any, delta: float
) -> OtherModelBound:
    """Return a bound on the error of another model; see ``SplitCertificate.bound_of_other``."""
    check_own(certificate, model)
    own, others = model.predict(X), np.asarray(other.predict(X))
    if others.shape != own.shape:
        raise InputError(
            f"The other model must predict one label for each of {own.size} rows, got shape "
            f"{others.shape}."
        )
    if not own.size:
        raise InputError("There must be at least one row without a label, got none.")
    labels = others.tolist()
    if not set(labels) & set(model.classes):
        raise InputError(
            f"The other model predicts {preview(set(labels))}, but the classes are "
            f"{preview(model.classes)}. Both must use the same labels."
        )
    differing = sum(first != second for first, second in zip(own.tolist(), labels, strict=True))
    certified = with_delta(certificate, delta / 2).recomputed_bound()
    difference = split_bound(differing, own.size, 0.0, 0.0, delta / 2)
    return OtherModelBound(
        bound=min(certified + difference, 1.0),
        delta=delta,
        certified_bound=certified,
        rows=own.size,
        differing=differing,
        difference_bound=difference,
    )


def with_delta(certificate: SplitCertificate, delta: float) -> SplitCertificate:
    """Return a certificate with another delta, its bound computed again."""
    tail = certificate.tail
    if tail is not None:
        tail = replace(tail, delta=tail.delta * delta / certificate.delta)
        tail = replace(tail, bound=tail.recomputed_bound())
    changed = replace(certificate, delta=delta, tail=tail)
    return replace(changed, bound=changed.recomputed_bound())


def checked_delta(certificate: SplitCertificate, delta: float | None) -> float:
    """Return the delta of a statement: the one given, or that of the certificate."""
    if delta is None:
        return certificate.delta
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    return delta
