"""A tree as a binary shape, tests and answers, and back; without recursion, so of any depth."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.rules import Leaf, Predicate, Split, Tree


def walked(
    nodes: Sequence[Split | Leaf], root: int = 0
) -> tuple[list[bool], list[bool], list[Predicate], list[int]]:
    """Take a tree apart, a split of several tests as one of the first test and then the others.

    Returns
    -------
    shape : for each node, in preorder, whether it is a split
    joined : for each split where the split before it said no, whether both are one
    tests : of the splits
    outputs : of the leaves
    """
    shape, joined, outputs = [], [], []
    tests: list[Predicate] = []
    waiting = [(root, 0, False)]  # a node, how many of its tests are done, whether a test said no
    while waiting:
        number, done, denied = waiting.pop()
        node = nodes[number]
        shape.append(isinstance(node, Split))
        if isinstance(node, Leaf):
            outputs.append(node.output)
            continue
        if denied:
            joined.append(done > 0)
        tests.append(node.tests[done])
        is_last = done + 1 == len(node.tests)
        waiting.append((node.branches[-1], 0, True) if is_last else (number, done + 1, True))
        waiting.append((node.branches[done], 0, False))
    return shape, joined, tests, outputs


def joinable(shape: Sequence[bool]) -> int:
    """Count the splits where the split before said no."""
    count, waiting = 0, [False]
    for split in shape:
        count += waiting.pop() and split
        waiting += [True, False] if split else []
    return count


def twins(shape: Sequence[bool]) -> list[bool]:
    """Say of each leaf whether the leaf before it is the other branch of the same test."""
    leaves = [number for number, split in enumerate(shape) if not split]
    return [n > 1 and shape[n - 2] and not shape[n - 1] for n in leaves]


def grown(
    shape: Sequence[bool],
    joined: Sequence[bool],
    tests: Sequence[Predicate],
    outputs: Sequence[int],
) -> Tree:
    """Put a tree together again, its nodes in preorder."""
    joins, questions, answers = iter(joined), iter(tests), iter(outputs)
    splits: dict[int, tuple[list[Predicate], list[int]]] = {}
    leaves: dict[int, Leaf] = {}
    waiting: list[tuple[int | None, bool]] = [(None, False)]  # whose branch, whether it said no
    for split in shape:
        number, denied = waiting.pop()
        if not (split and denied and next(joins)):
            parent, number = number, len(splits) + len(leaves)
            if parent is not None:
                splits[parent][1].append(number)
            if split:
                splits[number] = ([], [])
            else:
                leaves[number] = Leaf(next(answers))
        if split and number is not None:
            splits[number][0].append(next(questions))
            waiting += [(number, True), (number, False)]
    made = {n: Split(tuple(tests), tuple(branches)) for n, (tests, branches) in splits.items()}
    return Tree(tuple(made.get(n) or leaves[n] for n in range(len(made) + len(leaves))))
