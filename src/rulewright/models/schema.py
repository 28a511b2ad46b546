"""JSON Schema of model files, made from the registered nodes."""

from __future__ import annotations

from typing import Any, get_args

from rulewright.data import Kind
from rulewright.models.files import FORMAT, MAX_CATEGORIES, REGRESSION, SHARED, VERSION
from rulewright.models.profile import profile_schema
from rulewright.rules import node_schemas

WEIGHT = {"type": "number", "minimum": 0}
COST = {"type": "number", "exclusiveMinimum": 0}
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
    schema["properties"]["class_costs"] = {"type": "array", "items": COST}
    schema["properties"]["front"] = {"type": "array", "items": _front_model(schema)}
    return schema  # these three are not required


def _front_model(classifier: dict[str, Any]) -> dict[str, Any]:
    """Schema of a model of another size, with what it does not share with the chosen one."""
    members = {n: each for n, each in classifier["properties"].items() if n not in SHARED}
    count = {"type": "integer", "minimum": 0}
    own = {"size": count, "errors": count, "usefulness": {"type": ["number", "null"]}}
    schema = _object(**own, **members)
    schema["required"].remove("profile")
    return schema


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
