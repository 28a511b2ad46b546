"""A tree as a binary shape, tests and answers, and back; without recursion, so of any depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulewright.rules import Leaf, Predicate, Split, Tree

Shares = tuple[int, ...]


class Walk(NamedTuple):
    """A tree taken apart, a split of several tests as one of the first test and then the others.

    Attributes
    ----------
    shape : for each node, in preorder, whether it is a split
    joined : for each split where the split before it said no, whether both are one
    shares : of the splits, joined ones together
    tests : of the splits
    outputs : of the leaves
    """

    shape: list[bool]
    joined: list[bool]
    shares: list[Shares]
    tests: list[Predicate]
    outputs: list[int]


def walked(nodes: Sequence[Split | Leaf], root: int = 0) -> Walk:
    """Take a tree apart."""
    walk = Walk([], [], [], [], [])
    waiting = [(root, 0, False)]  # a node, how many of its tests are done, whether a test said no
    while waiting:
        number, done, denied = waiting.pop()
        node = nodes[number]
        walk.shape.append(isinstance(node, Split))
        if isinstance(node, Leaf):
            walk.outputs.append(node.output)
            continue
        if denied:
            walk.joined.append(done > 0)
        if not done:
            walk.shares.append(node.shares)
        walk.tests.append(node.tests[done])
        is_last = done + 1 == len(node.tests)
        waiting.append((node.branches[-1], 0, True) if is_last else (number, done + 1, True))
        waiting.append((node.branches[done], 0, False))
    return walk


def joinable(shape: Sequence[bool]) -> int:
    """Count the splits where the split before said no."""
    count, waiting = 0, [False]
    for split in shape:
        count += waiting.pop() and split
        waiting += [True, False] if split else []
    return count


def owners(shape: Sequence[bool], joined: Sequence[bool]) -> list[int]:
    """Give for each test the number of its split, where joined ones are one."""
    joins, found, count = iter(joined), [], 0
    waiting: list[tuple[int, bool]] = [(0, False)]  # whose branch, whether it said no
    for split in shape:
        owner, denied = waiting.pop()
        if not split:
            continue
        if not (denied and next(joins)):
            owner, count = count, count + 1
        found.append(owner)
        waiting += [(owner, True), (owner, False)]
    return found


def twins(shape: Sequence[bool], alike: Sequence[bool]) -> list[bool]:
    """Say of each leaf whether the leaf before it is the other branch of the same test.

    Not so for the tests whose leaves may be ``alike``.
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


def grown(walk: Walk) -> Tree:
    """Put a tree together again, its nodes in preorder."""
    joins, questions, answers = iter(walk.joined), iter(walk.tests), iter(walk.outputs)
    splits: dict[int, tuple[list[Predicate], list[int], Shares]] = {}
    leaves: dict[int, Leaf] = {}
    shares = iter(walk.shares)
    waiting: list[tuple[int | None, bool]] = [(None, False)]  # whose branch, whether it said no
    for split in walk.shape:
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
