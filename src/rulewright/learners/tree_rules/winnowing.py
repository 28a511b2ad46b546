"""Columns that a tree can do without, left out before anything is learnt, as C5.0 winnows them.

Half of the examples grow a tree. Columns that it does not test go, and then those without which a
tree is no worse on the other half. If a tree of the columns that are left is worse there than the
first, none goes.
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
"""Grows a tree that tests some columns, from examples that count so much."""


def winnowed(
    sample: Sample, grow: GrowTree, costs: Floats, seed: int, deadline: Deadline
) -> list[str]:
    """Name the columns that are worth keeping; all of them where winnowing does harm.

    ``costs`` are those of answering examples of each class (rows) with each class (columns).
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
    least, kept = loss(whole), []
    for done, name in enumerate(tested):
        report("columns winnowed", done, len(tested))
        if deadline.over:
            return everything
        if loss(grow([other for other in tested if other != name], first)) > least:
            kept.append(name)
    return kept if kept and loss(grow(kept, first)) <= least else everything


def halves(sample: Sample, seed: int) -> tuple[Floats, Floats]:
    """Part the examples by lot: what each counts in one half, and in the other."""
    subsampler = Subsampler(sample, seed)
    parts = (subsampler.rows[places] for places in subsampler.parted(subsampler.places, 2))
    each = sample.weight if sample.copies is None else np.ones(sample.y.size)
    one, other = (np.bincount(rows, minlength=sample.y.size) * each for rows in parts)
    return one, other
