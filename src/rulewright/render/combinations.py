"""Renderers of predicates that are made of predicates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.render.cells import cell_texts
from rulewright.render.column_tests import RELATIONS, threshold_relation
from rulewright.render.formatting import column_text, cut_text
from rulewright.render.predicates import detail_lines, headline_text
from rulewright.render.registry import (
    Pieces,
    PredicateRenderer,
    SomePredicate,
    predicate_renderer,
    register_predicate,
)
from rulewright.rules import AllOf, AnyOf, AtLeast, Not, Predicate, Threshold

Rows = NDArray[np.intp]


class _CombinationRenderer(PredicateRenderer[SomePredicate]):
    """Details of a combination: those of its parts, each once."""

    def details(self, node: SomePredicate) -> list[Pieces]:
        lines = {tuple(line): None for part in _parts(node) for line in detail_lines(part)}
        return [list(line) for line in lines]


class AllOfRenderer(_CombinationRenderer[AllOf]):
    """``bmi > 18.5 and sex = f``; the two ends of a column become one test."""

    def text(self, node: AllOf, *, headline: bool = False) -> str:
        return " and ".join(_clauses(node, headline)) or "always"

    def pieces(self, node: AllOf) -> Pieces:
        if len(node.parts) < 2:
            return [headline_text(node)]
        first, *rest = _clauses(node, headline=True)
        return [first, *(f"and {clause}" for clause in rest)]

    def brief_text(self, node: AllOf, max_characters: int) -> str:
        pairs = pair_bounds(node.parts)
        texts = [_pair_text(pair) if len(pair) > 1 else _short_part(pair[0]) for pair in pairs]
        lengths = accumulate(len(f" and {text}") for text in reversed(texts[1:]))
        kept = max(sum(length <= max_characters - len(texts[0]) for length in lengths), 1)
        left_out = ["…"] * (kept + 1 < len(texts))
        return " and ".join([texts[0], *left_out, *texts[1:][-kept:]])

    def reasons(self, node: AllOf, table: Table) -> list[str]:
        if not node.parts:
            return super().reasons(node, table)
        by_part = [_pair_reasons(pair, table) for pair in pair_bounds(node.parts)]
        return [" and ".join(texts) for texts in zip(*by_part, strict=True)]


class AnyOfRenderer(_CombinationRenderer[AnyOf]):
    """``bmi > 30 or age > 60``."""

    def text(self, node: AnyOf, *, headline: bool = False) -> str:
        return " or ".join(_part_text(part, headline) for part in node.parts) or "never"

    def reasons(self, node: AnyOf, table: Table) -> list[str]:
        if not node.parts:
            return super().reasons(node, table)
        return [texts[0] for texts in _true_parts(node.parts, table, 1)]


class AtLeastRenderer(_CombinationRenderer[AtLeast]):
    """``at least 2 of (a; b; c)``."""

    def text(self, node: AtLeast, *, headline: bool = False) -> str:
        parts = (predicate_renderer(part).text(part, headline=headline) for part in node.parts)
        return f"at least {node.count} of ({'; '.join(parts)})"

    def pieces(self, node: AtLeast) -> Pieces:
        if not node.parts:
            return [headline_text(node)]
        *parts, last = map(headline_text, node.parts)
        pieces = [*(f"{part};" for part in parts), f"{last})"]
        return [f"at least {node.count} of ({pieces[0]}", *pieces[1:]]

    def brief_text(self, node: AtLeast, max_characters: int) -> str:
        head = f"at least {node.count} of ("
        texts = [_short_part(part) for part in node.parts]
        lengths = accumulate((len(f"{text}; ") for text in texts), initial=len(head))
        kept = max(sum(length <= max_characters for length in lengths) - 1, 1)
        left_out = [f"… {len(texts) - kept} more"] * (kept < len(texts))
        return f"{head}{'; '.join([*texts[:kept], *left_out])})"

    def reasons(self, node: AtLeast, table: Table) -> list[str]:
        if not node.count:
            return super().reasons(node, table)
        head = f"{node.count} of {len(node.parts)}: "
        return [head + ", ".join(texts) for texts in _true_parts(node.parts, table, node.count)]


class NotRenderer(_CombinationRenderer[Not]):
    """``not (a and b)``."""

    def text(self, node: Not, *, headline: bool = False) -> str:
        return f"not ({predicate_renderer(node.part).text(node.part, headline=headline)})"

    def reasons(self, node: Not, table: Table) -> list[str]:
        return reasons_of_part(~node.part, table)


def _parts(node: Predicate) -> Sequence[Predicate]:
    return [child for child in node.children if isinstance(child, Predicate)]


def reasons_of_part(part: Predicate, table: Table) -> list[str]:
    """Reason why a predicate holds, for each row."""
    return predicate_renderer(part).reasons(part, table)


def _clauses(condition: AllOf, headline: bool) -> list[str]:
    """Texts of the parts that must all hold, the two ends of a column as one."""
    return [
        _pair_text(pair) if len(pair) > 1 else _part_text(pair[0], headline)
        for pair in pair_bounds(condition.parts)
    ]


def pair_bounds(parts: Sequence[Predicate]) -> list[tuple[Predicate, ...]]:
    """Group the lower and upper bound of a column in pairs; other parts stay alone.

    Examples
    --------
    >>> low, high = Threshold("x", True, 1.0), Threshold("x", False, 2.0)
    >>> pair_bounds([high, low]) == [(low, high)]
    True
    """
    bounds: dict[tuple[str, bool], list[Threshold]] = {}
    for part in parts:
        if isinstance(part, Threshold):
            bounds.setdefault((part.column, part.if_missing), []).append(part)
    groups: list[tuple[Predicate, ...]] = []
    done: set[int] = set()
    for part in parts:
        pair = bounds[part.column, part.if_missing] if isinstance(part, Threshold) else []
        low, high = sorted(pair, key=lambda end: not end.above) if len(pair) == 2 else (None, None)
        if low is None or high is None or not low.above > high.above or not low.cut < high.cut:
            groups.append((part,))
        elif id(pair) not in done:
            done.add(id(pair))
            groups.append((low, high))
    return groups


def _pair_text(pair: Sequence[Predicate]) -> str:
    """Text of two bounds of a column: ``3 < x <= 7``."""
    low, high = pair
    assert isinstance(low, Threshold) and isinstance(high, Threshold)  # pair_bounds pairs no others
    relation = RELATIONS[False, not low.cut_above]
    test = (
        f"{cut_text(low.cut, low.moment)} {relation} {column_text(low.column)} "
        f"{threshold_relation(high)}"
    )
    return f"({test} or missing)" if low.if_missing else test


def _pair_reasons(pair: Sequence[Predicate], table: Table) -> list[str]:
    """Reason why a part holds, or both bounds of a column, for each row."""
    match pair:
        case [Threshold(column) as low, Threshold() as high]:
            relation = f"{threshold_relation(low)} and {threshold_relation(high)}"
            return cell_texts(table, column, f" ({relation})")
        case _:
            return reasons_of_part(pair[0], table)


def _part_text(part: Predicate, headline: bool) -> str:
    return _in_parentheses(part, predicate_renderer(part).text(part, headline=headline))


def _short_part(part: Predicate) -> str:
    return _in_parentheses(part, predicate_renderer(part).short_text(part))


def _in_parentheses(part: Predicate, text: str) -> str:
    """Text of a part, in parentheses where it would read on into the next one."""
    is_compound = isinstance(part, AllOf | AnyOf) and len(part.parts) > 1
    return f"({text})" if is_compound or " or " in text or ": " in text else text


def _true_parts(parts: Sequence[Predicate], table: Table, count: int) -> list[list[str]]:
    """Reasons of the first ``count`` parts that hold, for each row."""
    texts: list[list[str]] = [[] for _ in range(table.rows)]
    wanted = np.full(table.rows, count)
    for part in parts:
        rows = np.flatnonzero(part.holds(table) & (wanted > 0))
        wanted[rows] -= 1
        _append_reasons(texts, part, table, rows)
    _append_reasons(texts, parts[0], table, np.flatnonzero(wanted == count))
    return texts


def _append_reasons(texts: list[list[str]], part: Predicate, table: Table, rows: Rows) -> None:
    if rows.size:
        some = table.select(part.columns).take(rows)
        for row, text in zip(rows.tolist(), reasons_of_part(part, some), strict=True):
            texts[row].append(text)


register_predicate(AllOf, AllOfRenderer())
register_predicate(AnyOf, AnyOfRenderer())
register_predicate(AtLeast, AtLeastRenderer())
register_predicate(Not, NotRenderer())
