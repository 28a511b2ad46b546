"""The canonical order: an order of rows and columns that depends only on their content.

A search breaks ties by order and draws rows by number. In the canonical order it finds the same
model for every arrangement of the rows and the named columns. Numbers are compared by rank, so a
strictly increasing transformation of a column changes no order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CategoricalColumn, Column
from rulewright.data.table import Table
from rulewright.kernels import dense_ranks

Rows = NDArray[np.intp]
Ranks = NDArray[np.int64]

MAX_CODES = 2**62
MIN_CODES_PER_ROW = 2**10
"""Codes for each row from which the rows are sorted: most rows then differ from all others."""
SAMPLE_ROWS, MAX_SAMPLE_VALUES = 1_000, 0.99
"""Rows sampled to count distinct values, and their share below which values are counted first."""


class HasName(Protocol):
    """A column, or the description of one."""

    @property
    def name(self) -> str:
        """The name of the column."""


AnyColumn = TypeVar("AnyColumn", bound=HasName)


def canonical_columns(columns: Sequence[AnyColumn], *, named: bool) -> tuple[AnyColumn, ...]:
    """Return columns sorted by name; names that come from positions keep their order."""
    return tuple(sorted(columns, key=attrgetter("name"))) if named else tuple(columns)


def canonical_table(table: Table) -> Table:
    """Return the table with its columns, and the categories of each, in canonical order."""
    columns = [
        column.by_text() if isinstance(column, CategoricalColumn) else column
        for column in canonical_columns(table.columns, named=table.named)
    ]
    return Table(columns, table.rows, named=table.named)


def canonical_rows(table: Table, *more: NDArray[Any]) -> Rows:
    """Row numbers in canonical order: sorted by content, then shuffled by a hash of the labels.

    Rows are compared by the columns of the table first, then by the values in ``more``: the label,
    then the weight. Equal rows keep their order.

    Without the shuffle, every tenth row would be a systematic sample, which is more informative
    about the other rows than a random one. A shuffle that is the same for every table would be a
    fixed pattern of ranks, with the same fault. So its seed is a hash of the labels in sorted
    order. The hash leaves out the weights: they only order rows that are otherwise equal.
    """
    order, _ = sorted_rows(table, *more)
    key = hashlib.sha256()
    for labels in more[:1]:
        key.update(labels[order].astype("<f8").tobytes())
    seed = np.frombuffer(key.digest(), "<u4")
    shuffled: Rows = order[np.random.RandomState(seed).permutation(order.size)]
    return shuffled


def fixed_permutation(size: int) -> Rows:
    """Permutation of ``0 .. size - 1`` that is always the same."""
    return np.random.RandomState(0).permutation(
        size
    )  # RandomState guarantees a stable stream across NumPy versions


def sorted_rows(table: Table, *more: NDArray[Any]) -> tuple[Rows, Rows]:
    """Row numbers sorted by content, first column first, and the number of each row's group."""
    refinement = _Refinement(table.rows)
    keys: Iterable[Column | NDArray[Any]] = (*table.columns, *more)
    for key in keys:
        if refinement.is_done:
            break
        refinement.split(key)
    return refinement.finish()


def first_by_content(table: Table, rows: Rows, group: Rows, *more: NDArray[Any]) -> Rows:
    """Return the row of each group that comes first by content, in the order of the groups.

    Rows are compared by the columns of the table first, then by the values in ``more``.
    """
    by = np.argsort(group, kind="stable")
    rows, group = rows[by], group[by]
    starts = _starts(group)
    for key in (*table.columns, *more):
        if starts.size == rows.size:
            break
        value = _comparable(key, rows)
        least = np.minimum.reduceat(value, starts)
        kept = value == np.repeat(least, np.diff(np.append(starts, rows.size)))
        rows, group = rows[kept], group[kept]
        starts = _starts(group)
    return rows[starts]


