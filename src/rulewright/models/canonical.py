"""The shortest of the models that classify every row alike, as far as one can see without data.

A message need not tell them apart. The order of parts is the one in which the message tells them;
what is always or never true, is said twice, or makes no difference to the answer is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rulewright.errors import CertificateError
from rulewright.families import Family
from rulewright.models.language import Language, kind_of
from rulewright.models.shapes import Walk, grown, walked
from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Conjunction,
    Disjunction,
    Interval,
    Leaf,
    Not,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Tree,
    WeightedRule,
)

ALWAYS, NEVER = AllOf(), AnyOf()


def canonical(body: Arrangement, language: Language) -> Arrangement:
    """Return the model that a message rebuilds: it classifies every row as ``body`` does."""
    match body:
        case Conjunction() | Disjunction():
            return _junction(body, language)
        case RuleList():
            return _list(body, language)
        case RuleVote():
            return _vote(body, language)
        case Tree():
            return grown(canonical_walk(body, language))
    raise CertificateError(f"{type(body).__name__} has no certificate in this version.")


def _junction(body: Conjunction | Disjunction, language: Language) -> Arrangement:
    combine = AllOf if isinstance(body, Conjunction) else AnyOf
    whole = canonical_condition(combine(body.parts), language)
    then, otherwise = body.then, body.otherwise
    parts = whole.parts if isinstance(whole, combine) else (whole,)
    if then == otherwise:
        other = (then + 1) % language.classes
        then, otherwise = (then, other) if combine is AllOf else (other, otherwise)
        parts = ()
    elif parts and whole in (ALWAYS, NEVER):  # not the constant that no parts make
        then, otherwise, parts = otherwise, then, ()
    return type(body)(parts, then, otherwise)


def _list(body: RuleList, language: Language) -> RuleList:
    """Leave out the rules that never answer, and at the end those that answer as the default."""
    rules, default = [], body.default
    for rule in body.listed:
        condition = canonical_condition(rule.condition, language)
        if condition == ALWAYS:
            default = rule.output
            break
        if condition != NEVER:
            rules.append(Rule(condition, rule.output))
    while rules and rules[-1].output == default:
        rules.pop()
    return RuleList(tuple(rules), default)


def _vote(body: RuleVote, language: Language) -> RuleVote:
    """Leave out the rules that never hold."""
    voters = [
        WeightedRule(canonical_condition(voter.condition, language), voter.output, voter.weight)
        for voter in body.voters
    ]
    return RuleVote(tuple(v for v in voters if v.condition != NEVER), body.default)


def canonical_walk(body: Tree, language: Language) -> Walk:
    """Take a tree apart, less the tests that never decide.

    Either no row gets there, or all answers are the same.
    """
    nodes = list(body.nodes)
    instead = list(range(len(nodes)))  # the node that stands in a node's place
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        if isinstance(node, Leaf):
            continue
        branches = tuple(instead[branch] for branch in node.branches)
        if _decides(node, branches, nodes):
            nodes[number] = node if branches == node.branches else Split(node.tests, branches)
            continue
        fork = _Fork.of(node, branches, language)
        fork.shorten(nodes)
        fork.sort(nodes, language)
        if fork.tests:
            nodes[number] = Split(tuple(fork.tests), tuple(fork.branches), tuple(fork.shares))
        else:
            instead[number] = fork.branches[0]
    return walked(nodes, instead[0])


def _decides(node: Split, branches: Sequence[int], nodes: Sequence[Split | Leaf]) -> bool:
    """Whether a split is one literal that tells different branches apart, as nearly all are."""
    if len(branches) > 2 or node.shares or kind_of(node.tests[0]) != "literal":
        return False
    if isinstance(node.tests[0], Interval):  # it may stand for two thresholds
        return False
    return not _same_leaf(nodes[branches[0]], nodes[branches[1]])


@dataclass
class _Fork:
    """A split in the making."""

    tests: list[Predicate]
    branches: list[int]
    shares: list[int]

    @classmethod
    def of(cls, node: Split, branches: Sequence[int], language: Language) -> _Fork:
        """Begin with what can be decided; branches may stand in others' places."""
        if node.shares:
            return cls(_shared_tests(node, language), list(branches), list(node.shares))
        return cls(*_open_branches(node, branches, language), [])

    def sort(self, nodes: Sequence[Split | Leaf], language: Language) -> None:
        """Put tests that compare a column with single values in the order of these.

        Their order makes no difference, so those that end as all other values do are left out.
        """
        compared = language.compared(self.tests)
        if compared is None:
            return
        _, places = compared
        last = len(places)
        order = sorted(range(last), key=places.__getitem__)
        otherwise = nodes[self.branches[last]]
        kept = [i for i in order if not _same_leaf(nodes[self.branches[i]], otherwise)]
        if self.shares:
            others = SHARES - sum(self.shares[i] for i in kept)
            self.shares = [*(self.shares[i] for i in kept), others]
        self.tests = [self.tests[i] for i in kept]
        self.branches = [self.branches[i] for i in (*kept, last)]

    def shorten(self, nodes: Sequence[Split | Leaf]) -> None:
        """Leave out the last tests where either branch ends in the same way."""
        while self.tests and _same_leaf(*(nodes[branch] for branch in self.branches[-2:])):
            if self.shares and not _same_columns(self.tests):
                break
            self.tests.pop()
            self.branches.pop()
            if self.shares:
                self.shares[-2:] = [sum(self.shares[-2:])]


