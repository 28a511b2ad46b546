"""The training cases that each rule answers: counted in training, and counted again in checks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.checks import TOLERANCE
from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.families import Family, Midpoints
from rulewright.kernels import code_sums
from rulewright.models import Model
from rulewright.rules import Arrangement

Floats = NDArray[np.float64]


def counted_evidence(
    body: Arrangement,
    table: Table,
    codes: NDArray[np.int32],
    weight: Floats,
    classes: int,
    answers: NDArray[np.signedinteger] | None = None,
) -> Floats:
    """Return the weight of each class (columns) among the rows that each rule (rows) answers.

    A row that several rules share counts with each by its share. ``answers`` are the rules that
    answer the rows, where they are known.
    """
    rules = len(body.outputs)
    answers = body.answer(table) if answers is None else answers
    place = answers * classes + codes
    shared = body.shared_out(table)
    if shared.row.size:
        weight = np.concatenate([weight, weight[shared.row] * shared.share])
        weight[shared.row] = 0.0  # rows that several rules share count at the end
        place = np.concatenate([place, shared.rule * classes + codes[shared.row]])
    return code_sums(place, weight, rules * classes).reshape(rules, classes)


def check_evidence(
    model: Model,
    body: Arrangement,
    table: Table,
    codes: NDArray[np.int32],
    weight: Floats,
    families: Sequence[Family],
) -> list[str]:
    """Count the cases that each rule answers and compare; return cautions.

    ``weight`` has the relative weights and those that were given, which earlier files count by.
    Evidence of nothing but zeros claims nothing.
    """
    claimed = np.array(model.evidence, np.float64)
    counted, given = (
        counted_evidence(body, table, codes, each, len(model.classes)) for each in weight
    )
    if not claimed.any() or _close(claimed, given) or _close(claimed, counted):
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.nan_to_num(claimed.sum(axis=0) / counted.sum(axis=0))
    has_midpoints = any(isinstance(family, Midpoints) for family in families)
    if has_midpoints and _close(claimed, counted * factors):
        return [_class_weight_caution(model, factors)]
    rule = int(np.argmax(~np.isclose(claimed, counted, rtol=1e-9, atol=1e-9).all(axis=1)))
    raise CertificateError(
        f"The model says that rule {rule + 1} answers {_listed(claimed[rule])} training cases of "
        f"the classes; counting again gives {_listed(counted[rule])}. The file was changed, or the "
        "fit had a sample_weight: give it, too."
    )


def _class_weight_caution(model: Model, factors: Floats) -> str:
    listed = ", ".join(
        f"{factor:.6g} for {label!r}"
        for label, factor in zip(model.classes, factors.tolist(), strict=True)
    )
    return (
        f"The cases that each rule answered in training are multiplied by class weights: {listed}. "
        "The supports and probabilities of the rules follow these weights."
    )


def _close(claimed: Floats, counted: Floats) -> bool:
    """Whether two sums of weights are equal but for rounding."""
    return bool(np.allclose(claimed, counted, rtol=TOLERANCE, atol=TOLERANCE))


def _listed(numbers: Floats) -> str:
    return "[" + ", ".join(f"{number:.10g}" for number in numbers.tolist()) + "]"
