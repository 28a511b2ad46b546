"""Parser of rules that people write: ``glucose > 127 and bmi > 29.9 -> positive``.

The printed text of a test of columns reads back as the same test. Words may be in capitals.

=============================================  ==================================================
``glucose > 127``                              also ``<``, ``<=``, ``>=``
``opened > 2021-03-01``                        a date, ``2021-03-01 12:30`` or ``3 days 04:05``
``10 <= age < 20``, ``age between 10 and 20``  an interval; ``between`` has both ends in it
``age = 30``, ``age != 30``                    also ``==``, ``is``, ``is not``
``colour = red``, ``colour is not red``        of a column of categories
``colour in {red, dark blue}``                 also ``not in``
``size <= medium``, ``size between s and m``    of a column of ordered categories
``age is missing``, ``age is not missing``
``glucose > 127 or missing``                   true where the value is missing; without it, false
``smoker``, ``not smoker``                     a column of Booleans: true, false
``a and b``, ``a or b``, ``(a or b) and c``    ``and`` comes before ``or``
``not (a and b)``                              the exact opposite, also where values are missing
``at least 2 of (a; b; c)``                    parts between ``;`` or ``,``
``always``, ``never``
=============================================  ==================================================

A name may have spaces and signs. A name that could be misread, or a value with ``and``, ``or`` or a
sign, stands in quotes (``'``, ``"`` or a backtick). A backslash escapes a quote inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn, TypeVar

from rulewright.data import CategoryOrder, Field, match_moment
from rulewright.errors import InputError
from rulewright.rules.arrangements import Rule
from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold
from rulewright.rules.rule_text import NUMBER, QUOTES, RuleText, near

Parsed = TypeVar("Parsed")

MAX_NESTED = 50
"""Maximum depth of nested parentheses, well within the call stack."""

SIGN = re.compile(r"\s*(<=|>=|==|!=|[<>=≤≥≠])\s*")
WORD_RELATION = re.compile(r"\s*(is\s+not|is|not\s+in|in|between)\b\s*", re.IGNORECASE)
BELOW = re.compile(r"\s*(<=|[<≤])\s*")
ARROW = "->"
END_OF_VALUE = re.compile(r"\s+(?:and|or)\b|\s*(?:->|[,;)}]|$)", re.IGNORECASE)
END_OF_NAME = re.compile(
    r"\s+(?:and|or|is|in|not|between)\b|\s*(?:->|[<>=!≤≥≠,;()]|$)", re.IGNORECASE
)
PLAIN = {"==": "=", "≤": "<=", "≥": ">=", "≠": "!=", "is": "=", "is not": "!="}
THRESHOLDS = {">": (True, False), "<=": (False, False), ">=": (True, True), "<": (False, True)}


def parse_rule(text: str, columns: Sequence[Field], classes: Sequence[object]) -> Rule:
    """Parse a rule: a condition and a class.

    Examples
    --------
    >>> columns = [Field("glucose", "numeric"), Field("sex", "text", 2)]
    >>> parse_rule("glucose > 127 -> ill", columns, ["healthy", "ill"]).output
    1
    >>> parse_rule("glucos > 127 -> ill", columns, ["healthy", "ill"])
    Traceback (most recent call last):
    rulewright.errors.InputError: There is no column 'glucos'; did you mean 'glucose'? Known are \
