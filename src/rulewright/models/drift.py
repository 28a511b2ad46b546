"""Drift: new rows compared with the training rows of a model, by exact tests.

The tests are of columns and of rules. With an unchanged source, the probability that any of them
gives a finding is at most the level: half of it is for the columns, two tests for each column of
the model, and half for the rules. A rule was found by looking at the training rows; the comparison
of its share pays for that as the certificate does, by its message and its compression set.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    range_test,
    share_tests,
    unseen_test,
)
from rulewright.data import CategoricalColumn, Column, Field, Table, frame
from rulewright.errors import InputError
from rulewright.models.profile import ColumnProfile, TrainingProfile
from rulewright.render import column_text, console_text, cut_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulewright.models.base import BaseModel

DRIFT_LEVEL = 0.01
MAX_UNSEEN_NAMES = 1000
"""Different unseen categories that are counted by name; further ones count as one row each."""
MIN_SHARE_CHANGE, MIN_SHARE_RATIO = 0.01, 1.5
"""A share of missing values or of a rule is reported if it changed by this much or this ratio."""
SHOWN_NAMES = 3
MAX_RULE_CHARACTERS = 60
TINY = 1e-300

UNSEEN, MISSING, OUTSIDE, RULE = "unseen_categories", "missing", "outside_range", "rule_share"
DRIFT_KINDS = (UNSEEN, MISSING, OUTSIDE, RULE)


@dataclass(frozen=True)
class DriftFinding:
    """A difference between new rows and the training rows.

    Attributes
    ----------
    kind : str
        "unseen_categories", "missing", "outside_range" or "rule_share".
    column : str or None
        Name of the column; None of a rule.
    rule : int or None
        Number of the rule, from 1; None of a column.
    count, rows : int
        Rows with the difference, and the new rows that were compared.
    share, training_share : float
        Share of rows with the difference among the new rows, and among the training rows.
    p_value : float
        Corrected for all tests of the run: a finding has at most the level.
    text : str
        The finding in words.
    """

    kind: str
    column: str | None
    rule: int | None
    count: int
    rows: int
    share: float
    training_share: float
    p_value: float
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Return the members as JSON values."""
        return asdict(self)

    def __str__(self) -> str:
        return console_text(self.text)


@dataclass(frozen=True, repr=False)
class DriftReport:
    """Result of the comparison of new rows with the training rows.

    Attributes
    ----------
    rows : int
        Number of new rows.
    findings : tuple of DriftFinding
    level : float
        Maximum probability of any finding if the source has not changed.
    tests : int
        Number of tests that the level is divided among.
    notes : tuple of str
        What was not compared.
    """

    rows: int
    findings: tuple[DriftFinding, ...]
    level: float
    tests: int
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is any finding."""
        return bool(self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "rows": self.rows,
            "level": self.level,
            "tests": self.tests,
            "findings": [each.to_dict() for each in self.findings],
            "notes": list(self.notes),
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row for each finding; ``library`` as in ``get_rules``."""
        names = list(DriftFinding.__dataclass_fields__)
        columns = {name: [getattr(each, name) for each in self.findings] for name in names}
        return frame(columns, library)

    def lines(self) -> list[str]:
        """Return one line for each finding, and one that says how rare they are by chance."""
        if not self.findings:
            return []
        return [
            *(str(each) for each in self.findings),
            f"From an unchanged source, at most {100 * self.level:g} % of runs give such a notice.",
        ]

    def __str__(self) -> str:
        same = f"No difference from the training rows was found in {self.rows:,} rows."
        return "\n".join([*(self.lines() or [same]), *map(console_text, self.notes)])

    __repr__ = __str__


