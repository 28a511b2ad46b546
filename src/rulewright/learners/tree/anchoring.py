"""Rows that the cuts of a tree are named by, where it was grown from rows in any order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.sample import Sample
from rulewright.rules import Threshold, Tree, literals_of, map_nodes

Floats = NDArray[np.float64]
BLOCK_ROWS = 1 << 14
"""Rows that are compared with cuts together, so that they stay in the cache."""


def canonically_anchored(tree: Tree, sample: Sample) -> Tree:
    """Return a tree whose cuts are named by the rows that canonical order would name.

    Of the rows that have the value of a cut, it is the first one in canonical order. This order is
    computed only where several rows have the value.
    """
    if not sample.rows_as_given:
        return tree
    cuts: dict[str, set[float]] = defaultdict(set)
    for test in literals_of(tree):
        if isinstance(test, Threshold):
            cuts[test.column].add(test.cut)
    first = {name: _first_rows(sample, name, sorted(values)) for name, values in cuts.items()}

    def change(part: Any) -> Any:
        if not isinstance(part, Threshold):
            return part
        return replace(part, anchored_on=(first[part.column][part.cut],))

    return map_nodes(tree, change)


def _first_rows(sample: Sample, name: str, cuts: list[float]) -> dict[float, int]:
    """Return the canonically first row that has each of some values of a column."""
    rows, place = _rows_with(sample.table.numbers(name), np.array(cuts))
    if rows.size > len(cuts):
        order = np.lexsort((sample.canonical_rank[rows], place))
        rows, place = rows[order], place[order]
        rows = rows[np.append(True, place[1:] != place[:-1])]
    else:
        rows = rows[np.argsort(place)]
    return dict(zip(cuts, rows.tolist(), strict=True))


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
