"""JSON Schema of model files, made from the registered nodes."""

from __future__ import annotations

from typing import Any, get_args

from rulewright.data import Kind
from rulewright.models.files import FORMAT, MAX_CATEGORIES, REGRESSION, VERSION
from rulewright.models.language import COMBINATIONS
from rulewright.models.reading import FORMS
from rulewright.rules import node_schemas

ROW = {"type": "integer", "minimum": 0}
COUNTS = {"type": "array", "items": ROW}
WEIGHT = {"type": "number", "minimum": 0}
TARGET = {"type": ["string", "null"]}
COLUMNS = {"type": "array", "items": {"$ref": "#/$defs/column"}}
HEAD: dict[str, Any] = {
    "format": {"const": FORMAT},
    "version": {"const": VERSION},
    "made_by": {"type": "string"},
}


def model_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every model file of this version satisfies."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulewright model",
        "oneOf": [{"$ref": "#/$defs/classifier"}, {"$ref": "#/$defs/regression_model"}],
        "$defs": {
            "classifier": _classifier(),
            "regression_model": _regression_model(),
            "column": _object(
                name={"type": "string"},
                kind={"enum": list(get_args(Kind))},
                categories={"type": "integer", "minimum": 0, "maximum": MAX_CATEGORIES},
            ),
            "certificate": _certificate(),
            **node_schemas(),
        },
    }


def _classifier() -> dict[str, Any]:
    return _object(
        **HEAD,
        target=TARGET,
        classes={"type": "array", "items": {"type": ["string", "number", "boolean"]}},
        named={"type": "boolean"},
        columns=COLUMNS,
        body={"$ref": "#/$defs/arrangement"},
        evidence={"type": "array", "items": {"type": "array", "items": WEIGHT}},
        certificate={"oneOf": [{"type": "null"}, {"$ref": "#/$defs/certificate"}]},
    )


def _regression_model() -> dict[str, Any]:
    weight_and_spread = {"type": "array", "items": WEIGHT, "minItems": 2, "maxItems": 2}
    return _object(
        **HEAD,
        task={"const": REGRESSION},
        target=TARGET,
        named={"type": "boolean"},
        columns=COLUMNS,
        body={"$ref": "#/$defs/tree"},
        values={"type": "array", "items": {"type": "number"}},
        evidence={"type": "array", "items": weight_and_spread},
    )


def _certificate() -> dict[str, Any]:
    message = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "number", "minimum": 0}],
        "minItems": 2,
        "maxItems": 2,
    }
    certificate = _object(
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
        abstains={"type": "boolean"},
        canonical={"type": "boolean"},
    )
    for name in ("abstains", "canonical"):
        certificate["required"].remove(name)  # absent in older files, where it means false
    return certificate


def _object(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
