"""A tree as a binary shape, tests and outputs, and back; without recursion, so of any depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulewright.rules import Leaf, Predicate, Split, Tree

Shares = tuple[int, ...]


class TreeParts(NamedTuple):
    """Parts of a tree. A split of several tests becomes a chain of binary splits.

    Attributes
    ----------
    shape : for each node, in preorder, whether it is a split
    joined : for each split on the false branch of another, whether both belong to one split
    shares : of the splits, joined ones together
    tests : of the splits
    outputs : of the leaves
    """

    shape: list[bool]
    joined: list[bool]
    shares: list[Shares]
    tests: list[Predicate]
    outputs: list[int]


def tree_parts(nodes: Sequence[Split | Leaf], root: int = 0) -> TreeParts:
    """Return the parts of a tree."""
    parts = TreeParts([], [], [], [], [])
    stack = [(root, 0, False)]  # node, number of its tests done, whether on a false branch
    while stack:
        number, done, on_false = stack.pop()
        node = nodes[number]
        parts.shape.append(isinstance(node, Split))
        if isinstance(node, Leaf):
            parts.outputs.append(node.output)
            continue
        if on_false:
            parts.joined.append(done > 0)
        if not done:
            parts.shares.append(node.shares)
        parts.tests.append(node.tests[done])
        is_last = done + 1 == len(node.tests)
        stack.append((node.branches[-1], 0, True) if is_last else (number, done + 1, True))
        stack.append((node.branches[done], 0, False))
    return parts


def joinable(shape: Sequence[bool]) -> int:
    """Return the number of splits on the false branch of another split."""
    count, stack = 0, [False]
    for split in shape:
        count += stack.pop() and split
        stack += [True, False] if split else []
    return count


def split_numbers(shape: Sequence[bool], joined: Sequence[bool]) -> list[int]:
    """Return the number of each test's split, where joined ones are one."""
    joins, found, count = iter(joined), [], 0
    stack: list[tuple[int, bool]] = [(0, False)]  # parent, whether on its false branch
    for split in shape:
        number, on_false = stack.pop()
        if not split:
            continue
        if not (on_false and next(joins)):
            number, count = count, count + 1
        found.append(number)
        stack += [(number, True), (number, False)]
    return found


def second_leaves(shape: Sequence[bool], may_be_equal: Sequence[bool]) -> list[bool]:
    """Return for each leaf whether the leaf before it is the other branch of the same test.

    False for the tests whose two leaves ``may_be_equal``.
    """
    found, tests = [], 0
    for n, split in enumerate(shape):
        if split:
            tests += 1
        else:
            found.append(
                n > 1 and shape[n - 2] and not shape[n - 1] and not may_be_equal[tests - 1],
            )
    return found


def tree_from_parts(parts: TreeParts) -> Tree:
    """Return the tree of these parts, its nodes in preorder."""
    joins, tests, outputs = iter(parts.joined), iter(parts.tests), iter(parts.outputs)
    splits: dict[int, tuple[list[Predicate], list[int], Shares]] = {}
    leaves: dict[int, Leaf] = {}
    shares = iter(parts.shares)
    stack: list[tuple[int | None, bool]] = [(None, False)]  # parent, whether on its false branch
    for split in parts.shape:
        number, on_false = stack.pop()
        if not (split and on_false and next(joins)):
            parent, number = number, len(splits) + len(leaves)
            if parent is not None:
                splits[parent][1].append(number)
            if split:
                splits[number] = ([], [], next(shares))
            else:
                leaves[number] = Leaf(next(outputs))
        if split and number is not None:
            splits[number][0].append(next(tests))
            stack += [(number, True), (number, False)]
    made = {n: Split(tuple(own), tuple(ends), sent) for n, (own, ends, sent) in splits.items()}
    return Tree(tuple(made.get(n) or leaves[n] for n in range(len(made) + len(leaves))))
