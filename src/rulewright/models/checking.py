"""Checking a certificate against a model and its training data, one claim after another."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message
from rulewright.data import Table
from rulewright.errors import CertificateError, ModelFileError
from rulewright.families import Examples, ExpertTests, Family, Midpoints
from rulewright.models.model_code import Code, Compression
from rulewright.models.printed import printed_bound
from rulewright.models.reading import FORMS
from rulewright.models.rebuilding import Compressed
from rulewright.rules import Arrangement, reanchored

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


def check_abstaining(c: Certificate, model: Model) -> None:
    """Check that it is said whether cases may be left unanswered."""
    if c.abstains != model.abstains:
        raise CertificateError(
            f"The certificate is for a model that {'abstains' if c.abstains else 'always answers'}"
            f"; this model {'abstains' if model.abstains else 'always answers'}."
        )


def check_columns(model: Model, training: Table) -> None:
    """Check that each column shows as many categories as the message could name."""
    for known in model.columns:
        found = training.column(known.name).field
        if known.categories != found.categories:
            raise CertificateError(
                f"The model knows {known.categories} categories of column {known.name!r}; the data "
                f"has {found.categories}. Give the table that the model was trained on."
            )


def check_examples(c: Certificate, model: Model, kept: NDArray[np.intp]) -> Arrangement:
    """Check which rows rebuild the model, and number them among the training examples."""
    anchors = model.body.anchors
    # Told by its structure, a model may leave out rules that make no difference.
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


def by_class(y: NDArray[np.int32], classes: int) -> tuple[int, ...]:
    """Count the examples of each class."""
    return tuple(np.bincount(y, minlength=classes).tolist())


def test_rows(
    families: Sequence[Family], places: NDArray[np.intp], rows: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark the rows that a family set aside beforehand, and those that a model is tested on.

    ``places`` are the rows that rebuild the model, which are neither.
    """
    aside = np.zeros(rows, np.bool_)
    for family in families:
        aside[family.aside(rows)] = True
    aside[places] = False
    tested = ~aside
    tested[places] = False
    return aside, tested


def measured_families(
    c: Certificate, training: Table, functions: Mapping[str, Callable[..., Any]]
) -> tuple[Family, ...]:
    """Give the families what they measured in training, and the functions that no file holds."""
    return tuple(
        family.bound_to(functions).measured(training, family.aside(training.rows))
        for family in c.families
    )


def check_rebuilding(
    c: Certificate, body: Arrangement, training: Examples, code: Code
) -> Compression:
    """Rebuild the model from its examples and the message, and compare; give what was told."""
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
    c: Certificate,
    body: Arrangement,
    training: Table,
    codes: NDArray[np.int32],
    families: Sequence[Family],
    compression: Compression,
) -> None:
    """Count the errors on the examples that rebuild nothing again."""
    for role, rows in c.roles.items():
        if len(rows) != sum(c.role_counts[role]):
            raise CertificateError("The classes of the rows that rebuild the model do not add up.")
    anchors = compression.places
    aside, tested = test_rows(families, anchors, codes.size)
    classes = len(c.counts)
    if by_class(codes[anchors], classes) != tuple(np.sum([*c.role_counts.values()], axis=0)):
        raise CertificateError("A row that rebuilds the model has another label than in training.")
    if by_class(codes[aside], classes) != c.aside:
        raise CertificateError("The certificate counts other rows as set aside than there are.")
    _check_wrong(c, (body.classify(training) != codes) & tested, codes, int(tested.sum()))


def _check_wrong(
    c: Certificate, wrong: NDArray[np.bool_], codes: NDArray[np.int32], tested: int
) -> None:
    found = by_class(codes[wrong], len(c.counts))
    if found != c.wrong:
        raise CertificateError(
            f"The certificate counts {list(c.wrong)} errors on the other {tested} examples, by "
            f"class; counting again gives {list(found)}."
        )


def check_evidence(c: Certificate, model: Model, counted: NDArray[np.float64]) -> list[str]:
    """Compare the cases that each rule is said to answer with a count; return cautions.

    Evidence of nothing but zeros claims nothing.
    """
    claimed = np.array(model.evidence, np.float64)
    if not claimed.any() or alike(claimed, counted):
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.nan_to_num(claimed.sum(axis=0) / counted.sum(axis=0))
    if any(isinstance(family, Midpoints) for family in c.families) and alike(
        claimed, counted * factors
    ):
        listed = ", ".join(
            f"{factor:.6g} for {label!r}"
            for label, factor in zip(model.classes, factors.tolist(), strict=True)
        )
        return [
            f"The cases that each rule answered in training are multiplied by class weights: "
            f"{listed}. The supports and probabilities of the rules follow these weights."
        ]
    rule = int(np.argmax(~np.isclose(claimed, counted, rtol=1e-9, atol=1e-9).all(axis=1)))
    raise CertificateError(
        f"The model says that rule {rule + 1} answers {_listed(claimed[rule])} training cases of "
        f"the classes; counting again gives {_listed(counted[rule])}. The file was changed, or the "
        "fit had a sample_weight: give it, too."
    )


