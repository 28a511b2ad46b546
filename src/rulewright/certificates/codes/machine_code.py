"""A machine of single literals as a compression set and a message, and back.

Certificates rest on this: what ``compress_machine`` returns, with the examples and their labels, is
enough for ``rebuild_machine`` to return the same model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import CertificateError
from rulewright.families import Examples, Family, Site
from rulewright.render import predicate_text
from rulewright.rules import (
    Arrangement,
    Conjunction,
    Disjunction,
    Node,
    Predicate,
    Rule,
    RuleList,
)

Kind = Literal["conjunction", "disjunction", "list"]

MAX_RULE_TEXT = 100
"""Maximum number of characters of a rule in an error message."""


@dataclass(frozen=True)
class CodedRule:
    """What the message holds about one rule.

    ``family`` is the number of its family, ``site`` its option apart from its examples.
    ``prototypes`` and ``borders`` are places in the compression set; implied borders are left out.
    ``output`` is the class it answers with.
    """

    family: int
    site: Site
    prototypes: tuple[int, ...]
    borders: tuple[int, ...]
    output: int


@dataclass(frozen=True)
class CompressedMachine:
    """A machine as a compression set and a message.

    ``places`` are the training rows of the compression set, in increasing order: rules refer to
    them by position. ``roles`` lists which are centres, members of pairs, and borders.
    """

    kind: Kind
    places: tuple[int, ...]
    rules: tuple[CodedRule, ...]
    default: int
    implied: bool
    roles: dict[str, tuple[int, ...]] = field(default_factory=dict)


def compress_machine(
    body: Arrangement,
    y: NDArray[np.int32],
    families: Sequence[Family],
    *,
    implied: bool,
) -> CompressedMachine:
    """Return the compression set and the message of a machine.

    ``y`` are the labels of the training rows, to which the anchors of the body refer.

    Raises
    ------
    CertificateError
        If the body is not a machine of single literals that the families make.
    """
    kind, rules, default = _rules_and_default(body)
    side = kind != "conjunction"
    sites = [_site(rule.condition, rule.output, y, families, implied, side) for rule in rules]
    anchors = sorted({row for _, _, rows in sites for row in rows})
    place = {row: i for i, row in enumerate(anchors)}
    coded = []
    for (number, site, rows), rule in zip(sites, rules, strict=True):
        family = families[number]
        places = tuple(place[row] for row in rows)
        follows = implied and family.border_implied
        borders = () if follows else places[family.prototypes :]
        coded.append(CodedRule(number, site, places[: family.prototypes], borders, rule.output))
    roles = _roles([(families[number], rows) for number, _, rows in sites])
    return CompressedMachine(kind, tuple(anchors), tuple(coded), default, implied, roles)


def _rules_and_default(body: Arrangement) -> tuple[Kind, list[Rule], int]:
    """Return the kind of machine, its rules in order, and the answer where none fires."""
    if body.abstains:
        raise CertificateError(
            "A machine of single literals answers every row, but this one abstains. Certify it by "
            "its structure, with combinations."
        )
    match body:
        case Conjunction(parts, then, otherwise):
            kind: Kind = "conjunction"
            rules, default = [Rule(part, otherwise) for part in parts], then
        case Disjunction(parts, then, otherwise):
            kind = "disjunction"
            rules, default = [Rule(part, then) for part in parts], otherwise
        case RuleList(listed, int(default)):
            return "list", list(listed), default
        case _:
            raise CertificateError(
                f"{type(body).__name__} is not a machine of single literals. Certify it by its "
                "structure, with combinations."
            )
    if (then, otherwise) != (1, 0) and (parts or (then, otherwise) != (0, 1)):
        raise CertificateError(
            "A machine answers with the second class where it holds and with the first elsewhere; "
            f"this one answers with classes {then} and {otherwise}, numbered from 0."
        )
    if len(set(parts)) < len(parts):
        raise CertificateError("The model contains a rule twice.")
    return kind, rules, default


def _site(
    predicate: Predicate,
    output: int,
    y: NDArray[np.int32],
    families: Sequence[Family],
    implied: bool,
    side: bool,
) -> tuple[int, Site, tuple[int, ...]]:
    """Return the number of a predicate's family, its site, and its training rows."""
    for number, family in enumerate(families):
        site = family.site(predicate, implied=implied and family.border_implied, side=side)
        if site is None:
            continue
        rows = family.rows(predicate, side)
        if len(rows) != family.prototypes + family.borders:
            continue
        labels = [int(y[row]) for row in rows]
        if family.fits(site, labels, output):
            return number, site, rows
    raise unknown_rule(predicate, families)


