"""Predicates as text: a sentence on one line, and what stands below it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rulewright.errors import UnrenderableError
from rulewright.render.formatting import column_text, value_text, written
from rulewright.render.spaces import (
    MAX_IN_DETAIL,
    Pieces,
    ball_details,
    ball_headline,
    ball_text,
    half_plane_text,
    half_space_details,
    half_space_headline,
    half_space_text,
)
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Missing,
    Not,
    Predicate,
    Threshold,
)

MAX_LISTED = 2
"""So many categories are written in brief, and how many more there are."""


def predicate_text(node: Predicate) -> str:
    """Write a predicate on one line.

    Examples
    --------
    >>> predicate_text(AllOf((Threshold("glucose", True, 127.0), Category("sex", ("f",), False))))
    'glucose > 127 and sex != f'
    >>> predicate_text(~Threshold("glucose", True, 127.0))
    'glucose <= 127 or missing'
    >>> predicate_text(AllOf((Threshold("bmi", True, 18.5), Threshold("bmi", False, 25.0))))
    '18.5 < bmi <= 25'
    """
    return _text(node, headline=False)


def headline_text(node: Predicate) -> str:
    """Write a predicate on one line, less what stands below it (see ``predicate_details``)."""
    return _text(node, headline=True)


def brief_text(condition: Predicate, letters: int) -> str:
    """Write a condition in so many letters where that can be.

    Of long lists of categories the first are written, and of many tests the first and as many of
    the last as have room; of a syndrome as many of the first as have room.

    Examples
    --------
    >>> colour, size = Category("colour", tuple("abcdef")), Threshold("size", True, 2.0)
    >>> brief_text(AllOf((colour, size)), 20)
    'colour in {a, b, … 4 more} and size > 2'
    >>> brief_text(AllOf((size, colour, Given("wet"), Given("cold"))), 30)
    'size > 2 and … and wet and cold'
    >>> brief_text(AtLeast(2, (size, colour, Given("wet"), Given("cold"))), 20)
    'at least 2 of (size > 2; … 3 more)'
    """
    said = headline_text(condition)
    if len(said) <= letters:
        return said
    if isinstance(condition, AtLeast):
        return _brief_syndrome(condition, letters)
    pairs = paired(condition.parts if isinstance(condition, AllOf) else (condition,))
    texts = [_pair_text(pair) if len(pair) > 1 else _brief_part(pair[0]) for pair in pairs]
    lengths = accumulate(len(f" and {text}") for text in reversed(texts[1:]))
    kept = max(sum(length <= letters - len(texts[0]) for length in lengths), 1)
    left_out = ["…"] * (kept + 1 < len(texts))
    return " and ".join([texts[0], *left_out, *texts[1:][-kept:]])


def _brief_syndrome(condition: AtLeast, letters: int) -> str:
    head = f"at least {condition.count} of ("
    texts = [_brief_part(part) for part in condition.parts]
    lengths = accumulate((len(f"{text}; ") for text in texts), initial=len(head))
    kept = max(sum(length <= letters for length in lengths) - 1, 1)
    left_out = [f"… {len(texts) - kept} more"] * (kept < len(texts))
    return f"{head}{'; '.join([*texts[:kept], *left_out])})"


def _brief_part(part: Predicate) -> str:
    said = _part(part, headline=True)
    if isinstance(part, Category) and len(part.values) > MAX_LISTED + 1:
        names = [value_text(value) for value in part.values]
        short = [*names[:MAX_LISTED], f"… {len(names) - MAX_LISTED} more"]
        said = said.replace(f"{{{', '.join(names)}}}", f"{{{', '.join(short)}}}")
    return said


def predicate_details(node: Predicate) -> list[str]:
    """Write what stands below a headline: weights, and examples that it does not write out.

    Examples
    --------
    >>> half = HalfSpace(("x", "y"), (3.0, 1.0), (1.0, 4.0), 4.5, anchored_on=(17, 203, 9))
    >>> predicate_details(half)
    ['2 x - 3 y >= 4.5', 'example 17: x 3, y 1', 'example 203: x 1, y 4']
    """
    return [" ".join(pieces) for pieces in detail_lines(node)]


def detail_lines(node: Predicate) -> list[Pieces]:
    """Give the details in pieces between which a line may be broken."""
    match node:
        case Ball():
            return ball_details(node)
        case HalfSpace():
            return half_space_details(node)
        case Function(_, on):
            names = [column_text(name, ",") for name in on[:MAX_IN_DETAIL]]
            names += [f"... {len(on) - MAX_IN_DETAIL} more"] * (len(on) > MAX_IN_DETAIL)
            return [["it looks at", *(f"{n}," for n in names[:-1]), names[-1]]] if names else []
        case AllOf(parts) | AnyOf(parts) | AtLeast(_, parts):
            lines = {tuple(line): None for part in parts for line in detail_lines(part)}
            return [list(line) for line in lines]
        case Not(part):
            return detail_lines(part)
        case _:
            return []


def clauses(condition: AllOf, *, headline: bool = True) -> list[str]:
    """Write the parts that must all hold, the two ends of a column as one.

    Examples
    --------
    >>> ends = Threshold("bmi", True, 18.5), Threshold("bmi", False, 25.0)
    >>> clauses(AllOf((ends[0], Category("sex", ("f",)), ends[1])))
    ['18.5 < bmi <= 25', 'sex = f']
    """
    return [
        _pair_text(pair) if len(pair) > 1 else _part(pair[0], headline)
        for pair in paired(condition.parts)
    ]


def pieces_of(condition: Predicate) -> list[str]:
    """Write a condition in the pieces between which a line may be broken.

    Examples
    --------
    >>> parts = Threshold("bmi", True, 18.5), Category("sex", ("f",))
    >>> pieces_of(AllOf(parts))
    ['bmi > 18.5', 'and sex = f']
    >>> pieces_of(AtLeast(1, parts))
    ['at least 1 of (bmi > 18.5;', 'sex = f)']
    """
    match condition:
        case AllOf((_, _, *_)):
            first, *rest = clauses(condition)
            return [first, *(f"and {clause}" for clause in rest)]
        case AtLeast(count, (*parts, last)):
            pieces = [*(f"{headline_text(part)};" for part in parts), f"{headline_text(last)})"]
            return [f"at least {count} of ({pieces[0]}", *pieces[1:]]
        case _:
            return [headline_text(condition)]


def paired(parts: Sequence[Predicate]) -> list[tuple[Predicate, ...]]:
    """Put the two ends of a column's values together, the lower one first, all else alone."""
    ends: dict[tuple[str, bool], list[Threshold]] = {}
    for part in parts:
        if isinstance(part, Threshold):
            ends.setdefault((part.column, part.if_missing), []).append(part)
    found: list[tuple[Predicate, ...]] = []
    said: set[int] = set()
    for part in parts:
        pair = ends[part.column, part.if_missing] if isinstance(part, Threshold) else []
        low, high = sorted(pair, key=lambda end: not end.above) if len(pair) == 2 else (None, None)
        if low is None or high is None or not low.above > high.above or not low.cut < high.cut:
            found.append((part,))
        elif id(pair) not in said:
            said.add(id(pair))
            found.append((low, high))
    return found


