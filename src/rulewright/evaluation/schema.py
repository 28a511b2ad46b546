"""JSON Schema of the results of test, monitor and the log of runs."""

from __future__ import annotations

from typing import Any

from rulewright.models import DRIFT_KINDS

COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "number"}
NUMBER_OR_NULL = {"type": ["number", "null"]}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
COUNTS = {"type": "object", "additionalProperties": COUNT}


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of what the commands print or write as JSON."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of rulewright test and monitor, and a line of predict --log",
        "oneOf": [
            {"$ref": "#/$defs/test"},
            {"$ref": "#/$defs/monitoring"},
            {"$ref": "#/$defs/run"},
        ],
        "$defs": {
            "test": _test(),
            "monitoring": _monitoring(),
            "run": _run(),
            "rate": _object(rows=COUNT, wrong=COUNT, share=NUMBER_OR_NULL, low=SHARE, high=SHARE),
            "comparison": _object(
                within={"type": "boolean"},
                bound=SHARE,
                delta=SHARE,
                p_value=SHARE,
                level=SHARE,
                text=TEXT,
            ),
            "drift": _drift(),
        },
    }


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(members)}


def _ref(name: str, *, nullable: bool = False) -> dict[str, Any]:
    found = {"$ref": f"#/$defs/{name}"}
    return {"oneOf": [{"type": "null"}, found]} if nullable else found


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _test() -> dict[str, Any]:
    bins = _object(rows=COUNT, right=COUNT, predicted=SHARE, observed=SHARE, low=SHARE, high=SHARE)
    rules = _object(
        number=COUNT,
        rule=TEXT,
        answer=TEXT,
        rows=COUNT,
        right=COUNT,
        share=SHARE,
        precision=NUMBER_OR_NULL,
        low=NUMBER_OR_NULL,
        high=NUMBER_OR_NULL,
        lift=NUMBER_OR_NULL,
        training_precision=NUMBER_OR_NULL,
    )
    cost = _object(mean=NUMBER, low=NUMBER, high=NUMBER, costs={}, certified=NUMBER_OR_NULL)
    groups = _object(delta=SHARE, statements=COUNT, groups=_list({}), differences=_list({}))
    return _object(
        rows=COUNT,
        delta=SHARE,
        error=_ref("rate"),
        answered=_ref("rate", nullable=True),
        weighted_error=NUMBER_OR_NULL,
        classes=TEXTS,
        answers=TEXTS,
        confusion=_list(_list(COUNT)),
        auc=NUMBER_OR_NULL,
        brier=NUMBER,
        calibration_error=NUMBER_OR_NULL,
        calibration=_list(bins),
        rules=_list(rules),
        by={"type": "object", "additionalProperties": groups},
        cost={"oneOf": [{"type": "null"}, cost]},
        certificate=_ref("comparison", nullable=True),
        notes=TEXTS,
    )


def _drift() -> dict[str, Any]:
    finding = _object(
        kind={"enum": list(DRIFT_KINDS)},
        column={"type": ["string", "null"]},
        rule={"type": ["integer", "null"]},
        count=COUNT,
        rows=COUNT,
        share=SHARE,
        training_share=SHARE,
        p_value=SHARE,
        text=TEXT,
    )
    return _object(rows=COUNT, level=SHARE, tests=COUNT, findings=_list(finding), notes=TEXTS)


def _monitoring() -> dict[str, Any]:
    batch = _object(
        name=TEXT,
        rows=COUNT,
        predictions=COUNTS,
        error=_ref("rate", nullable=True),
        certificate=_ref("comparison", nullable=True),
        drift=_ref("drift"),
    )
    return _object(
        level=SHARE, bound=NUMBER_OR_NULL, answers=TEXTS, batches=_list(batch), notes=TEXTS
    )


def _run() -> dict[str, Any]:
    return _object(
        record={"const": "rulewright run"},
        time=TEXT,
        version=TEXT,
        command={"enum": ["predict", "explain"]},
        model=TEXT,
        model_sha256=TEXT,
        data=TEXT,
        rows=COUNT,
        predictions=COUNTS,
        drift=_ref("drift"),
        exit_code=COUNT,
    )
