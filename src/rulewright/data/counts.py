"""Counts of rows: all that a search needs to know of a table that does not fit in memory.

A search asks for the classes of the rows in groups: by node of a tree, and by value, bin or
category of a column. Scores, ties and choices are computed by the search, so that a model does not
depend on the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import Field
from rulewright.data.key_hash import KeyHash
from rulewright.data.table import Table

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

CLOSED = -1
"""Instead of the number of a node: its rows are not counted."""
BINS = 1024
"""Number of bins of equal width into which the values of a cell are counted."""
MAX_QUERY_TESTS = 2_000
"""Maximum number of tests of rules in a query, which are one expression there."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of a column: numbers above, from or up to a cut, some categories, or missing values.

    It holds for no missing value, except for the test "missing". The test "all" holds if its
    ``parts`` do, each of which is of a column of its own.
    """

    kind: Literal["above", "from", "up_to", "among", "not_among", "missing", "present", "all"]
    cut: float = 0.0
    categories: tuple[str, ...] = ()
    parts: tuple[tuple[str, Condition], ...] = ()


@dataclass(frozen=True, slots=True)
class Fork:
    """A split of a tree: the route of the first condition that holds, or else the last route.

    A route is another fork, or the number of a node.
    """

    column: str
    conditions: tuple[Condition, ...]
    routes: tuple[Fork | int, ...]


Route = Fork | int


def nodes_of(route: Route) -> set[int]:
    """Numbers of the nodes of a route.

    Examples
    --------
    >>> sorted(nodes_of(Fork("x", (Condition("missing"),), (CLOSED, 3))))
    [-1, 3]
    """
    if isinstance(route, int):
        return {route}
    return set().union(*(nodes_of(branch) for branch in route.routes))


class ValueRange(NamedTuple):
    """The rows of a node with a value of a column from ``low`` to ``high``.

    Cells of one column do not overlap.
    """

    node: int
    low: float
    high: float


class GroupCounts(NamedTuple):
    """Rows of groups of neighbouring values, in order of cell and value.

    Attributes
    ----------
    cell : place of the cell of each group among those that were asked for
    low, high : smallest and largest value of the group; equal where it has a single value
    counts : rows of each class (columns) in each group (rows)
    """

    cell: Places
    low: Floats
    high: Floats
    counts: Floats


class CategoryCounts(NamedTuple):
    """Rows of each class (columns) of ``counts`` with a category, by node; code -1 is missing."""

    node: Places
    code: Places
    counts: Floats


class RowGroups(NamedTuple):
    """Counts of the same rows by value and by bin of numeric columns, and by category of others."""

    values: dict[str, GroupCounts]
    bins: dict[str, GroupCounts]
    categories: dict[str, CategoryCounts]


@dataclass(frozen=True, slots=True)
class HashRange:
    """Rows of each class whose keys have a hash from a number to below another."""

    key_hash: KeyHash
    limits: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RowPart:
    """The rows for which all conditions ``inside`` hold, and none ``outside``.

    ``drawn`` are hashes of keys, which these rows have.
    """

    inside: tuple[Condition, ...] = ()
    outside: tuple[Condition, ...] = ()
    drawn: HashRange | None = None


class DepthCounts(NamedTuple):
    """Rows by rule, once for each different line of ``depth``.

    Attributes
    ----------
    depth : number of the first condition of each rule (columns) that fails; the number of
        conditions if none does
    counts : rows of each class (columns) of these rows
    """

    depth: Places
    counts: Floats


class Patterns(NamedTuple):
    """Rows that cuts and categories do not distinguish, once each, with their number."""

    table: Table
    labels: NDArray[np.int32]
    rows: Floats


class Counts(Protocol):
    """A table that answers with counts only."""

    exact_rows: int
    """Number of rows up to which every value of a cell is counted; above, bins come first."""
    refined_rows: int
    """Number of rows, of all bins together, up to which bins are counted again by value."""
    most_bins: int
    """Largest number of bins in which the values of a cell should be counted at first."""

    @property
    def class_counts(self) -> Floats:
        """Number of rows of each class."""

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """Smallest and largest value of each numeric column that has values."""

    @property
    def category_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Rows of each category that occurs, of columns that are not numeric and no keys."""

    @property
    def missing(self) -> Mapping[str, int]:
        """Number of rows without a value in each column."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns, in the order of the user's table."""

    def by_value(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        """Count the rows of cells of numeric columns by value, without missing ones."""

    def by_bin(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        """Count the rows of cells in bins of equal width, which are groups of values.

        A cell with different values has at least two groups, if its width is a finite number.
        """

    def by_group(
        self,
        route: Route,
        values: Mapping[str, Sequence[ValueRange]],
        bins: Mapping[str, Sequence[ValueRange]],
        categories: Sequence[str],
        bin_count: int = BINS,
    ) -> RowGroups:
        """Count cells by value, others in bins, and rows by category: all at once if possible.

        Each of the others has ``bin_count`` bins, at least two.
        """

    def by_category(self, route: Route, names: Sequence[str]) -> dict[str, CategoryCounts]:
        """Count the rows of nodes by the categories of columns."""

    def by_node(self, route: Route) -> dict[int, Floats]:
        """Count the rows of nodes by class; a node without rows is left out."""

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return for each number the largest value of the column that is not above it."""

    def smallest_above(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return for each number the smallest value of the column that is above it."""

    def quantile_ends(self, names: Sequence[str], groups: int) -> dict[str, Floats]:
        """Return the largest values of groups of about as many rows, in increasing order.

        Columns with at most ``groups`` different values are left out. A value up to which there are
        m of all M values is in group ``(m - 1) * groups // M``.
        """

    def distinct_values(self, names: Sequence[str]) -> dict[str, int]:
        """Return the number of different values of each of some numeric columns."""

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        """Return the rows as cuts of numeric columns and the categories of others tell them apart.

        The value of a row becomes the smallest cut that is not below it, or a number above all
        cuts.
        """

    def by_depth(self, part: RowPart, rules: Sequence[Sequence[Condition]]) -> DepthCounts:
        """Count rows by how many of the first conditions of each rule hold, all rules at once.

        The conditions are of the kind "all".
        """

    def rows_of(self, part: RowPart, names: Sequence[str]) -> tuple[Table, NDArray[np.int32]]:
        """Fetch some columns of rows, in any order, with the numbers of their classes.

        Columns that are not numeric have all categories of the table.
        """

    def keyed_rows(self) -> tuple[Table, NDArray[np.int32], NDArray[np.int64]]:
        """Fetch all rows of a table with keys: columns, numbers of the classes, and keys."""


def grouped_counts(
    keys: Sequence[NDArray[np.generic]],
    labels: NDArray[np.integer],
    rows: NDArray[np.integer],
    classes: int,
) -> tuple[Places, Places, Floats]:
    """Sum rows by keys and class.

    Returns
    -------
    first : place of an entry of each group, in increasing order of the keys, the first one leading
    group : number of the group of each entry
    counts : rows of each class (columns) in each group (rows)

    Examples
    --------
    >>> first, group, counts = grouped_counts([np.array([7, 3, 7])], np.array([0, 1, 1]),
    ...                                       np.array([5, 2, 1]), 2)
    >>> first.tolist(), group.tolist(), counts.tolist()
    ([1, 0], [1, 0, 1], [[0.0, 2.0], [5.0, 1.0]])
    """
    order = np.lexsort(keys[::-1])
    new = np.zeros(order.size, np.bool_)
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    new[:1] = True
    group = np.empty(order.size, np.intp)
    group[order] = np.cumsum(new) - 1
    groups = int(new.sum())
    sums = np.bincount(group * classes + labels, rows, groups * classes)
    return order[new], group, sums.astype(np.float64).reshape(groups, classes)


MAX_WORD = 2**62
"""Largest number into which the depths of several rules are put together."""


def depth_words(sizes: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Numbers of rules in words, each with a factor: sums of depths times factors are different.

    ``sizes`` are the numbers of conditions of the rules. There is at least one word.

    Examples
    --------
    >>> depth_words([1, 3, 1])
    [[(0, 1), (1, 2), (2, 8)]]
    """
    words: list[list[tuple[int, int]]] = [[]]
    factor = 1
    for rule, size in enumerate(sizes):
        if factor * (size + 1) > MAX_WORD:
            words.append([])
            factor = 1
        words[-1].append((rule, factor))
        factor *= size + 1
    return words


def depth_counts(
    keys: Sequence[NDArray[np.int64]],
    words: Sequence[Sequence[tuple[int, int]]],
    labels: NDArray[np.generic],
    rows: NDArray[np.generic],
    classes: int,
) -> DepthCounts:
    """Counts by depth, from rows by words and class; see ``depth_words``.

    Examples
    --------
    >>> found = depth_counts([np.array([5, 5, 0])], [[(0, 1), (1, 2)]], np.array([0, 1, 0]),
    ...                      np.array([7, 1, 4]), 2)
    >>> found.depth.tolist(), found.counts.tolist()
    ([[0, 0], [1, 2]], [[4.0, 0.0], [7.0, 1.0]])
    """
    first, _, counts = grouped_counts(keys, labels.astype(np.intp), rows.astype(np.int64), classes)
    depth = np.zeros((first.size, sum(map(len, words))), np.intp)
    for key, word in zip(keys, words, strict=True):
        left = key[first].astype(np.int64)
        for rule, factor in reversed(word):
            depth[:, rule], left = np.divmod(left, factor)
    return DepthCounts(depth, counts)
