"""A model as few examples and a message, and back.

This is what makes a certificate true: whatever ``compress`` says and the examples it names, with
their labels, must be enough for ``rebuild`` to give the same model back.
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


@dataclass(frozen=True)
class Word:
    """What the message says of one rule.

    ``family`` is the number of its family, ``site`` what it says besides its examples.
    ``prototypes`` and ``borders`` are places among the examples; without borders, these follow.
    ``output`` is the class it answers with.
    """

    family: int
    site: Site
    prototypes: tuple[int, ...]
    borders: tuple[int, ...]
    output: int


@dataclass(frozen=True)
class Compressed:
    """A model as examples and a message.

    ``places`` are the training rows of the examples, in increasing order: words count in them.
    ``played`` says for people which are centres, members of pairs, and borders.
    """

    kind: Kind
    places: tuple[int, ...]
    words: tuple[Word, ...]
    default: int
    implied: bool
    played: dict[str, tuple[int, ...]] = field(default_factory=dict)


def compress(
    body: Arrangement,
    y: NDArray[np.int32],
    families: Sequence[Family],
    *,
    implied: bool,
) -> Compressed:
    """Take a model apart, or say why no message has words for it.

    ``y`` are the labels of the training rows, which the anchors of the body number.
    """
    kind, rules, default = _taken_apart(body)
    side = kind != "conjunction"
    read = [_read(rule.condition, rule.output, y, families, implied, side) for rule in rules]
    anchors = sorted({row for _, _, rows in read for row in rows})
    place = {row: i for i, row in enumerate(anchors)}
    words = []
    for (number, site, rows), rule in zip(read, rules, strict=True):
        family = families[number]
        places = tuple(place[row] for row in rows)
        follows = implied and family.border_implied
        borders = () if follows else places[family.prototypes :]
        words.append(Word(number, site, places[: family.prototypes], borders, rule.output))
    played = _played([(families[number], rows) for number, _, rows in read])
    return Compressed(kind, tuple(anchors), tuple(words), default, implied, played)


def _taken_apart(body: Arrangement) -> tuple[Kind, list[Rule], int]:
    """Give the rules that fire, in order, and the answer where none does."""
    if body.abstains:
        raise CertificateError(
            "A machine of single literals has an answer for every row, and this one abstains: "
            "certify it by its structure, with combinations."
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
                f"{type(body).__name__} is no machine of single literals: certify it by its "
                "structure, with combinations."
            )
    if (then, otherwise) != (1, 0) and (parts or (then, otherwise) != (0, 1)):
        raise CertificateError(
            "A machine answers with the second class where it holds and with the first elsewhere; "
            f"this one answers with classes {then} and {otherwise}, numbered from 0."
        )
    if len(set(parts)) < len(parts):
        raise CertificateError("A rule stands in the model twice.")
    return kind, rules, default


def _read(
    predicate: Predicate,
    output: int,
    y: NDArray[np.int32],
    families: Sequence[Family],
    implied: bool,
    side: bool,
) -> tuple[int, Site, tuple[int, ...]]:
    """Find the family of a predicate, what must be said of it, and its training rows."""
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
    raise strange(predicate, families)


def strange(rule: Node, families: Sequence[Family]) -> CertificateError:
    """Say that no family makes this rule, or this predicate."""
    text = predicate_text(rule.condition if isinstance(rule, Rule) else rule)  # type: ignore[arg-type]
    text = text if len(text) <= 100 else text[:97] + "..."
    return CertificateError(
        f"The rule {text!r} is none that the families {', '.join(f.name for f in families)} make "
        "from the rows it is anchored on: the rule or the data was changed."
    )


def _played(
    used: Sequence[tuple[Family, tuple[int, ...]]],
) -> dict[str, tuple[int, ...]]:
    """Give every example one part: prototypes before borders, centres before pairs."""
    parts: dict[str, set[int]] = {}
    for family, rows in sorted(used, key=lambda pair: pair[0].prototypes):
        if family.role:
            parts.setdefault(family.role, set()).update(rows[: family.prototypes])
    parts["borders"] = {row for family, rows in used for row in rows[family.prototypes :]}
    played: dict[str, tuple[int, ...]] = {}
    taken: set[int] = set()
    for part, members in parts.items():
        played[part] = tuple(sorted(members - taken))
        taken |= members
    return played


def rebuild(message: Compressed, examples: Examples, families: Sequence[Family]) -> Arrangement:
    """Put a model together again from its examples, in the order of their places, and a message."""
    side = message.kind != "conjunction"
    remaining = np.ones(examples.y.size, np.bool_)
    rules: list[Rule] = []
    for word in message.words:
        predicate = _rebuilt(word, examples, families[word.family], remaining, side)
        rules.append(Rule(predicate, word.output))
        if message.kind == "list":
            remaining &= ~predicate.holds(examples.table)
    parts = tuple(rule.condition for rule in rules)
    if message.kind == "list":
        return RuleList(tuple(rules), message.default)
    if not parts:
        return Conjunction((), then=message.default, otherwise=1 - message.default)
    arrange = Conjunction if message.kind == "conjunction" else Disjunction
    return arrange(parts, then=1, otherwise=0)


def _rebuilt(
    word: Word, examples: Examples, family: Family, remaining: NDArray[np.bool_], side: bool
) -> Predicate:
    chosen = word.prototypes + word.borders
    if len(chosen) < family.prototypes + family.borders:
        # The border is the nearest example of another class that no earlier rule has answered.
        along = family.along(word.site, examples, word.prototypes, side)
        possible = (examples.y != word.output) & remaining & ~np.isnan(along)
        if not possible.any():
            raise CertificateError(
                "No example of another class can be the border of a rule: the rule or the data was "
                "changed."
            )
        chosen += (int(np.argmax(np.where(possible, along, -np.inf))),)
    predicate = family.build(word.site, examples, chosen)
    if predicate is None:
        raise CertificateError(
            "A rule cannot be rebuilt from the rows that it is anchored on: the rule or the data "
            "was changed."
        )
    return predicate
