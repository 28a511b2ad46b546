"""Error rates of groups of cases, with intervals that hold all at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import combinations, permutations
from typing import Any

import numpy as np

from rulewright.data import frame, is_missing, text_of
from rulewright.errors import InputError, preview
from rulewright.render import (
    confidence_text,
    console_text,
    interval_text,
    percent_text,
    table_html,
    table_text,
)

ERROR, FALSE_ALARM, MISS = "error", "false_alarm", "miss"
MISSING_TEXT = "(missing)"
HEADS = {ERROR: "error rate", FALSE_ALARM: "false alarms", MISS: "misses"}


@dataclass(frozen=True)
class RateInterval:
    """A rate of errors: the count on check rows, and an interval for new cases.

    Attributes
    ----------
    rows, wrong : int
        Check rows that count for the rate, and the misclassified ones among them.
    low, high : float
        Ends of the interval; 0 and 1 without check rows.
    """

    rows: int
    wrong: int
    low: float
    high: float

    @property
    def share(self) -> float | None:
        """Share of the check rows that are misclassified; None without check rows."""
        return self.wrong / self.rows if self.rows else None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as JSON values."""
        return {
            "rows": self.rows,
            "wrong": self.wrong,
            "share": self.share,
            "low": self.low,
            "high": self.high,
        }

    def __str__(self) -> str:
        share = "none" if self.share is None else f"{100 * self.share:.1f} %"
        return f"{share} ({interval_text(self.low, self.high)})"


@dataclass(frozen=True)
class GroupRates:
    """A group with its rates.

    Attributes
    ----------
    group : str or None
        Text of the value that the rows of the group have; None for a missing value.
    rates : dict of str to RateInterval
        "error" is of all cases. With two classes "false_alarm" is of the negatives and "miss" of
        the positives, which are the second class. With more classes there is one rate per class,
        by the text of the class.
    """

    group: str | None
    rates: dict[str, RateInterval]

    @property
    def name(self) -> str:
        """Text of the group."""
        return MISSING_TEXT if self.group is None else self.group

    @property
    def rows(self) -> int:
        """Number of check rows of the group."""
        return self.rates[ERROR].rows

    @property
    def errors(self) -> int:
        """Number of misclassified check rows of the group."""
        return self.rates[ERROR].wrong

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound on the error rate of the group."""
        return self.rates[ERROR].low, self.rates[ERROR].high


@dataclass(frozen=True)
class GroupDifference:
    """Difference of a rate between two groups: that of the first, less that of the second.

    Attributes
    ----------
    rate : str
        Name of the rate.
    first, second : GroupRates
    """

    rate: str
    first: GroupRates
    second: GroupRates

    @property
    def observed(self) -> float | None:
        """Difference on the check rows; None if a group has no rows that count for the rate."""
        first, second = self._rates
        if first.share is None or second.share is None:
            return None
        return first.share - second.share

    @property
    def low(self) -> float:
        """Lower bound on the difference among new cases."""
        first, second = self._rates
        return first.low - second.high

    @property
    def high(self) -> float:
        """Upper bound on the difference among new cases."""
        first, second = self._rates
        return first.high - second.low

    @property
    def is_certain(self) -> bool:
        """Whether the first group has the higher rate, with the confidence of the statements."""
        return self.low > 0

    @property
    def _rates(self) -> tuple[RateInterval, RateInterval]:
        return self.first.rates[self.rate], self.second.rates[self.rate]

    def to_dict(self) -> dict[str, Any]:
        """Return the groups and the numbers as JSON values."""
        return {
            "rate": self.rate,
            "first": self.first.group,
            "second": self.second.group,
            "observed": self.observed,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, repr=False)
class GroupStatements:
    """Rates of all groups. With probability at least 1 - delta all intervals hold at once.

    Printed, it is a table; ``statements["name"]`` is the entry of a group.

    Attributes
    ----------
    groups : tuple of GroupRates
        The groups in increasing order, the missing value last.
    delta : float
        Maximum probability that any of the intervals fails.
    statements : int
        Number of bounds that were paid for: two for each rate of each group with check rows.
    rows_text : str
        What the rows are called in print.
    """

    groups: tuple[GroupRates, ...]
    delta: float
    statements: int
    rows_text: str = "check rows"

    def __getitem__(self, group: object) -> GroupRates:
        wanted = group_text(group)
        for each in self.groups:
            if each.group == wanted:
                return each
        known = preview([each.name for each in self.groups])
        raise KeyError(f"There is no group {wanted!r}. The groups are {known}.")

    @property
    def rates(self) -> tuple[str, ...]:
        """Names of the rates."""
        return tuple(self.groups[0].rates)

    @property
    def differences(self) -> list[GroupDifference]:
        """Differences of all rates between all pairs of groups with check rows that count for them.

        Of each pair the group with the higher rate on the check rows is the first.
        """
        return [
            _ordered(rate, first, second)
            for rate in self.rates
            for first, second in combinations(self._seen(rate), 2)
        ]

    @property
    def largest_difference(self) -> GroupDifference | None:
        """The difference of the error rate that has the largest bound.

        No two groups that have check rows differ by more than its ``high``. None if fewer than two
        groups have check rows.
        """
        return self.largest_differences.get(ERROR)

    @property
    def largest_differences(self) -> dict[str, GroupDifference]:
        """For each rate the difference that has the largest bound; see ``largest_difference``."""
        found = {}
        for rate in self.rates:
            pairs = [
                GroupDifference(rate, first, second)
                for first, second in permutations(self._seen(rate), 2)
            ]
            if pairs:
                found[rate] = max(pairs, key=lambda pair: pair.high)
        return found

    def _seen(self, rate: str) -> list[GroupRates]:
        """Groups with check rows that count for a rate."""
        return [each for each in self.groups if each.rates[rate].rows]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "delta": self.delta,
            "statements": self.statements,
            "groups": [
                {
                    "group": each.group,
                    "rates": {name: rate.to_dict() for name, rate in each.rates.items()},
                }
                for each in self.groups
            ],
            "differences": [each.to_dict() for each in self.differences],
            "largest_differences": {
                name: each.to_dict() for name, each in self.largest_differences.items()
            },
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return a dataframe with one row for each group and rate; ``library`` as in get_rules."""
        pairs = [(each, name) for each in self.groups for name in self.rates]
        numbers = [each.rates[name].to_dict() for each, name in pairs]
        columns = {"group": [each.group for each, _ in pairs], "rate": [name for _, name in pairs]}
        more = {name: [row[name] for row in numbers] for name in numbers[0]}
        return frame({**columns, **more}, library)

    def __str__(self) -> str:
        table = table_text(self.head, self.cells())
        sentences = map(console_text, self.sentences())
        return "\n".join([self.caption, "", table, "", *sentences])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        sentences = "".join(f"<p>{escape(each)}</p>" for each in self.sentences())
        return table_html(self.caption, self.head, self.cells()) + sentences

    @property
    def caption(self) -> str:
        """What the table shows."""
        return (
            f"Share of the {self.rows_text} that are misclassified, by group, and in parentheses "
            f"the interval for new cases ({confidence_text(self.delta)} confidence for all "
            f"{self.statements} bounds at once)."
        )

    @property
    def head(self) -> list[str]:
        """Names of the columns of the table."""
        return ["group", self.rows_text, "errors", *map(rate_text, self.rates)]

    def cells(self) -> list[list[str]]:
        """Return the cells of the table as text."""
        return [
            [each.name, f"{each.rows:,}", f"{each.errors:,}", *map(str, each.rates.values())]
            for each in self.groups
        ]

    def sentences(self) -> Iterator[str]:
        """Yield how much the groups differ, one sentence each."""
        for rate, largest in self.largest_differences.items():
            seen = len(self._seen(rate)) == len(self.groups)
            some = "" if seen else f" with such {self.rows_text}"
            yield (
                f"{_subject(rate)} of any two groups{some} differ by at most "
                f"{_points(percent_text(largest.high))} ({largest.first.name} and "
                f"{largest.second.name})."
            )
        for each in self.differences:
            if each.is_certain:
                yield (
                    f"{_subject(each.rate)}: that of {each.first.name} is higher than that of "
                    f"{each.second.name}, by {_points(interval_text(each.low, each.high))}."
                )
        unseen = [each.name for each in self.groups if not each.rows]
        if unseen:
            yield f"Nothing is known about groups without {self.rows_text}: {', '.join(unseen)}."


