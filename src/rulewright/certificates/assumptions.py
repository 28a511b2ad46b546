"""Assumptions of a certificate: one sentence for each thing that data cannot show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from rulewright.data import MOMENT_NAMES, Field, Kind, Table, detect_table
from rulewright.errors import InputError
from rulewright.families import ExpertTests, Family, GivenPredicates
from rulewright.render import confidence_text
from rulewright.rules import Category, Function, Kernel, Metric, RuleVote, literals_of

if TYPE_CHECKING:
    from rulewright.certificates.certificate import Certificate
    from rulewright.models import Model

BEFORE = "before the data was seen"
SOURCE = "The rows are independent draws from one source, and new cases come from the same source."
VOTES = (
    "The weights of the votes are those of the file: the bound holds for them, but data cannot "
    "show that a learner chose them."
)
KINDS: dict[Kind, str] = {
    "numeric": "numbers",
    "code": "categories",
    "text": "categories",
    "boolean": "true or false",
    "date": MOMENT_NAMES["date"],
    "datetime": MOMENT_NAMES["datetime"],
    "instant": MOMENT_NAMES["instant"],
    "duration": MOMENT_NAMES["duration"],
}


def assumptions_of(c: Certificate, model: Model) -> list[str]:
    """Return what a certificate takes on trust, as far as the model file shows it."""
    return [
        *source_assumptions(c),
        *(
            f"The test {test!r} was written by a person {BEFORE}."
            for family in c.families
            if isinstance(family, ExpertTests)
            for test in family.tests
        ),
        *_functions(c, model),
        *_categories(model),
        *([VOTES] if isinstance(model.body, RuleVote) and c.takes_weights_on_trust else []),
    ]


def source_assumptions(c: Certificate) -> list[str]:
    """Return what a certificate of any classifier takes on trust."""
    return [
        c.source_text,
        f"The confidence of {confidence_text(c.delta)} was chosen {BEFORE}.",
        *c.form_assumptions(),
    ]


def seed_text(seed: int | None) -> str:
    """Return what is assumed about the draw of splits, by a seed or by a hash of the data."""
    if seed is not None:
        return f"The seed {seed} was chosen {BEFORE}, and no other seed was tried."
    return (
        "SHA-256 behaves like a random function: a hash of the data drew the splits, so nobody "
        "could choose them."
    )


def keys_text(column: str | None) -> str:
    """Return what is assumed about the keys whose hashes drew the splits."""
    where = "" if column is None else f" in column {column!r}"
    return (
        f"The keys{where} were given to the rows without a look at their values, so the hash of a "
        "key, which decides whether its row is a check row, says nothing about the row."
    )


def family_text(family: Family) -> str:
    """Return the name of a family with its parameters.

    Examples
    --------
    >>> from rulewright.families import Balls, Thresholds
    >>> family_text(Thresholds())
    'thresholds'
    >>> family_text(Balls(scale="rank"))
    'balls (scale rank, metric l2, types complex)'
    """
    options = [
        f"{member.name} {_option_text(getattr(family, member.name))}"
        for member in fields(family)
        if member.metadata.get("serialized", True)
        and getattr(family, member.name) is not None
        and not (
            member.metadata.get("unstated_default")
            and getattr(family, member.name) == member.default
        )
    ]
    return f"{family.name} ({', '.join(options)})" if options else family.name


def _option_text(value: Any) -> str:
    match value:
        case Metric(kind="kernel", kernel=kernel):
            return f"of the kernel {_option_text(kernel)}"
        case Kernel(kind="rbf", gamma=gamma):
            return f"rbf with gamma {gamma:g}"
        case Kernel(kind="polynomial", gamma=gamma, offset=offset, degree=degree):
            return f"polynomial with gamma {gamma:g}, offset {offset:g}, degree {degree}"
        case Metric(kind="function", name=name) | Kernel(kind="function", name=name):
            return f"by function {name!r}"
        case Metric(kind=kind) | Kernel(kind=kind):
            return kind
        case tuple():
            return " ".join(repr(part[0] if isinstance(part, tuple) else part) for part in value)
    return str(value)


def _functions(c: Certificate, model: Model) -> list[str]:
    asked = [part.name for part in literals_of(model.body) if isinstance(part, Function)]
    offered = [
        name
        for family in c.families
        for name in (
            family.named if isinstance(family, GivenPredicates) else family.named_functions
        )
    ]
    return [
        f"The function {name!r} was written {BEFORE}." for name in dict.fromkeys([*offered, *asked])
    ]


def _categories(model: Model) -> list[str]:
    used = [part.column for part in literals_of(model.body) if isinstance(part, Category)]
    return [
        f"The categories of column {name!r} were known {BEFORE}." for name in dict.fromkeys(used)
    ]


def table_assumptions(
    names: Sequence[str], kinds: Mapping[str, Kind], columns: Sequence[Field], data: str = "X"
) -> list[str]:
    """Return what is taken on trust about a table's columns.

    Parameters
    ----------
    names : names of all columns of the table but the class
    kinds : the kind that each column seems to have
    columns : the columns of the model
    data : name of the table
    """
    known = {column.name for column in columns}
    ignored = [name for name in names if name not in known]
    found = [
        f"Column {column.name!r} counts as {KINDS[column.kind]}, although its values look like "
        f"{KINDS[kinds[column.name]]}: that was settled {BEFORE}."
        for column in columns
        if column.name in kinds and KINDS[kinds[column.name]] != KINDS[column.kind]
    ]
    if ignored:
        found.append(
            f"The certificate takes for granted that these columns of {data} were never offered to "
            f"the learner: {', '.join(map(repr, ignored))}."
        )
    return found


def seen_columns(X: Any, columns: Sequence[Field]) -> tuple[list[str], dict[str, Kind]]:
    """Return the names of a table's columns, and the kinds that their values look like.

    Columns without names are those of the model, in its order.
    """
    try:
        table = X if isinstance(X, Table) else detect_table(X)
    except InputError:  # a column that was never offered may hold anything
        return [], {}
    names = list(table.names)
    if not table.named and len(names) == len(columns):
        names = [column.name for column in columns]
    return names, {name: field.kind for name, field in zip(names, table.fields, strict=True)}


def absent_rows(rows: int, kept: int) -> list[str]:
    """Return the assumption about rows that count as absent, if there are any."""
    if kept == rows:
        return []
    return [
        f"{rows - kept} of the {rows} rows count as absent, and that does not depend on their "
        "class or on the model's answer."
    ]
