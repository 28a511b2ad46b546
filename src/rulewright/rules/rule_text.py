"""Text of a rule as a parser reads it: names of columns, values, numbers and words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import accumulate
from typing import NoReturn

from rulewright.data import MOMENT_EXAMPLES, MOMENT_NAMES, Field, match_moment, read_moment
from rulewright.errors import InputError, preview

MAX_CHARACTERS = 10_000
SHOWN = 60
"""Number of letters shown on each side of an error."""

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])")
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


class RuleText:
    """Text with columns that it may name; ``at`` is the position of what is read next.

    In a text ``as_printed``, every name that needs quotes has them.
    """

    def __init__(self, text: str, columns: Sequence[Field], *, as_printed: bool = False) -> None:
        if not isinstance(text, str):
            raise InputError(f"A rule must be a text; found {text!r}.")
        if len(text) > MAX_CHARACTERS:
            raise InputError(
                f"A rule has at most {MAX_CHARACTERS} letters; this one has {len(text)}. Write it "
                "as several rules."
            )
        self.text = text
        self.at = 0
        self.columns = columns
        self._by_letter: dict[str, list[Field]] = {}
        self._plain = {column.name for column in columns if is_plain_name(column.name)}
        unquoted = [c for c in columns if not as_printed or c.name in self._plain]
        for column in sorted(unquoted, key=lambda c: (c.name not in self._plain, -len(c.name))):
            self._by_letter.setdefault(column.name[:1], []).append(column)

    @property
    def all_plain(self) -> bool:
        """Whether no name of a column needs quotes."""
        return all(column.name in self._plain for column in self.columns)

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Raise an error that shows its place in the text."""
        at = self.start() if at is None else at
        first, last = max(at - SHOWN, 0), at + SHOWN
        line = "".join(c if c.isprintable() else " " for c in self.text[first:last])
        raise InputError(f"{what}\n  {line}\n  {' ' * (at - first)}^")

    def accepts(self, mark: str) -> bool:
        """Parse a mark, if it comes next."""
        start = self.start()
        if not self.text.startswith(mark, start):
            return False
        self.at = start + len(mark)
        return True

    def word(self, *words: str) -> bool:
        """Parse words, if they come next."""
        pattern = r"\s+".join(words) + r"\b"
        found = re.compile(pattern, re.IGNORECASE).match(self.text, self.start())
        if found is None:
            return False
        self.at = found.end()
        return True

    def start(self) -> int:
        """Return the position of the next word."""
        at = self.at
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        return at

    def names(self, start: int) -> Iterator[tuple[Field, int]]:
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
        quoted = self.quoted()
        end, self.at = self.at, before
        yield from ((column, end) for column in self.columns if column.name == quoted)

    def _quote_ends(self, start: int) -> bool:
        """Whether the quote that starts here is closed."""
        quote = re.escape(self.text[start])
        pattern = rf"{quote}(?:[^\\{quote}]|\\.)*{quote}"
        return re.compile(pattern, re.DOTALL).match(self.text, start) is not None

    def _goes_on(self, name: str, end: int) -> bool:
        """Whether the word continues after the name."""
        following = self.text[end : end + 1]
        return _in_word(name[-1]) and following != "" and _in_word(following)

    def quoted(self) -> str:
        """Parse a quoted text."""
        start = self.start()
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

    def value(self, column: Field, end: re.Pattern[str]) -> str:
        """Parse a category, in quotes or plain; its parentheses are balanced."""
        start = self.start()
        if self.text[start : start + 1] in QUOTES:
            value = self.quoted()
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

    def expect_number(self, column: Field) -> re.Match[str]:
        """Match a number, date, datetime or duration, which must come next."""
        start = self.start()
        found = self.matched(column, start)
        if found is None and column.moment is not None:
            self.fail(
                f"Column {column.name!r} holds {MOMENT_NAMES[column.moment]}: one must follow, "
                f"such as {MOMENT_EXAMPLES[column.moment]}."
            )
        if found is None:
            self.fail(f"Column {column.name!r} holds numbers: a number must follow.")
        self.at = found.end()
        return found

    def matched(self, column: Field, start: int) -> re.Match[str] | None:
        """Match a number, or a date, datetime or duration where the column holds them."""
        if column.moment is not None:
            return match_moment(self.text, column.moment, start)
        return NUMBER.match(self.text, start)

    def number(self, found: re.Match[str], column: Field) -> float:
        """Return what was matched as a number."""
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


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def near(name: str, known: Sequence[str]) -> str:
    """Quote an unknown name, the nearest known one, and some known ones."""
    shown = name if len(name) <= SHOWN else name[: SHOWN - 3] + "..."
    near = get_close_matches(shown, known, 1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    return f"{shown!r}{meant} Known are {preview(known, 8)}"
