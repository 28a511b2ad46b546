"""Conversion of a tree to a binary tree and back, without recursion, so for any depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulewright.rules import Leaf, Predicate, Split, Tree

Shares = tuple[int, ...]


class BinaryTree(NamedTuple):
    """A binary tree in preorder; a split of several tests is a chain of joined binary splits.

    Attributes
    ----------
    shape : for each node, in preorder, whether it is a split
    joined : for each split in the "no" branch of another, whether both are one split of the tree
    shares : shares of the splits of the tree
    tests : tests of the binary splits
    outputs : answers of the leaves
    """

    shape: list[bool]
    joined: list[bool]
    shares: list[Shares]
    tests: list[Predicate]
    outputs: list[int]


def to_binary(nodes: Sequence[Split | Leaf], root: int = 0) -> BinaryTree:
    """Return the binary tree of a tree."""
    binary = BinaryTree([], [], [], [], [])
    waiting = [(root, 0, False)]  # a node, the number of its tests done, whether in a "no" branch
    while waiting:
        number, done, denied = waiting.pop()
        node = nodes[number]
        binary.shape.append(isinstance(node, Split))
        if isinstance(node, Leaf):
            binary.outputs.append(node.output)
            continue
        if denied:
            binary.joined.append(done > 0)
        if not done:
            binary.shares.append(node.shares)
        binary.tests.append(node.tests[done])
        is_last = done + 1 == len(node.tests)
        waiting.append((node.branches[-1], 0, True) if is_last else (number, done + 1, True))
        waiting.append((node.branches[done], 0, False))
    return binary


def count_joinable(shape: Sequence[bool]) -> int:
    """Return the number of splits in the "no" branch of another split."""
    count, waiting = 0, [False]
    for split in shape:
        count += waiting.pop() and split
        waiting += [True, False] if split else []
    return count


def split_numbers(shape: Sequence[bool], joined: Sequence[bool]) -> list[int]:
    """Return for each test the number of its split in the tree."""
    joins, found, count = iter(joined), [], 0
    waiting: list[tuple[int, bool]] = [(0, False)]  # parent, whether in its "no" branch
    for split in shape:
        owner, denied = waiting.pop()
        if not split:
            continue
        if not (denied and next(joins)):
            owner, count = count, count + 1
        found.append(owner)
        waiting += [(owner, True), (owner, False)]
    return found


def sibling_leaves(shape: Sequence[bool], alike: Sequence[bool]) -> list[bool]:
    """Return for each leaf whether the leaf before it is the other branch of the same test.

    Tests whose leaves may be ``alike`` do not count.
    """
    found, tests = [], 0
    for n, split in enumerate(shape):
        if split:
            tests += 1
        else:
            found.append(
                n > 1 and shape[n - 2] and not shape[n - 1] and not alike[tests - 1],
            )
    return found


def from_binary(binary: BinaryTree) -> Tree:
    """Return the tree of a binary tree, its nodes in preorder."""
    joins, questions, answers = iter(binary.joined), iter(binary.tests), iter(binary.outputs)
    splits: dict[int, tuple[list[Predicate], list[int], Shares]] = {}
    leaves: dict[int, Leaf] = {}
    shares = iter(binary.shares)
    waiting: list[tuple[int | None, bool]] = [(None, False)]  # parent, whether in its "no" branch
    for split in binary.shape:
        number, denied = waiting.pop()
        if not (split and denied and next(joins)):
            parent, number = number, len(splits) + len(leaves)
            if parent is not None:
                splits[parent][1].append(number)
            if split:
                splits[number] = ([], [], next(shares))
            else:
                leaves[number] = Leaf(next(answers))
        if split and number is not None:
            splits[number][0].append(next(questions))
            waiting += [(number, True), (number, False)]
    made = {
        n: Split(tuple(tests), tuple(ends), parts) for n, (tests, ends, parts) in splits.items()
    }
    return Tree(tuple(made.get(n) or leaves[n] for n in range(len(made) + len(leaves))))
