"""JSON Schema of model files, made from the registered nodes."""

from __future__ import annotations

from typing import Any, get_args

from rulewright.data import Kind
from rulewright.models.files import FORMAT, MAX_CATEGORIES, REGRESSION, VERSION
from rulewright.models.profile import profile_schema
from rulewright.rules import node_schemas

WEIGHT = {"type": "number", "minimum": 0}
TARGET = {"type": ["string", "null"]}
COLUMNS = {"type": "array", "items": {"$ref": "#/$defs/column"}}
PROFILE = {"$ref": "#/$defs/profile"}
HEAD: dict[str, Any] = {
    "format": {"const": FORMAT},
    "version": {"const": VERSION},
    "made_by": {"type": "string"},
}


def schema_with(
    certificate: dict[str, Any], regression_certificate: dict[str, Any]
) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of model files, given those of certificates."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulewright model",
        "oneOf": [{"$ref": "#/$defs/classifier"}, {"$ref": "#/$defs/regression_model"}],
        "$defs": {
            "classifier": _classifier(),
            "regression_model": _regression_model(),
            "column": _column(),
            "profile": profile_schema(_object),
            "certificate": certificate,
            "regression_certificate": regression_certificate,
            **node_schemas(),
        },
    }


def _column() -> dict[str, Any]:
    schema = _object(
        name={"type": "string"},
        kind={"enum": list(get_args(Kind))},
        categories={"type": "integer", "minimum": 0, "maximum": MAX_CATEGORIES},
    )
    labels = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    schema["properties"]["order"] = labels
    return schema  # only ordered categories have an order


def _classifier() -> dict[str, Any]:
    schema = _object(
        **HEAD,
        target=TARGET,
        classes={"type": "array", "items": {"type": ["string", "number", "boolean"]}},
        named={"type": "boolean"},
        columns=COLUMNS,
        body={"$ref": "#/$defs/arrangement"},
        evidence={"type": "array", "items": {"type": "array", "items": WEIGHT}},
        certificate={"oneOf": [{"type": "null"}, {"$ref": "#/$defs/certificate"}]},
    )
    schema["properties"]["profile"] = PROFILE
    return schema  # the profile is not required


def _regression_model() -> dict[str, Any]:
    weight_and_spread = {"type": "array", "items": WEIGHT, "minItems": 2, "maxItems": 2}
    schema = _object(
        **HEAD,
        task={"const": REGRESSION},
        target=TARGET,
        named={"type": "boolean"},
        columns=COLUMNS,
        body={"$ref": "#/$defs/tree"},
        values={"type": "array", "items": {"type": "number"}},
        evidence={"type": "array", "items": weight_and_spread},
    )
    schema["properties"]["certificate"] = {
        "oneOf": [{"type": "null"}, {"$ref": "#/$defs/regression_certificate"}]
    }
    schema["properties"]["profile"] = PROFILE
    return schema  # neither the certificate nor the profile is required


def _object(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
