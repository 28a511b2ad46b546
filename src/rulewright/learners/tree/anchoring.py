"""Rows that the cuts of a tree are named by, whatever the order of the rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from rulewright.data import first_by_content
from rulewright.learners.base.sample import Sample
from rulewright.rules import Threshold, Tree, literals_of, map_nodes

Floats = NDArray[np.float64]
BLOCK_ROWS = 1 << 14
"""Rows that are compared with cuts together, so that they stay in the cache."""


def anchored_by_content(tree: Tree, sample: Sample) -> Tree:
    """Return a tree whose cuts are named by the first rows by content that have their values.

    Of rows with equal content, it is the one with the lowest number. The value of a cut is that of
    the row that names it: a whole number as a cut may be above all values of its group.
    """
    named: dict[str, set[int]] = defaultdict(set)
    for test in literals_of(tree):
        if _is_anchored(test):
            named[test.column].add(test.anchored_on[0])
    first = {name: _first_rows(sample, name, sorted(rows)) for name, rows in named.items()}

    def change(part: Any) -> Any:
        if not _is_anchored(part):
            return part
        return replace(part, anchored_on=(first[part.column][part.anchored_on[0]],))

    return map_nodes(tree, change) if first else tree


def _is_anchored(part: Any) -> TypeGuard[Threshold]:
    """Whether a cut is named by one row; one between two values is named by two."""
    return isinstance(part, Threshold) and len(part.anchored_on) == 1


def _first_rows(sample: Sample, name: str, rows: list[int]) -> dict[int, int]:
    """Return the first row by content that has the same value of a column as each of some rows."""
    values = sample.table.numbers(name)
    wanted, group = np.unique(values[rows], return_inverse=True)
    equal, place = _rows_with(values, wanted)
    first = first_by_content(sample.table, equal, place, sample.y, sample.weight, sample.rows)
    return dict(zip(rows, first[group].tolist(), strict=True))


def _rows_with(values: Floats, wanted: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows that have one of some values, in increasing order, and the place of each."""
    rows, places = [], []
    for start in range(0, values.size, BLOCK_ROWS):
        block = values[start : start + BLOCK_ROWS]
        place = np.minimum(np.searchsorted(wanted, block), wanted.size - 1)
        there = np.flatnonzero(wanted[place] == block)
        rows.append(start + there)
        places.append(place[there])
    return np.concatenate(rows), np.concatenate(places)
