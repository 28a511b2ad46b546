"""The same tree with other numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.rules.node import Node
from rulewright.rules.predicates import Ball, HalfSpace

AnyNode = TypeVar("AnyNode", bound=Node)
Change = Callable[[str, Any], Any]

# Rounding a kernel's shape, a scaling or a vote's weight would make the model no easier to read.
NOT_ROUNDED = {"gamma", "offset", "weight", "shift", "unit", "knots"}


def rewritten(node: AnyNode, change: Change) -> AnyNode:
    """Apply ``change(member's name, value)`` to every member of a node and of its parts."""
    members = {
        f.name: _member(f.name, getattr(node, f.name), change)
        for f in dataclasses.fields(node)  # type: ignore[arg-type]
    }
    return dataclasses.replace(node, **members)  # type: ignore[type-var]


def _member(name: str, value: Any, change: Change) -> Any:
    if isinstance(value, Node):
        return rewritten(value, change)
    if isinstance(value, tuple):
        return tuple(_member(name, item, change) for item in value)
    return change(name, value)


def rounded(node: AnyNode, decimals: int) -> AnyNode:
    """Round the cuts, ends, centres and radii of a node and of its parts.

    The anchors stay: they say where the numbers came from, not that they still occur there.

    Examples
    --------
    >>> from rulewright.rules import Threshold
    >>> rounded(Threshold("age", above=True, cut=41.67), 0).cut
    42.0
    """

    def change(name: str, value: Any) -> Any:
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

    def change(name: str, value: Any) -> Any:
        return int(rows[value]) if name == "anchored_on" else value

    return rewritten(node, change)


def bound_to(node: AnyNode, functions: Mapping[str, Callable[..., Any]]) -> AnyNode:
    """Give the parts that ask a user's function the function of that name."""
    members = {
        f.name: _bound(getattr(node, f.name), functions)
        for f in dataclasses.fields(node)  # type: ignore[arg-type]
    }
    if "function" in members and getattr(node, "name", None) in functions:
        members["function"] = functions[node.name]  # type: ignore[attr-defined]
    return dataclasses.replace(node, **members)  # type: ignore[type-var]


def _bound(value: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
    if isinstance(value, Node):
        return bound_to(value, functions)
    if isinstance(value, tuple):
        return tuple(_bound(item, functions) for item in value)
    return value


def functions_of(node: Node) -> dict[str, Callable[..., Any]]:
    """Collect the user's functions that a node and its parts ask, by name."""
    return {
        part.name: part.function  # type: ignore[attr-defined]
        for part in parts_of(node)
        if getattr(part, "function", None) is not None
    }


def spaces_of(node: Node) -> tuple[str, ...]:
    """Name the columns that must be known to compare rows, each once."""
    names = [
        name
        for part in parts_of(node)
        if isinstance(part, Ball | HalfSpace) and "function" not in _kinds(part)
        for name in part.on
    ]
    return tuple(dict.fromkeys(names))


def _kinds(part: Ball | HalfSpace) -> set[str]:
    if isinstance(part, HalfSpace):
        return {part.kernel.kind}
    return {part.metric.kind, part.metric.kernel.kind if part.metric.kind == "kernel" else ""}


def parts_of(node: Node) -> Iterator[Node]:
    """Go through a node and all that it is made of."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        for f in dataclasses.fields(part):  # type: ignore[arg-type]
            value = getattr(part, f.name)
            items = value if isinstance(value, tuple) else (value,)
            waiting += [item for item in items if isinstance(item, Node)]
