"""The published JSON Schema of model files, made from the nodes themselves."""

from __future__ import annotations

from typing import Any, get_args

from rulewright.data import Kind
from rulewright.models.files import FORMAT, VERSION
from rulewright.models.language import COMBINATIONS
from rulewright.models.reading import FORMS
from rulewright.rules import node_schemas

ROW = {"type": "integer", "minimum": 0}
COUNTS = {"type": "array", "items": ROW}


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every model file of this version satisfies."""
    label = {"type": ["string", "number", "boolean"]}
    members: dict[str, Any] = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "made_by": {"type": "string"},
        "target": {"type": ["string", "null"]},
        "classes": {"type": "array", "items": label},
        "named": {"type": "boolean"},
        "columns": {"type": "array", "items": {"$ref": "#/$defs/column"}},
        "body": {"$ref": "#/$defs/arrangement"},
        "evidence": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "number", "minimum": 0}},
        },
        "certificate": {"oneOf": [{"type": "null"}, {"$ref": "#/$defs/certificate"}]},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulewright model",
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
        "$defs": {
            "column": _object(
                name={"type": "string"},
                kind={"enum": list(get_args(Kind))},
                categories={"type": "integer", "minimum": 0},
            ),
            "certificate": _certificate(),
            **node_schemas(),
        },
    }


def _certificate() -> dict[str, Any]:
    message = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "number", "minimum": 0}],
        "minItems": 2,
        "maxItems": 2,
    }
    return _object(
        bound={"type": "number", "minimum": 0, "maximum": 1},
        delta={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        counts=COUNTS,
        wrong=COUNTS,
        roles={"type": "object", "additionalProperties": COUNTS},
        role_counts={"type": "object", "additionalProperties": COUNTS},
        aside=COUNTS,
        message={"type": "array", "items": message},
        families={"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        settings={"type": "integer", "minimum": 1},
        implied={"type": "boolean"},
        combinations={
            "oneOf": [
                {"type": "null"},
                {"type": "array", "items": {"enum": list(COMBINATIONS.values())}},
            ]
        },
        form={"enum": list(FORMS)},
        held=COUNTS,
        seed={"type": ["integer", "null"]},
        printed_bound={"type": ["number", "null"]},
        cautions={"type": "array", "items": {"type": "string"}},
    )


def _object(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
