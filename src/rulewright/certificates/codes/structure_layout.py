"""What encoder and decoder of structures both derive from what is known so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulewright.certificates.codes.codebook import Codebook
from rulewright.certificates.codes.tree_parts import Shares
from rulewright.rules import (
    ClassScorecard,
    Conjunction,
    Disjunction,
    Predicate,
    RuleList,
    RuleVote,
    Scorecard,
    Tree,
)

KINDS = {
    "conjunction": Conjunction,
    "disjunction": Disjunction,
    "list": RuleList,
    "vote": RuleVote,
    "tree": Tree,
    "scorecard": Scorecard,
    "class scorecard": ClassScorecard,
}
CONSTANT_WEIGHTS = (63, 1)
"""Weights of a rule of a vote with a condition, and of one without."""


def branch_counts(numbers: Sequence[int]) -> list[int]:
    """Return the number of branches of each split, given the split of each test."""
    tests = Counter(numbers)
    return [tests[split] + 1 for split in range(len(tests))]


def tests_by_split(tests: Sequence[Predicate], numbers: Sequence[int]) -> list[list[Predicate]]:
    """Return the tests of each split."""
    groups: list[list[Predicate]] = []
    for split, test in zip(numbers, tests, strict=True):
        if split == len(groups):
            groups.append([])
        groups[split].append(test)
    return groups


def may_have_equal_leaves(
    numbers: Sequence[int], shares: Sequence[Shares], compares: Sequence[bool]
) -> list[bool]:
    """Return for each test whether both its branches may be the same leaf.

    The last of several tests may be there to distribute the rows that miss its column, unless all
    of them use the same column.
    """
    tests = Counter(numbers)
    return [bool(shares[split]) and tests[split] > 1 and not compares[split] for split in numbers]


def min_literals(codebook: Codebook, kind: str | None, examples: int) -> int:
    """Return the smallest number of literals that use all examples; 0 where parts are combined."""
    if codebook.within(kind) or not codebook.max_examples:
        return 0
    return -(-examples // codebook.max_examples)
