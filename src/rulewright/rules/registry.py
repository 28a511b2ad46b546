"""The registry of node kinds: the tag of each in a model file, and its serialized fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NewType, TypeVar, get_type_hints

from rulewright.rules.node import Node

Points = NewType("Points", int)
"""A whole number that may be below 0; other whole numbers in a model file may not."""

NODES: dict[str, type[Node]] = {}
"""Node classes by their tags."""

_TAGS: dict[type[Node], str] = {}
_SERIALIZED: dict[type[Node], dict[str, Any]] = {}
_REQUIRED: dict[type[Node], list[str]] = {}
_OMITTED: dict[type[Node], dict[str, Any]] = {}

NOT_SERIALIZED = {"serialized": False}
"""Metadata of a field that a model file does not hold, such as a function of the user."""
OMITTED_DEFAULT = {"omitted_default": True}
"""Metadata of a field that a model file leaves out where it has its default.

A field that is added later needs it: the candidates of a certificate are identified by their JSON.
"""

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
        hints = get_type_hints(kind)
        fields = dataclasses.fields(kind)  # type: ignore[arg-type]
        NODES[tag], _TAGS[kind] = kind, tag
        _SERIALIZED[kind] = {
            f.name: hints[f.name] for f in fields if f.metadata.get("serialized", True)
        }
        _REQUIRED[kind] = [f.name for f in fields if f.default is dataclasses.MISSING]
        _OMITTED[kind] = {f.name: f.default for f in fields if f.metadata.get("omitted_default")}
        return kind

    return register


def tag_of(kind: type[Node]) -> str:
    """Tag of a registered class."""
    if kind not in _TAGS:
        raise TypeError(
            f"{kind.__name__} has no tag in model files. Decorate it with register_node(tag)."
        )
    return _TAGS[kind]


def serialized_fields(kind: type[Node]) -> dict[str, Any]:
    """Names of the fields that a model file holds, each with its type."""
    return _SERIALIZED[kind]


def omitted_fields(kind: type[Node]) -> dict[str, Any]:
    """Names of the fields that a model file leaves out at their default, each with its default."""
    return _OMITTED[kind]


def required_fields(kind: type[Node]) -> list[str]:
    """Names of the fields without a default."""
    return _REQUIRED[kind]
