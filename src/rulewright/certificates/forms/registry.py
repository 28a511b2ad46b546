"""The forms by name, and certificates of any form in JSON."""

from __future__ import annotations

from typing import Any

from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import check_file
from rulewright.certificates.forms.compression import CompressionCertificate
from rulewright.certificates.forms.holdout import HoldoutCertificate
from rulewright.certificates.parsing import need
from rulewright.errors import ModelFileError

FORMS: dict[str, type[Certificate]] = {
    form.form: form for form in (CompressionCertificate, HoldoutCertificate)
}

FORMER_MEMBERS: dict[str, Any] = {
    "implied": False,
    "combinations": None,
    "held": [],
    "seed": None,
}
"""Members that earlier files have in every form, with their values where they mean nothing."""
OPTIONAL_MEMBERS = {"abstains": False, "canonical": False}
"""Members that the earliest files lack, with their meaning there."""


def certificate_from_json(data: Any) -> Certificate:
    """Return the certificate of a JSON object.

    Raises
    ------
    ModelFileError
        If a member is wrong, or the bound is not the one that the counts give.
    """
    need(isinstance(data, dict), "it is not an object")
    form = _form_named(data.get("form"))
    members = {**OPTIONAL_MEMBERS, **data}
    del members["form"]
    names = form.members()
    for name in FORMER_MEMBERS.keys() & members.keys() - set(names):
        is_empty = members.pop(name) == FORMER_MEMBERS[name]
        need(is_empty, f"a certificate of the form {form.form!r} has no {name!r}")
    need(set(members) == set(names), f"its members are not {', '.join(sorted(names))}")
    parsed = {name: form.parsers[name](members[name], name) for name in names}
    _check_counts(parsed)
    certificate = form(**parsed, unverified=True)
    check_file(certificate)
    return certificate


def _form_named(name: Any) -> type[Certificate]:
    for form in FORMS.values():
        if name in (form.form, *form.earlier_names):
            return form
    known = ", ".join(map(repr, FORMS))
    raise ModelFileError(f"the certificate cannot be read: form must be one of {known}.")


def _check_counts(parsed: dict[str, Any]) -> None:
    counts, roles, role_counts = parsed["counts"], parsed["roles"], parsed["role_counts"]
    need(list(roles) == list(role_counts), "roles and role_counts must name the same")
    columns = [parsed["wrong"], parsed["aside"], *role_counts.values()]
    fitting = (
        len(counts) >= 2
        and all(len(column) == len(counts) for column in columns)
        and all(sum(role_counts[name]) == len(rows) for name, rows in roles.items())
        and all(sum(used) <= count for count, *used in zip(counts, *columns, strict=True))
    )
    need(fitting, "its counts do not fit together")


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
