"""The report of a model and its training data, from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulewright.errors import InputError
from rulewright.models import Certificate, Model, PathEntry
from rulewright.report.facts import facts
from rulewright.report.page import write_report


def report_model(
    model: Model,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    sizes: Sequence[PathEntry] = (),
) -> None:
    """Write the HTML report of a model that has a certificate.

    Parameters
    ----------
    model : Model
        An estimator's ``model_``, or what ``from_sklearn`` made of a tree.
    X, y : the training data with all its columns
        A model that was read from a file is checked against it; where its certificate does not
        hold, the report says so.
    path : where to write the page
    title : str, optional
    sizes : sequence of PathEntry
        The models of all sizes that it was chosen from: an estimator's ``path_``.
    """
    certificate = getattr(model, "certificate", None)
    if certificate is None:
        raise InputError(
            "A report is about a model and its certificate, and this one has none. Fit a "
            "classifier, or give from_sklearn the labels y."
        )
    certificate = _compared(certificate, model, X, y)
    model = replace(model, certificate=certificate)
    table = model.table(X, every=True)
    codes = model.codes(y)
    errors = int((model.body.classify(table) != codes).sum())
    entry = PathEntry(len(model.body.outputs), model, errors, certificate, 0.0)
    named = title or f"Rules for {model.target or 'the class'}"
    write_report(path, facts(entry, list(sizes) or [entry], table, codes, title=named))


def _compared(certificate: Certificate, model: Model, X: Any, y: Any) -> Certificate:
    """Compare a certificate that was read from a file with the data."""
    if not certificate.unverified:
        return certificate
    found = certificate.check(model, X, y)
    if found.holds:
        return replace(certificate, unverified=False, cautions=found.cautions)
    refused = f"The certificate does not hold for this data: {found.reason}"
    return replace(certificate, cautions=(refused, *certificate.told_cautions))
