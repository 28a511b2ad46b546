"""Polishing of a model that exists already: fitted, loaded from a file, or edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import (
    Code,
    CompressionCertificate,
    cautions,
    certify,
    counted_evidence,
)
from rulewright.data import Table, key_columns
from rulewright.errors import CertificateError, InputError
from rulewright.families import as_families
from rulewright.learners.base.parameters import known_columns, read_class_weight
from rulewright.learners.base.preparation import in_search_order
from rulewright.learners.base.sample import Sample
from rulewright.learners.polishing.applying import searched_families
from rulewright.learners.polishing.objective import LITERAL_PRICE, PolishingTask
from rulewright.learners.polishing.polisher import POLISHERS, polish
from rulewright.models import Model, kept_rows, normalised_weight, read_class_costs
from rulewright.rules import Arrangement, Threshold, map_nodes, reanchored, without_anchors

DELTA = 0.05
"""Probability with which a certificate may fail, where the model has none that says so."""
KINDS = 5
"""Conjunctions, disjunctions, lists, votes and trees: the message names which it is."""


def polished_model(
    model: Model,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    class_costs: Any = None,
    keep: Sequence[str] | None = None,
    forbid: Sequence[str] | None = None,
    price: float = LITERAL_PRICE,
) -> Model:
    """Return a model with better parts for these rows; see ``Model.polished``."""
    if not isinstance(price, int | float) or not 0 <= price < np.inf:
        raise InputError(f"price must be a number of 0 or more, got {price!r}.")
    code = _code(model)
    sample = _sample(model, X, y, sample_weight, keep, forbid)
    ordered = in_search_order(sample, code.families)
    body = _placed(model.body, ordered.rows, np.asarray(y).size)
    if not body.anchors:
        body = map_nodes(body, partial(_anchored, table=ordered.table))
    costs = _costs(class_costs, ordered)
    task = PolishingTask(ordered, searched_families(code.families), costs, float(price))
    if task.has_message_in(code, body):
        task = replace(task, code=code)
    polished = polish(body, task)
    if polished == body:
        return model
    made = _with_evidence(model, polished, ordered)
    try:
        delta = getattr(model.certificate, "delta", DELTA)
        certificate = certify(polished, ordered.table, ordered.y, code, delta=delta)
        certificate = replace(
            certificate.renumbered(ordered.rows), canonical=ordered.names is not None
        )
        certificate.verify(replace(made, certificate=certificate), X, y, sample_weight)
    except CertificateError:
        return made
    certified = replace(made, certificate=certificate)
    said = cautions(
        certified, sample.table, sample.y, order=np.searchsorted(sample.rows, ordered.rows)
    )
    return replace(made, certificate=replace(certificate, cautions=said))


def _code(model: Model) -> Code:
    """Code of the certificate, or one that does not depend on the data where there is none."""
    if type(model.body) not in POLISHERS:
        raise InputError(f"A {type(model.body).__name__} cannot be polished.")
    certificate = model.certificate
    if not isinstance(certificate, CompressionCertificate):
        return Code(as_families("auto"), len(model.classes), KINDS, combinations=("all",))
    if certificate.implied:
        raise InputError(
            "A machine that was fitted with consistent=True cannot be polished: it might "
            "misclassify its compression set. Fit it with consistent=False."
        )
    return certificate.code


def _sample(
    model: Model,
    X: Any,
    y: Any,
    sample_weight: Any,
    keep: Sequence[str] | None,
    forbid: Sequence[str] | None,
) -> Sample:
    table, codes = model.table(X, every=True), model.codes(y)
    if codes.size != table.rows:
        raise InputError(f"X has {table.rows} rows, but y has {codes.size} labels.")
    kept = kept_rows(sample_weight, table.rows)
    weight = np.ones(table.rows) if sample_weight is None else np.asarray(sample_weight, float)
    table = table.take(kept)
    names = table.names
    allowed = names if keep is None else [names[n] for n in known_columns(keep, "keep", names)]
    known_columns(forbid or (), "forbid", names)
    keys = [name for name in key_columns(table.observed(), ()) if keep is None]
    out = [n for n in names if n not in allowed or n in (forbid or ()) or n in keys]
    return Sample.of(
        table,
        codes[kept],
        model.classes,
        weight=normalised_weight(weight[kept]),
        rows=kept,
        target=model.target,
        left_out=tuple(out),
    )


def _costs(class_costs: Any, sample: Sample) -> Any:
    if isinstance(class_costs, str):
        weights = np.bincount(sample.y, sample.weight, len(sample.classes)).tolist()
        class_costs = read_class_weight(class_costs, sample.classes, weights, "class_costs")
    return read_class_costs(class_costs, sample.classes)


def _placed(body: Arrangement, rows: NDArray[np.intp], count: int) -> Arrangement:
    """Body anchored on the places of its rows in the sample; on none where a row is not there."""
    places = np.full(count, -1)
    places[rows] = np.arange(rows.size)
    anchors = np.array(body.anchors, np.intp)
    if (anchors < count).all() and (places[anchors] >= 0).all():
        return reanchored(body, places)
    return without_anchors(body)


def _anchored(node: Any, table: Table) -> Any:
    """Anchor a threshold on the first row that has its cut; other nodes stay as they are."""
    if not isinstance(node, Threshold) or node.cut_above:
        return node
    rows = np.flatnonzero(table.numbers(node.column) == node.cut)
    return replace(node, anchored_on=(int(rows[0]),)) if rows.size else node


def _with_evidence(model: Model, body: Arrangement, sample: Sample) -> Model:
    counted = counted_evidence(body, sample.table, sample.y, sample.weight, len(sample.classes))
    evidence = tuple(map(tuple, counted.tolist()))
    rows = sample.rows
    answers = np.bincount(body.answer(sample.table), minlength=len(body.outputs))
    return replace(
        model, body=reanchored(body, rows), evidence=evidence, certificate=None
    ).profiled(sample.table, answers.tolist())