def _same_columns(tests: Sequence[Predicate]) -> bool:
    """Whether the same rows miss a value without the last test, or there is no other."""
    *rest, last = tests
    return not rest or set(last.columns) <= {name for test in rest for name in test.columns}


def _open_branches(
    node: Split, branches: Sequence[int], language: Language
) -> tuple[list[Predicate], list[int]]:
    """Give the tests that can go either way, their branches, and the last one."""
    tests: list[Predicate] = []
    kept: list[int] = []
    for test, branch in zip(node.tests, branches, strict=False):
        condition = canonical_condition(test, language)
        if condition == ALWAYS:
            return tests, [*kept, branch]
        if condition != NEVER:
            tests.append(condition)
            kept.append(branch)
    return tests, [*kept, branches[-1]]


def _shared_tests(node: Split, language: Language) -> list[Predicate]:
    """Give the tests of a split that shares out the rows which miss a value of their columns."""
    tests = [canonical_condition(test, language) for test in node.tests]
    columns = {name for test in tests for name in test.columns}
    if columns != set(node.columns) or ALWAYS in tests or NEVER in tests:
        raise CertificateError(
            "A split of the tree shares out rows by columns that make no difference to its tests. "
            "Leave out of its tests what is always or never true."
        )
    return tests


def _same_leaf(one: Split | Leaf, other: Split | Leaf) -> bool:
    return isinstance(one, Leaf) and one == other


def canonical_condition(condition: Predicate, language: Language) -> Predicate:
    """Return the condition that a message rebuilds: it holds wherever ``condition`` does."""
    match condition:
        case Not(part):
            return _negated(canonical_condition(part, language))
        case AllOf(parts):
            return _merged(AllOf, NEVER, parts, language)
        case AnyOf(parts):
            return _merged(AnyOf, ALWAYS, parts, language)
        case AtLeast(count, parts):
            return _counted(count, parts, language)
        case Interval() if not language.has_words(condition):
            return canonical_condition(_of_two(condition), language)
    return condition


def spread(body: Arrangement, families: Sequence[Family]) -> Arrangement:
    """Return the machine whose parts were merged to intervals that none of the families makes."""
    match body:
        case Conjunction(parts) | Disjunction(parts):
            kind = AllOf if isinstance(body, Conjunction) else AnyOf
            apart_again = (_apart_again(part, kind, families) for part in parts)
            return replace(body, parts=tuple(chain.from_iterable(apart_again)))
    return body


def _apart_again(
    part: Predicate, kind: type[AllOf | AnyOf], families: Sequence[Family]
) -> tuple[Predicate, ...]:
    if isinstance(part, Interval) and all(family.site(part) is None for family in families):
        two = _of_two(part)
        return two.parts if isinstance(two, kind) else (part,)
    return (part,)


def _of_two(interval: Interval) -> AllOf | AnyOf:
    """Say an interval by its two thresholds, as it was before they were merged."""
    sides = interval.sides if interval.inside else tuple(~side for side in interval.sides)
    parts = tuple(replace(side, if_missing=interval.if_missing) for side in sides)
    return AllOf(parts) if interval.inside else AnyOf(parts)


def _negated(part: Predicate) -> Predicate:
    if part in (ALWAYS, NEVER):
        return NEVER if part == ALWAYS else ALWAYS
    return part.part if isinstance(part, Not) else Not(part)


def _merged(
    kind: type[AllOf | AnyOf],
    settled: Predicate,
    parts: Sequence[Predicate],
    language: Language,
) -> Predicate:
    """Combine parts, each once, and those of parts of the same kind directly."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        said = canonical_condition(part, language)
        flat.update(dict.fromkeys(said.parts if isinstance(said, kind) else (said,)))
    if settled in flat:
        return settled
    return next(iter(flat)) if len(flat) == 1 else kind(_sorted(list(flat), language))


def _counted(count: int, parts: Sequence[Predicate], language: Language) -> Predicate:
    """Count the parts that are always or never true beforehand."""
    said = [canonical_condition(part, language) for part in parts]
    unsettled = [part for part in said if part not in (ALWAYS, NEVER)]
    count -= said.count(ALWAYS)
    if not 0 < count <= len(unsettled):
        return ALWAYS if count <= 0 else NEVER
    return unsettled[0] if len(unsettled) == 1 else AtLeast(count, _sorted(unsettled, language))


def _sorted(parts: Sequence[Predicate], language: Language) -> tuple[Predicate, ...]:
    """Put literals in the order in which they are told, before what is combined."""
    literals, combined = apart(parts)
    return (*sorted(literals, key=language.told), *combined)


def apart(parts: Sequence[Predicate]) -> tuple[list[Predicate], list[Predicate]]:
    """Split parts into literals and combinations."""
    literals = [part for part in parts if kind_of(part) == "literal"]
    return literals, [part for part in parts if kind_of(part) != "literal"]
