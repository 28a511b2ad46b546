"""Checking a certificate against a model and its training data, one claim after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import Examples, Family
from rulewright.models.message import message_of
from rulewright.models.rebuilding import compress, rebuild
from rulewright.render import predicate_text
from rulewright.rules import Arrangement, Rule, reanchored

if TYPE_CHECKING:
    from rulewright.models.certificate import Certificate
    from rulewright.models.model import Model

TOLERANCE = 1e-9
"""How far two computations of the same bound may differ."""


def check_sizes(c: Certificate, model: Model, codes: NDArray[np.int32]) -> None:
    """Check that there are as many examples of each class as there were."""
    if len(model.classes) != len(c.counts):
        raise CertificateError(
            f"The certificate is for {len(c.counts)} classes; the model has {len(model.classes)}."
        )
    if codes.size != c.m:
        raise CertificateError(
            f"The certificate is for {c.m} training examples; the data has {codes.size}. Give the "
            "table that the model was trained on (and its sample_weight, if any of it was zero)."
        )
    found = np.bincount(codes, minlength=len(c.counts)).tolist()
    if tuple(found) != c.counts:
        raise CertificateError(
            f"The certificate counts {list(c.counts)} examples of the classes; the data has "
            f"{found}. A label differs from training."
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
    if c.examples != anchors:
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


def rows_aside(families: Sequence[Family], rows: int) -> NDArray[np.bool_]:
    """Mark the rows that some family set aside beforehand."""
    aside = np.zeros(rows, np.bool_)
    for family in families:
        aside[family.aside(rows)] = True
    return aside


def measured_families(
    c: Certificate, training: Table, functions: Mapping[str, Callable[..., Any]]
) -> list[Family]:
    """Give the families what they measured in training, and the functions that no file holds."""
    return [
        family.bound_to(functions).measured(training, family.aside(training.rows))
        for family in c.families
    ]


def check_rebuilding(
    c: Certificate,
    body: Arrangement,
    training: Table,
    codes: NDArray[np.int32],
    kept: NDArray[np.intp],
    families: Sequence[Family],
) -> None:
    """Rebuild the model from its examples and the message, and compare."""
    said = compress(body, codes, families, implied=c.implied)
    roles = {role: tuple(int(kept[row]) for row in rows) for role, rows in said.roles.items()}
    if roles != c.roles:
        raise CertificateError(
            f"The certificate gives the examples the roles {c.roles}; rebuilding gives {roles}."
        )
    places = np.array(said.places, np.intp)
    examples = Examples(training.take(places), codes[places], places, kept[places])
    rebuilt = rebuild(said, examples, families)
    for theirs, ours in zip(body.children, rebuilt.children, strict=True):
        if theirs != ours:
            condition = theirs.condition if isinstance(theirs, Rule) else theirs
            raise CertificateError(
                f"The rule {shorten(predicate_text(condition), 100)!r} is none that the families "  # type: ignore[arg-type]
                f"{', '.join(f.name for f in families)} make from the rows it is anchored on: the "
                "rule or the data was changed."
            )
    if rebuilt != body:
        raise CertificateError("Rebuilding gives another model: its answers were changed.")


def check_errors(
    c: Certificate,
    body: Arrangement,
    training: Table,
    codes: NDArray[np.int32],
    families: Sequence[Family],
) -> None:
    """Count the errors on the examples that rebuild nothing again."""
    for role, rows in c.roles.items():
        if len(rows) != sum(c.role_counts[role]):
            raise CertificateError("The classes of the rows that rebuild the model do not add up.")
    anchors = np.array(body.anchors, np.intp)
    aside = rows_aside(families, codes.size)
    aside[anchors] = False
    tested = ~aside
    tested[anchors] = False
    classes = len(c.counts)
    labels = np.bincount(codes[anchors], minlength=classes)
    if labels.tolist() != np.sum(list(c.role_counts.values()), axis=0).tolist():
        raise CertificateError("A row that rebuilds the model has another label than in training.")
    if tuple(np.bincount(codes[aside], minlength=classes).tolist()) != c.aside:
        raise CertificateError("The certificate counts other rows as set aside than there are.")
    wrong = (body.classify(training) != codes) & tested
    found = np.bincount(codes[wrong], minlength=classes).tolist()
    if tuple(found) != c.wrong:
        raise CertificateError(
            f"The certificate counts {list(c.wrong)} errors on the other {int(tested.sum())} "
            f"examples, by class; counting again gives {found}."
        )


def check_bound(
    c: Certificate,
    body: Arrangement,
    model: Model,
    codes: NDArray[np.int32],
    families: Sequence[Family],
) -> None:
    """Compute the length of the message and the bound again."""
    said = compress(body, codes, families, implied=c.implied)
    labels = codes[np.array(said.places, np.intp)]
    message = message_of(
        said, labels, model.columns, families, kinds=c.kinds, classes=len(c.counts)
    )
    same = [what for what, _ in message] == [what for what, _ in c.message]
    if not same or abs(math.fsum(nats for _, nats in message) - c.message_nats) > TOLERANCE:
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
