"""Groups of cases on the page: how often the model is wrong in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import SplitCertificate
from rulewright.data import Table, is_missing, text_of
from rulewright.errors import RulewrightError
from rulewright.models import Model
from rulewright.render import weight_text

MAX_GROUPS = 100
"""Maximum number of groups that are listed."""


def group_facts(
    model: Model, table: Table, y: NDArray[np.int32], groups: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return a table for each way to group the rows.

    A split certificate gives intervals for new cases, from its check rows; all of them hold at
    once. Other forms say nothing about groups: the table has the counts of the training rows.

    Parameters
    ----------
    model, table, y : the model, its training data, and the class numbers of the rows
    groups : mapping of str to array
        The group of each row, by the name of what groups them.
    """
    certificate = model.certificate
    split = isinstance(certificate, SplitCertificate) and certificate.unit == "row"
    found = []
    for name, values in groups.items():
        try:
            if split:
                stated = certificate.by_group(
                    values, model, table, model.labels[y], delta=certificate.delta / len(groups)
                )
                facts = {"caption": stated.caption, "head": stated.head, "cells": stated.cells()}
                found.append({"name": name, **facts, "sentences": list(stated.sentences())})
                continue
        except RulewrightError:
            pass  # the rows are not those of the certificate, or they have weights
        found.append({"name": name, **_counted(model, table, y, values)})
    return found


def _counted(model: Model, table: Table, y: NDArray[np.int32], values: Any) -> dict[str, Any]:
    """Return the errors of each group on the training rows."""
    wrong = model.body.classify(table) != y
    texts = ["(missing)" if is_missing(value) else text_of(value) for value in values]
    names, codes = np.unique(np.array(texts, object), return_inverse=True)
    sizes, errors = np.bincount(codes), np.bincount(codes, wrong)
    order = np.argsort(-sizes, kind="stable")
    cells = [
        [names[g], weight_text(float(sizes[g])), f"{errors[g]:,.0f}", _rate(errors[g] / sizes[g])]
        for g in order[:MAX_GROUPS].tolist()
    ]
    more = order.size - len(cells)
    return {
        "caption": "Errors on the training rows. The certificate says nothing about groups.",
        "head": ["group", "rows", "wrong", "error rate"],
        "cells": cells,
        "sentences": [f"{more} smaller groups are not listed."] if more else [],
    }


def _rate(share: float) -> str:
    return f"{100 * share:.1f} %"
