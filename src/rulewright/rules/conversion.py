"""Conversion of arrangements to rule lists, and of lists to votes, with the same answers."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from rulewright.errors import InputError
from rulewright.rules.arrangements import (
    Arrangement,
    Conjunction,
    Disjunction,
    Rule,
    RuleList,
    RuleVote,
    WeightedRule,
)
from rulewright.rules.combinations import AllOf
from rulewright.rules.implication import narrowed
from rulewright.rules.node import Predicate
from rulewright.rules.trees import Leaf, Split, Tree

MAX_EXACT = 2**53
"""The largest sum of whole votes that is exact."""


def as_rule_list(body: Arrangement) -> RuleList:
    """Return the list of rules that answers every row as a tree does, one rule a leaf.

    Missing values and unseen categories get the same answers too. The leaves exclude each other, so
    their order is free: those of the class that has the most leaves (then the most tests, then the
    lowest class number) become the default. Conjunctions and disjunctions become lists of the same
    rules.

    Raises
    ------
    InputError
        For votes, and for trees that send missing values down several branches.

    Examples
    --------
    >>> from rulewright.rules import Split, Threshold
    >>> low, lower = Threshold("x", above=False, cut=5.0), Threshold("x", above=False, cut=3.0)
    >>> tree = Tree((Split((low,), (1, 2)), Split((lower,), (3, 4)), Leaf(1), Leaf(1), Leaf(0)))
    >>> between = AllOf((low, Threshold("x", above=True, cut=3.0)))
    >>> as_rule_list(tree) == RuleList((Rule(between, 0),), default=1)
    True
    """
    return as_rule_list_with_answers(body)[0]


def as_rule_list_with_answers(body: Arrangement) -> tuple[RuleList, tuple[int, ...]]:
    """Return the list, and for each rule of the body the number of its rule in the list."""
    match body:
        case Tree():
            return _list_of_leaves(_narrowed_leaves(body))
        case RuleList():
            return body, tuple(range(len(body.rules)))
        case Conjunction() | Disjunction():
            *listed, last = body.rules
            return RuleList(tuple(listed), last.output), tuple(range(len(body.rules)))
    raise InputError(
        f"A {type(body).__name__} cannot be written as a list of rules: several of its rules "
        "answer a row together. Trees, conjunctions and disjunctions can."
    )


def as_rule_vote(body: Arrangement) -> RuleVote:
    """Return the vote that answers every row as a list, a conjunction or a disjunction does.

    The weight of a rule is one more than what all later rules give to any other class, so the first
    rule that holds decides. For two classes this is a linear threshold function of the predicates:
    decision lists are a subset of these functions (Sokolova, Japkowicz, Marchand & Shawe-Taylor
    2003, The Decision List Machine, section 1). The weights say nothing about probabilities.

    Raises
    ------
    InputError
        For trees and votes, and for lists whose weights exceed 2**53, which sums cannot hold.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> first, second = Threshold("x", above=True, cut=5.0), Threshold("z", above=True, cut=1.0)
    >>> rules = RuleList((Rule(first, 1), Rule(second, 0), Rule(first, 0)), default=1)
    >>> [voter.weight for voter in as_rule_vote(rules).voters]
    [3.0, 1.0, 1.0]
    """
    if isinstance(body, Tree | RuleVote):
        raise InputError(
            f"A {type(body).__name__} is not a list. Lists, conjunctions and disjunctions can be "
            "written as votes; a tree becomes a list by as_rule_list."
        )
    rules = as_rule_list(body)
    later: dict[int, int] = {}
    voters = []
    for rule in reversed(rules.listed):
        others = [votes for output, votes in later.items() if output != rule.output]
        weight = 1 + max(others, default=0)
        later[rule.output] = later.get(rule.output, 0) + weight
        voters.append(WeightedRule(rule.condition, rule.output, float(weight)))
    if max(later.values(), default=0) > MAX_EXACT:
        raise InputError(
            f"The list has {len(voters)} rules, which change the class so often that the weights "
            "of a vote would exceed 2**53. Use a list of fewer rules."
        )
    return RuleVote(tuple(reversed(voters)), rules.default)


Path = dict[tuple[str, ...], tuple[Predicate, ...]]
"""Tests on a path, by their columns."""


def _narrowed_leaves(tree: Tree) -> list[Rule]:
    """Return one rule for each leaf, in the order of the nodes, without redundant tests."""
    paths: dict[int, Path] = {0: {}}
    leaves = []
    for number, node in enumerate(tree.nodes):
        path = paths.pop(number)
        if isinstance(node, Leaf):
            leaves.append(Rule(AllOf(tuple(chain.from_iterable(path.values()))), node.output))
            continue
        if isinstance(node, Split) and node.shares:
            raise InputError(
                "A tree that sends missing values down several branches cannot be written as a "
                "list of rules: such a row has several answers. Learn the tree with missing values "
                "going one way (missing='side', --learner tree --missing side), learn a list "
                "(RIPPER, --learner ripper), or fill them in."
            )
        for test, child in zip(node.tests, node.branches, strict=False):
            paths[child] = _further(path, test)
            path = _further(path, ~test)
        paths[node.branches[-1]] = path
    return leaves


def _further(path: Path, test: Predicate) -> Path:
    longer = dict(path)
    for part in test.parts if isinstance(test, AllOf) else (test,):
        longer[part.columns] = narrowed((*longer.get(part.columns, ()), part))
    return longer


def _list_of_leaves(leaves: list[Rule]) -> tuple[RuleList, tuple[int, ...]]:
    """Return a list whose default is the class that saves the most rules."""
    saved = Counter(leaf.output for leaf in leaves)
    shorter = Counter[int]()
    for leaf in leaves:
        shorter[leaf.output] += leaf.literals
    default = min(saved, key=lambda output: (-saved[output], -shorter[output], output))
    listed = [number for number, leaf in enumerate(leaves) if leaf.output != default]
    place = {number: rule for rule, number in enumerate(listed)}
    answers = tuple(place.get(number, len(listed)) for number in range(len(leaves)))
    return RuleList(tuple(leaves[number] for number in listed), default), answers
