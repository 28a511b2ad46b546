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

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import accumulate
from typing import NoReturn

from rulewright.data import (
    MOMENT_EXAMPLES,
    MOMENT_NAMES,
    CategoryOrder,
    Field,
    match_moment,
    read_moment,
)
from rulewright.errors import InputError, preview
from rulewright.rules.arrangements import Rule
from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold

MAX_CHARACTERS = 10_000
MAX_NESTED = 50
"""Maximum depth of nested parentheses, well within the call stack."""

SHOWN = 60
"""Number of letters shown on each side of an error."""

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
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
QUOTES = ("'", '"', "`")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
CODES = {"x": 2, "u": 4, "U": 8}


LIKE_TEST = re.compile(
    r"(^|\s)(and|or|is|not|between)\b|^(missing|always|never|at\s+least)\b|:(\s|$)|[<>=!≤≥≠,;{}'\"`]",
    re.IGNORECASE,
)
"""Text in the name of a column that would read as part of a condition."""

LIKE_NUMBER = re.compile(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?")


def is_plain_name(name: str) -> bool:
    """Whether the name of a column needs no quotes in a condition.

    Examples
    --------
    >>> [is_plain_name(name) for name in ("sepal length (cm)", "a > b", "missing", "10")]
    [True, False, False, False]
    """
    written = name.isprintable() and name == name.strip() and name != ""
    mistaken = LIKE_TEST.search(name) or LIKE_NUMBER.fullmatch(name) or name.startswith("(")
    return written and not mistaken and has_balanced_parentheses(name)


def has_balanced_parentheses(text: str) -> bool:
    """Whether all parentheses are balanced."""
    opened = list(accumulate((letter == "(") - (letter == ")") for letter in text))
    return not opened or (min(opened) >= 0 and opened[-1] == 0)


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
    parser = _Parser(text, columns)
    condition = parser.condition_of_rule()
    return Rule(condition, parser.output(classes))


def parse_condition_of_rule(text: str, columns: Sequence[Field]) -> tuple[Predicate, str]:
    """Parse the condition of a rule, and return it with the text after the arrow.

    Examples
    --------
    >>> parse_condition_of_rule("age > 40 -> 3 points", [Field("age", "numeric")])[1]
    '3 points'
    """
    parser = _Parser(text, columns)
    condition = parser.condition_of_rule()
    return condition, text[parser.at :].strip()


def parse_condition(text: str, columns: Sequence[Field]) -> Predicate:
    """Parse a condition.

    Examples
    --------
    >>> parse_condition("20 < age <= 30", [Field("age", "numeric")]).low_open
    True
    """
    parser = _Parser(text, columns)
    condition = parser.condition()
    parser.end()
    return condition


class _Parser:
    """Recursive descent parser; ``at`` is the position in the text."""

    def __init__(self, text: str, columns: Sequence[Field]) -> None:
        if not isinstance(text, str):
            raise InputError(f"A rule must be a text; found {text!r}.")
        if len(text) > MAX_CHARACTERS:
            raise InputError(
                f"A rule has at most {MAX_CHARACTERS} letters; this one has {len(text)}. Write it "
                "as several rules."
            )
        self.text = text
        self.at = 0
        self._nested = 0
        self._columns = columns
        self._by_letter: dict[str, list[Field]] = {}
        self._plain = {column.name for column in columns if is_plain_name(column.name)}
        for column in sorted(columns, key=lambda c: (c.name not in self._plain, -len(c.name))):
            self._by_letter.setdefault(column.name[:1], []).append(column)

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Raise an error that shows its place in the text."""
        at = self._start() if at is None else at
        first, last = max(at - SHOWN, 0), at + SHOWN
        line = "".join(c if c.isprintable() else " " for c in self.text[first:last])
        raise InputError(f"{what}\n  {line}\n  {' ' * (at - first)}^")

    def end(self) -> None:
        """Check that nothing follows."""
        if self._start() < len(self.text):
            self.fail("'and', 'or' or the end must follow a test.")

    def output(self, classes: Sequence[object]) -> int:
        """Parse a class, the rest of the text."""
        start = self._start()
        name = self.text[start:].strip()
        texts = [str(label) for label in classes]
        forms = [name, name.removeprefix("class ")]
        if name[:1] in QUOTES and name not in texts:
            forms = [self._quoted()]
            self.end()
        for form in forms:
            if form in texts:
                return texts.index(form)
        self.fail(f"There is no class {_near(forms[0], texts)}.", start)

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
        while self._word("or"):
            parts.append(self._all())
        if len(parts) == 2 and (outside := _outside(*parts)) is not None:
            return outside
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all(self) -> Predicate:
        parts = [self._part()]
        while self._word("and"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _part(self) -> Predicate:
        test = self._between_numbers() or self._column_test()
        if test is not None:
            return test
        if self._word("always"):
            return AllOf()
        if self._word("never"):
            return AnyOf()
        if self._word("at", "least"):
            return self._at_least()
        start = self._start()
        if self._word("not"):
            return self._negated(start)
        if self.accepts("("):
            return self._inside(self.condition)
        return self._truth(True)

    def _negated(self, start: int) -> Predicate:
        if self.accepts("("):
            return Not(self._inside(self.condition))
        if self._word("not"):
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
        start = self._start()
        found = re.compile(r"[0-9]{1,9}(?![\w.])").match(self.text, start)
        if found is None:
            self.fail("'at least' must be followed by a whole number: at least 2 of (a; b; c).")
        self.at = found.end()
        if not (self._word("of") and self.accepts("(")):
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
        start = self._start()
        left = self._first_sign(start)
        if left is None:
            return None
        for column, end in self._names(left.end()):
            right = BELOW.match(self.text, end)
            low = self._matched(column, start)
            high = self._matched(column, right.end()) if right else None
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

    def _matched(self, column: Field, start: int) -> re.Match[str] | None:
        """Match a number, or a date, datetime or duration where the column holds them."""
        if column.moment is not None:
            return match_moment(self.text, column.moment, start)
        return NUMBER.match(self.text, start)

    def _interval(
        self,
        column: Field,
        low: re.Match[str],
        high: re.Match[str],
        low_open: bool,
        high_open: bool,
        start: int,
    ) -> Predicate:
        ends = self._number(low, column), self._number(high, column)
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
        start = self._start()
        for column, end in self._names(start):
            relation = SIGN.match(self.text, end) or WORD_RELATION.match(self.text, end)
            if relation is not None:
                self.at = relation.end()
                words = " ".join(relation[1].lower().split())
                return self._compared(column, PLAIN.get(words, words), words, start)
        return None

    def _compared(self, column: Field, relation: str, words: str, start: int) -> Predicate:
        if words in ("is", "is not") and self._word("missing"):
            return Missing(column.name, words == "is")
        if relation in ("in", "not in"):
            return self._category_set(column, relation == "in", start)
        if relation in ("=", "!="):
            return self._equal(column, relation == "=")
        if column.order is not None:
            return self._ordered_range(column, column.order, relation)
        self._need_numbers(column, start)
        first = self._expect_number(column)
        if relation == "between":
            if not self._word("and"):
                self.fail(f"'and' and a number must follow: {column.name} between 10 and 20.")
            return self._interval(column, first, self._expect_number(column), False, False, start)
        above, cut_above = THRESHOLDS[relation]
        cut = self._number(first, column)
        if_missing = self._or_missing()
        return Threshold(
            column.name, above, cut, if_missing, cut_above=cut_above, moment=column.moment
        )

    def _ordered_range(self, column: Field, order: CategoryOrder, relation: str) -> Predicate:
        """Parse the rest of a test that compares ordered categories."""
        start = self._start()
        first = self._place(column, order)
        low, high = 0, len(order.labels) - 1
        if relation == "between":
            if not self._word("and"):
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
        start = self._start()
        value = self._value(column, END_OF_VALUE)
        if value not in order.labels:
            self.fail(f"Column {column.name!r} has no category {_near(value, order.labels)}", start)
        return order.labels.index(value)

    def _equal(self, column: Field, equal: bool) -> Predicate:
        if column.is_numeric:
            value = self._number(self._expect_number(column), column)
            if_missing = self._or_missing()
            return Interval(column.name, value, value, equal, if_missing, moment=column.moment)
        value_text = self._value(column, END_OF_VALUE)
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
        values = [self._value(column, end)]
        while self.accepts(","):
            values.append(self._value(column, end))
        if not self.accepts("}"):
            self.fail("',' or '}' must follow a category.")
        return Category(column.name, tuple(values), among, self._or_missing(), column.order)

    def _value(self, column: Field, end: re.Pattern[str]) -> str:
        """Parse a category, in quotes or plain; its parentheses are balanced."""
        start = self._start()
        if self.text[start : start + 1] in QUOTES:
            value = self._quoted()
        else:
            last = self._end_of_plain(start, end)
            value, self.at = self.text[start:last], last
            if not value:
                self.fail("A category must follow; put one that contains a sign in quotes.")
        if column.kind != "boolean":
            return value
        if value.lower() not in ("true", "false"):
            self.fail(
                f"Column {column.name!r} must be true or false, got {value[:SHOWN]!r}.", start
            )
        return value.capitalize()

    def _end_of_plain(self, start: int, end: re.Pattern[str]) -> int:
        opened, at = 0, start
        while at < len(self.text):
            if not opened and end.match(self.text, at):
                return at
            opened += (self.text[at] == "(") - (self.text[at] == ")")
            at += 1
        if opened:
            self.fail("This category has '(' without ')': put it in quotes.", start)
        return len(self.text.rstrip())

    def _truth(self, truth: bool) -> Predicate:
        """Parse the name of a column of Booleans as a test."""
        start = self._start()
        for column, end in self._names(start):
            if column.kind == "boolean":
                self.at = end
                return Given(column.name, truth, self._or_missing())
        for column, end in self._names(start):
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
            name = self._quoted()
        else:
            end = END_OF_NAME.search(self.text, start + 1)
            name = self.text[start : end.start() if end else None].strip()
        names = [column.name for column in self._columns]
        self.fail(f"There is no column {_near(name, names)}.", start)

    def _names(self, start: int) -> Iterator[tuple[Field, int]]:
        """Yield the known columns whose names start here, longest first, with their ends.

        A name in quotes comes first. A name that needs no quotes comes before one that lacks the
        quotes it needs, so that printed text reads back as the same test.
        """
        first = self.text[start : start + 1]
        if first in QUOTES and self._quote_ends(start):
            quoted = list(self._quoted_names(start))
            if quoted:
                yield from quoted
                return
        longest = None
        for column in self._by_letter.get(first, ()) if first else ():
            name, end = column.name, start + len(column.name)
            if longest in self._plain and name not in self._plain:
                return
            if self.text.startswith(name, start) and not self._goes_on(name, end):
                yield column, end
                longest = longest or name
        if first in QUOTES and longest is None:
            yield from self._quoted_names(start)

    def _quoted_names(self, start: int) -> Iterator[tuple[Field, int]]:
        """Yield the known column whose quoted name starts here, with its end."""
        before, self.at = self.at, start
        quoted = self._quoted()
        end, self.at = self.at, before
        yield from ((column, end) for column in self._columns if column.name == quoted)

    def _quote_ends(self, start: int) -> bool:
        """Whether the quote that starts here is closed."""
        quote = re.escape(self.text[start])
        pattern = rf"{quote}(?:[^\\{quote}]|\\.)*{quote}"
        return re.compile(pattern, re.DOTALL).match(self.text, start) is not None

    def _goes_on(self, name: str, end: int) -> bool:
        """Whether the word continues after the name."""
        following = self.text[end : end + 1]
        return _in_word(name[-1]) and following != "" and _in_word(following)

    def _quoted(self) -> str:
        """Parse a quoted text."""
        start = self._start()
        quote, at = self.text[start], start + 1
        characters: list[str] = []
        while at < len(self.text) and self.text[at] != quote:
            if self.text[at] == "\\":
                letter, at = self._escaped(at + 1)
                characters.append(letter)
            else:
                characters.append(self.text[at])
                at += 1
        if at >= len(self.text):
            self.fail(f"This quote is not closed: {quote} is missing.", start)
        self.at = at + 1
        return "".join(characters)

    def _escaped(self, at: int) -> tuple[str, int]:
        """Parse the letter after a backslash, as in Python."""
        letter = self.text[at : at + 1]
        digits = self.text[at + 1 : at + 1 + CODES.get(letter, 0)]
        if letter in CODES:
            code = int(digits, 16) if re.fullmatch("[0-9a-fA-F]+", digits) else -1
            if len(digits) < CODES[letter] or not 0 <= code <= 0x10FFFF:
                self.fail(f"{CODES[letter]} hexadecimal digits of a letter must follow.", at)
            return chr(code), at + 1 + len(digits)
        return ESCAPES.get(letter, letter), at + 1

    def _expect_number(self, column: Field) -> re.Match[str]:
        start = self._start()
        found = self._matched(column, start)
        if found is None and column.moment is not None:
            self.fail(
                f"Column {column.name!r} holds {MOMENT_NAMES[column.moment]}: one must follow, "
                f"such as {MOMENT_EXAMPLES[column.moment]}."
            )
        if found is None:
            self.fail(f"Column {column.name!r} holds numbers: a number must follow.")
        self.at = found.end()
        return found

    def _number(self, found: re.Match[str], column: Field) -> float:
        if column.moment is not None:
            moment = read_moment(found[0], column.moment)
            if moment is None:
                self.fail(
                    f"Column {column.name!r} holds {MOMENT_NAMES[column.moment]}, such as "
                    f"{MOMENT_EXAMPLES[column.moment]}; {found[0]!r} is not one.",
                    found.start(),
                )
            return moment
        number = float(found[0])
        if not math.isfinite(number):
            self.fail("This number is too large.", found.start())
        return number + 0.0  # -0.0 reads as 0.0

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

    def accepts(self, mark: str) -> bool:
        """Parse a mark, if it comes next."""
        start = self._start()
        if not self.text.startswith(mark, start):
            return False
        self.at = start + len(mark)
        return True

    def _word(self, *words: str) -> bool:
        """Parse words, if they come next."""
        pattern = r"\s+".join(words) + r"\b"
        found = re.compile(pattern, re.IGNORECASE).match(self.text, self._start())
        if found is None:
            return False
        self.at = found.end()
        return True

    def _start(self) -> int:
        """Return the position of the next word."""
        at = self.at
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        return at


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


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _near(name: str, known: Sequence[str]) -> str:
    """Quote an unknown name, the nearest known one, and some known ones."""
    shown = name if len(name) <= SHOWN else name[: SHOWN - 3] + "..."
    near = get_close_matches(shown, known, 1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    return f"{shown!r}{meant} Known are {preview(known, 8)}"
