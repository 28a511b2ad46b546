"""Results of a test: the numbers, and how they are printed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from rulewright.certificates import GroupStatements, RateInterval
from rulewright.evaluation.measures import ProbabilityBin, RuleResult
from rulewright.evaluation.pages import page_of_test, sections_html
from rulewright.experiments import ResultPage
from rulewright.models import p_text
from rulewright.render import percent_text


class PrintedResult(ABC):
    """A result that is printed as a page of tables."""

    @abstractmethod
    def page(self, title: str = "") -> ResultPage:
        """Return the result as a page with charts, for a terminal or a file."""

    def __str__(self) -> str:
        return self.page().text().rstrip()

    def _repr_html_(self) -> str:
        return sections_html(self.page())


@dataclass(frozen=True)
class CertificateComparison:
    """The errors of a test against the bound of the certificate.

    Attributes
    ----------
    bound, certificate_delta : float
        Bound of the certificate, and the probability that it fails.
    errors, rows : int
    p_value : float
        Probability of as many errors or more if the error rate were exactly the bound.
    level : float
        The errors are more than the certificate allows if the p-value is at most this.
    """

    bound: float
    certificate_delta: float
    errors: int
    rows: int
    p_value: float
    level: float

    @property
    def within(self) -> bool:
        """Whether the errors agree with the certificate."""
        return self.p_value > self.level

    @property
    def sentence(self) -> str:
        """The result in words."""
        found = f"{100 * self.errors / self.rows:.1f} % of these {self.rows:,} rows"
        bound = percent_text(self.bound)
        if self.within:
            return (
                f"Within the certificate: it allows {bound} of new cases to be misclassified, and "
                f"{found} are ({p_text(self.p_value)})."
            )
        return (
            f"More errors than the certificate allows: it allows {bound} of new cases to be "
            f"misclassified, and {found} are ({p_text(self.p_value)}). The source of the cases may "
            "have changed since training."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return {
            "within": self.within,
            "bound": self.bound,
            "delta": self.certificate_delta,
            "p_value": self.p_value,
            "level": self.level,
            "text": self.sentence,
        }


@dataclass(frozen=True)
class CostResult:
    """The mean cost of a row, with an interval for new cases.

    Attributes
    ----------
    mean, low, high : float
    costs : dict of str to float
        Cost of a misclassified case of each class.
    bound : float or None
        Certified cost of a new case; None where the certificate says nothing about it.
    """

    mean: float
    low: float
    high: float
    costs: dict[str, float]
    bound: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "costs": dict(self.costs),
            "certified": self.bound,
        }


@dataclass(frozen=True, repr=False)
class ModelTest(PrintedResult):
    """Result of a test. Printed, it is a page of tables.

    Attributes
    ----------
    rows : int
    error : RateInterval
        Misclassified rows, and the exact interval of the error rate. A row without an answer is
        misclassified.
    answered : RateInterval or None
        The same among the rows with an answer; None for a model that always answers.
    classes : tuple of str
        Names of the rows of the confusion matrix: the model's classes, and unknown ones.
    answers : tuple of str
        Names of its columns: the model's classes, and "no answer" for a model that abstains.
    confusion : tuple of tuple of int
        Rows of each class (rows) by their answer (columns).
    auc, brier, calibration_error : float or None
    calibration : tuple of ProbabilityBin
    rules : tuple of RuleResult
    by : dict of str to GroupStatements
    cost : CostResult or None
    certificate : CertificateComparison or None
    weighted_error : float or None
        Error of the weighted rows, where weights were given.
    delta : float
        Each table of intervals holds with confidence 1 - delta.
    notes : tuple of str
    """

    rows: int
    error: RateInterval
    answered: RateInterval | None
    classes: tuple[str, ...]
    answers: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    auc: float | None
    brier: float
    calibration_error: float | None
    calibration: tuple[ProbabilityBin, ...]
    rules: tuple[RuleResult, ...]
    by: dict[str, GroupStatements]
    cost: CostResult | None
    certificate: CertificateComparison | None
    weighted_error: float | None
    delta: float
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "rows": self.rows,
            "delta": self.delta,
            "error": self.error.to_dict(),
            "answered": None if self.answered is None else self.answered.to_dict(),
            "weighted_error": self.weighted_error,
            "classes": list(self.classes),
            "answers": list(self.answers),
            "confusion": [list(row) for row in self.confusion],
            "auc": self.auc,
            "brier": self.brier,
            "calibration_error": self.calibration_error,
            "calibration": [each.to_dict() for each in self.calibration],
            "rules": [each.to_dict() for each in self.rules],
            "by": {name: found.to_dict() for name, found in self.by.items()},
            "cost": None if self.cost is None else self.cost.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "notes": list(self.notes),
        }

    def page(self, title: str = "Test of a model") -> ResultPage:
        return page_of_test(self, title)

    __repr__ = PrintedResult.__str__