def unknown_rule(rule: Node, families: Sequence[Family]) -> CertificateError:
    """Return the error about a rule, or a predicate, that no family makes."""
    text = predicate_text(rule.condition if isinstance(rule, Rule) else rule)  # type: ignore[arg-type]
    text = text if len(text) <= MAX_RULE_TEXT else text[: MAX_RULE_TEXT - 3] + "..."
    return CertificateError(
        f"The families {', '.join(f.name for f in families)} do not make the rule {text!r} from "
        "the rows it is anchored on: the rule or the data was changed."
    )


def _roles(
    used: Sequence[tuple[Family, tuple[int, ...]]],
) -> dict[str, tuple[int, ...]]:
    """Return the rows by role, each row once: prototypes before borders, centres before pairs."""
    members: dict[str, set[int]] = {}
    for family, rows in sorted(used, key=lambda pair: pair[0].prototypes):
        if family.role:
            members.setdefault(family.role, set()).update(rows[: family.prototypes])
    members["borders"] = {row for family, rows in used for row in rows[family.prototypes :]}
    roles: dict[str, tuple[int, ...]] = {}
    taken: set[int] = set()
    for role, rows_of_role in members.items():
        roles[role] = tuple(sorted(rows_of_role - taken))
        taken |= rows_of_role
    return roles


def rebuild_machine(
    machine: CompressedMachine, examples: Examples, families: Sequence[Family]
) -> Arrangement:
    """Return the model of a message and its compression set, in the order of the places."""
    side = machine.kind != "conjunction"
    remaining = np.ones(examples.y.size, np.bool_)
    rules: list[Rule] = []
    for coded in machine.rules:
        predicate = _rebuild_predicate(coded, examples, families[coded.family], remaining, side)
        rules.append(Rule(predicate, coded.output))
        if machine.kind == "list":
            remaining &= ~predicate.holds(examples.table)
    parts = tuple(rule.condition for rule in rules)
    if machine.kind == "list":
        return RuleList(tuple(rules), machine.default)
    if not parts:
        return Conjunction((), then=machine.default, otherwise=1 - machine.default)
    arrange = Conjunction if machine.kind == "conjunction" else Disjunction
    return arrange(parts, then=1, otherwise=0)


def _rebuild_predicate(
    rule: CodedRule, examples: Examples, family: Family, remaining: NDArray[np.bool_], side: bool
) -> Predicate:
    chosen = rule.prototypes + rule.borders
    if len(chosen) < family.prototypes + family.borders:
        # The border is the nearest example of another class that no earlier rule has answered.
        along = family.along(rule.site, examples, rule.prototypes, side)
        possible = (examples.y != rule.output) & remaining & ~np.isnan(along)
        if not possible.any():
            raise CertificateError(
                "No example of another class can be the border of a rule: the rule or the data was "
                "changed."
            )
        chosen += (int(np.argmax(np.where(possible, along, -np.inf))),)
    predicate = family.build(rule.site, examples, chosen)
    if predicate is None:
        raise CertificateError(
            "A rule cannot be rebuilt from the rows that it is anchored on: the rule or the data "
            "was changed."
        )
    return predicate
