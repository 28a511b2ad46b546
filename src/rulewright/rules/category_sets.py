"""Sets of categories as bits, which the kernels read by the codes of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn
from rulewright.kernels import NO_BITS, CategoryBits
from rulewright.rules.node import Predicate
from rulewright.rules.predicates import Category, Given, Interval, Missing, Threshold

NATIVE = (Threshold, Interval, Category, Missing, Given)
"""Predicates that the kernels evaluate themselves."""


class Values(NamedTuple):
    """Some values of a categorical column, or all others, and whether missing ones belong."""

    column: int
    texts: tuple[str, ...]
    among: bool
    if_missing: bool


def values_of(test: Predicate, column: int) -> Values:
    """Return the values of a column of this number on which a test holds."""
    match test:
        case Category(_, texts, among, if_missing):
            return Values(column, texts, among, if_missing)
        case Given(_, truth, if_missing):
            return Values(column, ("True",), truth, if_missing)
        case Missing(_, missing):
            return Values(column, (), missing, missing)
    raise TypeError(f"{type(test).__name__} is not a test of categories")


def set_bits(sets: Sequence[Values], columns: Sequence[CategoricalColumn]) -> CategoryBits:
    """Return the bits of sets of categories for the codes of these columns."""
    if not sets:
        return NO_BITS
    for column in columns:
        if column.codes.size and int(column.codes.max()) >= len(column.categories):
            raise ValueError(f"column {column.name!r} has codes without a category")
    width = np.array([len(c.categories) // 64 + 1 for c in columns])[[s.column for s in sets]]
    first = np.cumsum(width) - width
    among = np.array([s.among for s in sets])
    flags = np.repeat(~among, width * 64)
    flags[first * 64] = [s.if_missing for s in sets]
    numbers = [{text: code for code, text in enumerate(c.categories)} for c in columns]
    found = [
        (number, code)
        for number, s in enumerate(sets)
        for code in map(numbers[s.column].get, s.texts)
        if code is not None
    ]
    if found:
        owner, code = np.array(found).T
        flags[first[owner] * 64 + code + 1] = among[owner]
    words: NDArray[np.uint64] = np.packbits(flags, bitorder="little").view(np.uint64)
    return CategoryBits(words, first.astype(np.int32), width.astype(np.int32))
