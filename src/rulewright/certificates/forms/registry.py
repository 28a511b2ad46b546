"""The forms by name, and certificates of any form in JSON."""

from __future__ import annotations

from typing import Any

from rulewright.certificates.certificate import Certificate
from rulewright.certificates.forms.compression import CompressionCertificate
from rulewright.certificates.forms.holdout import HoldoutCertificate
from rulewright.certificates.forms.reading import FORMER_MEMBERS, OPTIONAL_MEMBERS, read_form
from rulewright.certificates.forms.split import SplitCertificate
from rulewright.certificates.forms.written import WrittenCertificate
from rulewright.certificates.parsing import need
from rulewright.errors import ModelFileError

FORMS: dict[str, type[Certificate]] = {
    form.form: form
    for form in (
        CompressionCertificate,
        HoldoutCertificate,
        SplitCertificate,
        WrittenCertificate,
    )
}


def certificate_from_json(data: Any) -> Certificate:
    """Return the certificate of a JSON object.

    Raises
    ------
    ModelFileError
        If a member is wrong, or the bound is not the one that the counts give.
    """
    need(isinstance(data, dict), "it is not an object")
    form = _form_named(data.get("form"))
    return read_form(form, data)


def _form_named(name: Any) -> type[Certificate]:
    for form in FORMS.values():
        if name in (form.form, *form.earlier_names):
            return form
    known = ", ".join(map(repr, FORMS))
    raise ModelFileError(f"the certificate cannot be read: form must be one of {known}.")


ROW = {"type": "integer", "minimum": 0}
ROWS = {"type": "array", "items": ROW}


def certificate_schema() -> dict[str, Any]:
    """Return the JSON Schema of a certificate of any form."""
    return {"oneOf": [_form_schema(form) for form in FORMS.values()]}


def _form_schema(form: type[Certificate]) -> dict[str, Any]:
    own = form.own_schema()
    former = {name: {"const": value} for name, value in FORMER_MEMBERS.items() if name not in own}
    members = {"form": {"enum": [form.form, *form.earlier_names]}, **_common_schema(), **own}
    return {
        "type": "object",
        "properties": {**members, **former},
        "required": [name for name in members if name not in OPTIONAL_MEMBERS],
        "additionalProperties": False,
    }


def _common_schema() -> dict[str, Any]:
    part = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "number", "minimum": 0}],
        "minItems": 2,
        "maxItems": 2,
    }
    rows_by_role = {"type": "object", "additionalProperties": ROWS}
    return {
        "bound": {"type": "number", "minimum": 0, "maximum": 1},
        "delta": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "counts": ROWS,
        "wrong": ROWS,
        "roles": rows_by_role,
        "role_counts": rows_by_role,
        "aside": ROWS,
        "message": {"type": "array", "items": part},
        "families": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        "settings": {"type": "integer", "minimum": 1},
        "printed_bound": {"type": ["number", "null"]},
        "cautions": {"type": "array", "items": {"type": "string"}},
        "abstains": {"type": "boolean"},
        "canonical": {"type": "boolean"},
    }
