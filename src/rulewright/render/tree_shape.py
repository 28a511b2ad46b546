"""How much of a tree is drawn: all of it, or down to some depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rulewright.errors import InputError
from rulewright.rules import Leaf, Split, Tree


@dataclass(frozen=True, slots=True)
class Shape:
    """Which nodes are drawn, and what is below those that are not.

    Attributes
    ----------
    tree : Tree
    level : tuple of int
        How many splits lie above each node.
    leaves : tuple of int
        How many leaves each node has below it; a leaf has itself.
    depth : int
        The greatest level that is drawn; splits that lie there are cut off.
    """

    tree: Tree
    level: tuple[int, ...]
    leaves: tuple[int, ...]
    depth: int

    @classmethod
    def of(cls, tree: Tree, max_depth: int | None, max_leaves: int | None) -> Shape:
        """Draw as deep as both limits allow."""
        for name, most, least in (("max_depth", max_depth, 0), ("max_leaves", max_leaves, 1)):
            if most is not None and (not isinstance(most, int) or most < least):
                raise InputError(
                    f"{name} must be None or a whole number of at least {least}; found {most!r}."
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
        """The numbers of the nodes that are drawn, in order."""
        return [number for number, level in enumerate(self.level) if level <= self.depth]

    @property
    def deepest(self) -> int:
        """The depth of the whole tree."""
        return max(self.level)

    @property
    def hidden(self) -> int:
        """The number of leaves that are not drawn."""
        return sum(self.leaves[number] for number in self.drawn if self.is_cut(number))

    def is_cut(self, number: int) -> bool:
        """Whether the subtree below a node that is drawn is not."""
        return self.level[number] == self.depth and isinstance(self.tree.nodes[number], Split)


def _greatest_depth(
    tree: Tree, level: Sequence[int], max_depth: int | None, max_leaves: int | None
) -> int:
    """Find how deep a tree can be drawn; a subtree that is cut off counts as one leaf."""
    splits, leaves = [0] * (max(level) + 1), [0] * (max(level) + 1)
    for node, deep in zip(tree.nodes, level, strict=True):
        (leaves if isinstance(node, Leaf) else splits)[deep] += 1
    ends = [above + cut for above, cut in zip(accumulate(leaves), splits, strict=True)]
    allowed = ends[: None if max_depth is None else max_depth + 1]
    return sum(max_leaves is None or count <= max_leaves for count in allowed) - 1