def rate_text(rate: str) -> str:
    """Return the name of a rate as the head of a column.

    Examples
    --------
    >>> rate_text("false_alarm"), rate_text("class 3")
    ('false alarms', 'errors on class 3')
    """
    return HEADS.get(rate, f"errors on {rate}")


def group_text(value: object) -> str | None:
    """Return the text of a group, the same for every container; None for a missing value.

    Examples
    --------
    >>> group_text(3.0), group_text(True), group_text((1, 2)), group_text(float("nan"))
    ('3', 'True', '(1, 2)', None)
    """
    if is_missing(value):
        return None
    try:
        return text_of(value)
    except (TypeError, ValueError):
        return str(value)  # an interval of pandas.cut, a tuple


def sorted_groups(groups: set[str | None]) -> list[str | None]:
    """Return groups in increasing order, as numbers if all are numbers; the missing one last.

    Examples
    --------
    >>> sorted_groups({"10", "9", None}), sorted_groups({"b", "10", "9"})
    (['9', '10', None], ['10', '9', 'b'])
    """
    texts = sorted(group for group in groups if group is not None)
    try:
        texts.sort(key=float)
    except ValueError:
        pass
    return [*texts, None] if None in groups else list(texts)


def groups_of_rows(groups: Any, rows: int, max_groups: int) -> list[str | None]:
    """Return the group of each row as a text; refuse what is not one value per row."""
    values = np.asarray(groups, dtype=object)
    if values.shape != (rows,):
        raise InputError(
            f"groups must have one value for each of the {rows} rows, got shape {values.shape}."
        )
    found = list(map(group_text, values.tolist()))
    different = set(found)
    if len(different) > max_groups:
        raise InputError(
            f"groups has {len(different)} different values; at most {max_groups} can be compared. "
            "Combine values, for instance ages into ranges, without looking at the classes."
        )
    return found


def _ordered(rate: str, first: GroupRates, second: GroupRates) -> GroupDifference:
    """Difference that is not negative on the check rows."""
    given = GroupDifference(rate, first, second)
    return given if (given.observed or 0.0) >= 0 else GroupDifference(rate, second, first)


def _points(percent: str) -> str:
    return percent.removesuffix("%") + "percentage points"


def _subject(rate: str) -> str:
    text = {ERROR: "error rates", FALSE_ALARM: "shares of false alarms", MISS: "shares of misses"}
    subject = text.get(rate, f"shares of errors on {rate}")
    return subject[0].upper() + subject[1:]
