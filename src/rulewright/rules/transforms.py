"""Transforms: the same tree with other field values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import is_
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field
from rulewright.rules.node import Node, field_names

AnyNode = TypeVar("AnyNode", bound=Node)
Change = Callable[[Node, str, Any], Any]

COMPOUND = (tuple, Node)
"""Types of values that may contain nodes."""

# Rounding a kernel's shape, a scaling or weights would make the model no easier to read.
NOT_ROUNDED = {"gamma", "offset", "weight", "weights", "shift", "unit", "knots"}


def map_fields(node: AnyNode, change: Change) -> AnyNode:
    """Apply ``change(node, field name, value)`` to every field of a node and its descendants."""
    same, members = True, {}
    for name in field_names(type(node)):  # type: ignore[arg-type]
        value = getattr(node, name)
        found = members[name] = _member(node, name, value, change)
        same = same and found is value
    return node if same else type(node)(**members)


def _member(node: Node, name: str, value: Any, change: Change) -> Any:
    if isinstance(value, tuple):
        items = [_member(node, name, item, change) for item in value]
        return value if all(map(is_, items, value)) else tuple(items)
    if isinstance(value, Node):
        return map_fields(value, change)
    return change(node, name, value)


def rounded(node: AnyNode, decimals: int) -> AnyNode:
    """Round the cuts, ends, centres and radii of a node and its descendants.

    The anchors stay: they are the rows that supplied the numbers before rounding.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> rounded(Threshold("age", above=True, cut=41.67), 0).cut
    42.0
    """

    def change(_: Node, name: str, value: Any) -> Any:
        if isinstance(value, float) and name not in NOT_ROUNDED:
            return round(value, decimals) + 0.0  # -0.0 reads as 0.0
        return value

    return map_fields(node, change)


def reanchored(node: AnyNode, rows: Sequence[int] | NDArray[np.intp]) -> AnyNode:
    """Renumber the training rows that a node is anchored on: row i becomes ``rows[i]``.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> reanchored(Threshold("age", above=True, cut=41.0, anchored_on=(2,)), [4, 5, 7]).anchors
    (7,)
    """

    def change(part: Any) -> Any:
        if not _is_anchored(part):
            return part
        return replace(part, anchored_on=tuple(int(rows[row]) for row in part.anchored_on))

    return map_nodes(node, change)


def map_nodes(node: AnyNode, change: Callable[[Any], Any]) -> AnyNode:
    """Apply ``change`` to a node and its descendants, these first."""
    same, members = True, {}
    for name in field_names(type(node)):  # type: ignore[arg-type]
        value = getattr(node, name)
        members[name] = value
        if isinstance(value, COMPOUND):
            members[name] = _with_nodes(value, change)
            same = same and members[name] is value
    found: AnyNode = change(node if same else type(node)(**members))
    return found


def _with_nodes(value: Any, change: Callable[[Any], Any]) -> Any:
    """Change a node, or the nodes in a tuple; a tuple without changes stays the same object."""
    if not isinstance(value, tuple):
        return map_nodes(value, change)
    items = [_with_nodes(item, change) if isinstance(item, COMPOUND) else item for item in value]
    return value if all(map(is_, items, value)) else tuple(items)


def without_anchors(node: AnyNode) -> AnyNode:
    """Remove the numbers of the training rows that a node and its descendants are anchored on.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> without_anchors(Threshold("age", above=True, cut=41.0, anchored_on=(2,))).anchors
    ()
    """
    return map_nodes(
        node, lambda part: replace(part, anchored_on=()) if _is_anchored(part) else part
    )


def _is_anchored(node: Node) -> bool:
    return bool(getattr(node, "anchored_on", ()))


def with_fields(node: AnyNode, columns: Iterable[Field]) -> AnyNode:
    """Set what tests know of their columns: the kind of dates, and the order of categories.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> opened = Field("opened", "date")
    >>> with_fields(Threshold("opened", above=True, cut=18687.0), [opened]).moment
    'date'
    """
    known = {column.name: column for column in columns}

    def change(part: Node, name: str, value: Any) -> Any:
        if name in ("moment", "order"):
            return getattr(known[part.column], name)  # type: ignore[attr-defined]
        return value

    return map_fields(node, change)


def bound_to(node: AnyNode, functions: Mapping[str, Callable[..., Any]]) -> AnyNode:
    """Bind nodes that refer to a user's function to the function of that name."""

    def change(part: Node, name: str, value: Any) -> Any:
        return functions.get(part.name, value) if name == "function" else value  # type: ignore[attr-defined]

    return map_fields(node, change)