def _pair_text(pair: Sequence[Predicate]) -> str:
    """Write two ends of a column: ``3 < x <= 7``."""
    low, high = pair
    assert isinstance(low, Threshold) and isinstance(high, Threshold)  # so they are paired
    relation = "<=" if low.cut_above else "<"
    test = (
        f"{written(low.cut, low.moment)} {relation} {column_text(low.column)} "
        f"{threshold_relation(high)}"
    )
    return f"({test} or missing)" if low.if_missing else test


def threshold_relation(node: Threshold) -> str:
    """Write how a value compares with the cut."""
    relation = {
        (True, False): ">",
        (False, False): "<=",
        (True, True): ">=",
        (False, True): "<",
    }[node.above, node.cut_above]
    return f"{relation} {written(node.cut, node.moment)}"


def function_text(node: Function) -> str:
    """Write what a user's function answers."""
    return f"the function {node.name!r} says {'yes' if node.truth else 'no'}"


def _text(node: Predicate, *, headline: bool) -> str:
    match node:
        case Threshold(column):
            return f"{column_text(column)} {threshold_relation(node)}{_or(node.if_missing)}"
        case Interval(if_missing=if_missing):
            return _interval_text(node) + _or(if_missing)
        case Category(column, (value,), among, if_missing):
            test = f"{column_text(column)} {'=' if among else '!='} {value_text(value)}"
            return test + _or(if_missing)
        case Category(column, values, among, if_missing):
            listed = ", ".join(map(value_text, values))
            return (
                f"{column_text(column)} {'' if among else 'not '}in {{{listed}}}{_or(if_missing)}"
            )
        case Missing(column, missing):
            return f"{column_text(column)} is {'' if missing else 'not '}missing"
        case Given(column, truth, if_missing):
            return f"{'' if truth else 'not '}{column_text(column)}{_or(if_missing)}"
        case Function():
            return function_text(node)
        case Ball():
            said = ball_headline(node) if headline else ball_text(node)
            return said + _or(node.if_missing, ",")
        case HalfSpace():
            said = half_space_headline(node) if headline else half_space_text(node)
            return said + _or(node.if_missing, ",")
        case HalfPlane():
            return half_plane_text(node) + _or(node.if_missing)
        case AllOf():
            return " and ".join(clauses(node, headline=headline)) or "always"
        case AnyOf(parts):
            return " or ".join(_part(part, headline) for part in parts) or "never"
        case AtLeast(count, parts):
            listed = "; ".join(_text(part, headline=headline) for part in parts)
            return f"at least {count} of ({listed})"
        case Not(part):
            return f"not ({_text(part, headline=headline)})"
        case _:
            raise UnrenderableError(f"{type(node).__name__} has no form as text.")


def _interval_text(node: Interval) -> str:
    name = column_text(node.column)
    if not node.inside:
        below, above = (threshold_relation(~side) for side in node.sides)
        return f"{name} {below} or {name} {above}"
    left, right = ("<" if is_open else "<=" for is_open in (node.low_open, node.high_open))
    low, high = written(node.low, node.moment), written(node.high, node.moment)
    return f"{low} {left} {name} {right} {high}"


def _or(if_missing: bool, comma: str = "") -> str:
    return f"{comma} or missing" if if_missing else ""


def _part(part: Predicate, headline: bool) -> str:
    text = _text(part, headline=headline)
    mixed = isinstance(part, AllOf | AnyOf) and len(part.parts) > 1
    return f"({text})" if mixed or " or " in text or ": " in text else text
