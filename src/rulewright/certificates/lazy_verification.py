"""Verification of a split certificate from rows that stay in an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rulewright.certificates.assumptions import assumptions_of, table_assumptions
from rulewright.certificates.checks import check_abstention, check_bound
from rulewright.certificates.counted_cautions import (
    counted_category_cautions,
    counted_order_cautions,
    not_examined,
)
from rulewright.certificates.counted_order import check_order
from rulewright.certificates.counted_rows import (
    SplitCounts,
    design_table,
    key_splitter,
    run_recipe_lazily,
)
from rulewright.certificates.pool_record import PoolRecord
from rulewright.certificates.verification import Verification
from rulewright.data import LazyTable, lazy_names, selected
from rulewright.errors import CertificateError
from rulewright.models import Model

if TYPE_CHECKING:
    from rulewright.certificates.certificate import Certificate
    from rulewright.certificates.forms.split import SplitCertificate


def verify_lazily(
    certificate: Certificate, model: Model, frame: Any, order_by: str | None = None
) -> Verification:
    """Check a certificate whose splits are by key against a lazy frame, by counts.

    The recipe is run again on counts of the design rows, and the errors, the pool, the cases of the
    rules and the bound are computed again. ``order_by`` is a column along which classes and errors
    may change.

    Raises
    ------
    CertificateError
        With the reason, if anything does not agree.
    """
    check_abstention(certificate, model)
    split = _by_key(certificate, model)
    assert split.unit_column is not None and model.target is not None
    names = [column.name for column in model.columns]
    further = [order_by] if order_by is not None and order_by not in names else []
    chosen = selected(frame, [model.target, split.unit_column, *names, *further])
    with LazyTable(chosen, model.target, key=split.unit_column, drop=further) as table:
        if order_by is not None:
            check_order(table, order_by)
        split.check_numbers()
        _check_classes(model, table)
        counts = _counts_again(split, model, table)
        cautions = (
            *counted_category_cautions(model, table),
            *counted_order_cautions(model, table, order_by),
        )
    _check_counts(split, model, counts)
    check_bound(certificate)
    offered = [n for n in lazy_names(frame) if n not in (model.target, split.unit_column)]
    kinds = {field.name: field.kind for field in table.fields}
    assumptions = (
        *assumptions_of(certificate, model),
        *table_assumptions(offered, kinds, model.columns),
    )
    return Verification(certificate, True, "", assumptions, (*cautions, not_examined(order_by)))


def _by_key(certificate: Certificate, model: Model) -> SplitCertificate:
    unit = getattr(certificate, "unit", None)
    if not (isinstance(certificate, PoolRecord) and unit == "key"):
        raise CertificateError(
            "Only a certificate whose splits are by key can be checked where the rows are: it "
            f"needs no row numbers. This one has the form {certificate.form!r}. Collect the rows "
            "first."
        )
    if model.target is None or certificate.unit_column is None:  # type: ignore[attr-defined]
        raise CertificateError(
            "The model does not name the columns of the classes and of the keys. Collect the rows "
            "first, and give them as y and keys."
        )
    return certificate  # type: ignore[return-value]


def _check_classes(model: Model, table: LazyTable) -> None:
    if tuple(table.classes) != tuple(model.classes):
        raise CertificateError(
            f"The model knows the classes {list(model.classes)}; the data has "
            f"{list(table.classes)}."
        )


def _counts_again(split: SplitCertificate, model: Model, table: LazyTable) -> SplitCounts:
    """Draw the split and learn the candidates again; the model must be one of them."""
    splitter = key_splitter(table, split.recipe, split.seed, split.check_share)
    split.check_draw(splitter)
    with design_table(table, splitter, split.split) as design:
        split.check_design(design.rows)
        candidates = run_recipe_lazily(split.recipe, design)
        counts = SplitCounts.of(table, design, candidates)
    split.check_place(model, counts.pool(candidates))
    return counts


def _check_counts(split: SplitCertificate, model: Model, counts: SplitCounts) -> None:
    """Check the numbers of check rows, of errors and of the cases of the rules."""
    _, wrong = counts.wrong(model.body)
    evidence = counts.evidence(model.body)
    pairs = {
        "check rows of the classes": (split.counts, counts.check_counts),
        "errors on the check rows, by class": (split.wrong, wrong.astype(np.intp).tolist()),
        "cases of the rules": (np.ravel(model.evidence).tolist(), evidence.ravel().tolist()),
    }
    for what, (claimed, found) in pairs.items():
        if list(claimed) != list(found):
            raise CertificateError(
                f"The certificate counts {list(claimed)} {what}; counting again gives "
                f"{list(found)}. A value or a label differs from training, or the file was changed."
            )
