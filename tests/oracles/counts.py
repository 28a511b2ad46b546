"""Counts of rows by looking at every row of a table in memory."""

from bisect import bisect_right
from collections import Counter

import numpy as np

from rulewright.data import (
    CategoryCounts,
    DepthCounts,
    GroupCounts,
    NumericColumn,
    Patterns,
    RowGroups,
    Table,
    key_columns,
)

BINS = 3


def hash_of(secrets, key):
    """Hash of a key by Python's whole numbers, which have no limit."""
    prime = 2**31 - 1
    low, high = int(key) % prime, int(key) // prime
    x = pow(low + secrets[0], 5, prime) + high
    for secret in secrets[1:]:
        x = pow(x + secret, 5, prime)
    return x


class RowCounts:
    """A table of Python lists that answers with counts; ``keys`` identify its rows."""

    exact_rows = 1000
    refined_rows = 1000
    most_bins = 4096

    def __init__(self, table, labels, classes, target="y", keys=None):
        self.key = None if keys is None else "key"
        self.given = table, labels, keys
        self.whole = table.observed()
        self.labels = labels
        self.classes = classes
        self.target = target
        self.rows = table.rows
        self.cells = {column.name: self._cells(column) for column in self.whole.columns}
        self.fields = self.whole.fields
        self.table = self.whole.take(np.empty(0, np.intp))
        self.keys = key_columns(self.whole)
        self.class_counts = np.bincount(labels, minlength=len(classes)).astype(float)
        self.missing = {name: cells.count(None) for name, cells in self.cells.items()}
        known = {c.name: [v for v in self.cells[c.name] if v is not None] for c in table.columns}
        self.ranges = {
            c.name: (min(known[c.name]), max(known[c.name])) for c in table.numeric if known[c.name]
        }
        self.category_counts = {
            c.name: dict(sorted(Counter(known[c.name]).items())) for c in table.categorical
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Nothing is kept."""

    def with_hash_from(self, key_hash, least):
        table, labels, keys = self.given
        kept = [row for row, key in enumerate(keys) if hash_of(key_hash.secrets, key) >= least]
        seen, codes = np.unique(labels[kept], return_inverse=True)
        classes = tuple(self.classes[number] for number in seen.tolist())
        rows = np.array(kept, np.intp)
        return RowCounts(table.take(rows), codes.astype(np.int32), classes, keys=keys[rows])

    @staticmethod
    def _cells(column):
        if isinstance(column, NumericColumn):
            return [None if v != v else v + 0.0 for v in column.values.tolist()]
        return column.cells()

    def node_of(self, route, row):
        if isinstance(route, int):
            return route
        for condition, branch in zip(route.conditions, route.routes, strict=False):
            if self.holds(route.column, condition, row):
                return self.node_of(branch, row)
        return self.node_of(route.routes[-1], row)

    def holds(self, name, condition, row):
        if condition.kind == "all":
            return all(self.holds(*part, row) for part in condition.parts)
        value = self.cells[name][row]
        if condition.kind == "missing" or value is None:
            return condition.kind == "missing" and value is None
        tests = {
            "above": lambda: value > condition.cut,
            "from": lambda: value >= condition.cut,
            "up_to": lambda: value <= condition.cut,
            "among": lambda: value in condition.categories,
            "not_among": lambda: value not in condition.categories,
            "present": lambda: True,
        }
        return tests[condition.kind]()

    def by_group(self, route, values, bins, categories, bin_count=BINS):
        return RowGroups(
            self.by_value(route, values),
            self.by_bin(route, bins),
            self.by_category(route, categories),
        )

    def by_value(self, route, cells):
        return {
            name: self._groups(route, name, some, lambda _, v: v) for name, some in cells.items()
        }

    def by_bin(self, route, cells):
        def number(cell, value):
            width = cell.high - cell.low
            return min(int((value - cell.low) / width * BINS), BINS - 1) if width else 0

        return {name: self._groups(route, name, some, number) for name, some in cells.items()}

    def _groups(self, route, name, cells, number):
        found = {}
        for row, value in enumerate(self.cells[name]):
            node = self.node_of(route, row)
            for place, cell in enumerate(cells):
                if value is not None and cell.node == node and cell.low <= value <= cell.high:
                    found.setdefault((place, number(cell, value)), []).append(row)
        keys = sorted(found)
        values = [[self.cells[name][row] for row in found[key]] for key in keys]
        return GroupCounts(
            np.array([place for place, _ in keys], np.intp),
            np.array([min(some) for some in values], float),
            np.array([max(some) for some in values], float),
            self._by_class([found[key] for key in keys]),
        )

    def by_category(self, route, names):
        return {name: self._categories(route, name) for name in names}

    def _categories(self, route, name):
        texts = [*self.whole.categories(name).categories]
        found = {}
        for row, value in enumerate(self.cells[name]):
            code = -1 if value is None else texts.index(value)
            found.setdefault((self.node_of(route, row), code), []).append(row)
        keys = [key for key in sorted(found) if key[0] >= 0]
        nodes, codes = np.array(keys, np.intp).reshape(-1, 2).T
        return CategoryCounts(nodes, codes, self._by_class([found[key] for key in keys]))

    def _by_class(self, groups):
        classes = len(self.classes)
        found = [np.bincount(self.labels[rows], minlength=classes) for rows in groups]
        return np.array(found, float).reshape(len(groups), classes)

    def by_node(self, route):
        rows = {}
        for row in range(self.rows):
            rows.setdefault(self.node_of(route, row), []).append(row)
        return {node: self._by_class([some])[0] for node, some in rows.items()}

    def smallest_above(self, numbers):
        return {
            name: np.array(
                [min(v for v in self.cells[name] if v is not None and v > n) for n in wanted]
            )
            for name, wanted in numbers.items()
        }

    def quantile_ends(self, names, groups):
        known = {name: sorted(v for v in self.cells[name] if v is not None) for name in names}
        return {
            name: np.array(
                sorted(
                    {
                        (bisect_right(values, v) - 1) * groups // len(values): v for v in values
                    }.values()
                )
            )
            for name, values in known.items()
            if len(set(values)) > groups
        }

    def distinct_values(self, names):
        return {name: len({v for v in self.cells[name] if v is not None}) for name in names}

    def largest_up_to(self, numbers):
        return {
            name: np.array(
                [max(v for v in self.cells[name] if v is not None and v <= n) for n in wanted]
            )
            for name, wanted in numbers.items()
        }

    def patterns(self, cuts, categorical):
        columns = [NumericColumn(name, self._stepped(name, ends)) for name, ends in cuts.items()]
        columns += [self.whole.categories(name) for name in categorical]
        return Patterns(Table(columns, self.rows), self.labels, np.ones(self.rows))

    def is_in(self, part, row):
        """Whether a row is in a part."""
        if part.drawn is not None:
            low, high = part.drawn.limits[self.labels[row]]
            if not low <= hash_of(part.drawn.key_hash.secrets, self.given[2][row]) < high:
                return False
        inside = all(self.holds("", condition, row) for condition in part.inside)
        return inside and not any(self.holds("", condition, row) for condition in part.outside)

    def by_depth(self, part, rules):
        rows = {}
        for row in range(self.rows):
            if self.is_in(part, row):
                depth = tuple(self.depth(rule, row) for rule in rules)
                rows.setdefault(depth, []).append(row)
        depths = np.array(sorted(rows), np.intp).reshape(len(rows), len(rules))
        return DepthCounts(depths, self._by_class([rows[depth] for depth in sorted(rows)]))

    def depth(self, rule, row):
        fails = (i for i, condition in enumerate(rule) if not self.holds("", condition, row))
        return next(fails, len(rule))

    def rows_of(self, part, names):
        rows = np.array([row for row in range(self.rows) if self.is_in(part, row)], np.intp)
        return self.whole.select(names).take(rows), self.labels[rows]

    def keyed_rows(self):
        return self.whole, self.labels, self.given[2]

    def _stepped(self, name, cuts):
        steps = [*cuts, np.nextafter(cuts[-1], np.inf) if len(cuts) else 0.0]
        return np.array(
            [np.nan if v is None else steps[sum(v > cut for cut in cuts)] for v in self.cells[name]]
        )
