"""What a node is made of: its single tests, and what these need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rulewright.rules.node import Literal, Node, members_of
from rulewright.rules.predicates import Ball, HalfSpace
from rulewright.rules.spaces import Scaling


def parts_of(node: Node) -> Iterator[Node]:
    """Go through a node and all that it is made of, in the order in which it is read."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        for name in reversed(members_of(type(part))):  # type: ignore[arg-type]
            member = getattr(part, name)
            if isinstance(member, tuple):
                waiting += [item for item in reversed(member) if isinstance(item, Node)]
            elif isinstance(member, Node):
                waiting.append(member)


def literals_of(node: Node) -> Iterator[Literal]:
    """Give the single tests that a node is made of, in order."""
    return (part for part in parts_of(node) if isinstance(part, Literal))


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
        for part in literals_of(node)
        if isinstance(part, Ball | HalfSpace) and "function" not in _kinds(part)
        for name in part.on
    ]
    return tuple(dict.fromkeys(names))


def _kinds(part: Ball | HalfSpace) -> set[str]:
    if isinstance(part, HalfSpace):
        return {part.kernel.kind}
    return {part.metric.kind, part.metric.kernel.kind if part.metric.kind == "kernel" else ""}


def scalings_of(node: Node) -> tuple[tuple[tuple[str, ...], Scaling], ...]:
    """Give the columns that balls and half-spaces scale, and how, each way once.

    Examples
    --------
    >>> by_rank = Scaling("rank", knots=((1.0, 2.0),))
    >>> scalings_of(Ball(("x",), (1.0,), 0.5, scaling=by_rank))[0][0]
    ('x',)
    >>> scalings_of(Ball(("x",), (1.0,), 0.5))
    ()
    """
    spaces = [
        (part.on, part.scaling)
        for part in literals_of(node)
        if isinstance(part, Ball | HalfSpace) and part.scaling.kind != "none"
    ]
    return tuple(dict.fromkeys(spaces))
