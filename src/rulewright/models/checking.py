"""Checking a certificate against a model and its training data, one claim after another."""

from __future__ import annotations

import math
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import FAMILIES, Family
from rulewright.models.message import message_of
from rulewright.render import predicate_text
from rulewright.rules import Arrangement, Predicate, reanchored

if TYPE_CHECKING:
    from rulewright.models.certificate import Certificate
    from rulewright.models.model import Model

TOLERANCE = 1e-9
"""How far two computations of the same bound may differ."""


def check_sizes(c: Certificate, model: Model, codes: NDArray[np.int32]) -> None:
    """Check that there are two classes, and as many examples of each as there were."""
    if len(model.classes) != 2:
        raise CertificateError(f"A certificate is for two classes; found {len(model.classes)}.")
    if codes.size != c.m:
        raise CertificateError(
            f"The certificate is for {c.m} training examples; the data has {codes.size}. Give the "
            "table that the model was trained on (and its sample_weight, if any of it was zero)."
        )
    positives = int((codes == 1).sum())
    if positives != c.positives:
        raise CertificateError(
            f"The certificate counts {c.positives} examples of the second class; the data has "
            f"{positives}. A label differs from training."
        )


def check_columns(model: Model, training: Table) -> None:
    """Check that each column shows as many categories as the message could name."""
    for known, found in zip(model.columns, training.fields, strict=True):
        if known.categories != found.categories:
            raise CertificateError(
                f"The model knows {known.categories} categories of column {known.name!r}; the data "
                f"has {found.categories}. Give the table that the model was trained on."
            )


def check_examples(c: Certificate, model: Model, kept: NDArray[np.intp]) -> Arrangement:
    """Check which rows rebuild the model, and number them among the training examples."""
    anchors = model.body.anchors
    roles = list(c.roles), list(c.positive_roles)
    if c.examples != anchors or roles != (["anchors"], ["anchors"]):
        raise CertificateError(
            f"The certificate names rows {list(c.examples)} as rebuilding the model, but the model "
            f"is anchored on rows {list(anchors)}."
        )
    absent = sorted(set(anchors) - set(kept.tolist()))
    if absent:
        raise CertificateError(
            f"A rule is anchored on row {absent[0]}, which is no row of the training data (or has "
            "weight zero)."
        )
    number = np.zeros(int(kept.max(initial=0)) + 1, np.intp)
    number[kept] = np.arange(kept.size)
    return reanchored(model.body, number)


def check_predicates(c: Certificate, body: Arrangement, training: Table) -> None:
    """Rebuild the model: each rule must be one that a family makes from its anchor."""
    families = _families(c)
    for part in body.children:
        if not isinstance(part, Predicate):
            raise CertificateError(f"{type(body).__name__} has no certificate in this version.")
        if not any(family.makes(part, training) for family in families):
            raise CertificateError(
                f"The rule {shorten(predicate_text(part), 100)!r} is none that the families "
                f"{', '.join(c.families)} make from the row it is anchored on: the rule or the "
                "data was changed."
            )


def check_errors(
    c: Certificate, body: Arrangement, training: Table, codes: NDArray[np.int32]
) -> None:
    """Count the errors on the examples that rebuild nothing again."""
    anchors = np.array(body.anchors, np.intp)
    if int((codes[anchors] == 1).sum()) != sum(c.positive_roles.values()):
        raise CertificateError("A row that rebuilds the model has another label than in training.")
    wrong = body.classify(training) != codes
    wrong[anchors] = False
    found = int(wrong[codes == 1].sum()), int(wrong[codes == 0].sum())
    if found != (c.misses, c.false_alarms):
        raise CertificateError(
            f"The certificate counts {c.misses} misses and {c.false_alarms} false alarms on the "
            f"other {codes.size - anchors.size} examples; counting again gives {found[0]} and "
            f"{found[1]}."
        )


def check_bound(c: Certificate, model: Model) -> None:
    """Compute the length of the message and the bound again."""
    message = message_of(model.body, model.columns, _families(c), c.kinds)
    said = [what for what, _ in message] == [what for what, _ in c.message]
    if not said or abs(math.fsum(nats for _, nats in message) - c.message_nats) > TOLERANCE:
        raise CertificateError(
            "The certificate's message is not the one that rebuilds the model: its length is "
            f"{c.message_nats:.6f} nats, and should be {math.fsum(n for _, n in message):.6f}."
        )
    bound = c.recomputed_bound()
    if c.form != "tail":
        raise CertificateError(f"No other form than 'tail' is known; found {c.form!r}.")
    if not abs(bound - c.bound) <= TOLERANCE:
        raise CertificateError(
            f"The certificate claims a bound of {c.bound}, but its own numbers give {bound}."
        )


def _families(c: Certificate) -> list[Family]:
    strange = [name for name in c.families if name not in FAMILIES]
    if strange:
        raise CertificateError(
            f"The certificate was made with family {strange[0]!r}, which is not known here. "
            "Enter it in rulewright.families.FAMILIES to check the certificate."
        )
    return [FAMILIES[name]() for name in c.families]
