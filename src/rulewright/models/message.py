"""What a message says of a model, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rulewright.bounds import Message, junction_message
from rulewright.data import Field
from rulewright.errors import CertificateError
from rulewright.families import Family
from rulewright.rules import Arrangement, Conjunction, Disjunction


def message_of(
    body: Arrangement, columns: Sequence[Field], families: Sequence[Family], kinds: int
) -> Message:
    """Write down what the message says and what it costs."""
    body = _codable(body)
    anchored = _site_prices(columns, [f for f in families if f.anchored])
    free = _site_prices(columns, [f for f in families if not f.anchored])
    try:
        return junction_message(
            anchors=len(body.anchors),
            anchored=[anchored[part.columns[0]] for part in body.parts if part.anchors],
            free=[free[part.columns[0]] for part in body.parts if not part.anchors],
            free_possible=bool(free),
            kinds=kinds,
        )
    except KeyError as error:
        raise CertificateError(f"No family named could test column {error}.") from error


def _codable(body: Arrangement) -> Conjunction | Disjunction:
    """Refuse what the code has no words for."""
    if not isinstance(body, Conjunction | Disjunction):
        raise CertificateError(f"{type(body).__name__} has no certificate in this version.")
    answers = (body.then, body.otherwise)
    if answers != (1, 0) and (body.parts or answers != (0, 1)):
        raise CertificateError(
            "A machine answers with the second class where it holds and with the first elsewhere; "
            f"this one answers with classes {answers[0]} and {answers[1]}, numbered from 0."
        )
    if len(set(body.parts)) < len(body.parts):
        raise CertificateError("A rule stands in the model twice.")
    return body


def _site_prices(columns: Sequence[Field], families: Sequence[Family]) -> dict[str, float]:
    """Price in nats of one test on each column: which column, and which of its options."""
    options = {c.name: sum(family.options(c) for family in families) for c in columns}
    possible = {name: count for name, count in options.items() if count}
    return {name: math.log(len(possible)) + math.log(n) for name, n in possible.items()}
