"""Traversal of a node: its descendants, literals, functions and scalings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rulewright.rules.node import Literal, Node, field_names
from rulewright.rules.predicates import Ball, HalfSpace
from rulewright.rules.spaces import UNSCALED, Scaling


def all_nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all its descendants, in reading order."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        for name in reversed(field_names(type(part))):  # type: ignore[arg-type]
            member = getattr(part, name)
            if isinstance(member, tuple):
                waiting += [item for item in reversed(member) if isinstance(item, Node)]
            elif isinstance(member, Node):
                waiting.append(member)


def literals_of(node: Node) -> Iterator[Literal]:
    """Return the single tests in a node, in order."""
    return (part for part in all_nodes(node) if isinstance(part, Literal))


def functions_of(node: Node) -> dict[str, Callable[..., Any]]:
    """Return the user's functions in a node, by name."""
    return {
        part.name: part.function  # type: ignore[attr-defined]
        for part in all_nodes(node)
        if getattr(part, "function", None) is not None
    }


def spaces_of(node: Node) -> tuple[str, ...]:
    """Return the names of the columns that must be known to compare rows, each once."""
    names = [
        name
        for part in literals_of(node)
        if isinstance(part, Ball | HalfSpace)
        and not part.scaling.fill
        and "function" not in _kinds(part)
        for name in part.on
    ]
    return tuple(dict.fromkeys(names))


def _kinds(part: Ball | HalfSpace) -> set[str]:
    if isinstance(part, HalfSpace):
        return {part.kernel.kind}
    return {part.metric.kind, part.metric.kernel.kind if part.metric.kind == "kernel" else ""}


def scalings_of(node: Node) -> tuple[tuple[tuple[str, ...], Scaling], ...]:
    """Return the scaled or filled columns of balls and half-spaces, each once with its scaling.

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
        if isinstance(part, Ball | HalfSpace) and part.scaling != UNSCALED
    ]
    return tuple(dict.fromkeys(spaces))