'glucose', 'sex'.
      glucos > 127 -> ill
      ^
    """

    def read(parser: _Parser) -> Rule:
        condition = parser.condition_of_rule()
        return Rule(condition, parser.output(classes))

    return _read(text, columns, read)


def parse_condition_of_rule(text: str, columns: Sequence[Field]) -> tuple[Predicate, str]:
    """Parse the condition of a rule, and return it with the text after the arrow.

    Examples
    --------
    >>> parse_condition_of_rule("age > 40 -> 3 points", [Field("age", "numeric")])[1]
    '3 points'
    """

    def read(parser: _Parser) -> tuple[Predicate, str]:
        condition = parser.condition_of_rule()
        return condition, text[parser.at :].strip()

    return _read(text, columns, read)


def parse_condition(text: str, columns: Sequence[Field]) -> Predicate:
    """Parse a condition.

    Examples
    --------
    >>> parse_condition("20 < age <= 30", [Field("age", "numeric")]).low_open
    True
    """

    def read(parser: _Parser) -> Predicate:
        condition = parser.condition()
        parser.end()
        return condition

    return _read(text, columns, read)


def _read(text: str, columns: Sequence[Field], read: Callable[[_Parser], Parsed]) -> Parsed:
    """Read a text as it is printed, with quotes where a name needs them, or else without."""
    printed = _Parser(text, columns, as_printed=True)
    if printed.all_plain:
        return read(printed)
    with suppress(InputError):
        return read(printed)
    return read(_Parser(text, columns))


class _Parser(RuleText):
    """Recursive descent parser."""

    _nested = 0

    def end(self) -> None:
        """Check that nothing follows."""
        if self.start() < len(self.text):
            self.fail("'and', 'or' or the end must follow a test.")

    def output(self, classes: Sequence[object]) -> int:
        """Parse a class, the rest of the text."""
        start = self.start()
        name = self.text[start:].strip()
        texts = [str(label) for label in classes]
        forms = [name, name.removeprefix("class ")]
        if name[:1] in QUOTES and name not in texts:
            forms = [self.quoted()]
            self.end()
        for form in forms:
            if form in texts:
                return texts.index(form)
        self.fail(f"There is no class {near(forms[0], texts)}.", start)

    def condition_of_rule(self) -> Predicate:
        """Parse a condition and the arrow after it."""
        condition = self.condition()
        if not self.accepts(ARROW):
            self.fail(
                f"'{ARROW}' and a class must follow the condition, 'and' or 'or' another test."
            )
        return condition

    def condition(self) -> Predicate:
        """Parse tests joined by ``and`` and ``or``."""
        parts = [self._all()]
        while self.word("or"):
            parts.append(self._all())
        if len(parts) == 2 and (outside := _outside(*parts)) is not None:
            return outside
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Predicate:
        parts = [self._part()]
        while self.word("and"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _part(self) -> Predicate:
        test = self._between_numbers() or self._column_test()
        if test is not None:
            return test
        if self.word("always"):
            return AllOf()
        if self.word("never"):
            return AnyOf()
        if self.word("at", "least"):
            return self._at_least()
        start = self.start()
        if self.word("not"):
            return self._negated(start)
        if self.accepts("("):
            return self._inside(self.condition)
        return self._truth(True)

    def _negated(self, start: int) -> Predicate:
        if self.accepts("("):
            return Not(self._inside(self.condition))
        if self.word("not"):
            self.fail("'not' needs parentheses: not (...).", start)
        return self._truth(False)

    def _inside(self, read: Callable[[], Predicate]) -> Predicate:
        """Parse the text after an opening parenthesis, up to the closing one."""
        self._nested += 1
        if self._nested > MAX_NESTED:
            self.fail(f"Parentheses are nested more than {MAX_NESTED} deep.")
        inside = read()
        if not self.accepts(")"):
            self.fail("')' must follow, or 'and' or 'or' and another test.")
        self._nested -= 1
        return inside

    def _at_least(self) -> Predicate:
        start = self.start()
        found = re.compile(r"[0-9]{1,9}(?![\w.])").match(self.text, start)
        if found is None:
            self.fail("'at least' must be followed by a whole number: at least 2 of (a; b; c).")
        self.at = found.end()
        if not (self.word("of") and self.accepts("(")):
            self.fail("'of (' must follow: at least 2 of (a; b; c).")
        count = int(found[0])
        parts: list[Predicate] = []

        def listed() -> Predicate:
            parts.append(self.condition())
            while self.accepts(";") or self.accepts(","):
                parts.append(self.condition())
            return AllOf(tuple(parts))

        self._inside(listed)
        if count > len(parts) + 1:
            self.fail(f"At least {count} of {len(parts)} tests can never hold.", start)
        return AtLeast(count, tuple(parts))

    def _between_numbers(self) -> Predicate | None:
        """Parse ``10 <= age < 20``; None where the text is something else."""
        start = self.start()
        left = self._first_sign(start)
        if left is None:
            return None
        for column, end in self.names(left.end()):
            right = BELOW.match(self.text, end)
            low = self.matched(column, start)
            high = self.matched(column, right.end()) if right else None
            if right and low and high and low.end() == left.start():
                self.at = high.end()
                self._need_numbers(column, start)
                return self._interval(column, low, high, left[1] == "<", right[1] == "<", start)
        return None

    def _first_sign(self, start: int) -> re.Match[str] | None:
        """Match the sign after a number, date or duration."""
        first = (
            match_moment(self.text, "duration", start)
            or match_moment(self.text, "date", start)
            or NUMBER.match(self.text, start)
        )
        return None if first is None else BELOW.match(self.text, first.end())

    def _interval(
        self,
        column: Field,
        low: re.Match[str],
        high: re.Match[str],
        low_open: bool,
        high_open: bool,
        start: int,
    ) -> Predicate:
        ends = self.number(low, column), self.number(high, column)
        if ends[0] > ends[1] or (ends[0] == ends[1] and (low_open or high_open)):
            self.fail(f"The interval from {low[0]} to {high[0]} is empty.", start)
        if_missing = self._or_missing()
        return Interval(
            column.name,
            *ends,
            if_missing=if_missing,
            low_open=low_open,
            high_open=high_open,
            moment=column.moment,
        )

    def _column_test(self) -> Predicate | None:
        """Parse a test that starts with a known column; None where the text is something else."""
        start = self.start()
        for column, end in self.names(start):
            relation = SIGN.match(self.text, end) or WORD_RELATION.match(self.text, end)
            if relation is not None:
                self.at = relation.end()
                words = " ".join(relation[1].lower().split())
                return self._compared(column, PLAIN.get(words, words), words, start)
        return None

    def _compared(self, column: Field, relation: str, words: str, start: int) -> Predicate:
        if words in ("is", "is not") and self.word("missing"):
            return Missing(column.name, words == "is")
        if relation in ("in", "not in"):
            return self._category_set(column, relation == "in", start)
        if relation in ("=", "!="):
            return self._equal(column, relation == "=")
        if column.order is not None:
            return self._ordered_range(column, column.order, relation)
        self._need_numbers(column, start)
        first = self.expect_number(column)
        if relation == "between":
            if not self.word("and"):
                self.fail(f"'and' and a number must follow: {column.name} between 10 and 20.")
            return self._interval(column, first, self.expect_number(column), False, False, start)
        above, cut_above = THRESHOLDS[relation]
        cut = self.number(first, column)
        if_missing = self._or_missing()
        return Threshold(
            column.name, above, cut, if_missing, cut_above=cut_above, moment=column.moment
        )

    def _ordered_range(self, column: Field, order: CategoryOrder, relation: str) -> Predicate:
        """Parse the rest of a test that compares ordered categories."""
        start = self.start()
        first = self._place(column, order)
        low, high = 0, len(order.labels) - 1
        if relation == "between":
            if not self.word("and"):
                self.fail("'and' and a category must follow.")
            low, high = first, self._place(column, order)
        elif relation in (">", ">="):
            low = first + (relation == ">")
        else:
            high = first - (relation == "<")
        values = order.labels[low : high + 1]
        if not values:
            self.fail("No category is in this range.", start)
        return Category(column.name, values, True, self._or_missing(), order)

    def _place(self, column: Field, order: CategoryOrder) -> int:
        """Parse a category, and return its place in the order."""
        start = self.start()
        value = self.value(column, END_OF_VALUE)
        if value not in order.labels:
            self.fail(f"Column {column.name!r} has no category {near(value, order.labels)}", start)
        return order.labels.index(value)

    def _equal(self, column: Field, equal: bool) -> Predicate:
        if column.is_numeric:
            value = self.number(self.expect_number(column), column)
            if_missing = self._or_missing()
            return Interval(column.name, value, value, equal, if_missing, moment=column.moment)
        value_text = self.value(column, END_OF_VALUE)
        return Category(column.name, (value_text,), equal, self._or_missing(), column.order)

    def _category_set(self, column: Field, among: bool, start: int) -> Predicate:
        if column.is_numeric:
            self.fail(
                f"Column {column.name!r} holds numbers, not categories: write 10 <= x <= 20, or "
                "x between 10 and 20.",
                start,
            )
        if not self.accepts("{"):
            self.fail("'{' and a list of categories must follow: in {red, blue}.")
        end = re.compile(r"\s*[,}]")
        values = [self.value(column, end)]
        while self.accepts(","):
            values.append(self.value(column, end))
        if not self.accepts("}"):
            self.fail("',' or '}' must follow a category.")
        return Category(column.name, tuple(values), among, self._or_missing(), column.order)

    def _truth(self, truth: bool) -> Predicate:
        """Parse the name of a column of Booleans as a test."""
        start = self.start()
        for column, end in self.names(start):
            if column.kind == "boolean":
                self.at = end
                return Given(column.name, truth, self._or_missing())
        for column, end in self.names(start):
            self.fail(
                f"A comparison must follow {column.name!r}: "
                + (
                    "> 3, for example."
                    if column.is_numeric
                    else "= red or in {red, blue}, for example."
                ),
                end,
            )
        if start == len(self.text):
            self.fail("A test must follow, for example glucose > 127.")
        self._unknown(start)

    def _unknown(self, start: int) -> NoReturn:
        """Raise an error for a test that starts with no known column."""
        if NUMBER.match(self.text, start):
            self.fail("A number begins a test only as in 10 <= age <= 20; or write age >= 10.")
        if self.text[start] in QUOTES:
            name = self.quoted()
        else:
            end = END_OF_NAME.search(self.text, start + 1)
            name = self.text[start : end.start() if end else None].strip()
        names = [column.name for column in self.columns]
        self.fail(f"There is no column {near(name, names)}.", start)

    def _need_numbers(self, column: Field, start: int) -> None:
        if not column.is_numeric:
            self.fail(
                f"Column {column.name!r} holds categories, which have no order: use = or !=, "
                "or in {red, blue}.",
                start,
            )

    def _or_missing(self) -> bool:
        """Parse ``or missing`` after a test, unless it starts another test."""
        found = re.compile(r"\s+or\s+missing\b", re.IGNORECASE).match(self.text, self.at)
        if found is None:
            return False
        if SIGN.match(self.text, found.end()) or WORD_RELATION.match(self.text, found.end()):
            return False  # a column of that name
        self.at = found.end()
        return True


def _outside(one: Predicate, other: Predicate) -> Predicate | None:
    """Return the interval outside which one of two thresholds holds; None if there is none."""
    match one, other:
        case (
            Threshold(column, False, low, False, cut_above=below),
            Threshold(same, True, high, cut_above=above),
        ) if column == same and (low < high or (low == high and below and not above)):
            interval = Interval(column, low, high, low_open=not below, high_open=above)
            return replace(interval, inside=False, if_missing=other.if_missing, moment=one.moment)
    return None
