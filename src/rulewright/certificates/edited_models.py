"""Models with rules that a person wrote or edited, and their certificates."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.evidence import counted_evidence
from rulewright.certificates.forms.written import certify_written
from rulewright.certificates.model_cautions import cautions
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.models import Model, kept_rows, normalised_weight
from rulewright.rules import (
    Arrangement,
    RulesFile,
    Scorecard,
    consistent_shares,
    parse_rules_file,
)

DELTA = 0.05
"""Probability with which a certificate may fail, where the model has none that says so."""


def edited_model(
    model: Model,
    rules: str | None = None,
    X: Any = None,
    y: Any = None,
    *,
    drop: Collection[int] = (),
    simplify: bool = False,
    settled: bool = False,
    delta: float | None = None,
    sample_weight: Any = None,
) -> Model:
    """Return a model with other rules; see ``Model.edited``."""
    if (X is None) != (y is None):
        raise InputError("Give X and y, or neither: a certificate needs both.")
    if rules is None:
        file = RulesFile.of(model.body)
    else:
        file = parse_rules_file(rules, model.columns, model.classes)
    file = file.without(drop)
    body = (file.simplified() if simplify else file).body
    none = ((0.0,) * len(model.classes),) * len(body.rules)
    made = replace(model, body=body, evidence=none, certificate=None, profile=model.columns_profile)
    if X is None:
        return made
    table, codes = made.table(X, every=True), made.codes(y)
    if codes.size != table.rows:
        raise InputError(f"X has {table.rows} rows, but y has {codes.size} labels.")
    kept = kept_rows(sample_weight, table.rows)
    given = np.ones(table.rows) if sample_weight is None else np.asarray(sample_weight, float)
    known = getattr(model.certificate, "delta", DELTA)
    return certified_rules(
        made,
        table.take(kept),
        codes[kept],
        normalised_weight(given[kept]),
        settled=settled,
        delta=known if delta is None else delta,
    )


def certified_rules(
    model: Model,
    table: Table,
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    settled: bool,
    delta: float,
) -> Model:
    """Return rules with the cases that each answers, and with their certificate."""
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}.")
    seen = table.observed()
    counted = counted_evidence(model.body, seen, y, weight, len(model.classes))
    answers = np.bincount(model.body.answer(seen), minlength=len(model.body.outputs))
    evidence = tuple(map(tuple, counted.tolist()))
    body = _with_risks(model.body, counted)
    made = replace(model, body=body, evidence=evidence).profiled(seen, answers.tolist())
    certificate = certify_written(made, seen, y, settled=settled, delta=delta)
    certified = replace(made, certificate=certificate)
    said = cautions(certified, seen, y)
    return replace(made, certificate=replace(certificate, cautions=said))


def _with_risks(body: Arrangement, counted: NDArray[np.float64]) -> Arrangement:
    """Return a scorecard with the risks of its bands among the counted cases."""
    if not isinstance(body, Scorecard):
        return body
    risks = consistent_shares(counted + 1.0, np.array(body.outputs))[:, 1].tolist()
    bands = (replace(band, risk=risk) for band, risk in zip(body.bands, risks, strict=True))
    return replace(body, bands=tuple(bands))


def model_of_rules(
    text: str, table: Table, classes: Sequence[Any], target: str | None = None
) -> Model:
    """Return the model of a rules file for the columns of a table, without a certificate."""
    fields = table.observed().fields
    body = parse_rules_file(text, fields, classes).body
    none = ((0.0,) * len(classes),) * len(body.rules)
    return Model(fields, tuple(classes), body, none, target)
