"""Checks of a certificate against a model and its training data that all forms use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message
from rulewright.data import Table
from rulewright.errors import CertificateError, ModelFileError
from rulewright.families import Family
from rulewright.kernels import code_counts
from rulewright.models import Model

if TYPE_CHECKING:
    from rulewright.certificates.certificate import Certificate

TOLERANCE = 1e-9
"""Maximum difference of two computations of the same bound."""


def class_counts(y: NDArray[np.int32], classes: int) -> tuple[int, ...]:
    """Return the number of examples of each class."""
    return tuple(code_counts(y, classes).tolist())


def aside_and_tested_rows(
    families: Sequence[Family], places: NDArray[np.intp], rows: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of the rows that a family set aside, and of those the errors are counted on.

    ``places`` is the compression set, which is in neither.
    """
    aside = np.zeros(rows, np.bool_)
    for family in families:
        aside[family.scaling_rows(rows)] = True
    aside[places] = False
    tested = ~aside
    tested[places] = False
    return aside, tested


def check_sizes(c: Certificate, model: Model, y: NDArray[np.int32]) -> None:
    """Check the number of examples of each class."""
    if len(model.classes) != len(c.counts):
        raise CertificateError(
            f"The certificate is for {len(c.counts)} classes; the model has {len(model.classes)}."
        )
    if y.size != c.m:
        raise CertificateError(
            f"The certificate is for {c.m} training examples; the data has {y.size}. Give the "
            "table that the model was trained on (and its sample_weight, if any of it was zero)."
        )
    found = class_counts(y, len(c.counts))
    if found != c.counts:
        raise CertificateError(
            f"The certificate counts {list(c.counts)} examples of the classes; the data has "
            f"{list(found)}. A label differs from training."
        )


def check_abstention(c: Certificate, model: Model) -> None:
    """Check that the certificate and the model agree on whether cases may be left unanswered."""
    if c.abstains != model.abstains:
        raise CertificateError(
            f"The certificate is for a model that {'abstains' if c.abstains else 'always answers'}"
            f"; this model {'abstains' if model.abstains else 'always answers'}."
        )


def check_columns(model: Model, training: Table) -> None:
    """Check the number of categories of each column."""
    for known in model.columns:
        found = training.column(known.name).field
        if known.categories != found.categories:
            raise CertificateError(
                f"The model knows {known.categories} categories of column {known.name!r}; the data "
                f"has {found.categories}. Give the table that the model was trained on."
            )


def check_wrong(
    c: Certificate, wrong: NDArray[np.bool_], y: NDArray[np.int32], tested: int
) -> None:
    """Check the number of errors of each class."""
    found = class_counts(y[wrong], len(c.counts))
    if found != c.wrong:
        raise CertificateError(
            f"The certificate counts {list(c.wrong)} errors on the other {tested} examples, by "
            f"class; counting again gives {list(found)}."
        )


def has_message(c: Certificate, message: Message) -> bool:
    """Whether the certificate's message has these parts, and this length."""
    same = [name for name, _ in message] == [name for name, _ in c.message]
    return same and abs(math.fsum(nats for _, nats in message) - c.message_nats) <= TOLERANCE


def check_bound(c: Certificate) -> None:
    """Check the bound against the certificate's own numbers."""
    bound = c.recomputed_bound()
    if not abs(bound - c.bound) <= TOLERANCE:
        raise CertificateError(
            f"The certificate claims a bound of {c.bound}, but its own numbers give {bound}."
        )


def check_file(c: Certificate) -> None:
    """Check the numbers of a file against each other, without data."""
    try:
        c.check_numbers()
    except CertificateError as error:
        raise ModelFileError(str(error)) from error
    bound = c.recomputed_bound()
    if not math.isclose(bound, c.bound, rel_tol=TOLERANCE, abs_tol=TOLERANCE**2):
        raise ModelFileError(
            f"the certificate claims a bound of {c.bound}, but its own counts give {bound}. The "
            "file was changed: fit again, or take the original file."
        )
