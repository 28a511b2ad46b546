"""Winnowing as in C5.0: columns that a tree does not need are left out before the search.

Half of the examples grow a tree. Columns that it does not test are left out, and then those without
which a tree is no worse on the other half. If a tree of the remaining columns is worse there than
the first, all columns stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.subsampling import Subsampler
from rulewright.rules import Tree, literals_of

Floats = NDArray[np.float64]
GrowTree = Callable[[Sequence[str], Floats], Tree]
"""Function that grows a tree on some columns, from examples with the given weights."""


def winnowed(
    sample: Sample, grow: GrowTree, costs: Floats, seed: int, deadline: Deadline
) -> list[str]:
    """Names of the columns to keep; all of them if winnowing does harm.

    ``costs`` are the costs of answering examples of each class (rows) with each class (columns).
    """
    everything = sample.searched().names
    first, other = halves(sample, seed)
    if not first.any() or not other.any():
        return everything

    def loss(tree: Tree) -> float:
        return float((other * costs[sample.y, tree.classify(sample.table)]).sum())

    whole = grow(everything, first)
    used = {column for test in literals_of(whole) for column in test.columns}
    tested = [name for name in everything if name in used]
    if len(tested) < 2:
        return tested or everything
    min_loss, kept = loss(whole), []
    for done, name in enumerate(tested):
        report("columns winnowed", done, len(tested))
        if deadline.over:
            return everything
        if loss(grow([other for other in tested if other != name], first)) > min_loss:
            kept.append(name)
    return kept if kept and loss(grow(kept, first)) <= min_loss else everything


def halves(sample: Sample, seed: int) -> tuple[Floats, Floats]:
    """Weights of the examples in two random halves."""
    subsampler = Subsampler(sample, seed)
    parts = (subsampler.rows[places] for places in subsampler.parted(subsampler.places, 2))
    each = sample.weight if sample.copies is None else np.ones(sample.y.size)
    one, other = (np.bincount(rows, minlength=sample.y.size) * each for rows in parts)
    return one, other
