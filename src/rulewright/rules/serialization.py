"""Serialization of nodes as JSON objects.

A node is an object whose ``node`` is the tag of its class and whose other members are its fields.
Decoding builds registered classes only and checks the type of every member, so a file cannot run
code. The published schema is made from the same fields.
"""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin

from rulewright.errors import ModelFileError
from rulewright.rules.arrangements import Arrangement
from rulewright.rules.node import Node, Predicate
from rulewright.rules.registry import (
    NODES,
    Points,
    omitted_fields,
    required_fields,
    serialized_fields,
    tag_of,
)

MAX_DEPTH = 100
ANCHORS = "anchored_on"
"""Field of the training rows that supplied the numbers of a node."""
TYPE_NAMES: dict[Any, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Points: "a whole number",
}
SCALARS: dict[Any, dict[str, Any]] = {
    types.NoneType: {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
    float: {"type": "number"},
    Points: {"type": "integer", "minimum": 1 - 2**53, "maximum": 2**53 - 1},
}


def encode(node: Node, *, anchors: bool = True) -> dict[str, Any]:
    """Return a node as a JSON object; without ``anchors``, no training row is named in it.

    Examples
    --------
    >>> from rulewright.rules import Missing
    >>> encode(Missing("age"))
    {'node': 'missing', 'column': 'age', 'missing': True}
    """
    kind = type(node)
    members: dict[str, Any] = {"node": tag_of(kind)}
    omitted = omitted_fields(kind)
    for name in serialized_fields(kind):
        value = getattr(node, name)
        if (name in omitted and value == omitted[name]) or (name == ANCHORS and not anchors):
            continue
        members[name] = _encode_member(value, anchors)
    return members


def _encode_member(value: Any, anchors: bool) -> Any:
    if isinstance(value, tuple):
        return [_encode_member(item, anchors) for item in value]
    return encode(value, anchors=anchors) if isinstance(value, Node) else value


def decode(data: Any, wanted: type[Node] = Arrangement) -> Any:
    """Return the node of a JSON object, of a class or a subclass of ``wanted``.

    Examples
    --------
    >>> decode({"node": "missing", "column": "age"}, Predicate)
    Missing(column='age', missing=True)
    """
    return _decode_node(data, wanted, "body", 0)


def _decode_node(data: Any, wanted: type, where: str, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise ModelFileError(f"{where}: nodes are nested more than {MAX_DEPTH} deep.")
    if not isinstance(data, dict) or not isinstance(data.get("node"), str):
        raise ModelFileError(f"{where} must be a node, an object with a member 'node'.")
    kind = NODES.get(data["node"])
    if kind is None:
        raise ModelFileError(f"{where}: unknown node {data['node']!r}.")
    if not issubclass(kind, wanted):
        raise ModelFileError(f"{where}: {data['node']!r} is not allowed here.")
    members = _decode_members(kind, data, where, depth)
    try:
        return kind(**members)
    except ValueError as error:
        raise ModelFileError(f"{where}: {error}.") from error


def _decode_members(
    kind: type[Node], data: dict[str, Any], where: str, depth: int
) -> dict[str, Any]:
    hints = serialized_fields(kind)
    unknown = sorted(set(data) - set(hints) - {"node"})
    if unknown:
        raise ModelFileError(f"{where}: {data['node']!r} has no member {unknown[0]!r}.")
    absent = [name for name in required_fields(kind) if name not in data]
    if absent:
        raise ModelFileError(f"{where}: {data['node']!r} needs the member {absent[0]!r}.")
    return {
        name: _decode_value(data[name], hint, f"{where}.{name}", depth)
        for name, hint in hints.items()
        if name in data
    }


def _decode_value(value: Any, hint: Any, where: str, depth: int) -> Any:
    if hint in SCALARS:
        return _decode_scalar(value, hint, where)
    origin = get_origin(hint)
    if origin is tuple:
        if not isinstance(value, list):
            raise ModelFileError(f"{where} must be a list.")
        inner = get_args(hint)[0]
        return tuple(
            _decode_value(item, inner, f"{where}[{i}]", depth) for i, item in enumerate(value)
        )
    if origin in (Union, types.UnionType):
        return _decode_one_of(value, get_args(hint), where, depth)
    if origin is Literal:
        if value not in get_args(hint) or not isinstance(value, str):
            raise ModelFileError(f"{where} must be one of {', '.join(get_args(hint))}.")
        return value
    return _decode_node(value, hint, where, depth + 1)


def _decode_one_of(value: Any, options: tuple[Any, ...], where: str, depth: int) -> Any:
    """Decode a value that may be null, or one of several kinds of nodes."""
    if types.NoneType in options:
        (option,) = (option for option in options if option is not types.NoneType)
        return None if value is None else _decode_value(value, option, where, depth)
    node = _decode_node(value, Node, where, depth + 1)
    if not isinstance(node, options):
        raise ModelFileError(f"{where}: {value['node']!r} is not allowed here.")
    return node


def _decode_scalar(value: Any, hint: Any, where: str) -> Any:
    if hint is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as error:
            raise ModelFileError(f"{where} is too large a number.") from error
    if type(value) is not (int if hint is Points else hint):
        raise ModelFileError(f"{where} must be {TYPE_NAMES[hint]}.")
    if hint is Points:
        if not -(2**53) < value < 2**53:
            raise ModelFileError(f"{where} must be from -2^53 to 2^53.")
    elif isinstance(value, int) and not 0 <= value < 2**53:
        raise ModelFileError(f"{where} must be from 0 to 2^53.")
    return value


def node_schemas() -> dict[str, Any]:
    """Return JSON Schema definitions of all nodes, of predicates and of arrangements."""
    groups = {
        "predicate": [n for n, k in sorted(NODES.items()) if issubclass(k, Predicate)],
        "arrangement": [n for n, k in sorted(NODES.items()) if issubclass(k, Arrangement)],
    }
    definitions: dict[str, Any] = {
        group: {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
        for group, names in groups.items()
    }
    for name, kind in sorted(NODES.items()):
        hints = serialized_fields(kind)
        definitions[name] = {
            "type": "object",
            "description": (kind.__doc__ or "").strip().splitlines()[0],
            "properties": {
                "node": {"const": name},
                **{member: _schema_of(hint) for member, hint in hints.items()},
            },
            "required": ["node", *required_fields(kind)],
            "additionalProperties": False,
        }
    return definitions


def _schema_of(hint: Any) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin is tuple:
        return {"type": "array", "items": _schema_of(get_args(hint)[0])}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema_of(option) for option in get_args(hint)]}
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if hint is Predicate:
        return {"$ref": "#/$defs/predicate"}
    if isinstance(hint, type) and issubclass(hint, Node):
        # A weighted rule is a subclass of a rule, but a list holds plain rules only.
        return {"$ref": f"#/$defs/{tag_of(hint)}"}
    return SCALARS[hint]
