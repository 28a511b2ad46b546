"""Checks of a compression certificate: the model is rebuilt, and every number computed again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.checks import (
    TOLERANCE,
    aside_and_tested_rows,
    check_wrong,
    class_counts,
    has_message,
)
from rulewright.certificates.codes import Code, CompressedMachine, Compression
from rulewright.certificates.printed_theorems import printed_bound
from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import Examples, Family
from rulewright.models import Model
from rulewright.rules import Arrangement, reanchored

if TYPE_CHECKING:
    from rulewright.certificates.forms.compression import CompressionCertificate


def check_anchors(c: CompressionCertificate, model: Model, kept: NDArray[np.intp]) -> Arrangement:
    """Check the compression set against the anchors; return the body with its rows renumbered.

    ``kept`` are the numbers of the training examples in the user's table.
    """
    anchors = model.body.anchors
    # The code of structures may leave out rules that make no difference.
    fitting = c.examples == anchors if c.combinations is None else {*c.examples} <= {*anchors}
    if not fitting:
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
    if (kept == np.arange(kept.size)).all():  # the rows have their numbers already
        return model.body
    number = np.zeros(int(kept.max(initial=0)) + 1, np.intp)
    number[kept] = np.arange(kept.size)
    return reanchored(model.body, number)


def measured_families(
    c: CompressionCertificate, training: Table, functions: Mapping[str, Callable[..., Any]]
) -> tuple[Family, ...]:
    """Return the families with their scales measured on the training rows, and their functions."""
    return tuple(
        family.bound_to(functions).measured(training, family.scaling_rows(training.rows))
        for family in c.families
    )


def check_rebuilding(
    c: CompressionCertificate, body: Arrangement, training: Examples, code: Code
) -> Compression:
    """Rebuild the model from its compression set and message, and compare; return these."""
    compression = code.compression(body, training.table, training.y)
    roles = {
        role: tuple(sorted(int(training.numbers[row]) for row in rows))
        for role, rows in compression.roles.items()
    }
    if roles != c.roles:
        raise CertificateError(
            f"The certificate gives the examples the roles {c.roles}; rebuilding gives {roles}."
        )
    code.check(body, compression, training)
    return compression


def check_errors(
    c: CompressionCertificate,
    body: Arrangement,
    training: Table,
    y: NDArray[np.int32],
    families: Sequence[Family],
    compression: Compression,
) -> None:
    """Count the errors outside the compression set again, and the classes inside it."""
    for role, rows in c.roles.items():
        if len(rows) != sum(c.role_counts[role]):
            raise CertificateError("The classes of the rows that rebuild the model do not add up.")
    anchors = compression.places
    aside, tested = aside_and_tested_rows(families, anchors, y.size)
    classes = len(c.counts)
    if class_counts(y[anchors], classes) != tuple(np.sum([*c.role_counts.values()], axis=0)):
        raise CertificateError("A row that rebuilds the model has another label than in training.")
    if class_counts(y[aside], classes) != c.aside:
        raise CertificateError("The certificate counts other rows as set aside than there are.")
    check_wrong(c, (body.classify(training) != y) & tested, y, int(tested.sum()))


def check_message(c: CompressionCertificate, compression: Compression) -> None:
    """Compute the length of the message again."""
    message = compression.message
    if not has_message(c, message):
        raise CertificateError(
            "The certificate's message is not the one that rebuilds the model: its length is "
            f"{c.message_nats:.6f} nats, and should be {math.fsum(n for _, n in message):.6f}."
        )


def check_printed(
    c: CompressionCertificate, machine: CompressedMachine | None, y: NDArray[np.int32]
) -> None:
    """Compute the papers' formula again, where there is one."""
    printed = printed_bound(machine, c.families, y, c.counts, c.wrong, c.delta)
    same = printed is None if c.printed_bound is None else printed is not None
    if not same or abs((printed or 0.0) - (c.printed_bound or 0.0)) > TOLERANCE:
        raise CertificateError(
            f"The papers' formula gives {printed}; the certificate says {c.printed_bound}."
        )
