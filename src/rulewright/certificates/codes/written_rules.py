"""Message of rules that a person wrote: their tests in full, and their arrangement.

Numbers are encoded by their decimal digits, not by training rows, so that a person may choose any.
The message is a prefix code: the lengths of all lists, votes and scorecards for the same columns,
classes and categories satisfy Kraft's inequality. So its bound holds for all of them at once,
however a person chose one, with the same rows before their eyes or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from rulewright.bounds import Message
from rulewright.certificates.codes.codebook import COMBINATIONS, Codebook
from rulewright.certificates.codes.structure_code import structure_message
from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import ExpertTests, without_order
from rulewright.render import predicate_text
from rulewright.rules import (
    Arrangement,
    Category,
    Given,
    Interval,
    Literal,
    Missing,
    RuleList,
    RuleVote,
    Scorecard,
    Threshold,
    literals_of,
)

KIND = "list, vote or scorecard"
KIND_BITS = {RuleList: 1, RuleVote: 2, Scorecard: 2}
TESTS = "the tests with their numbers and categories"
KINDS = 3
"""Number of kinds of tests of a column: a threshold, an interval or a missing value of a column of
numbers; categories, a missing value or a Boolean of others.
"""
BIT = math.log(2)
LETTERS = 0x110000
"""Number of letters in Unicode."""


def written_message(body: Arrangement, columns: Table, classes: int) -> Message:
    """Return the parts of the message of a rules file, with their lengths in nats.

    Raises
    ------
    CertificateError
        If it is not a list, vote or scorecard with tests of single columns.
    """
    if type(body) not in KIND_BITS:
        raise CertificateError(f"A {type(body).__name__} is not what a rules file holds.")
    tests = list(dict.fromkeys(without_order(literal) for literal in literals_of(body)))
    nats = count_nats(len(tests)) + math.fsum(
        math.log(len(columns.columns)) + written_nats(test, columns) for test in tests
    )
    named = ExpertTests(tuple(predicate_text(test) for test in tests))
    codebook = Codebook(columns, (named,), classes, tuple(COMBINATIONS.values()))
    rows, message = structure_message(body, codebook)
    if rows:
        raise CertificateError("Written rules are not anchored on training rows.")
    return ((KIND, KIND_BITS[type(body)] * BIT), (TESTS, nats), *message)


def written_nats(test: object, columns: Table) -> float:
    """Return the length of a test of a known column: its kind, its signs, numbers and categories.

    Raises
    ------
    CertificateError
        If it is not a test of a single column.
    """
    match test:
        case Threshold(cut=cut):
            return math.log(KINDS) + 3 * BIT + number_nats(cut)
        case Interval(low=low, high=high):
            return math.log(KINDS) + 4 * BIT + number_nats(low) + number_nats(high)
        case Category(column=column, values=values):
            known = columns.categories(column).categories
            parts = [count_nats(len(values)), *(_category_nats(value, known) for value in values)]
            return math.log(KINDS) + 2 * BIT + math.fsum(parts)
        case Missing() | Given():
            return math.log(KINDS) + 2 * BIT
    text = predicate_text(test) if isinstance(test, Literal) else str(test)
    raise CertificateError(f"The test {text[:60]!r} is not one of a single column.")


def number_nats(number: float) -> float:
    """Return the length of a number: its sign, its digits, and its power of ten.

    A number of d digits costs d bits for d and ln 10 for each of its digits.

    Examples
    --------
    >>> round(number_nats(127.0), 2), round(number_nats(0.5), 2)
    (10.37, 5.48)
    """
    if not math.isfinite(number):
        raise CertificateError(f"A written number must be finite, got {number}.")
    _, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    assert isinstance(exponent, int)
    power = 2 * exponent if exponent >= 0 else -2 * exponent - 1
    return BIT + len(digits) * (BIT + math.log(10)) + count_nats(power)


def count_nats(count: int) -> float:
    """Return the length of a whole number from 0 on, of the weights 1/((n + 1)(n + 2))."""
    return math.log((count + 1) * (count + 2))


def _category_nats(value: str, known: Sequence[str]) -> float:
    if value in known:
        return BIT + math.log(len(known))
    return BIT + count_nats(len(value)) + len(value) * math.log(LETTERS)
