"""The canonical one of the models that visibly classify every row alike.

The message describes this one. Its parts are in the order of their codes. Parts that are always or
never true, that are repeated, or that make no difference to the answer are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rulewright.certificates.codes.codebook import Codebook, kind_of
from rulewright.certificates.codes.tree_parts import TreeParts, tree_from_parts, tree_parts
from rulewright.errors import CertificateError
from rulewright.families import Family
from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
    Interval,
    Leaf,
    Not,
    Points,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Split,
    Tree,
    WeightedRule,
    extreme_totals,
)

ALWAYS, NEVER = AllOf(), AnyOf()
CANONICAL_RISK = (0.25, 0.75)
"""Risk of a band by its class: a message has the answers of a scorecard, not its risks."""


def canonical_model(body: Arrangement, codebook: Codebook) -> Arrangement:
    """Return the model that the message rebuilds: it classifies every row as ``body`` does."""
    match body:
        case Conjunction() | Disjunction():
            return _junction(body, codebook)
        case RuleList():
            return _list(body, codebook)
        case RuleVote():
            return _vote(body, codebook)
        case Tree():
            return tree_from_parts(canonical_tree_parts(body, codebook))
        case Scorecard():
            return _scorecard(body, codebook)
        case ClassScorecard():
            return _class_scorecard(body, codebook)
    raise CertificateError(f"{type(body).__name__} has no certificate in this version.")


def _junction(body: Conjunction | Disjunction, codebook: Codebook) -> Arrangement:
    combine = AllOf if isinstance(body, Conjunction) else AnyOf
    whole = canonical_condition(combine(body.parts), codebook)
    then, otherwise = body.then, body.otherwise
    parts = whole.parts if isinstance(whole, combine) else (whole,)
    if then == otherwise:
        other = (then + 1) % codebook.classes
        then, otherwise = (then, other) if combine is AllOf else (other, otherwise)
        parts = ()
    elif parts and whole in (ALWAYS, NEVER):  # without parts it is constant already
        then, otherwise, parts = otherwise, then, ()
    return type(body)(parts, then, otherwise)


def _list(body: RuleList, codebook: Codebook) -> RuleList:
    """Return the list without rules that never answer, or that end it with the default."""
    rules, default = [], body.default
    for rule in body.listed:
        condition = canonical_condition(rule.condition, codebook)
        if condition == ALWAYS:
            default = rule.output
            break
        if condition != NEVER:
            rules.append(Rule(condition, rule.output))
    while rules and rules[-1].output == default:
        rules.pop()
    return RuleList(tuple(rules), default)


def _vote(body: RuleVote, codebook: Codebook) -> RuleVote:
    """Return the vote without rules that never hold."""
    voters = [
        WeightedRule(canonical_condition(voter.condition, codebook), voter.output, voter.weight)
        for voter in body.voters
    ]
    return RuleVote(tuple(v for v in voters if v.condition != NEVER), body.default)


def _scorecard(body: Scorecard, codebook: Codebook) -> Scorecard:
    """Return the lines that can make a difference, with the classes below and from the cut.

    Risks and other bands change no answer, so the message leaves them out.
    """
    lines, always = [], 0
    for line in body.lines:
        condition = canonical_condition(line.condition, codebook)
        if condition == ALWAYS:
            always += line.points
        elif condition != NEVER and line.points:
            lines.append(ScoreLine(condition, line.points))
    lowest, highest = extreme_totals(lines)
    below, above = body.outputs[0], body.outputs[-1]
    cut = None if body.cut is None else body.cut - always
    if cut is None or not lowest < cut <= highest:
        constant = below if cut is None or cut > highest else above
        return Scorecard((), (_answer_band(0, constant),))
    bands = (_answer_band(lowest, below), _answer_band(cut, above))
    return Scorecard(tuple(lines), bands)


def _answer_band(low: int, output: int) -> ScoreBand:
    return ScoreBand(Points(low), output, CANONICAL_RISK[output])


def _class_scorecard(body: ClassScorecard, codebook: Codebook) -> ClassScorecard:
    """Return the lines that can make a difference; the slope changes no answer."""
    lines: list[ClassScoreLine] = []
    start: list[int] = list(body.start)
    for line in body.lines:
        condition = canonical_condition(line.condition, codebook)
        if condition == ALWAYS:
            start = [one + more for one, more in zip(start, line.points, strict=True)]
        elif condition != NEVER and any(line.points):
            lines.append(ClassScoreLine(condition, line.points))
    return ClassScorecard(tuple(map(Points, start)), tuple(lines), 0.0)


def canonical_tree_parts(body: Tree, codebook: Codebook) -> TreeParts:
    """Return the parts of a tree without the tests that never decide.

    Such a test has no rows, or all answers behind it are the same.
    """
    nodes = list(body.nodes)
    replacement = list(range(len(nodes)))  # the node that takes each node's place
    for number in reversed(range(len(nodes))):
        node = nodes[number]
        if isinstance(node, Leaf):
            continue
        branches = tuple(replacement[branch] for branch in node.branches)
        if _decides(node, branches, nodes):
            nodes[number] = node if branches == node.branches else Split(node.tests, branches)
            continue
        draft = _SplitDraft.of(node, branches, codebook)
        draft.shorten(nodes)
        draft.sort(nodes, codebook)
        if draft.tests:
            nodes[number] = Split(tuple(draft.tests), tuple(draft.branches), tuple(draft.shares))
        else:
            replacement[number] = draft.branches[0]
    return tree_parts(nodes, replacement[0])


def _decides(node: Split, branches: Sequence[int], nodes: Sequence[Split | Leaf]) -> bool:
    """Whether a split is one literal with different branches, as nearly all are."""
    if len(branches) > 2 or node.shares or kind_of(node.tests[0]) != "literal":
        return False
    if isinstance(node.tests[0], Interval):  # it may stand for two thresholds
        return False
    return not _same_leaf(nodes[branches[0]], nodes[branches[1]])


@dataclass
class _SplitDraft:
    """A split that is being simplified."""

    tests: list[Predicate]
    branches: list[int]
    shares: list[int]

    @classmethod
    def of(cls, node: Split, branches: Sequence[int], codebook: Codebook) -> _SplitDraft:
        """Return the draft of the tests that decide, with the branches in force."""
        if node.shares:
            return cls(_shared_tests(node, codebook), list(branches), list(node.shares))
        return cls(*_open_branches(node, branches, codebook), [])

    def sort(self, nodes: Sequence[Split | Leaf], codebook: Codebook) -> None:
        """Sort tests that compare one column with single values by these values.

        Their order makes no difference. Values that end as all others do are left out.
        """
        compared = codebook.compared(self.tests)
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
        """Remove the last tests while both branches are the same leaf."""
        while self.tests and _same_leaf(*(nodes[branch] for branch in self.branches[-2:])):
            if self.shares and not _same_columns(self.tests):
                break
            self.tests.pop()
            self.branches.pop()
            if self.shares:
                self.shares[-2:] = [sum(self.shares[-2:])]


def _same_columns(tests: Sequence[Predicate]) -> bool:
    """Whether the last test uses only columns of the tests before it, or is the only one."""
    *rest, last = tests
    return not rest or set(last.columns) <= {name for test in rest for name in test.columns}


def _open_branches(
    node: Split, branches: Sequence[int], codebook: Codebook
) -> tuple[list[Predicate], list[int]]:
    """Return the tests that can be true or false, and the branches with the last one."""
    tests: list[Predicate] = []
    kept: list[int] = []
    for test, branch in zip(node.tests, branches, strict=False):
        condition = canonical_condition(test, codebook)
        if condition == ALWAYS:
            return tests, [*kept, branch]
        if condition != NEVER:
            tests.append(condition)
            kept.append(branch)
    return tests, [*kept, branches[-1]]


def _shared_tests(node: Split, codebook: Codebook) -> list[Predicate]:
    """Return the tests of a split that distributes rows with missing values."""
    tests = [canonical_condition(test, codebook) for test in node.tests]
    columns = {name for test in tests for name in test.columns}
    if columns != set(node.columns) or ALWAYS in tests or NEVER in tests:
        raise CertificateError(
            "A split of the tree distributes rows by columns that make no difference to its tests. "
            "Remove from its tests what is always or never true."
        )
    return tests


def _same_leaf(one: Split | Leaf, other: Split | Leaf) -> bool:
    return isinstance(one, Leaf) and one == other


def canonical_condition(condition: Predicate, codebook: Codebook) -> Predicate:
    """Return the condition that the message rebuilds: it holds where ``condition`` does."""
    match condition:
        case Not(part):
            return _negated(canonical_condition(part, codebook))
        case AllOf(parts):
            return _merged(AllOf, NEVER, parts, codebook)
        case AnyOf(parts):
            return _merged(AnyOf, ALWAYS, parts, codebook)
        case AtLeast(count, parts):
            return _counted(count, parts, codebook)
        case Interval() if not codebook.can_encode(condition):
            return canonical_condition(_two_thresholds(condition), codebook)
    return condition


def split_intervals(body: Arrangement, families: Sequence[Family]) -> Arrangement:
    """Return the machine with each interval that no family makes as two thresholds."""
    match body:
        case Conjunction(parts) | Disjunction(parts):
            kind = AllOf if isinstance(body, Conjunction) else AnyOf
            thresholds = (_thresholds(part, kind, families) for part in parts)
            return replace(body, parts=tuple(chain.from_iterable(thresholds)))
    return body


def _thresholds(
    part: Predicate, kind: type[AllOf | AnyOf], families: Sequence[Family]
) -> tuple[Predicate, ...]:
    if isinstance(part, Interval) and all(family.site(part) is None for family in families):
        two = _two_thresholds(part)
        return two.parts if isinstance(two, kind) else (part,)
    return (part,)


def _two_thresholds(interval: Interval) -> AllOf | AnyOf:
    """Return the two thresholds of an interval, as they were before they were merged."""
    sides = interval.sides if interval.inside else tuple(~side for side in interval.sides)
    parts = tuple(replace(side, if_missing=interval.if_missing) for side in sides)
    return AllOf(parts) if interval.inside else AnyOf(parts)


def _negated(part: Predicate) -> Predicate:
    if part in (ALWAYS, NEVER):
        return NEVER if part == ALWAYS else ALWAYS
    return part.part if isinstance(part, Not) else Not(part)


def _merged(
    kind: type[AllOf | AnyOf],
    absorbing: Predicate,
    parts: Sequence[Predicate],
    codebook: Codebook,
) -> Predicate:
    """Return a combination of the parts, each once; nested ones of the same kind are merged."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        condition = canonical_condition(part, codebook)
        flat.update(dict.fromkeys(condition.parts if isinstance(condition, kind) else (condition,)))
    if absorbing in flat:
        return absorbing
    return next(iter(flat)) if len(flat) == 1 else kind(_sorted(list(flat), codebook))


def _counted(count: int, parts: Sequence[Predicate], codebook: Codebook) -> Predicate:
    """Return "at least ``count`` of the parts", less the parts that are always or never true."""
    conditions = [canonical_condition(part, codebook) for part in parts]
    varying = [part for part in conditions if part not in (ALWAYS, NEVER)]
    count -= conditions.count(ALWAYS)
    if not 0 < count <= len(varying):
        return ALWAYS if count <= 0 else NEVER
    return varying[0] if len(varying) == 1 else AtLeast(count, _sorted(varying, codebook))


def _sorted(parts: Sequence[Predicate], codebook: Codebook) -> tuple[Predicate, ...]:
    """Return the literals in the order of their codes, then the combinations."""
    literals, combined = literals_and_combinations(parts)
    return (*sorted(literals, key=codebook.code_of), *combined)


def literals_and_combinations(
    parts: Sequence[Predicate],
) -> tuple[list[Predicate], list[Predicate]]:
    """Return the literals and the combinations among some parts."""
    literals = [part for part in parts if kind_of(part) == "literal"]
    return literals, [part for part in parts if kind_of(part) != "literal"]