class ColumnCounter:
    """Counts of the new values of a column, batch by batch."""

    def __init__(self, profile: ColumnProfile) -> None:
        self.profile = profile
        self.rows = self.missing = self.outside = self.further = 0
        self.known = dict.fromkeys((name for name, _ in profile.categories or ()), 0)
        self.unseen: Counter[str] = Counter()

    def update(self, column: Column) -> None:
        """Count the values of a batch."""
        if isinstance(column, CategoricalColumn):
            self._count_categories(column)
            return
        values, profile = column.values, self.profile
        self.rows += values.size
        self.missing += int(np.isnan(values).sum())
        if profile.low is not None and profile.high is not None:
            self.outside += int(((values < profile.low) | (values > profile.high)).sum())

    def _count_categories(self, column: CategoricalColumn) -> None:
        counts = np.bincount(column.codes + 1, minlength=len(column.categories) + 1)
        self.rows += column.codes.size
        self.missing += int(counts[0])
        if self.profile.categories is None:
            return
        for place in np.flatnonzero(counts[1:]).tolist():
            name, number = column.categories[place], int(counts[place + 1])
            if name in self.known:
                self.known[name] += number
            elif name in self.unseen or len(self.unseen) < MAX_UNSEEN_NAMES:
                self.unseen[name] += number
            else:
                self.further += number

    def unseen_p_value(self) -> float:
        """Return the p-value of the rows with unseen categories."""
        assert self.profile.categories is not None
        earlier = [number for _, number in self.profile.categories]
        new = [*self.known.values(), *self.unseen.values(), *[1] * self.further]
        return unseen_test([*earlier, *[0] * (len(new) - len(earlier))], new)


