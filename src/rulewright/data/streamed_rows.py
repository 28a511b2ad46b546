"""Rows that an engine sends in batches, and the nodes of a tree to which they belong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import Kind, is_number_kind
from rulewright.data.counts import Condition, Fork, Route, nodes_of
from rulewright.data.lazy_queries import LABEL, engine_errors
from rulewright.data.reading_ahead import read_ahead
from rulewright.kernels import EVERYWHERE, RouteTests, arrow_rows, packed, route

Integers = NDArray[np.int32]
Batch = dict[str, NDArray[Any]]
"""Columns by name: numbers, NaN where missing, or codes of categories, -1 where missing."""

BATCH_ROWS = 1 << 16
"""Number of rows that are counted at once."""
FIRST_STREAMING = 1, 5, 4
"""First version of DuckDB whose relations are streams of Arrow batches."""


def sends_rows(frame: Any) -> bool:
    """Whether the engine of a frame sends its rows while a query runs.

    Earlier versions of DuckDB keep all rows in memory first.
    """
    if not frame.implementation.is_duckdb():
        return False
    import duckdb  # noqa: PLC0415  (only needed here)

    return tuple(map(int, re.findall(r"\d+", duckdb.__version__)[:3])) >= FIRST_STREAMING


@dataclass(frozen=True, eq=False)
class StreamedRows:
    """Rows of a frame, which has the class as a number and the columns under other names.

    ``kinds`` are the kinds of the columns, ``place`` their names in the frame, and ``categories``
    the texts of those that are not numeric.
    """

    frame: Any
    kinds: Mapping[str, Kind]
    place: Mapping[str, str]
    categories: Mapping[str, tuple[str, ...]]

    def batches(self, names: Sequence[str], what: str) -> Iterator[tuple[Integers, Batch]]:
        """Yield the classes and some columns of rows; ``what`` says in an error what for."""
        label = nw.col(LABEL).cast(nw.Float64)
        frame = self.frame.select(label, *map(self._streamed, names))
        native = nw.to_native(frame)
        numbers = {name: self._numbers(name) for name in names if name in self.categories}
        with engine_errors(native, what):
            for _, (labels, *columns) in read_ahead(arrow_rows(native, BATCH_ROWS)):
                found = {
                    name: _coded(column, numbers[name]) if isinstance(column, tuple) else column
                    for name, column in zip(names, columns, strict=True)
                }
                yield np.asarray(labels, np.int32), found

    def _streamed(self, name: str) -> Any:
        """Expression of a column as doubles or texts."""
        value = nw.col(self.place[name])
        if self.kinds[name] == "boolean":
            text = nw.when(value).then(nw.lit("True")).when(~value).then(nw.lit("False"))
            return text.alias(self.place[name])
        return value

    def _numbers(self, name: str) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.categories[name])}


def _coded(column: tuple[Integers, list[str]], numbers: Mapping[str, int]) -> Integers:
    """Codes of categories from those of the texts of a batch; other texts come after all."""
    codes, texts = column
    found = [numbers.get(text, len(numbers)) for text in texts]
    return np.asarray(np.array([*found, -1], np.int32)[codes])  # code -1 finds the last


class RowRoutes:
    """The tests of a route as arrays; a node has the number of its place among ``nodes``."""

    def __init__(
        self, way: Route, kinds: Mapping[str, Kind], categories: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.nodes = sorted(node for node in nodes_of(way) if node >= 0)
        self._kinds, self._categories = kinds, categories
        self._numeric: list[str] = []
        self._others: list[str] = []
        self._tests: list[list[float]] = []
        self._words: list[int] = []
        self._end(way)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that are tested."""
        return [*self._numeric, *self._others]

    @cached_property
    def _arrays(self) -> RouteTests:
        low, high, *others = zip(*self._tests, strict=True)
        ends = (np.array(one, np.int32) for one in others)
        return RouteTests(np.array(low, np.float64), np.array(high, np.float64), *ends)

    def places(self, batch: Batch, rows: int) -> Integers:
        """Place of the node of each row, -1 for rows that are not counted; none for one node."""
        if not self._tests:
            return EVERYWHERE if self.nodes else np.full(rows, -1, np.int32)
        numbers = [batch[name] for name in self._numeric]
        codes = [batch[name] for name in self._others]
        words = np.array(self._words, np.uint64)
        leaves = np.zeros(len(self.nodes) + 1, np.int32)
        found = route(numbers, codes, self._arrays, words, leaves, rows, threads=1)
        found[found == len(self.nodes)] = -1
        return found

    def _end(self, way: Route) -> int:
        """Add the tests of a route, and return the first, or the complement of a leaf."""
        if isinstance(way, int):
            return ~(self.nodes.index(way) if way >= 0 else len(self.nodes))
        parts, routes = _parts(way)
        if not parts:
            return self._end(routes[-1])
        # Tests must have lower numbers than those that they lead to.
        starts = np.cumsum([len(self._tests), *map(len, parts)]).tolist()
        self._tests += [self._test(*part) for some in parts for part in some]
        ends = [self._end(inner) for inner in routes]
        for place, some in enumerate(parts):
            start, after = starts[place : place + 2]
            fails = after if place + 1 < len(parts) else ends[-1]
            for number, (_, condition) in enumerate(some, start):
                holds = number + 1 if number + 1 < after else ends[place]
                is_missing = condition.kind == "missing"
                inside, missing = (fails, holds) if is_missing else (holds, fails)
                self._tests[number] += [inside, fails, missing]
        return int(starts[0])

    def _test(self, name: str, condition: Condition) -> list[float]:
        """Range, column and bits of a test, whose ends are not known yet."""
        kind, cut = condition.kind, condition.cut
        if is_number_kind(self._kinds[name]):
            lows = {"from": cut, "above": np.nextafter(cut, np.inf)}
            high = cut if kind == "up_to" else np.inf
            return [lows.get(kind, -np.inf), high, _place(name, self._numeric), -1]
        wanted = set(condition.categories)
        known = [(text in wanted) == (kind == "among") for text in self._categories[name]]
        if kind in ("missing", "present"):
            known = [True] * len(known)
        # The first bit is not used, and the last one is that of unknown categories.
        bits = np.array([False, *known, kind in ("not_among", "present")])
        start = len(self._words)
        self._words += packed(bits).tolist()
        return [0.0, 0.0, _place(name, self._others), start]


def _parts(fork: Fork) -> tuple[list[Sequence[tuple[str, Condition]]], Sequence[Route]]:
    """Tests of each condition, up to one that always holds, and the routes that are left."""
    parts: list[Sequence[tuple[str, Condition]]] = []
    for place, condition in enumerate(fork.conditions):
        some = condition.parts if condition.kind == "all" else ((fork.column, condition),)
        if not some:
            return parts, fork.routes[: place + 1]
        parts.append(some)
    return parts, fork.routes


def _place(name: str, names: list[str]) -> int:
    """Place of a name in a list, to which it is added."""
    if name not in names:
        names.append(name)
    return names.index(name)
