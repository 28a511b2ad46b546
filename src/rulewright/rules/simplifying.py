"""Simplification of arrangements that keeps the answer of every possible row.

Possible rows include missing values and unseen categories. Redundant tests, rules that never answer
and repetitions are removed. Two bounds of a column become one interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rulewright.data import Table
from rulewright.rules.arrangements import (
    Arrangement,
    Conjunction,
    Disjunction,
    Rule,
    RuleList,
    RuleVote,
    WeightedRule,
)
from rulewright.rules.combinations import AllOf, AnyOf, AtLeast, Not
from rulewright.rules.implication import implies
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Missing
from rulewright.rules.regions import Region, region_of
from rulewright.rules.scorecards import ClassScorecard, ClassScoreLine, Scorecard, ScoreLine
from rulewright.rules.tree_simplifying import pruned, reached
from rulewright.rules.trees import Tree

ALWAYS, NEVER = AllOf(), AnyOf()
Combination = type[AllOf] | type[AnyOf]
AnyRule = TypeVar("AnyRule", bound=Rule | ScoreLine | ClassScoreLine)
Answers = tuple[int | None, ...]
"""For each rule, the number of the rule that replaces it; None where it never answers."""


def simplified(body: Arrangement, table: Table | None = None) -> Arrangement:
    """Return a simpler arrangement that answers every possible row alike.

    With a table, only the answers of its rows are kept: rules that answer none of them, and terms
    that make no difference on them, are removed too.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> above, below = Threshold("x", True, 3.0), Threshold("x", False, 7.0)
    >>> both = AllOf((Threshold("x", True, 1.0), above, below))
    >>> simplified(RuleList((Rule(both, 1), Rule(below, 0)), 0)).listed[0].condition
    Interval(column='x', low=3.0, high=7.0, inside=True, if_missing=False, anchored_on=(), \
low_open=True, high_open=False)
    """
    return simplified_with_answers(body, table)[0]


def simplified_with_answers(
    body: Arrangement, table: Table | None = None
) -> tuple[Arrangement, Answers]:
    """Return the simplified arrangement, and for each rule of the body the one that replaces it."""
    simple, answers = _logically(body)
    while table is not None:
        smaller, instead = _on_rows(simple, table)
        smaller, after = _logically(smaller)
        if smaller == simple:
            break
        simple, answers = smaller, _then(answers, _then(instead, after))
    return simple, answers


def _then(first: Answers, second: Answers) -> Answers:
    return tuple(None if answer is None else second[answer] for answer in first)


def _logically(body: Arrangement) -> tuple[Arrangement, Answers]:
    match body:
        case Conjunction() | Disjunction():
            return _junction(body)
        case RuleList():
            return _list(body)
        case RuleVote():
            return _vote(body)
        case Tree():
            return pruned(body, simplified_condition)
        case Scorecard() | ClassScorecard():
            return _scorecard(body)
    return body, _unchanged(body)


def _unchanged(body: Arrangement) -> Answers:
    return tuple(range(len(body.outputs)))


def simplified_condition(condition: Predicate) -> Predicate:
    """Return a simpler predicate that holds on the same rows.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> high, higher = Threshold("x", True, 3.0), Threshold("x", True, 5.0)
    >>> simplified_condition(AllOf((high, higher))) == higher
    True
    >>> simplified_condition(AnyOf((higher, Not(higher)))) == ALWAYS
    True
    """
    match condition:
        case AllOf(parts):
            return _combined(AllOf, parts)
        case AnyOf(parts):
            return _combined(AnyOf, parts)
        case AtLeast(count, parts):
            return _counted(count, parts)
        case Not(part):
            return _denied(simplified_condition(part))
    return condition


def _denied(part: Predicate) -> Predicate:
    match part:
        case Not(inner):
            return inner
        case Missing() | AllOf(()) | AnyOf(()):
            return ~part
    return Not(part)


def _counted(count: int, parts: Sequence[Predicate]) -> Predicate:
    """Return a syndrome without the parts that are always or never true."""
    simple = [simplified_condition(part) for part in parts]
    unsettled = tuple(part for part in simple if part not in (ALWAYS, NEVER))
    count -= simple.count(ALWAYS)
    if not 0 < count <= len(unsettled):
        return ALWAYS if count <= 0 else NEVER
    return unsettled[0] if len(unsettled) == 1 else AtLeast(count, unsettled)


def _combined(kind: Combination, parts: Sequence[Predicate]) -> Predicate:
    settled = NEVER if kind is AllOf else ALWAYS
    flat: list[Predicate] = []
    for part in parts:
        simple = simplified_condition(part)
        flat += simple.parts if isinstance(simple, kind) else (simple,)
    left = [] if settled in flat else _by_columns(kind, flat)
    if settled in (*flat, *left):
        return settled
    left = _without_implied(kind, left)
    return left[0] if len(left) == 1 else kind(tuple(left))


def _by_columns(kind: Combination, parts: Sequence[Predicate]) -> list[Predicate]:
    """Merge the tests of each column, in the place of the first one."""
    groups: dict[object, list[Predicate]] = {}
    for number, part in enumerate(parts):
        region = region_of(part)
        groups.setdefault(number if region is None else region.column, []).append(part)
    return [test for group in groups.values() for test in _merged(kind, group)]


def _merged(kind: Combination, tests: Sequence[Predicate]) -> list[Predicate]:
    """Merge tests of one column where a single test can replace several."""
    left: list[Predicate] = []
    for test in tests:
        place = len(left)
        while (found := _partner(kind, left, test)) is not None:
            number, test = found
            del left[number]
            place = min(place, number)
        left.insert(place, test)
    if len(left) < 2:
        return left
    for test in tuple(left):
        others = [other for other in left if other is not test]
        if others and _adds_nothing(kind, test, others):
            left = others
    return left


def _partner(
    kind: Combination, tests: Sequence[Predicate], new: Predicate
) -> tuple[int, Predicate] | None:
    for number, test in enumerate(tests):
        both = _both(kind, test, new)
        if both is not None:
            return number, both
    return None


def _both(kind: Combination, one: Predicate, other: Predicate) -> Predicate | None:
    """Return the one test that replaces two, unchanged where it is one of them."""
    here, there = region_of(one), region_of(other)
    if here is None or there is None or here.column != there.column:
        return None
    both = _together(kind, here, there)
    for test, region in ((one, here), (other, there)):
        if region.covers(both) and both.covers(region):
            return test
    return both.test()


def _together(kind: Combination, one: Region, other: Region) -> Region:
    return one.intersection(other) if kind is AllOf else one.union(other)


def _adds_nothing(kind: Combination, test: Predicate, others: Sequence[Predicate]) -> bool:
    regions = [region for other in others if (region := region_of(other)) is not None]
    region = region_of(test)
    if region is None or len(regions) < len(others):
        return False
    rest = reduce(partial(_together, kind), regions)
    return region.covers(rest) if kind is AllOf else rest.covers(region)


def _without_implied(kind: Combination, parts: Sequence[Predicate]) -> list[Predicate]:
    """Remove the parts that another one implies, or the alternatives that imply another."""
    left: list[Predicate] = []
    for part in parts:
        if not any(_spares(kind, earlier, part) for earlier in left):
            left = [earlier for earlier in left if not _spares(kind, part, earlier)] + [part]
    return left


def _spares(kind: Combination, one: Predicate, other: Predicate) -> bool:
    """Whether one part makes another one redundant."""
    return implies(one, other) if kind is AllOf else implies(other, one)


def _junction(body: Conjunction | Disjunction) -> tuple[Arrangement, Answers]:
    """Merge neighbours only: elsewhere, another rule than before would answer some rows."""
    kind = AllOf if isinstance(body, Conjunction) else AnyOf
    settled, neutral = (NEVER, ALWAYS) if kind is AllOf else (ALWAYS, NEVER)
    parts: list[Predicate] = []
    answers: list[int | None] = []
    for part in body.parts:
        simple = simplified_condition(part)
        if simple == neutral or any(_spares(kind, earlier, simple) for earlier in parts):
            answers.append(None)
            continue
        while parts and (both := _neighbours(kind, parts[-1], simple)) is not None:
            parts.pop()
            answers = _at_most(len(parts), answers)
            simple = both
        if simple == settled:
            return _constant(body)
        answers.append(len(parts))
        parts.append(simple)
    if body.then == body.otherwise and body.parts:
        return type(body)((), body.then, body.otherwise), (0,) * (len(body.parts) + 1)
    return type(body)(tuple(parts), body.then, body.otherwise), (*answers, len(parts))


def _neighbours(kind: Combination, one: Predicate, other: Predicate) -> Predicate | None:
    return other if _spares(kind, other, one) else _both(kind, one, other)


def _constant(body: Conjunction | Disjunction) -> tuple[Arrangement, Answers]:
    """Return the arrangement that always answers as where a part decides."""
    constant = type(body)((), then=body.otherwise, otherwise=body.then)
    return constant, (*[0] * len(body.parts), None)


def _list(body: RuleList) -> tuple[Arrangement, Answers]:
    rules: list[Rule] = []
    answers: list[int | None] = []
    default = body.default
    earlier = _Earlier()
    for rule in body.listed:
        condition = simplified_condition(rule.condition)
        if condition == NEVER or earlier.answer(condition):
            answers.append(None)
            continue
        while rules and rules[-1].output == rule.output and implies(rules[-1].condition, condition):
            rules.pop()  # the next one answers the same in its place
            answers = _at_most(len(rules), answers)
        answers.append(len(rules))
        if condition == ALWAYS:
            default = rule.output
            break
        rules.append(Rule(condition, rule.output))
    else:
        answers.append(len(rules))
    while rules and rules[-1].output == default:
        rules.pop()
    answers += [None] * (len(body.listed) + 1 - len(answers))
    simple = replace(body, listed=tuple(rules), default=default)
    return simple, tuple(_at_most(len(rules), answers))


def _at_most(last: int, answers: Sequence[int | None]) -> list[int | None]:
    """Replace rules after the last one by the last one."""
    return [None if answer is None else min(answer, last) for answer in answers]


class _Earlier:
    """Conditions of earlier rules; a rule whose condition implies one of them never answers."""

    def __init__(self) -> None:
        self._boxes: list[_ConditionRegions] = []
        self._alternatives: list[Predicate] = []

    def answer(self, condition: Predicate) -> bool:
        """Whether they answer all rows of a condition; the condition is added to them."""
        box = _ConditionRegions.of(condition)
        if any(box.is_in(earlier) for earlier in self._boxes):
            return True
        if any(implies(condition, earlier) for earlier in self._alternatives):
            return True
        if isinstance(condition, AnyOf):
            self._alternatives.append(condition)
        else:
            self._boxes.append(box)
        return False


class _ConditionRegions(NamedTuple):
    """Region of each column in a condition, and its other tests."""

    columns: frozenset[str]
    regions: dict[str, Region]
    others: frozenset[Predicate]

    @classmethod
    def of(cls, condition: Predicate) -> _ConditionRegions:
        regions: dict[str, Region] = {}
        others = []
        for part in condition.parts if isinstance(condition, AllOf) else (condition,):
            region = region_of(part)
            if region is None:
                others.append(part)
            else:
                known = regions.get(region.column)
                regions[region.column] = region if known is None else known.intersection(region)
        return cls(frozenset(regions), regions, frozenset(others))

    def is_in(self, other: _ConditionRegions) -> bool:
        """Whether this box is a subset of another."""
        return (
            other.columns <= self.columns
            and other.others <= self.others
            and all(region.covers(self.regions[name]) for name, region in other.regions.items())
        )


def _vote(body: RuleVote) -> tuple[Arrangement, Answers]:
    """Remove the rules that never hold; all others carry weight."""
    voters = [replace(v, condition=simplified_condition(v.condition)) for v in body.voters]
    return _kept_voters(body, voters, [voter.condition != NEVER for voter in voters])


def _kept_voters(
    body: RuleVote, voters: Sequence[WeightedRule], kept: Sequence[bool]
) -> tuple[Arrangement, Answers]:
    some = tuple(voter for voter, keep in zip(voters, kept, strict=True) if keep)
    return replace(body, voters=some), _numbered([*kept, True])


def _numbered(kept: Sequence[bool]) -> Answers:
    """Return the new numbers of what is kept."""
    numbers = np.cumsum(kept) - 1
    return tuple(int(n) if keep else None for n, keep in zip(numbers, kept, strict=True))


def _scorecard(body: Scorecard | ClassScorecard) -> tuple[Arrangement, Answers]:
    """Remove the lines that never hold or have no points; totals stay as they are."""
    lines = [replace(line, condition=simplified_condition(line.condition)) for line in body.lines]
    kept: Any = tuple(line for line in lines if line.condition != NEVER and np.any(line.points))
    return replace(body, lines=kept), _unchanged(body)


def _on_rows(body: Arrangement, table: Table) -> tuple[Arrangement, Answers]:
    """Remove what makes no difference on the rows of a table."""
    answered = np.bincount(body.answer(table), minlength=len(body.outputs)) > 0
    match body:
        case Conjunction() | Disjunction():
            kept = [bool(some) for some in answered[:-1]]
            parts = tuple(p for p, keep in zip(body.parts, kept, strict=True) if keep)
            return replace(body, parts=parts), _numbered([*kept, True])
        case RuleList():
            kept = [bool(some) for some in answered[: len(body.listed)]]
            rules = [rule for rule, keep in zip(body.listed, kept, strict=True) if keep]
            shorter = _shortened(rules, table, in_turn=True)
            return replace(body, listed=tuple(shorter)), _numbered([*kept, True])
        case RuleVote():
            holding = [bool(v.condition.holds(table).any()) for v in body.voters]
            voters = _shortened(body.voters, table, in_turn=False)
            return _kept_voters(body, voters, holding)
        case Tree():
            return reached(body, answered)
        case Scorecard() | ClassScorecard():
            fewer: Any = _shortened(list(body.lines), table, in_turn=False)
            held: Any = tuple(line for line in fewer if line.condition.holds(table).any())
            return replace(body, lines=held), _unchanged(body)
    return body, _unchanged(body)


def _shortened(rules: Sequence[AnyRule], table: Table, *, in_turn: bool) -> list[AnyRule]:
    """Remove the terms that make no difference on the rows that reach a rule."""
    shorter = []
    coming = np.ones(table.rows, np.bool_)
    for rule in rules:
        condition = rule.condition
        if isinstance(condition, AllOf):
            here = table.take(np.flatnonzero(coming))
            condition = _needed(condition, here)
        shorter.append(replace(rule, condition=condition))
        if in_turn:
            coming &= ~rule.condition.holds(table)
    return shorter


def _needed(condition: AllOf, table: Table) -> Predicate:
    holds = {part: part.holds(table) for part in condition.parts}
    wanted = condition.holds(table)
    left = list(condition.parts)
    for part in reversed(condition.parts):
        others = [other for other in left if other is not part]
        truth = reduce(np.logical_and, [holds[o] for o in others], np.ones(table.rows, np.bool_))
        if (truth == wanted).all():
            left = others
    return left[0] if len(left) == 1 else AllOf(tuple(left))
