"""Conditions in words, for policies, letters and people who do not read formulas."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.render.column_tests import range_words
from rulewright.render.formatting import column_text, cut_text, value_text
from rulewright.render.predicates import headline_text
from rulewright.render.scorecards import total_text
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Category,
    Given,
    Interval,
    Missing,
    Not,
    Predicate,
    Threshold,
    TotalRange,
)


def english_text(node: Predicate) -> str:
    """Return a condition in words.

    Examples
    --------
    >>> english_text(AllOf((Threshold("age", True, 60.0), Category("ward", ("north", "west")))))
    'age is above 60, and ward is north or west'
    >>> english_text(Threshold("age", False, 60.0, if_missing=True))
    'age is at most 60 or missing'
    """
    match node:
        case Threshold(column, above, cut, if_missing):
            words = (
                ("at least" if node.cut_above else "above")
                if above
                else ("below" if node.cut_above else "at most")
            )
            text = f"{column_text(column)} is {words} {cut_text(cut, node.moment)}"
            return _or_missing(text, if_missing)
        case Interval(column, if_missing=if_missing):
            return _or_missing(f"{column_text(column)} is {_interval(node)}", if_missing)
        case Category(column, values, among, if_missing):
            if (range_text := range_words(node, "at most", "above", "between")) is not None:
                return _or_missing(f"{column_text(column)} is {range_text}", if_missing)
            either = _listed([value_text(value) for value in values], "or" if among else "nor")
            is_one = "is" if among else ("is not" if len(values) == 1 else "is neither")
            return _or_missing(f"{column_text(column)} {is_one} {either}", if_missing)
        case Missing(column, missing):
            return f"{column_text(column)} is {'missing' if missing else 'known'}"
        case Given(column, truth, if_missing):
            return _or_missing(f"{column_text(column)} is {str(truth).lower()}", if_missing)
        case AllOf(parts) if parts:
            return _joined(parts, "and")
        case AnyOf(parts) if parts:
            return _joined(parts, "or")
        case AtLeast(count, parts):
            listed = "; ".join(map(english_text, parts))
            return f"at least {count} of these {len(parts)} statements hold ({listed})"
        case Not(part):
            return f"it is not the case that {_grouped(part)}"
        case TotalRange(_, low, high, inside):
            return f"the total is {'' if inside else 'not '}{total_text(low, high)}"
        case AllOf():
            return "in every case"
        case AnyOf():
            return "in no case"
        case _:
            return headline_text(node)


def _interval(node: Interval) -> str:
    low, high = cut_text(node.low, node.moment), cut_text(node.high, node.moment)
    if node.inside:
        first = f"{'above' if node.low_open else 'at least'} {low}"
        return f"{first} and {'below' if node.high_open else 'at most'} {high}"
    first = f"{'at most' if node.low_open else 'below'} {low}"
    return f"{first} or {'at least' if node.high_open else 'above'} {high}"


def _or_missing(text: str, if_missing: bool) -> str:
    return f"{text} or missing" if if_missing else text


def _grouped(part: Predicate) -> str:
    text = english_text(part)
    return f"({text})" if isinstance(part, AllOf | AnyOf) and len(part.parts) > 1 else text


def _joined(parts: Sequence[Predicate], word: str) -> str:
    return f", {word} ".join(_grouped(part) for part in parts)


def _listed(texts: Sequence[str], word: str) -> str:
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])} {word} {texts[-1]}"
