"""Report of a model and its training data, from Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from rulewright.certificates import Certificate, PathEntry
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.report.page import write_report
from rulewright.report.report_facts import facts
from rulewright.selection import model_costs


def report_model(
    model: Model,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    sizes: Sequence[PathEntry] = (),
    notices: Sequence[str] = (),
    embed_rows: int = 0,
    by: str | Sequence[str] | Mapping[str, Any] = (),
) -> None:
    """Write the HTML report of a model that has a certificate.

    Parameters
    ----------
    model : Model
        An estimator's ``model_``, or the result of ``from_sklearn``.
    X, y : training data with all its columns
        A model from a file is checked against it. A certificate that does not hold gives a caution
        on the page.
    path : file of the page
    title : str, optional
    sizes : sequence of PathEntry
        Models of all sizes from which it was chosen: an estimator's ``path_``.
    notices : sequence of str
        Remarks on the choice: an estimator's ``notices_``.
    embed_rows : int, default=0
        Number of training rows whose values the page may hold, from the first. Without it the page
        counts with codes of the rows, and lists cases by their row numbers.
    by : str, list of str or dict, optional
        Columns of training whose values form groups, or names with the group of each row: the page
        shows the errors of each group.
    """
    if type(embed_rows) is not int or embed_rows < 0:
        raise InputError(f"embed_rows must be a whole number from 0 on; found {embed_rows!r}.")
    certificate = getattr(model, "certificate", None)
    if certificate is None:
        raise InputError(
            "A report needs a model with a certificate; this one has none. Fit a classifier, or "
            "give from_sklearn the labels y."
        )
    certificate = _compared(certificate, model, X, y)
    model = replace(model, certificate=certificate)
    table = model.table(X, every=True)
    codes = model.codes(y)
    errors = int((model.body.classify(table) != codes).sum())
    entry = PathEntry(_size(model, sizes), model, errors, certificate, 0.0)
    numbers = model_costs(model)
    costs = None if numbers is None else [Fraction(str(number)) for number in numbers]
    named = title or f"Rules for {model.target or 'the class'}"
    content = facts(
        entry,
        list(sizes) or [entry],
        table,
        codes,
        title=named,
        remarks=notices,
        costs=costs,
        embed_rows=embed_rows,
        groups=_groups(by, table),
    )
    write_report(path, content)


def _groups(by: str | Sequence[str] | Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return the group of each row, by name; a name alone is a column of training."""
    if isinstance(by, Mapping):
        groups = {str(name): np.asarray(values, object) for name, values in by.items()}
        for name, values in groups.items():
            if values.shape != (table.rows,):
                raise InputError(
                    f"The groups by {name!r} must be one for each of the {table.rows} rows; found "
                    f"the shape {values.shape}."
                )
        return groups
    names = [by] if isinstance(by, str) else list(by)
    absent = [name for name in names if name not in table.names]
    if absent:
        raise InputError(
            f"{absent[0]!r} is not a column of training. Give its values: by={{name: values}}."
        )
    return {name: np.array(table.column(name).cells(), object) for name in names}


def _size(model: Model, sizes: Sequence[PathEntry]) -> int:
    """Return the size of a model as its path counts it."""
    same = (entry.size for entry in sizes if entry.model.body == model.body)
    return next(same, len(model.body.outputs))


def _compared(certificate: Certificate, model: Model, X: Any, y: Any) -> Certificate:
    """Return a certificate with the result of its check, if it came from a file."""
    if not certificate.unverified:
        return certificate
    found = certificate.check(model, X, y)
    if found.holds:
        return replace(certificate, unverified=False, cautions=found.cautions)
    refused = f"The certificate does not hold for this data: {found.reason}"
    return replace(certificate, cautions=(refused, *certificate.all_cautions))