class DriftCounter:
    """Counts of new rows, batch by batch, for a comparison with the training rows."""

    def __init__(self, model: BaseModel) -> None:
        self._model = model
        profile: TrainingProfile | None = model.profile
        self._profile = profile
        used = set(model.body.columns)
        self._columns = [
            ColumnCounter(each)
            for each in (profile.columns if profile else ())
            if each.name in used
        ]
        self.rows = 0
        self.rules: NDArray[np.int64] = np.zeros(len(model.body.outputs), np.int64)

    def update(self, table: Table, answers: NDArray[np.signedinteger]) -> None:
        """Count the rows of a batch; ``answers`` are the numbers of their rules, from 0."""
        self.count_columns(table)
        self.rules += np.bincount(answers, minlength=self.rules.size)

    def count_columns(self, table: Table) -> None:
        """Count the values of a batch."""
        self.rows += table.rows
        for column in self._columns:
            column.update(table.column(column.profile.name))

    def report(self, level: float = DRIFT_LEVEL) -> DriftReport:
        """Return what differs from the training rows at this level."""
        if not 0 < level < 1:
            raise InputError(f"The level must be in (0, 1), got {level}.")
        if self._profile is None:
            return DriftReport(self.rows, (), level, 0, (NO_PROFILE,))
        column_tests = 2 * len(self._model.columns)
        found = [*self._column_findings(2 * column_tests), *self._rule_findings()]
        kept = tuple(each for each in found if each.p_value <= level)
        tests = column_tests + (self.rules.size if self._has_rules else 0)
        return DriftReport(self.rows, kept, level, tests, tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        if not self._has_rules:
            yield (
                "The shares of rules were not compared: the model has no certificate, or its rules "
                "were changed."
            )
        for column in self._columns:
            field, profile = self._fields[column.profile.name], column.profile
            if not field.is_numeric and profile.categories is None:
                yield (
                    f"Unseen categories of {column_text(profile.name)} were not looked for: it has "
                    "too many categories to keep in the model file."
                )

    @property
    def _fields(self) -> dict[str, Field]:
        return {field.name: field for field in self._model.columns}

    @property
    def _has_rules(self) -> bool:
        profile, certificate = self._profile, self._model.certificate
        if profile is None or profile.rules is None or certificate is None:
            return False
        # Other numbers are those of rules before a change.
        return len(profile.rules) == self.rules.size and sum(profile.rules) == certificate.m

    def _column_findings(self, tests: int) -> Iterator[DriftFinding]:
        assert self._profile is not None
        earlier = self._profile.rows
        for column in self._columns:
            yield from _unseen_finding(column, earlier, tests)
            yield from _missing_finding(column, earlier, tests)
            yield from _range_finding(column, earlier, tests, self._fields[column.profile.name])

    def _rule_findings(self) -> Iterator[DriftFinding]:
        if not self._has_rules or self.rules.size < 2 or not self.rows:
            return
        assert self._profile is not None and self._profile.rules is not None
        certificate = self._model.certificate
        nats, used = certificate.model_nats, certificate.rows_used
        earlier_rows = sum(self._profile.rules)
        others = max(earlier_rows - used, 0)
        for place, earlier in enumerate(self._profile.rules):
            new = int(self.rules[place])
            # Of the rows that the rules were made from, each may have been any row of this rule.
            more, _ = share_tests(min(earlier, others), others, new, self.rows)
            _, less = share_tests(min(max(earlier - used, 0), others), others, new, self.rows)
            p_value = _corrected(min(more, less), 4 * self.rules.size, nats)
            share, before = new / self.rows, earlier / earlier_rows if earlier_rows else 0.0
            if not _is_notable(share, before):
                continue
            text = (
                f"Rule {place + 1} ({self._model.rule_headline(place, MAX_RULE_CHARACTERS)}) "
                f"answers {_share_text(new, self.rows, 'rows')}, {100 * before:.1f} % in "
                f"training ({p_text(p_value)})."
            )
            yield DriftFinding(RULE, None, place + 1, new, self.rows, share, before, p_value, text)


NO_PROFILE = (
    "The model has no training profile, so new rows were not compared with the training rows. Fit "
    "again with this version to get one."
)


def _corrected(p_value: float, tests: int, nats: float = 0.0) -> float:
    """Return a p-value that pays for several tests, and ``nats`` for the choice of the model."""
    return math.exp(min(math.log(max(p_value, TINY)) + math.log(tests) + nats, 0.0))


def _is_notable(share: float, before: float) -> bool:
    """Whether two shares differ by enough to matter, apart from any test."""
    small, large = sorted((share, before))
    return large - small >= MIN_SHARE_CHANGE or large > MIN_SHARE_RATIO * small


def _unseen_finding(column: ColumnCounter, earlier: int, tests: int) -> Iterator[DriftFinding]:
    profile = column.profile
    count = sum(column.unseen.values()) + column.further
    if not count or profile.categories is None:
        return
    p_value = _corrected(column.unseen_p_value(), tests)
    shown = column.unseen.most_common(SHOWN_NAMES)
    listed = ", ".join(f"{value_text(name)} ({number:,})" for name, number in shown)
    known = ", ".join(value_text(name) for name, _ in profile.categories[:SHOWN_NAMES])
    more = ", ..." if len(column.unseen) > SHOWN_NAMES else ""
    others = ", ..." if len(profile.categories) > SHOWN_NAMES else ""
    text = (
        f"Column {column_text(profile.name)}: {_share_text(count, column.rows)} are "
        f"categories that training did not have: {listed}{more}. Training had "
        f"{known or 'none'}{others} ({p_text(p_value)})."
    )
    yield DriftFinding(
        UNSEEN, profile.name, None, count, column.rows, count / column.rows, 0.0, p_value, text
    )


def _missing_finding(column: ColumnCounter, earlier: int, tests: int) -> Iterator[DriftFinding]:
    profile = column.profile
    if not column.rows or not earlier:
        return
    share, before = column.missing / column.rows, profile.missing / earlier
    if not _is_notable(share, before):
        return
    tails = share_tests(profile.missing, earlier, column.missing, column.rows)
    p_value = _corrected(2 * min(tails), tests)
    text = (
        f"Column {column_text(profile.name)}: {_share_text(column.missing, column.rows)} are "
        f"missing, {100 * before:.1f} % in training ({p_text(p_value)})."
    )
    yield DriftFinding(
        MISSING, profile.name, None, column.missing, column.rows, share, before, p_value, text
    )


def _range_finding(
    column: ColumnCounter, earlier: int, tests: int, field: Field
) -> Iterator[DriftFinding]:
    profile, present = column.profile, column.rows - column.missing
    if not column.outside or profile.low is None or profile.high is None:
        return
    p_value = _corrected(range_test(earlier - profile.missing, present, column.outside), tests)
    ends = f"{cut_text(profile.low, field.moment)} to {cut_text(profile.high, field.moment)}"
    text = (
        f"Column {column_text(profile.name)}: {_share_text(column.outside, present)} are "
        f"outside the range of training, {ends} ({p_text(p_value)})."
    )
    yield DriftFinding(
        OUTSIDE,
        profile.name,
        None,
        column.outside,
        present,
        column.outside / present,
        0.0,
        p_value,
        text,
    )


def _share_text(count: int, rows: int, what: str = "values") -> str:
    return f"{count:,} of {rows:,} {what} ({100 * count / rows:.1f} %)"


def p_text(p_value: float) -> str:
    """Return a p-value with two digits, or a limit that it is below.

    Examples
    --------
    >>> p_text(0.0234), p_text(1.0), p_text(1e-30)
    ('p = 0.023', 'p = 1', 'p < 1e-12')
    """
    return "p < 1e-12" if p_value < 1e-12 else f"p = {p_value:.2g}"
