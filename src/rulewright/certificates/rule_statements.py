"""What check rows say about single rules, about unanswered cases, and about another model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from rulewright.data import frame
from rulewright.render import (
    confidence_text,
    interval_text,
    lower_percent_text,
    percent_text,
    table_html,
    table_text,
)

MAX_CHARACTERS = 72
"""Maximum length of a condition in the printed table."""


@dataclass(frozen=True)
class RuleStatement:
    """A rule with its check rows, and bounds for new cases.

    Attributes
    ----------
    number : int
        Number of the rule in ``get_rules``, from 1.
    rule, answer : str
        Its condition, without tests that follow from others, and its answer.
    rows, wrong : int
        Check rows that it answers, and the misclassified ones among them.
    precision : float or None
        Lower bound on the share of the cases it answers that have its class; 0 without check rows,
        None where the rule gives no answer.
    coverage : tuple of float
        Lower and upper bound on the share of all cases that it answers.
    """

    number: int
    rule: str
    answer: str
    rows: int
    wrong: int
    precision: float | None
    coverage: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return {**asdict(self), "coverage": list(self.coverage)}


@dataclass(frozen=True, repr=False)
class RuleStatements:
    """Bounds for all rules. With probability at least 1 - delta all of them hold at once.

    Printed, it is a table.

    Attributes
    ----------
    rules : tuple of RuleStatement
        In the order of ``get_rules``.
    delta : float
        Maximum probability that any of the bounds fails.
    statements : int
        Number of bounds that were paid for: three for each rule, two for one without an answer.
    """

    rules: tuple[RuleStatement, ...]
    delta: float
    statements: int

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "delta": self.delta,
            "statements": self.statements,
            "rules": [each.to_dict() for each in self.rules],
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row for each rule; ``library`` as in ``get_rules``."""
        columns = {
            name: [getattr(each, name) for each in self.rules]
            for name in ("number", "rule", "answer", "rows", "wrong", "precision")
        }
        columns["coverage_low"] = [each.coverage[0] for each in self.rules]
        columns["coverage_high"] = [each.coverage[1] for each in self.rules]
        return frame(columns, library)

    def __str__(self) -> str:
        return f"{self._caption}\n\n{table_text(HEAD, self._cells(MAX_CHARACTERS), left=3)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table_html(self._caption, HEAD, self._cells(None))

    @property
    def _caption(self) -> str:
        return (
            "Check rows that each rule answers, and bounds for new cases "
            f"({confidence_text(self.delta)} confidence for all {self.statements} bounds at once)."
        )

    def _cells(self, max_characters: int | None) -> list[list[str]]:
        return [
            [
                str(each.number),
                _shortened(each.rule, max_characters),
                each.answer,
                f"{each.rows:,}",
                "" if each.precision is None else f"{each.wrong:,}",
                "" if each.precision is None else lower_percent_text(each.precision),
                interval_text(*each.coverage),
            ]
            for each in self.rules
        ]


HEAD = ("rule", "condition", "answer", "check rows", "wrong", "right at least", "share of cases")


@dataclass(frozen=True)
class AbstentionStatement:
    """Bounds on the error among answered cases and on the share of unanswered cases, both at once.

    Attributes
    ----------
    answered, wrong, unanswered : int
        Check rows with an answer, the misclassified ones among them, and check rows without answer.
    error_bound : float
        Of new cases that get an answer, at most this share is misclassified.
    unanswered_bound : float
        At most this share of new cases gets no answer; 0 for a model that always answers.
    delta : float
        Maximum probability that one of the two bounds fails.
    """

    answered: int
    wrong: int
    unanswered: int
    error_bound: float
    unanswered_bound: float
    delta: float

    @property
    def sentence(self) -> str:
        """Both bounds in words."""
        confidence = f"({confidence_text(self.delta)} confidence"
        wrong = (
            f"Of new cases that get an answer, at most {percent_text(self.error_bound)} will be "
            "misclassified"
        )
        found = f"Wrong on {self.wrong:,} of {self.answered:,} answered check rows"
        if not self.unanswered_bound:
            return f"{wrong} {confidence}). {found}. Every case gets an answer."
        return (
            f"{wrong}, and at most {percent_text(self.unanswered_bound)} of new cases will get no "
            f"answer {confidence} for both). {found}; {self.unanswered:,} got no answer."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>"


@dataclass(frozen=True)
class OtherModelBound:
    """Bound on the error of another model, from rows without labels.

    Attributes
    ----------
    bound : float
        At most this share of new cases is misclassified by the other model.
    delta : float
        Maximum probability that the bound fails.
    certified_bound : float
        Bound on the error of the certified model that has half of delta.
    rows, differing : int
        Rows without labels, and those among them that the two models answer differently.
    difference_bound : float
        Bound on the share of new cases that they answer differently, with the other half of delta.
    """

    bound: float
    delta: float
    certified_bound: float
    rows: int
    differing: int
    difference_bound: float

    @property
    def sentence(self) -> str:
        """The bound and its grounds in words."""
        return (
            f"The other model will misclassify at most {percent_text(self.bound)} of new cases "
            f"({confidence_text(self.delta)} confidence). It differs from the certified model on "
            f"{self.differing:,} of {self.rows:,} rows without labels."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>"


def _shortened(text: str, max_characters: int | None) -> str:
    if max_characters is None or len(text) <= max_characters:
        return text
    return text[: max_characters - 3] + "..."
