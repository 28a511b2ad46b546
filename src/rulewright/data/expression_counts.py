"""Counts of a table in an engine by expressions, which narwhals translates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import add, and_
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CategoricalColumn, NumericColumn, category_text
from rulewright.data.counts import (
    CategoryCounts,
    Condition,
    DepthCounts,
    Floats,
    GroupCounts,
    HashRange,
    Patterns,
    Places,
    Route,
    RowGroups,
    RowPart,
    ValueRange,
    depth_counts,
    depth_words,
    grouped_counts,
    nodes_of,
)
from rulewright.data.key_hash import MODULUS, KeyHash
from rulewright.data.lazy_cells import (
    bin_number,
    cell_number,
    cells_by_node,
    interval_number,
    whole,
)
from rulewright.data.lazy_queries import (
    LABEL,
    MAX_PATTERNS,
    ROWS,
    Answer,
    aggregates,
    answered,
    counted,
    refuse_patterns,
)
from rulewright.data.lazy_survey import KEY, CodedFrame
from rulewright.data.table import Table
from rulewright.errors import preview

PART = 2**32
NODE, CELL, VALUE = "node", "cell", "value"
LOW, HIGH = "low", "high"
HASH = "hash"
WORD = "word"
"""Columns of queries; those of the table are c0, c1, ..."""


class ExpressionCounts:
    """Counts of rows, cells and patterns by expressions; see ``Counts``.

    Parameters
    ----------
    coded : CodedFrame
    categories : categories of the columns that are not numeric and no keys
    classes : int
    """

    def __init__(
        self, coded: CodedFrame, categories: Mapping[str, tuple[str, ...]], classes: int
    ) -> None:
        self._frame, self._kinds, self._place = coded.frame, coded.kinds, coded.place
        self._categories = categories
        self._classes = classes
        self._last_hash: tuple[KeyHash, Any] | None = None

    def by_group(
        self,
        route: Route,
        values: Mapping[str, Sequence[ValueRange]],
        bins: Mapping[str, Sequence[ValueRange]],
        categories: Sequence[str],
        bin_count: int,
    ) -> RowGroups:
        """Count cells by value and in bins, and rows by category, in a query each."""
        return RowGroups(
            self.by_value(route, values) if values else {},
            self.by_bin(route, bins, bin_count) if bins else {},
            self.by_category(route, categories) if categories else {},
        )

    def by_value(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]]
    ) -> dict[str, GroupCounts]:
        parts = [
            counted(frame.filter(nw.col(CELL) >= 0), CELL, VALUE, LABEL)
            for frame in self._in_cells(route, cells, lambda first, place, *_: whole(first + place))
        ]
        found = self._in_one(parts, CELL, f"count the values of {preview(cells)}")
        return {name: self._valued(one) for name, one in zip(cells, found, strict=True)}

    def _valued(self, found: Answer) -> GroupCounts:
        values = found[VALUE].astype(np.float64) + 0.0  # turns -0.0 into 0.0
        first, _, counts = self._grouped([found[CELL], values], found)
        return GroupCounts(found[CELL][first].astype(np.intp), values[first], values[first], counts)

    def by_bin(
        self, route: Route, cells: Mapping[str, Sequence[ValueRange]], bin_count: int
    ) -> dict[str, GroupCounts]:
        ends = [nw.col(VALUE).min().alias(LOW), nw.col(VALUE).max().alias(HIGH)]
        # Rows in no cell are one group more, which is cheaper than to filter by the cell.
        parts = [
            counted(frame, CELL, LABEL, more=ends)
            for frame in self._in_cells(
                route,
                cells,
                lambda first, place, cell, value: (
                    whole(first + place * bin_count) + bin_number(value, cell, bin_count)
                ),
            )
        ]
        found = self._in_one(parts, CELL, f"count the bins of {preview(cells)}")
        return {name: self._binned(one, bin_count) for name, one in zip(cells, found, strict=True)}

    def _in_cells(
        self,
        route: Route,
        cells: Mapping[str, Sequence[ValueRange]],
        code: Callable[[int, int, ValueRange, Any], Any],
    ) -> list[Any]:
        """Class, cell and value of the rows, one frame for each column; -1 is no cell.

        The cells of a node are in the branch of the node. So the expression grows with the number
        of cells and splits, also where an engine filters by it.
        """
        return [
            self._in_cells_of(name, route, some, partial(code, part * PART))
            for part, (name, some) in enumerate(cells.items())
        ]

    def _in_cells_of(
        self, name: str, route: Route, cells: Sequence[ValueRange], code: Callable[..., Any]
    ) -> Any:
        value, by_node = nw.col(self._place[name]), cells_by_node(cells)

        def at(node: int) -> Any:
            return cell_number(value, by_node[node], code) if node in by_node else whole(-1)

        frame = self._frame
        if not nodes_of(route) <= by_node.keys():
            frame = frame.filter(self._routed(route, lambda node: nw.lit(node in by_node)))
        cell = self._routed(route, at).cast(nw.Int64).alias(CELL)
        return frame.select(nw.col(LABEL), cell, value.alias(VALUE))

    def _binned(self, found: Answer, bin_count: int) -> GroupCounts:
        first, group, counts = self._grouped([found[CELL]], found)
        low, high = np.full(first.size, np.inf), np.full(first.size, -np.inf)
        np.minimum.at(low, group, found[LOW].astype(np.float64))
        np.maximum.at(high, group, found[HIGH].astype(np.float64))
        cells = found[CELL][first].astype(np.intp) // bin_count
        return GroupCounts(cells, low + 0.0, high + 0.0, counts)

    def by_category(self, route: Route, names: Sequence[str]) -> dict[str, CategoryCounts]:
        node = self._routed(route, whole).cast(nw.Int64).alias(NODE)
        routed = self._frame.with_columns(node)
        if not isinstance(route, int):
            routed = routed.filter(nw.col(NODE) >= 0)
        parts = []
        for part, name in enumerate(names):
            value = nw.col(self._place[name])
            if self._kinds[name] == "boolean":  # all parts of the result have one type
                value = nw.when(value).then(nw.lit("True")).when(~value).then(nw.lit("False"))
            node = nw.col(NODE) + whole(part * PART)
            frame = routed.select(nw.col(LABEL), node.alias(NODE), value.alias(VALUE))
            parts.append(counted(frame, NODE, VALUE, LABEL))
        found = self._in_one(parts, NODE, f"count the categories of {preview(names)}")
        return {name: self._categorised(name, one) for name, one in zip(names, found, strict=True)}

    def _categorised(self, name: str, found: Answer) -> CategoryCounts:
        codes = self._codes(name, found[VALUE])
        first, _, counts = self._grouped([found[NODE], codes], found)
        return CategoryCounts(found[NODE][first].astype(np.intp), codes[first], counts)

    def _in_one(self, parts: Sequence[Any], key: str, what: str) -> list[Answer]:
        """Answers of several counts with the same columns, from one query.

        The numbers of a key of each part begin at a multiple of ``PART``.
        """
        found = answered(nw.concat(parts) if len(parts) > 1 else parts[0], what)
        keys = found[key].astype(np.int64)
        answers = []
        for part in range(len(parts)):
            at = np.flatnonzero(keys // PART == part)
            answers.append({name: column[at] for name, column in found.items()})
            answers[-1][key] = keys[at] - part * PART
        return answers

    def by_node(self, route: Route) -> dict[int, Floats]:
        node = self._routed(route, whole).cast(nw.Int64).alias(NODE)
        frame = counted(self._frame.select(nw.col(LABEL), node), NODE, LABEL)
        found = answered(frame, "count the rows of the rules")
        first, _, counts = self._grouped([found[NODE]], found)
        return dict(zip(found[NODE][first].tolist(), counts, strict=True))

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, lambda x, number: nw.when(x <= number).then(x).max())

    def smallest_above(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, lambda x, number: nw.when(x > number).then(x).min())

    def _nearest(
        self, numbers: Mapping[str, Floats], nearest: Callable[[Any, float], Any]
    ) -> dict[str, Floats]:
        asked = [
            nearest(nw.col(self._place[name]), number)
            for name, wanted in numbers.items()
            for number in wanted.tolist()
        ]
        found = iter(aggregates(self._frame, "place the cuts", asked))
        return {
            name: np.array([float(next(found)) + 0.0 for _ in wanted])
            for name, wanted in numbers.items()
        }

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        codes = [
            interval_number(nw.col(self._place[n]), ends).alias(self._place[n])
            for n, ends in cuts.items()
        ]
        others = [nw.col(self._place[name]) for name in categorical]
        places = [self._place[name] for name in (*cuts, *categorical)]
        frame = self._frame.select(nw.col(LABEL), *codes, *others)
        patterns = counted(frame, *places, LABEL).head(MAX_PATTERNS + 1)
        found = answered(patterns, "count the rows that the tests tell apart")
        refuse_patterns(found[ROWS].size)
        numbers = [self._numbers(name, ends, found) for name, ends in cuts.items()]
        texts = [self._coded_column(name, found) for name in categorical]
        return Patterns(
            Table([*numbers, *texts], int(found[ROWS].size)),
            found[LABEL].astype(np.int32),
            found[ROWS].astype(np.float64),
        )

    def by_depth(self, part: RowPart, rules: Sequence[Sequence[Condition]]) -> DepthCounts:
        words = depth_words([len(rule) for rule in rules])
        depths = [self._depth(rule) for rule in rules]
        packed = [
            reduce(add, (depths[r] * whole(factor) for r, factor in word), whole(0)).alias(
                f"{WORD}{i}"
            )
            for i, word in enumerate(words)
        ]
        places = [f"{WORD}{i}" for i in range(len(words))]
        frame = counted(self._part_rows(part).select(nw.col(LABEL), *packed), *places, LABEL)
        found = answered(frame.head(MAX_PATTERNS + 1), "count the rows of the rules")
        refuse_patterns(found[ROWS].size)
        keys = [found[place].astype(np.int64) for place in places]
        return depth_counts(keys, words, found[LABEL], found[ROWS], self._classes)

    def _depth(self, conditions: Sequence[Condition]) -> Any:
        """Number of the first condition that fails."""
        found = whole(len(conditions))
        for place in reversed(range(len(conditions))):
            holds = self._holds("", conditions[place])
            found = nw.when(holds).then(found).otherwise(whole(place))
        return found

    def _part_rows(self, part: RowPart) -> Any:
        """Rows of a part; conditions that are unknown do not hold."""
        kept = [self._holds("", condition) for condition in part.inside]
        if part.outside:
            is_out = nw.lit(False)
            for condition in reversed(part.outside):
                is_out = nw.when(self._holds("", condition)).then(nw.lit(True)).otherwise(is_out)
            kept.append(~is_out)
        frame = self._frame
        if part.drawn is not None:
            frame = self._hashed(part.drawn.key_hash)
            kept += _drawn(part.drawn)
        return frame.filter(*kept) if kept else frame

    def _hashed(self, key_hash: KeyHash) -> Any:
        """Frame with a hash of the keys; several queries ask for the same one."""
        if self._last_hash is None or self._last_hash[0] != key_hash:
            self._last_hash = key_hash, key_hash.with_hash(self._frame, KEY, HASH)
        return self._last_hash[1]

    def rows_of(self, part: RowPart, names: Sequence[str]) -> tuple[Table, NDArray[np.int32]]:
        columns = [nw.col(self._place[name]) for name in names]
        frame = self._part_rows(part).select(nw.col(LABEL), *columns)
        found = answered(frame, "fetch rows to grow a rule from")
        labels = found[LABEL].astype(np.int32)
        return Table([self._fetched(name, found) for name in names], labels.size), labels

    def _fetched(self, name: str, found: Answer) -> NumericColumn | CategoricalColumn:
        if name in self._categories:
            return self._coded_column(name, found)
        values = np.array(found[self._place[name]], np.float64) + 0.0  # None becomes NaN
        return NumericColumn(name, values)

    def _numbers(self, name: str, cuts: Floats, found: Answer) -> NumericColumn:
        """Column with the smallest cut that is not below each value; NaN where it is missing."""
        above = np.nextafter(cuts[-1], np.inf) if cuts.size else 0.0
        steps = np.concatenate([cuts, [above, np.nan]])
        places = found[self._place[name]].tolist()
        return NumericColumn(name, steps[[cuts.size + 1 if p is None else p for p in places]])

    def _coded_column(self, name: str, found: Answer) -> CategoricalColumn:
        codes = self._codes(name, found[self._place[name]]).astype(np.int32)
        return CategoricalColumn(name, self._kinds[name], codes, self._categories[name])

    def _codes(self, name: str, values: NDArray[Any]) -> Places:
        """Numbers of categories, -1 where missing."""
        number = {category: code for code, category in enumerate(self._categories[name])}
        kind = self._kinds[name]
        texts = (None if v is None else category_text(v, kind) for v in values.tolist())
        return np.fromiter((-1 if t is None else number[t] for t in texts), np.intp, values.size)

    def _routed(self, route: Route, at: Callable[[int], Any]) -> Any:
        """Expression with the value ``at`` the node of each row."""
        if isinstance(route, int):
            return at(route)
        found = self._routed(route.routes[-1], at)
        pairs = zip(route.conditions, route.routes, strict=False)
        for condition, branch in reversed(list(pairs)):
            holds = self._holds(route.column, condition)
            found = nw.when(holds).then(self._routed(branch, at)).otherwise(found)
        return found

    def _holds(self, name: str, condition: Condition) -> Any:
        if condition.kind == "all":
            return reduce(and_, (self._holds(*part) for part in condition.parts))
        column = nw.col(self._place[name])
        match condition.kind:
            case "above":
                return column > condition.cut
            case "from":
                return column >= condition.cut
            case "up_to":
                return column <= condition.cut
            case "missing":
                return column.is_null()
            case "present":
                return ~column.is_null()
        texts = condition.categories
        known = [t == "True" for t in texts] if self._kinds[name] == "boolean" else list(texts)
        among = column.is_in(known)
        return among if condition.kind == "among" else ~column.is_null() & ~among

    def _grouped(
        self, keys: Sequence[NDArray[Any]], found: Answer
    ) -> tuple[Places, Places, Floats]:
        labels = found[LABEL].astype(np.intp)
        return grouped_counts(keys, labels, found[ROWS], self._classes)


def _drawn(drawn: HashRange) -> list[Any]:
    """Conditions of the hashes of rows; each names the hash once, which may be a long expression.

    PostgreSQL puts the expression of a column in each of its places.
    """
    number = nw.col(HASH)
    lows, highs = zip(*drawn.limits, strict=True)
    found = [number >= _by_class(lows)] if any(lows) else []
    if any(high < MODULUS for high in highs):
        found.append(number < _by_class(highs))
    return found


def _by_class(values: Sequence[int]) -> Any:
    """Expression of a number for each class."""
    *others, last = dict.fromkeys(values)
    found = whole(last)
    for value in others:
        classes = [place for place, one in enumerate(values) if one == value]
        found = nw.when(nw.col(LABEL).is_in(classes)).then(whole(value)).otherwise(found)
    return found
