"""Counts of a table in partitions, each of which is counted by functions of Arrow batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rulewright.data.columns import CategoricalColumn, Kind, NumericColumn, is_number_kind
from rulewright.data.counts import (
    CategoryCounts,
    Condition,
    DepthCounts,
    Floats,
    GroupCounts,
    Patterns,
    Route,
    RowGroups,
    RowPart,
    ValueRange,
    grouped_counts,
    nodes_of,
)
from rulewright.data.lazy_cells import bin_scale, cells_by_node
from rulewright.data.lazy_queries import LABEL, ROWS, Answer, refuse_patterns
from rulewright.data.lazy_survey import KEY as KEY_COLUMN
from rulewright.data.lazy_survey import CodedFrame, FirstPass
from rulewright.data.partition_functions import (
    CUT_NAMES,
    HIGH,
    KEY,
    LOW,
    NO_COLUMN,
    PART,
    PARTITIONS,
    SURVEY_NAMES,
    TEXT,
    VALUE,
    CellQuestion,
    Cells,
    Labels,
    PartQuestion,
    PatternQuestion,
    PlainRoute,
    SurveyQuestion,
    count_cells,
    count_depths,
    count_patterns,
    depth_names,
    fetch_rows,
    fetched_names,
    nearest_values,
    pattern_names,
    survey_partition,
    type_of,
)
from rulewright.data.table import Table
from rulewright.errors import preview

MAX_PARTITIONS = 8
"""Number of partitions up to which their answers are added up here."""
MAX_LISTED = 200_000
"""Number of different values of a column that the survey counts in a partition."""


@dataclass(frozen=True)
class PartitionJob:
    """A function of the batches of one partition, which yields batches with its answer.

    Attributes
    ----------
    columns : names of the columns that it reads
    count : the function, or a part of it, of ``partition_functions``
    names : columns of its answer, the types of which are in ``TYPES``
    what : what an error says that it was for
    joined : whether rows of several partitions are joined: ROWS are added up, LOW and HIGH are ends
    """

    columns: tuple[str, ...]
    count: Callable[[Iterator[Any]], Iterator[Any]]
    names: tuple[str, ...]
    what: str
    joined: bool

    @property
    def types(self) -> dict[str, str]:
        """Types in Spark of the columns of the answer."""
        return {name: type_of(name) for name in self.names}


class Runner(Protocol):
    """Runs jobs in all partitions of a table."""

    def __call__(self, job: PartitionJob) -> Answer:
        """Return the answers of a job, one after the other or joined."""

    def close(self) -> None:
        """Release what is kept for later jobs."""


def survey_partitions(
    run: Runner, kinds: Mapping[str, Kind], place: Mapping[str, str], target_kind: Kind
) -> FirstPass:
    """Look at every column once: the classes, ranges of numbers, and categories."""
    numeric = {p: place[n] for p, (n, kind) in enumerate(kinds.items()) if is_number_kind(kind)}
    listed = {p: place[n] for p, (n, kind) in enumerate(kinds.items()) if not is_number_kind(kind)}
    target = len(kinds)
    question = SurveyQuestion(numeric, {**listed, target: LABEL}, MAX_LISTED)
    found = run(
        PartitionJob(
            (LABEL, *place.values()),
            partial(survey_partition, question=question),
            SURVEY_NAMES,
            "survey the columns",
            joined=True,
        )
    )
    parts = found[PART].astype(np.int64)
    ranges: dict[str, tuple[float, float, int]] = {}
    for part, name in enumerate(kinds):
        if part in numeric:
            mine = np.flatnonzero(parts == part)
            low, high = (found[end][mine].astype(np.float64) for end in (LOW, HIGH))
            rows = int(found[ROWS][mine].sum())
            ranges[name] = (float(low.min()), float(high.max()), rows) if rows else (0.0, 0.0, 0)
    values = {
        name: _listed(found, parts == part) for part, name in enumerate(kinds) if part in listed
    }
    classes = _listed(found, parts == target)
    if classes and target_kind == "boolean":
        classes = {None if v is None else v == "True": rows for v, rows in classes.items()}
    partitions = int(found[ROWS][parts == PARTITIONS].sum())
    return FirstPass(partitions, classes or {}, ranges, values)


def _listed(found: Answer, mine: Any) -> dict[Any, int] | None:
    """Rows of each value of a column; None if it has too many."""
    counts: dict[Any, int] = {}
    columns = (found[name][mine].tolist() for name in (TEXT, VALUE, ROWS))
    for text, value, rows in zip(*columns, strict=True):
        if not rows:
            return None
        # NaN is what some containers make of a missing number
        key = text if text is not None else None if value is None or value != value else value
        counts[key] = counts.get(key, 0) + int(rows)
    return counts


class PartitionCounts:
    """Counts of rows, cells and patterns, each from one job; see ``Counts``.

    Parameters
    ----------
    run : function that runs a job
    coded : CodedFrame
        Kinds of the columns, and their names in the batches.
    categories : categories of the columns that are not numeric and no keys
    labels : values of the class in the batches, in the order of their numbers
    partitions : int
        Where they are many, their answers are joined before they come here.
    """

    def __init__(
        self,
        run: Runner,
        coded: CodedFrame,
        categories: Mapping[str, tuple[str, ...]],
        labels: Labels,
        partitions: int,
    ) -> None:
        self._joined = partitions > MAX_PARTITIONS
        self._run = run
        self._kinds, self._place = coded.kinds, coded.place
        self._categories = categories
        self._labels, self._classes = labels, len(labels)

    def by_group(
        self,
        route: Route,
        values: Mapping[str, Sequence[ValueRange]],
        bins: Mapping[str, Sequence[ValueRange]],
        categories: Sequence[str],
        bin_count: int,
    ) -> RowGroups:
        """Count cells by value and in bins, and rows by category, in one job."""
        first, second = len(values), len(values) + len(bins)
        used = {*values, *bins, *categories, *_columns_of(route)}
        ends = (LOW, HIGH) if bins else ()
        names = (PART, KEY, *([VALUE] if values else []), ROWS, *ends)
        question = CellQuestion(
            names,
            self._labels,
            bin_count,
            self._plain(route),
            tuple(sorted(node for node in nodes_of(route) if node >= 0)),
            self._categories_of(used),
            {
                p: (self._place[n], _by_node(some, bin_count))
                for p, (n, some) in enumerate(bins.items(), first)
            },
            {
                p: (self._place[n], _by_node(some, bin_count))
                for p, (n, some) in enumerate(values.items())
            },
            {p: self._place[name] for p, name in enumerate(categories, second)},
        )
        found = self._run(
            PartitionJob(
                self._places(used),
                partial(count_cells, question=question),
                names,
                f"count the rows of {preview([*values, *bins, *categories])}",
                self._joined,
            )
        )
        parts = _by_part(found, second + len(categories))
        return RowGroups(
            {name: self._valued(one) for name, one in zip(values, parts[:first], strict=True)},
            {
                name: self._binned(one, bin_count)
                for name, one in zip(bins, parts[first:second], strict=True)
            },
            {
                name: self._categorised(name, one)
                for name, one in zip(categories, parts[second:], strict=True)
            },
        )

    def _valued(self, found: Answer) -> GroupCounts:
        cell, labels = np.divmod(found[KEY], self._classes)
        values = found[VALUE].astype(np.float64)
        first, _, counts = grouped_counts([cell, values], labels, found[ROWS], self._classes)
        return GroupCounts(cell[first].astype(np.intp), values[first], values[first], counts)

    def _binned(self, found: Answer, bin_count: int) -> GroupCounts:
        bins, labels = np.divmod(found[KEY], self._classes)
        first, group, counts = grouped_counts([bins], labels, found[ROWS], self._classes)
        low, high = np.full(first.size, np.inf), np.full(first.size, -np.inf)
        np.minimum.at(low, group, found[LOW].astype(np.float64))
        np.maximum.at(high, group, found[HIGH].astype(np.float64))
        return GroupCounts(bins[first].astype(np.intp) // bin_count, low, high, counts)

    def _categorised(self, name: str, found: Answer) -> CategoryCounts:
        rest, labels = np.divmod(found[KEY], self._classes)
        node, code = np.divmod(rest, len(self._categories[name]) + 1)
        first, _, counts = grouped_counts([node, code], labels, found[ROWS], self._classes)
        return CategoryCounts(node[first].astype(np.intp), code[first].astype(np.intp) - 1, counts)

    def by_node(self, route: Route) -> dict[int, Floats]:
        question = CellQuestion(
            (PART, KEY, ROWS),
            self._labels,
            1,
            self._plain(route),
            tuple(sorted(nodes_of(route))),
            {**self._categories_of(_columns_of(route)), NO_COLUMN: ()},
            {},
            {},
            {0: NO_COLUMN},
        )
        found = self._run(
            PartitionJob(
                self._places(_columns_of(route)),
                partial(count_cells, question=question),
                question.names,
                "count the rows of the rules",
                self._joined,
            )
        )
        node, labels = np.divmod(found[KEY], self._classes)
        first, _, counts = grouped_counts([node], labels, found[ROWS], self._classes)
        return dict(zip(node[first].tolist(), counts, strict=True))

    def largest_up_to(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, above=False)

    def smallest_above(self, numbers: Mapping[str, Floats]) -> dict[str, Floats]:
        return self._nearest(numbers, above=True)

    def _nearest(self, numbers: Mapping[str, Floats], *, above: bool) -> dict[str, Floats]:
        order = {name: np.argsort(wanted) for name, wanted in numbers.items()}
        asked = {
            part: (self._place[name], wanted[order[name]])
            for part, (name, wanted) in enumerate(numbers.items())
        }
        found = self._run(
            PartitionJob(
                self._places(numbers),
                partial(nearest_values, wanted=asked, above=above),
                CUT_NAMES,
                "place the cuts",
                self._joined,
            )
        )
        answers = {}
        parts = _by_part(found, len(numbers))
        for (name, wanted), part in zip(numbers.items(), parts, strict=True):
            places = order[name][part[KEY].astype(np.intp)]
            nearest = np.full(wanted.size, np.inf if above else -np.inf)
            if above:
                np.minimum.at(nearest, places, part[LOW].astype(np.float64))
            else:
                np.maximum.at(nearest, places, part[HIGH].astype(np.float64))
            answers[name] = nearest
        return answers

    def patterns(self, cuts: Mapping[str, Floats], categorical: Sequence[str]) -> Patterns:
        question = PatternQuestion(
            self._labels,
            {self._place[name]: ends for name, ends in cuts.items()},
            {self._place[name]: self._categories[name] for name in categorical},
        )
        found = self._run(
            PartitionJob(
                self._places([*cuts, *categorical]),
                partial(count_patterns, question=question),
                pattern_names(question),
                "count the rows that the tests tell apart",
                self._joined,
            )
        )
        refuse_patterns(found[ROWS].size)
        numbers = [self._stepped(name, ends, found) for name, ends in cuts.items()]
        texts = [
            CategoricalColumn(
                name,
                self._kinds[name],
                found[self._place[name]].astype(np.int32),
                self._categories[name],
            )
            for name in categorical
        ]
        return Patterns(
            Table([*numbers, *texts], int(found[ROWS].size)),
            found[LABEL].astype(np.int32),
            found[ROWS].astype(np.float64),
        )

    def _stepped(self, name: str, cuts: Floats, found: Answer) -> NumericColumn:
        """Column with the smallest cut that is not below each value; NaN where it is missing."""
        above = np.nextafter(cuts[-1], np.inf) if cuts.size else 0.0
        steps = np.concatenate([cuts, [above, np.nan]])
        return NumericColumn(name, steps[found[self._place[name]].astype(np.intp)])

    def by_depth(self, part: RowPart, rules: Sequence[Sequence[Condition]]) -> DepthCounts:
        used = {name for rule in rules for one in rule for name, _ in one.parts}
        names = depth_names(len(rules))
        plain = [[self._plain_condition(one) for one in rule] for rule in rules]
        found = self._run(
            PartitionJob(
                self._places_of(part, used),
                partial(count_depths, question=self._part(part, used), rules=plain),
                names,
                "count the rows of the rules",
                self._joined,
            )
        )
        refuse_patterns(found[ROWS].size)
        labels = found[LABEL].astype(np.intp)
        depths = [found[name].astype(np.intp) for name in names[:-2]]
        first, _, counts = grouped_counts(
            depths or [np.zeros_like(labels)], labels, found[ROWS], self._classes
        )
        lines = np.array(depths, np.intp).reshape(len(rules), labels.size)
        return DepthCounts(lines[:, first].T, counts)

    def rows_of(self, part: RowPart, names: Sequence[str]) -> tuple[Table, NDArray[np.int32]]:
        wanted = [self._place[name] for name in names]
        question = self._part(part, names)
        answers = fetched_names(wanted, question.categories)
        found = self._run(
            PartitionJob(
                self._places_of(part, names),
                partial(fetch_rows, question=question, wanted=wanted),
                answers,
                "fetch rows to grow a rule from",
                joined=False,
            )
        )
        columns = [
            CategoricalColumn(
                name, self._kinds[name], found[place].astype(np.int32), self._categories[name]
            )
            if name in self._categories
            else NumericColumn(name, found[place].astype(np.float64))
            for name, place in zip(names, answers, strict=False)
        ]
        labels = found[LABEL].astype(np.int32)
        return Table(columns, labels.size), labels

    def _part(self, part: RowPart, more: Iterable[str]) -> PartQuestion:
        """Rows of a part without classes of this package; ``more`` are columns that are used."""
        drawn = part.drawn
        return PartQuestion(
            self._labels,
            self._categories_of({*_tested(part), *more}),
            tuple(self._plain_condition(condition) for condition in part.inside),
            tuple(self._plain_condition(condition) for condition in part.outside),
            () if drawn is None else drawn.key_hash.secrets,
            () if drawn is None else drawn.limits,
        )

    def _places_of(self, part: RowPart, more: Iterable[str]) -> tuple[str, ...]:
        keys = () if part.drawn is None else (KEY_COLUMN,)
        return (*self._places({*_tested(part), *more}), *keys)

    def _plain(self, route: Route) -> PlainRoute:
        """Route without classes of this package, and with the names of the batches."""
        if isinstance(route, int):
            return route
        conditions = [self._plain_condition(condition) for condition in route.conditions]
        return (
            self._place.get(route.column, NO_COLUMN),
            conditions,
            [self._plain(r) for r in route.routes],
        )

    def _plain_condition(self, condition: Condition) -> Any:
        parts = [(self._place[name], self._plain_condition(c)) for name, c in condition.parts]
        return condition.kind, condition.cut, condition.categories, parts

    def _places(self, names: Any) -> tuple[str, ...]:
        wanted = set(names)
        return (LABEL, *(self._place[name] for name in self._place if name in wanted))

    def _categories_of(self, names: Any) -> dict[str, tuple[str, ...]]:
        return {self._place[n]: self._categories[n] for n in names if n in self._categories}


def _by_part(found: Answer, parts: int) -> list[Answer]:
    """Answers to each part of a question."""
    number = found[PART].astype(np.int64)
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number, np.arange(parts + 1), sorter=order)
    return [
        {name: column[order[ends[part] : ends[part + 1]]] for name, column in found.items()}
        for part in range(parts)
    ]


def _by_node(cells: Sequence[ValueRange], bin_count: int) -> dict[int, Cells]:
    """Cells of each node as arrays."""
    return {
        node: Cells(
            np.array([place for place, _ in some], np.int64),
            np.array([cell.low for _, cell in some]),
            np.array([cell.high for _, cell in some]),
            np.array([bin_scale(cell, bin_count) for _, cell in some]),
        )
        for node, some in cells_by_node(cells).items()
    }


def _tested(part: RowPart) -> set[str]:
    """Columns that the conditions of a part test."""
    return {name for one in (*part.inside, *part.outside) for name, _ in one.parts}


def _columns_of(route: Route) -> set[str]:
    if isinstance(route, int):
        return set()
    parts = {name for condition in route.conditions for name, _ in condition.parts}
    return parts.union({route.column}, *(_columns_of(inner) for inner in route.routes))
