"""The same tree with other numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Moment
from rulewright.rules.node import Node, members_of

AnyNode = TypeVar("AnyNode", bound=Node)
Change = Callable[[Node, str, Any], Any]

# Rounding a kernel's shape, a scaling or weights would make the model no easier to read.
NOT_ROUNDED = {"gamma", "offset", "weight", "weights", "shift", "unit", "knots"}


def rewritten(node: AnyNode, change: Change) -> AnyNode:
    """Apply ``change(node, member's name, value)`` to every member of a node and of its parts."""
    names = members_of(type(node))  # type: ignore[arg-type]
    before = {name: getattr(node, name) for name in names}
    members = {name: _member(node, name, value, change) for name, value in before.items()}
    if all(members[name] is value for name, value in before.items()):
        return node
    return type(node)(**members)


def _member(node: Node, name: str, value: Any, change: Change) -> Any:
    if isinstance(value, Node):
        return rewritten(value, change)
    if isinstance(value, tuple):
        items = tuple(_member(node, name, item, change) for item in value)
        return value if all(map(is_, items, value)) else items
    return change(node, name, value)


def rounded(node: AnyNode, decimals: int) -> AnyNode:
    """Round the cuts, ends, centres and radii of a node and of its parts.

    The anchors stay: they say where the numbers came from, not that they still occur there.

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

    return rewritten(node, change)


def reanchored(node: AnyNode, rows: Sequence[int] | NDArray[np.intp]) -> AnyNode:
    """Name the training rows that a node is anchored on by other numbers: row i by ``rows[i]``.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> reanchored(Threshold("age", above=True, cut=41.0, anchored_on=(2,)), [4, 5, 7]).anchors
    (7,)
    """

    def change(_: Node, name: str, value: Any) -> Any:
        return int(rows[value]) if name == "anchored_on" else value

    return rewritten(node, change)


def with_moments(node: AnyNode, moments: Mapping[str, Moment]) -> AnyNode:
    """Say to the tests on columns of dates, datetimes or durations how to write their numbers.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> with_moments(Threshold("opened", above=True, cut=18687.0), {"opened": "date"}).moment
    'date'
    """

    def change(part: Node, name: str, value: Any) -> Any:
        return moments.get(part.column) if name == "moment" else value  # type: ignore[attr-defined]

    return rewritten(node, change)


def bound_to(node: AnyNode, functions: Mapping[str, Callable[..., Any]]) -> AnyNode:
    """Give the parts that ask a user's function the function of that name."""

    def change(part: Node, name: str, value: Any) -> Any:
        return functions.get(part.name, value) if name == "function" else value  # type: ignore[attr-defined]

    return rewritten(node, change)
