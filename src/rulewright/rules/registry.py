"""The registry of node kinds: the tag of each in a model file, and its serialized fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, get_type_hints

from rulewright.rules.node import Node

NODES: dict[str, type[Node]] = {}
"""Node classes by their tags."""

NOT_SERIALIZED = {"serialized": False}
"""Metadata of a field that a model file does not hold, such as a function of the user."""

Kind = TypeVar("Kind", bound=type[Node])


def register_node(tag: str) -> Callable[[Kind], Kind]:
    """Return a class decorator that registers a frozen dataclass as a kind of node.

    The node is then saved as an object ``{"node": tag, ...}`` with its fields, read back, checked
    field by field against the annotations, and described in the JSON Schema of model files.

    Parameters
    ----------
    tag : str
        Name of the kind in model files. It must be new.
    """

    def register(kind: Kind) -> Kind:
        known = NODES.get(tag)
        if known is not None:
            raise ValueError(f"the tag {tag!r} is already registered for {known.__name__}")
        if not dataclasses.is_dataclass(kind):
            raise TypeError(f"{kind.__name__} must be a dataclass to be registered as a node")
        NODES[tag] = kind
        return kind

    return register


@cache
def tag_of(kind: type[Node]) -> str:
    """Tag of a registered class."""
    for tag, registered in NODES.items():
        if registered is kind:
            return tag
    raise TypeError(
        f"{kind.__name__} has no tag in model files. Decorate it with register_node(tag)."
    )


@cache
def serialized_fields(kind: type[Node]) -> dict[str, Any]:
    """Names of the fields that a model file holds, each with its type."""
    hints = get_type_hints(kind)
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    return {f.name: hints[f.name] for f in fields if f.metadata.get("serialized", True)}


@cache
def required_fields(kind: type[Node]) -> tuple[str, ...]:
    """Names of the fields without a default."""
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    return tuple(f.name for f in fields if f.default is dataclasses.MISSING)