def _starts(group: Rows) -> Rows:
    """Return the places at which a run of equal numbers starts."""
    return np.flatnonzero(np.append(True, group[1:] != group[:-1])[: group.size])


def _comparable(key: Column | NDArray[Any], rows: Rows) -> NDArray[Any]:
    """Return numbers in the order of the content of some rows; missing numbers come last."""
    if isinstance(key, CategoricalColumn):
        return key.codes[rows]
    values = (key if isinstance(key, np.ndarray) else key.values)[rows]
    return np.where(np.isnan(values), np.inf, values)


class _Refinement:
    """Groups of rows that are equal so far, in order, split key by key.

    ``open`` are the rows of groups with several rows, ``slots`` their places in the sorted order.
    ``code`` is the group of each, numbered in order below ``codes``.
    """

    def __init__(self, rows: int) -> None:
        self.order: Rows = np.empty(rows, np.intp)
        self.first = np.ones(rows, np.bool_)
        self.open: Rows = np.arange(rows)
        self.slots: Rows = np.arange(rows)
        self.code: Ranks = np.zeros(rows, np.int64)
        self.codes = 1

    @property
    def is_done(self) -> bool:
        return not self.open.size

    def split(self, key: Column | NDArray[Any]) -> None:
        """Split the groups by a key; sort the rows only when most of them may differ."""
        if self.codes > MAX_CODES // self.open.size:
            self._settle()
        rank, ranks = _ranks(key, self.open)
        if self.codes == 1 and ranks == self.open.size and not isinstance(key, CategoricalColumn):
            self._separate(rank)
            return
        self.code = self.code * ranks + rank
        self.codes *= ranks
        if self.codes // MIN_CODES_PER_ROW >= self.open.size:
            self._settle()

    def _separate(self, rank: Ranks) -> None:
        """Close all groups: no two rows have the same rank."""
        self.order[self.slots[rank]] = self.open
        self.open, self.slots, self.code = self.open[:0], self.slots[:0], self.code[:0]

    def _settle(self) -> None:
        """Sort the rows by their groups, and close the groups of one row."""
        by = np.argsort(self.code)
        code = self.code[by]
        first = np.ones(by.size, np.bool_)
        np.not_equal(code[1:], code[:-1], out=first[1:])
        alone = first & np.append(first[1:], True)
        self.order[self.slots[alone]] = self.open[by[alone]]
        together = ~alone
        self.open, self.slots = self.open[by[together]], self.slots[together]
        self.code = np.cumsum(first[together]) - 1
        self.codes = int(self.code[-1]) + 1 if self.code.size else 1

    def finish(self) -> tuple[Rows, Rows]:
        """Return the sorted rows, equal rows by number, and the group number of each place."""
        self._settle()
        by = np.lexsort((self.open, self.code))
        self.order[self.slots] = self.open[by]
        code = self.code[by]
        self.first[self.slots[1:]] = code[1:] != code[:-1]
        return self.order, np.cumsum(self.first) - 1


def _ranks(key: Column | NDArray[Any], rows: Rows) -> tuple[Ranks, int]:
    """Rank of each row by a column or by other values, and a number that exceeds all ranks.

    Equal values have the same rank; missing values share one. Categories may skip ranks.
    """
    if isinstance(key, CategoricalColumn):
        return key.codes[rows].astype(np.int64) + 1, len(key.categories) + 1
    values = key if isinstance(key, np.ndarray) else key.values
    chosen = values[rows]
    few = np.unique(chosen[:SAMPLE_ROWS]).size <= MAX_SAMPLE_VALUES * min(SAMPLE_ROWS, chosen.size)
    if few and chosen.dtype in (np.float64, np.int32):  # which doubles hold without loss
        ranked = dense_ranks(chosen.astype(np.float64, copy=False))
        if ranked is not None:
            return ranked[0], max(ranked[1], 1)
    known, rank = np.unique(chosen, return_inverse=True)
    return rank, known.size
