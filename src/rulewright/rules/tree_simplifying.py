"""Pruning of tests that decide nothing, and of branches that no row takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.rules.combinations import AllOf, AnyOf
from rulewright.rules.node import Predicate
from rulewright.rules.regions import Region, region_of
from rulewright.rules.trees import Leaf, Split, Tree

ALWAYS, NEVER = AllOf(), AnyOf()
Path = Mapping[str, Region]
"""Values that reach a node, for each column tested on the path."""

Fork = tuple[list[Predicate], list[int]]
"""Tests and branches of a split that is being built."""


def pruned(
    tree: Tree, simplify: Callable[[Predicate], Predicate]
) -> tuple[Tree, tuple[int | None, ...]]:
    """Remove tests that their path decides, and tests with the same leaf on both sides.

    Return the tree, and for each leaf the number of the leaf that replaces it; None where no row
    can reach it. Trees that share out rows are not changed: a row can take several paths there.
    """
    if any(isinstance(node, Split) and node.shares for node in tree.nodes):
        return tree, tuple(range(len(tree.outputs)))
    paths: dict[int, Path] = {0: {}}
    forks: dict[int, Fork] = {}
    for number, node in enumerate(tree.nodes):
        path = paths.pop(number, None)
        if path is not None and isinstance(node, Split):
            forks[number] = _open(node, path, simplify, paths)
    return _grown(tree, forks)


def _open(
    split: Split,
    path: Path,
    simplify: Callable[[Predicate], Predicate],
    paths: dict[int, Path],
) -> Fork:
    """Keep the tests that are undecided, and record the values that reach their branches."""
    tests: list[Predicate] = []
    branches: list[int] = []
    last = split.branches[-1]
    for test, branch in zip(split.tests, split.branches, strict=False):
        simple = simplify(test)
        verdict = _verdict(simple, path)
        if verdict is False:
            continue
        if verdict:
            last = branch
            break
        tests.append(simple)
        branches.append(branch)
        paths[branch] = _further(path, simple)
        path = _further(path, ~simple)
    paths[last] = path
    return tests, [*branches, last]


def _verdict(test: Predicate, path: Path) -> bool | None:
    """Return the certain answer of a test; None where it is undecided."""
    if test in (ALWAYS, NEVER):
        return test == ALWAYS
    region = region_of(test)
    known = None if region is None else path.get(region.column)
    if region is None or known is None:
        return None
    if region.covers(known):
        return True
    return False if region.intersection(known).is_empty else None


def _further(path: Path, test: Predicate) -> Path:
    longer = dict(path)
    for part in test.parts if isinstance(test, AllOf) else (test,):
        region = region_of(part)
        if region is not None:
            known = longer.get(region.column)
            longer[region.column] = region if known is None else known.intersection(region)
    return longer


def reached(tree: Tree, answered: NDArray[np.bool_]) -> tuple[Tree, tuple[int | None, ...]]:
    """Remove the branches that lead to no leaf that answered a row."""
    if any(isinstance(node, Split) and node.shares for node in tree.nodes):
        return tree, tuple(range(len(tree.outputs)))
    leaves = [number for number, node in enumerate(tree.nodes) if isinstance(node, Leaf)]
    used = dict(zip(leaves, answered.tolist(), strict=True))
    if not any(used.values()):
        return tree, tuple(range(len(leaves)))
    forks: dict[int, Fork] = {}
    for number in reversed(range(len(tree.nodes))):
        node = tree.nodes[number]
        if isinstance(node, Split):
            used[number] = any(used[branch] for branch in node.branches)
            forks[number] = _used(node, used)
    return _grown(tree, forks)


def _used(split: Split, used: Mapping[int, bool]) -> Fork:
    pairs = zip(split.tests, split.branches, strict=False)
    kept = [(test, branch) for test, branch in pairs if used[branch]]
    tests, branches = [test for test, _ in kept], [branch for _, branch in kept]
    if used[split.branches[-1]] or not kept:
        return tests, [*branches, split.branches[-1]]
    return tests[:-1], branches


def _grown(tree: Tree, forks: dict[int, Fork]) -> tuple[Tree, tuple[int | None, ...]]:
    """Build a tree from the remaining splits, its nodes in their old order."""
    instead: dict[int, int] = {}
    for number in reversed(range(len(tree.nodes))):
        if number in forks:
            tests, branches = forks[number]
            branches[:] = [instead.get(branch, branch) for branch in branches]
            _join(tests, branches, tree.nodes, instead)
            if not tests:
                instead[number] = branches[0]
    root = instead.get(0, 0)
    kept = _below(root, forks)
    place = {number: new for new, number in enumerate(kept)}
    nodes = tuple(_made(tree.nodes[number], forks.get(number), place) for number in kept)
    leaf_numbers = [number for number in kept if isinstance(tree.nodes[number], Leaf)]
    leaf_place = {number: new for new, number in enumerate(leaf_numbers)}
    leaves = (number for number, node in enumerate(tree.nodes) if isinstance(node, Leaf))
    answers = tuple(leaf_place.get(_last(number, instead)) for number in leaves)
    return Tree(nodes), answers


def _join(
    tests: list[Predicate],
    branches: list[int],
    nodes: Sequence[Split | Leaf],
    instead: dict[int, int],
) -> None:
    """Remove the last tests whose two branches are equal leaves."""
    while tests:
        one, other = branches[-2:]
        if not isinstance(nodes[one], Leaf) or nodes[one] != nodes[other]:
            return
        instead[one] = other
        tests.pop()
        del branches[-2]


def _below(root: int, forks: Mapping[int, Fork]) -> list[int]:
    """Return the nodes below a root, in increasing order."""
    found, waiting = [], [root]
    while waiting:
        number = waiting.pop()
        found.append(number)
        waiting += forks[number][1] if number in forks else []
    return sorted(found)


def _made(node: Split | Leaf, fork: Fork | None, place: Mapping[int, int]) -> Split | Leaf:
    if fork is None:
        return node
    tests, branches = fork
    return Split(tuple(tests), tuple(place[branch] for branch in branches))


def _last(number: int, instead: Mapping[int, int]) -> int:
    while number in instead:
        number = instead[number]
    return number