def alike(claimed: NDArray[np.float64], counted: NDArray[np.float64]) -> bool:
    """Whether two sums of weights are equal but for rounding."""
    return bool(np.allclose(claimed, counted, rtol=TOLERANCE, atol=TOLERANCE))


def _listed(numbers: NDArray[np.float64]) -> str:
    return "[" + ", ".join(f"{number:.10g}" for number in numbers.tolist()) + "]"


def check_held(
    c: Certificate, model: Model, rows: Table, codes: NDArray[np.int32], kept: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Count the errors on the rows that were held out again; return the numbers of the others.

    No rule may be anchored on rows held out. ``kept`` are the numbers of the rows in the table that
    the user gave.
    """
    drawn = held_rows(kept.size, len(c.held), c.seed) if c.seed is not None else kept[:0]
    held = tuple(sorted(kept[drawn].tolist()))
    if not 0 < len(c.held) < kept.size or c.held != held:
        raise CertificateError(
            f"The rows that the certificate names as held out are not those that seed {c.seed} "
            f"draws from {kept.size} rows. Give the table that the model was trained on, with the "
            "same labels and sample_weight."
        )
    anchored = sorted(set(c.held) & set(model.body.anchors))
    if anchored:
        raise CertificateError(
            f"A rule is anchored on row {anchored[0]}, which the certificate says was held out."
        )
    check_sizes(c, model, codes[drawn])
    wrong = model.body.classify(rows.take(drawn)) != codes[drawn]
    _check_wrong(c, wrong, codes[drawn], drawn.size)
    if not _says(c, holdout_message(c.settings)):
        raise CertificateError(
            f"The certificate pays {c.message_nats:.6f} nats for the choice among {c.settings} "
            f"models; it should be {math.log(c.settings):.6f}."
        )
    offered = any(not isinstance(family, ExpertTests) for family in c.families)
    if c.roles or any(c.aside) or offered or c.implied or c.combinations or c.printed_bound:
        raise CertificateError(
            "A certificate from rows held out rebuilds nothing: it has no roles, no families and "
            "no formula of the papers."
        )
    return np.setdiff1d(kept, held)


def check_in_training(c: Certificate) -> None:
    """Check that a certificate from training says nothing of rows held out."""
    if c.held or c.seed is not None:
        raise CertificateError("A certificate from training has no rows that were held out.")


def held_rows(rows: int, held: int, seed: int) -> NDArray[np.intp]:
    """Draw the rows to hold out; anybody who knows the seed draws the same.

    Not so that classes are alike: then the errors on the rows held out would not be binomial.
    """
    order = np.random.RandomState(seed).permutation(rows)  # its stream is the same for ever
    return np.sort(order[:held])


def holdout_message(models: int) -> Message:
    """Say what a certificate from rows held out pays for."""
    return ((f"which of the {models} models tried", math.log(models)),) if models > 1 else ()


def _says(c: Certificate, message: Message) -> bool:
    """Whether the certificate's message has these parts, and this length."""
    same = [what for what, _ in message] == [what for what, _ in c.message]
    return same and abs(math.fsum(nats for _, nats in message) - c.message_nats) <= TOLERANCE


def check_message(c: Certificate, compression: Compression) -> None:
    """Compute the length of the message again."""
    message = compression.message
    if not _says(c, message):
        raise CertificateError(
            "The certificate's message is not the one that rebuilds the model: its length is "
            f"{c.message_nats:.6f} nats, and should be {math.fsum(n for _, n in message):.6f}."
        )


def check_printed(c: Certificate, said: Compressed | None, y: NDArray[np.int32]) -> None:
    """Compute the papers' formula again, where there is one."""
    printed = printed_bound(said, c.families, y, c.counts, c.wrong, c.delta)
    same = printed is None if c.printed_bound is None else printed is not None
    if not same or abs((printed or 0.0) - (c.printed_bound or 0.0)) > TOLERANCE:
        raise CertificateError(
            f"The papers' formula gives {printed}; the certificate says {c.printed_bound}."
        )


def check_bound(c: Certificate) -> None:
    """Compute the bound again."""
    bound = c.recomputed_bound()
    if c.form not in FORMS:
        raise CertificateError(f"No form {c.form!r} is known, only 'tail' and 'holdout'.")
    if not abs(bound - c.bound) <= TOLERANCE:
        raise CertificateError(
            f"The certificate claims a bound of {c.bound}, but its own numbers give {bound}."
        )


def check_file(c: Certificate) -> None:
    """Check what a file says of its own numbers, without data."""
    if c.form == "holdout":
        if len(c.held) != c.m:
            raise ModelFileError(
                f"the certificate names {len(c.held)} rows as held out, but counts {c.m} of them."
            )
        if not _says(c, holdout_message(c.settings)):
            raise ModelFileError(
                f"the certificate pays {c.message_nats:.6f} nats for the choice among {c.settings} "
                f"models; it should be {math.log(c.settings):.6f}."
            )
    bound = c.recomputed_bound()
    if not math.isclose(bound, c.bound, rel_tol=TOLERANCE, abs_tol=TOLERANCE**2):
        raise ModelFileError(
            f"the certificate claims a bound of {c.bound}, but its own counts give {bound}. The "
            "file was changed: fit again, or take the original file."
        )
