"""A certificate of a known form from a JSON object."""

from __future__ import annotations

from typing import Any, TypeVar

from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import check_file
from rulewright.certificates.parsing import need

SomeForm = TypeVar("SomeForm", bound=Certificate)

FORMER_MEMBERS: dict[str, Any] = {
    "implied": False,
    "combinations": None,
    "held": [],
    "seed": None,
}
"""Members that earlier files have in every form, with their values where they mean nothing."""
OPTIONAL_MEMBERS = {"abstains": False, "canonical": False}
"""Members that the earliest files lack, with their meaning there."""


def read_form(form: type[SomeForm], data: Any) -> SomeForm:
    """Return the certificate of this form in a JSON object, after checking its numbers."""
    need(isinstance(data, dict), "it is not an object")
    members = {**OPTIONAL_MEMBERS, **data}
    members.pop("form", None)
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
