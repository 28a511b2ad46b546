"""The part of a tree that is drawn: all of it, or down to a depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rulewright.errors import InputError
from rulewright.rules import Leaf, Split, Tree


@dataclass(frozen=True, slots=True)
class TreeShape:
    """Levels of the nodes of a tree, and the depth to which it is drawn.

    Attributes
    ----------
    tree : Tree
    level : tuple of int
        Number of splits above each node.
    leaves : tuple of int
        Number of leaves below each node; 1 for a leaf.
    depth : int
        Greatest level that is drawn; splits at this level are cut off.
    """

    tree: Tree
    level: tuple[int, ...]
    leaves: tuple[int, ...]
    depth: int

    @classmethod
    def of(cls, tree: Tree, max_depth: int | None, max_leaves: int | None) -> TreeShape:
        """Return the shape of a tree, drawn as deep as both limits allow."""
        for name, limit, minimum in (("max_depth", max_depth, 0), ("max_leaves", max_leaves, 1)):
            if limit is not None and (not isinstance(limit, int) or limit < minimum):
                raise InputError(
                    f"{name} must be None or a whole number of at least {minimum}; found {limit!r}."
                )
        level, leaves = [0] * len(tree.nodes), [1] * len(tree.nodes)
        for number, node in enumerate(tree.nodes):
            for child in node.branches if isinstance(node, Split) else ():
                level[child] = level[number] + 1
        for number in reversed(range(len(tree.nodes))):
            node = tree.nodes[number]
            if isinstance(node, Split):
                leaves[number] = sum(leaves[child] for child in node.branches)
        depth = _greatest_depth(tree, level, max_depth, max_leaves)
        return cls(tree, tuple(level), tuple(leaves), depth)

    @property
    def drawn(self) -> list[int]:
        """Numbers of the drawn nodes, in order."""
        return [number for number, level in enumerate(self.level) if level <= self.depth]

    @property
    def deepest(self) -> int:
        """Depth of the whole tree."""
        return max(self.level)

    @property
    def hidden(self) -> int:
        """Number of leaves that are not drawn."""
        return sum(self.leaves[number] for number in self.drawn if self.is_cut(number))

    def is_cut(self, number: int) -> bool:
        """Whether a node is drawn without its subtree."""
        return self.level[number] == self.depth and isinstance(self.tree.nodes[number], Split)


def _greatest_depth(
    tree: Tree, level: Sequence[int], max_depth: int | None, max_leaves: int | None
) -> int:
    """Return the depth to which a tree can be drawn; a subtree cut off counts as one leaf."""
    splits, leaves = [0] * (max(level) + 1), [0] * (max(level) + 1)
    for node, deep in zip(tree.nodes, level, strict=True):
        (leaves if isinstance(node, Leaf) else splits)[deep] += 1
    ends = [above + cut for above, cut in zip(accumulate(leaves), splits, strict=True)]
    allowed = ends[: None if max_depth is None else max_depth + 1]
    return sum(max_leaves is None or count <= max_leaves for count in allowed) - 1
