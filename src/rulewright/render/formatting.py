"""Numbers, names and labels as text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection

from rulewright.data import Moment, moment_text
from rulewright.rules import has_balanced_parentheses, is_plain_name

CONNECTED = re.compile(r"(^|\s)(and|or)\b", re.IGNORECASE)
"""Words in a value that would read as the start of another test."""

UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters except the line break, marks of direction, invisible and half letters."""


def console_text(text: str) -> str:
    r"""Return a text with its control characters escaped, for a terminal.

    Examples
    --------
    >>> print(console_text("\x1b[31mred\x1b[0m, \u202eleft"))
    \x1b[31mred\x1b[0m, \u202eleft
    """
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_text(text: str) -> str:
    r"""Return JSON with its control characters escaped; its content stays the same.

    Examples
    --------
    >>> print(json_text('"a\x9bb"'))
    "a\u009bb"
    """
    return UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def number_text(number: float) -> str:
    """Return the shortest text that reads back as the same number.

    Examples
    --------
    >>> number_text(127.0), number_text(29.9), number_text(0.1 + 0.2)
    ('127', '29.9', '0.30000000000000004')
    """
    if float(number).is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


def cut_text(number: float, moment: Moment | None) -> str:
    """Return a number in full, or the date, datetime or duration that it encodes.

    Examples
    --------
    >>> cut_text(18687.0, None), cut_text(18687.0, "date")
    ('18687', '2021-03-01')
    """
    return number_text(number) if moment is None else moment_text(number, moment)


def rounded_text(number: float) -> str:
    """Return a number rounded to six digits.

    Examples
    --------
    >>> rounded_text(0.1 + 0.2), rounded_text(112.70000001), rounded_text(1234567.0)
    ('0.3', '112.7', '1234567')
    """
    return f"{number:.6g}" if abs(number) < 1e6 or abs(number) >= 1e15 else f"{number:.0f}"


def weight_text(weight: float) -> str:
    """Return a sum of case weights with separators; whole numbers and large ones in full.

    Examples
    --------
    >>> weight_text(359.0), weight_text(1413880.0), weight_text(0.1 + 0.2), weight_text(1234567.89)
    ('359', '1,413,880', '0.3', '1,234,568')
    """
    if float(weight).is_integer() or abs(weight) >= 1e6:
        return f"{weight:,.0f}"
    return f"{weight:,.6g}"


def percent_text(share: float) -> str:
    """Return an upper bound as a percentage, rounded up.

    Examples
    --------
    >>> percent_text(0.12301), percent_text(0.5), percent_text(1.0)
    ('12.4 %', '50.0 %', '100.0 %')
    """
    return f"{min(math.ceil(share * 1000 - 1e-9) / 10, 100.0):.1f} %"


def lower_percent_text(share: float) -> str:
    """Return a lower bound as a percentage, rounded down.

    Examples
    --------
    >>> lower_percent_text(0.12399), lower_percent_text(0.5), lower_percent_text(0.0)
    ('12.3 %', '50.0 %', '0.0 %')
    """
    return f"{max(math.floor(share * 1000 + 1e-9) / 10, 0.0):.1f} %"


def interval_text(low: float, high: float) -> str:
    """Return an interval of shares as percentages, rounded outwards.

    Examples
    --------
    >>> interval_text(0.01234, 0.09871)
    '1.2 to 9.9 %'
    """
    return f"{lower_percent_text(low).removesuffix(' %')} to {percent_text(high)}"


def cost_text(cost: float) -> str:
    """Return an upper bound on a cost with three digits, rounded up.

    Examples
    --------
    >>> cost_text(0.69512), cost_text(12.0), cost_text(123456.0), cost_text(0.0)
    ('0.696', '12', '124000', '0')
    """
    if cost == 0:
        return "0"
    unit = 10.0 ** (math.floor(math.log10(cost)) - 2)
    rounded = math.ceil(cost / unit - 1e-9) * unit
    return f"{rounded:.0f}" if rounded >= 1e6 else f"{rounded:.10g}"


def lower_amount_text(amount: float) -> str:
    """Return a number above 0 with three digits, rounded down.

    Examples
    --------
    >>> lower_amount_text(0.69592), lower_amount_text(12.0), lower_amount_text(123456.0)
    ('0.695', '12', '123000')
    """
    unit = 10.0 ** (math.floor(math.log10(amount)) - 2)
    rounded = math.floor(amount / unit + 1e-9) * unit
    return f"{rounded:.0f}" if 1e6 <= rounded < 1e15 else f"{rounded:.10g}"


def confidence_text(delta: float) -> str:
    """Return ``1 - delta`` as a percentage, rounded down by at most a hundredth of delta.

    Examples
    --------
    >>> confidence_text(0.05), confidence_text(0.05 / 3), confidence_text(1e-9)
    ('95 %', '98.33 %', '1 - 1e-09')
    """
    if delta < 1e-7:
        return f"1 - {delta:g}"
    digits = 2 - math.floor(math.log10(delta))
    rounded = math.ceil(delta * 10.0**digits - 1e-6) / 10.0**digits
    return f"{number_text(round(100 * (1 - rounded), max(digits - 2, 0)))} %"


def name_text(text: str, marks: Collection[str] = ()) -> str:
    r"""Return a name on one line, in quotes where it contains one of the marks.

    Examples
    --------
    >>> name_text("bmi"), name_text("two\nlines"), name_text("a, b", ",")
    ('bmi', "'two\\nlines'", "'a, b'")
    """
    plain = text.isprintable() and text == text.strip() and text
    return text if plain and not set(text) & set(marks) else repr(text)


def column_text(name: str, marks: Collection[str] = ()) -> str:
    """Return a column's name for a condition, in quotes where it could be misread.

    ``rulewright.rules.parse_condition`` reads the quotes back.

    Examples
    --------
    >>> column_text("sepal length (cm)"), column_text("a > b"), column_text("missing")
    ('sepal length (cm)', "'a > b'", "'missing'")
    """
    return name_text(name, marks) if is_plain_name(name) else repr(name)


def class_text(label: object) -> str:
    """Return a class label, after the word "class" where it does not read as a name.

    Examples
    --------
    >>> class_text("malignant"), class_text(1), class_text("+")
    ('malignant', 'class 1', 'class +')
    """
    text = name_text(str(label))
    return text if any(letter.isalpha() for letter in text) else f"class {text}"


def value_text(text: str) -> str:
    """Return a category, in quotes where it could be misread.

    Examples
    --------
    >>> value_text("dark blue"), value_text("this or that"), value_text("12 (a)")
    ('dark blue', "'this or that'", '12 (a)')
    """
    mistaken = CONNECTED.search(text) or not has_balanced_parentheses(text)
    return repr(text) if mistaken else name_text(text, ",;{}='\"`<>")


def count_text(number: int, word: str) -> str:
    """Return a number and a noun in the singular or plural.

    Examples
    --------
    >>> count_text(1, "error"), count_text(2, "error")
    ('1 error', '2 errors')
    """
    return f"{number} {word}{'' if number == 1 else 's'}"
