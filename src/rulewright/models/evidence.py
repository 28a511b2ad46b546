"""The training cases that each rule answers, counted alike when a model is learnt and checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
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
    """Sum the weight of each class (columns) among the rows that each rule (rows) answers.

    A row that several rules share counts with each by its share. ``answers`` are the rules that
    answer the rows, where they are known.
    """
    rules = len(body.outputs)
    answers = body.answer(table) if answers is None else answers
    shared = body.shared_out(table)
    alone = weight.copy()
    alone[shared.row] = 0.0
    places = [answers * classes + codes, shared.rule * classes + codes[shared.row]]
    weights = [alone, weight[shared.row] * shared.share]
    sums = np.bincount(np.concatenate(places), np.concatenate(weights), rules * classes)
    return sums.astype(np.float64).reshape(rules, classes)
