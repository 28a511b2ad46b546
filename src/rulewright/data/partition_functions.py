"""Counts of one partition of a table, from Arrow batches.

Spark sends these functions to its workers by value. So they need NumPy and PyArrow there, and no
other module of this package: this module must not import one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
PlainRoute = Any
"""The number of a node, or a column with its conditions and routes: see ``Fork``."""
Bytes = bytes | bytearray
Labels = tuple[str, ...] | tuple[float, ...]
"""Values of the class in the order of their numbers; those of Booleans are texts."""

BATCH_ROWS = 65_536
"""Number of rows that are counted at once."""
FEW_ROWS = 256
"""Number of rows that are looked at before all."""
BLOCK_NUMBERS = 4_000_000
"""Number of values that a block holds at most."""
BLOCK = "block"
"""Column of blocks."""
PARTITIONS = -1
"""Part of the survey that counts the partitions."""
NO_COLUMN = ""
"""Instead of a column that is counted by category: only the rows of the nodes are counted."""
MAX_ENTRIES = 2_000_000
"""Number of values above which equal ones are added up."""
MAX_KEY = 2.0**62
"""Number of patterns above which they have no number of 64 bits."""
MAX_SHORT = 32_767
"""Largest number of 16 bits."""
LABEL, ROWS, PART, KEY, VALUE, LOW, HIGH, TEXT = (
    "y",
    "rows",
    "part",
    "key",
    "value",
    "low",
    "high",
    "text",
)
TYPES = {
    PART: "int",
    KEY: "bigint",
    VALUE: "double",
    TEXT: "string",
    ROWS: "bigint",
    LOW: "double",
    HIGH: "double",
}
"""Columns of answers with their types in Spark; see ``type_of``."""
NUMBER, CODE = "v", "d"
"""How the names of fetched columns of numbers begin, and of whole numbers."""
MODULUS = 2**31 - 1
"""Prime of the hash of keys; see ``KeyHash``."""
JOINED = {ROWS: "sum", LOW: "min", HIGH: "max"}
"""How the columns of answers that are no keys are joined."""
SURVEY_NAMES = (PART, VALUE, TEXT, ROWS, LOW, HIGH)
CUT_NAMES = (PART, KEY, LOW, HIGH)
ARROW_TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "large_string": pa.large_string(),
    "boolean": pa.bool_(),
}


@dataclass(frozen=True)
class Cells:
    """Cells of one column at one node, by their lower ends, with their places among all."""

    place: Integers
    low: Floats
    high: Floats
    scale: Floats

    def found(self, values: Floats) -> tuple[Integers, Integers]:
        """Rows that lie in a cell, and the cell of each."""
        if self.low.size == 1:
            rows = np.flatnonzero((values >= self.low[0]) & (values <= self.high[0]))
            return rows, np.zeros(rows.size, np.int64)
        cell = np.searchsorted(self.low, values, side="right") - 1
        cell[cell < 0] = 0
        rows = np.flatnonzero((values >= self.low[cell]) & (values <= self.high[cell]))
        return rows, cell[rows]


@dataclass(frozen=True)
class CellQuestion:
    """Which cells of columns are counted by value or in bins, and which columns by category.

    ``categories`` has the categories of the columns that are not numeric. Columns have the names of
    the batches. Each question about a column has a number, the ``part`` of its answer. The columns
    of the answer are ``names``.
    """

    names: tuple[str, ...]
    labels: Labels
    bin_count: int
    route: PlainRoute
    nodes: tuple[int, ...]
    categories: Mapping[str, tuple[str, ...]]
    binned: Mapping[int, tuple[str, Mapping[int, Cells]]]
    valued: Mapping[int, tuple[str, Mapping[int, Cells]]]
    listed: Mapping[int, str]

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.labels)


@dataclass(frozen=True)
class SurveyQuestion:
    """Numeric columns whose range is asked for, and others whose values are counted."""

    numeric: Mapping[int, str]
    listed: Mapping[int, str]
    max_values: int


@dataclass(frozen=True)
class PatternQuestion:
    """Cuts of numeric columns, and categories of others, that tell rows apart."""

    labels: Labels
    cuts: Mapping[str, Floats]
    categories: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class PartQuestion:
    """Rows for which all conditions ``inside`` hold, and none ``outside``.

    ``secrets`` are those of a hash of the keys, and ``limits`` the hashes that rows of each class
    have, from a number to below another; without secrets all rows count.
    """

    labels: Labels
    categories: Mapping[str, tuple[str, ...]]
    inside: tuple[Any, ...]
    outside: tuple[Any, ...]
    secrets: tuple[int, ...]
    limits: tuple[tuple[int, int], ...]


def type_of(name: str) -> str:
    """Return the type in Spark of a column of an answer."""
    return TYPES.get(name, "double" if name.startswith(NUMBER) else "int")


# Batches and blocks


def larger_batches(batches: Iterable[Any], least: int = BATCH_ROWS) -> Iterator[Any]:
    """Join batches until they have enough rows; blocks stay as they are."""
    waiting: list[Any] = []
    rows = 0
    for batch in batches:
        if isinstance(batch, pa.Table):
            yield batch
        elif batch.num_rows:
            waiting.append(batch)
            rows += batch.num_rows
        if rows >= least:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()


def blocks_of(batches: Iterable[Any]) -> Iterator[Bytes]:
    """Blocks of the rows of a partition.

    A block is a batch in the bytes of Arrow's streams. It has single precision where that is exact,
    NaN where a number is missing, and numbers instead of texts, beside the list of its texts.
    """
    for batch in batches_of_size(batches):
        columns = [compact(batch, name) for name in batch.column_names]
        yield batches_written([pa.RecordBatch.from_arrays(columns, names=batch.column_names)])


def blocks_of_messages(messages: Iterable[Bytes], kinds: Mapping[str, str]) -> Iterator[Bytes]:
    """Blocks of the rows of a partition, from Arrow's messages without a schema.

    ``kinds`` are the types of the columns in Spark; texts have the type "string" or "large_string".
    """
    schema = pa.schema([(name, ARROW_TYPES[kind]) for name, kind in kinds.items()])
    return blocks_of(pa.ipc.read_record_batch(pa.py_buffer(one), schema) for one in messages)


def block_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Blocks of the rows of a partition, as batches with one cell each."""
    for block in blocks_of(batches):
        yield pa.RecordBatch.from_arrays([pa.array([block], pa.binary())], names=[BLOCK])


def batches_of_size(batches: Iterable[Any]) -> Iterator[Any]:
    """Join batches, and divide large ones."""
    rest = iter(batches)
    first = next(rest, None)
    if first is None:
        return
    most = max(1, min(BATCH_ROWS, BLOCK_NUMBERS // first.num_columns))
    for joined in larger_batches(chain([first], rest), most):
        for start in range(0, joined.num_rows, 2 * most):
            yield joined.slice(start, 2 * most)


def compact(batch: Any, name: str) -> Any:
    """Return a column with numbers in few bytes, and numbers instead of texts."""
    column = column_of(batch, name)
    if pa.types.is_boolean(column.type):
        return column
    if pa.types.is_floating(column.type):
        values = numbers(batch, name)
        is_exact = _is_single(values[:FEW_ROWS]) and _is_single(values)
        return pa.array(values.astype(np.float32) if is_exact else values)
    coded = column.dictionary_encode()
    size = len(coded.dictionary)
    kind = pa.int8() if size <= 127 else pa.int16() if size <= MAX_SHORT else pa.int32()
    return pa.DictionaryArray.from_arrays(coded.indices.cast(kind), coded.dictionary)


def _is_single(values: Floats) -> bool:
    """Whether single precision represents all values."""
    with np.errstate(over="ignore"):
        return np.array_equal(values.astype(np.float32), values, equal_nan=True)


def batches_written(batches: list[Any]) -> Bytes:
    """Batches of one schema in the bytes of Arrow's streams."""
    sizes = pa.MockOutputStream()
    _write(batches, sizes)
    found = bytearray(sizes.size())
    _write(batches, pa.FixedSizeBufferWriter(pa.py_buffer(found)))
    return found


def _write(batches: list[Any], sink: Any) -> None:
    with pa.ipc.new_stream(sink, batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)


def answer_of_blocks(
    blocks: Iterable[Bytes],
    count: Callable[[Iterator[Any]], Iterator[Any]],
    names: tuple[str, ...],
) -> Iterator[Bytes]:
    """Return the answer about the rows of blocks, which may be empty."""
    none = answer({name: [] for name in names}, names)
    yield batches_written([none, *count(blocks_read(blocks))])


def block_of(row: Any) -> Bytes:
    """Return the block of a row of Spark."""
    return bytes(row[0])


def blocks_read(blocks: Iterable[Bytes]) -> Iterator[Any]:
    """Tables of blocks, which have rows."""
    for block in blocks:
        yield pa.ipc.open_stream(pa.py_buffer(block)).read_all()


# Columns


def column_of(batch: Any, name: str) -> Any:
    """Return a column as one Arrow array."""
    column = batch.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def numbers(batch: Any, name: str) -> Floats:
    """Return a numeric column, NaN where missing, without negative zeros."""
    values = column_of(batch, name).to_numpy(zero_copy_only=False)
    found: Floats = values.astype(np.float64, copy=False) + 0.0
    return found


def labels_of_rows(batch: Any, labels: Labels) -> Integers:
    """Return the numbers of the classes."""
    if not pa.types.is_floating(column_of(batch, LABEL).type):
        return category_codes(batch, LABEL, tuple(map(str, labels)))
    known = np.array(labels, np.float64)
    order = np.argsort(known)
    return np.asarray(order[np.searchsorted(known[order], numbers(batch, LABEL))])


def category_codes(batch: Any, name: str, categories: tuple[str, ...]) -> Integers:
    """Return the numbers of the categories of a column of text or Booleans, -1 where missing."""
    column = column_of(batch, name)
    if pa.types.is_boolean(column.type):
        known = [categories.index(text) if text in categories else -1 for text in ("False", "True")]
        flags = pc.fill_null(column.cast(pa.int8()), 2).to_numpy(zero_copy_only=False)
        return np.asarray(np.array([*known, -1], np.int64)[flags])
    if pa.types.is_dictionary(column.type):
        numbers_of_texts = text_numbers(column.dictionary, categories)
        indices = pc.fill_null(column.indices.cast(pa.int32()), -1)
        return np.asarray(np.append(numbers_of_texts, -1)[indices.to_numpy()])
    return text_numbers(column, categories)


def text_numbers(column: Any, categories: tuple[str, ...]) -> Integers:
    """Return the numbers of the categories of texts, -1 where missing."""
    codes = pc.index_in(column, value_set=pa.array(categories, column.type))
    return np.asarray(pc.fill_null(codes, -1).to_numpy(zero_copy_only=False), np.int64)


class BatchColumns:
    """The columns of a batch, each of which is read once."""

    def __init__(self, batch: Any, categories: Mapping[str, tuple[str, ...]]) -> None:
        self._batch = batch
        self._categories = categories
        self._found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name == NO_COLUMN:
            return np.full(self._batch.num_rows, -1)
        if name not in self._found:
            self._found[name] = (
                category_codes(self._batch, name, self._categories[name])
                if name in self._categories
                else numbers(self._batch, name)
            )
        return self._found[name]

    def nodes(self, route: PlainRoute, rows: Integers | None = None) -> Integers:
        """Return the number of the node of each row."""
        if isinstance(route, int):
            return np.full(self._batch.num_rows if rows is None else rows.size, route, np.int64)
        name, conditions, routes = route
        size = self._batch.num_rows if rows is None else rows.size
        branch = np.full(size, len(routes) - 1)
        open_rows = np.ones(size, np.bool_)
        for place, condition in enumerate(conditions):
            held = open_rows & self._holds(name, condition, rows)
            branch[held] = place
            open_rows &= ~held
        found = np.empty(size, np.int64)
        for place, inner in enumerate(routes):
            mine = np.flatnonzero(branch == place)
            found[mine] = (
                inner
                if isinstance(inner, int)
                else self.nodes(inner, mine if rows is None else rows[mine])
            )
        return found

    def rows_of(self, question: PartQuestion, labels: Integers) -> Integers:
        """Return the numbers of the rows of a part."""
        rows = np.arange(self._batch.num_rows)
        for condition in question.inside:
            rows = rows[self._holds(NO_COLUMN, condition, rows)]
        for condition in question.outside:
            rows = rows[~self._holds(NO_COLUMN, condition, rows)]
        if question.secrets:
            keys = numbers(self._batch, KEY)[rows].astype(np.int64)
            hashes = hashed_keys(keys, question.secrets)
            low, high = np.array(question.limits, np.int64)[labels[rows]].T
            rows = rows[(hashes >= low) & (hashes < high)]
        return rows

    def depth(self, conditions: Iterable[Any], rows: Integers) -> Integers:
        """Return the number of the first condition that fails in each of some rows."""
        depth = np.zeros(rows.size, np.int64)
        left = np.arange(rows.size)
        for condition in conditions:
            left = left[self._holds(NO_COLUMN, condition, rows[left])]
            depth[left] += 1
        return depth

    def _holds(self, name: str, condition: Any, rows: Integers | None) -> NDArray[np.bool_]:
        """Whether a condition of a column holds in rows; None is all of them."""
        kind, cut, among, parts = condition
        if kind == "all":
            held = [self._holds(column, inner, rows) for column, inner in parts]
            return np.asarray(np.all(held, axis=0))
        values = self[name] if rows is None else self[name][rows]
        is_missing = values < 0 if name in self._categories else np.isnan(values)
        if kind in ("missing", "present"):
            return np.asarray(is_missing if kind == "missing" else ~is_missing)
        if kind in ("among", "not_among"):
            wanted = set(among)
            known = [category in wanted for category in self._categories[name]]
            is_known = np.array([*known, False])[values]
            return np.asarray(is_known if kind == "among" else ~(is_known | is_missing))
        compare = {"above": np.greater, "from": np.greater_equal, "up_to": np.less_equal}
        return np.asarray(compare[kind](values, cut))


def hashed_keys(keys: Integers, secrets: tuple[int, ...]) -> Integers:
    """Return the hashes of keys, as ``KeyHash`` does, which the workers do not have."""
    found = (_round(keys % MODULUS, secrets[0]) + keys // MODULUS) % MODULUS
    for secret in secrets[1:]:
        found = _round(found, secret)
    return found


def _round(x: Integers, secret: int) -> Integers:
    base = (x + secret) % MODULUS
    square = (base * base) % MODULUS
    return ((square * square) % MODULUS * base) % MODULUS


# Sums


@dataclass
class SparseCounts:
    """Numbers of rows by a key, or by a key and a value."""

    keys: list[Integers] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    rows: list[Integers] = field(default_factory=list)
    entries: int = 0

    def add(self, keys: Integers, values: Floats, rows: Integers) -> None:
        """Add entries; now and then equal ones are joined."""
        self.keys.append(keys)
        self.values.append(values)
        self.rows.append(rows)
        self.entries += keys.size
        if self.entries > MAX_ENTRIES:
            keys, values, rows = self.joined()
            self.keys, self.values, self.rows = [keys], [values], [rows]
            self.entries = keys.size // 2  # few of them are equal: wait for as many again

    def joined(self) -> tuple[Integers, Floats, Integers]:
        """Return the keys, values and numbers of rows, each pair of key and value once."""
        keys = np.concatenate([np.empty(0, np.int64), *self.keys])
        values = np.concatenate([np.empty(0), *self.values])
        rows = np.concatenate([np.empty(0, np.int64), *self.rows])
        order = np.lexsort((values, keys))
        keys, values, rows = keys[order], values[order], rows[order]
        new = np.ones(keys.size, np.bool_)
        new[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
        first = np.flatnonzero(new)
        return keys[first], values[first], np.add.reduceat(rows, first) if first.size else rows


@dataclass
class BinCounts:
    """Rows of the bins of the cells of a column by class, with the ends of each bin."""

    counts: Integers
    low: Floats
    high: Floats

    @classmethod
    def of(cls, cells: int, bin_count: int, classes: int) -> BinCounts:
        """Return the counts of no rows."""
        bins = cells * bin_count
        return cls(
            np.zeros(bins * classes, np.int64), np.full(bins, np.inf), np.full(bins, -np.inf)
        )


def joined_answers(first: Bytes, second: Bytes) -> Bytes:
    """Join two answers: rows of the same keys become one."""
    table = pa.concat_tables([pa.ipc.open_stream(one).read_all() for one in (first, second)])
    names = table.column_names
    keys = [name for name in names if name not in JOINED]
    sums = [(name, JOINED[name]) for name in names if name in JOINED]
    found = table.group_by(keys).aggregate(sums)
    renamed = found.rename_columns([*keys, *(name for name, _ in sums)])
    return batches_written(renamed.select(names).cast(table.schema).combine_chunks().to_batches())


def answer(columns: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return an Arrow batch with columns of these names; those that are not given are missing."""
    rows = max(len(column) for column in columns.values())
    found = {}
    for name in names:
        kind = ARROW_TYPES[type_of(name)]
        found[name] = pa.array(columns[name], kind) if name in columns else pa.nulls(rows, kind)
    return pa.RecordBatch.from_arrays(list(found.values()), names=list(found))


# Cells and categories


class CellCounter:
    """The answer to a ``CellQuestion``, batch by batch."""

    def __init__(self, question: CellQuestion) -> None:
        self._question = question
        self._bins = {
            part: BinCounts.of(
                sum(cells.place.size for cells in by_node.values()),
                question.bin_count,
                question.classes,
            )
            for part, (_, by_node) in question.binned.items()
        }
        self._values = {part: SparseCounts() for part in question.valued}
        self._listed = {part: SparseCounts() for part in question.listed}

    def add(self, batch: Any) -> None:
        """Count the rows of a batch, node by node."""
        question = self._question
        columns = BatchColumns(batch, question.categories)
        labels = labels_of_rows(batch, question.labels)
        for node, rows in self._rows_of_nodes(columns):
            classes = labels if rows is None else labels[rows]
            for part, (name, by_node) in question.binned.items():
                if node in by_node:
                    values = columns[name] if rows is None else columns[name][rows]
                    self._add_bins(self._bins[part], by_node[node], values, classes)
            for part, (name, by_node) in question.valued.items():
                if node in by_node:
                    values = columns[name] if rows is None else columns[name][rows]
                    self._add_values(self._values[part], by_node[node], values, classes)
            for part, name in question.listed.items():
                codes = columns[name] if rows is None else columns[name][rows]
                self._add_codes(self._listed[part], node, name, codes, classes)

    def _rows_of_nodes(self, columns: BatchColumns) -> Iterator[tuple[int, Integers | None]]:
        """Nodes with their rows; None is all of them."""
        if isinstance(self._question.route, int):
            yield self._question.route, None
            return
        nodes = columns.nodes(self._question.route)
        if max(self._question.nodes, default=0) <= MAX_SHORT:
            nodes = nodes.astype(np.int16)  # NumPy sorts these by radix
        order = np.argsort(nodes, kind="stable")
        wanted = np.array(self._question.nodes, nodes.dtype)
        first = np.searchsorted(nodes, wanted, side="left", sorter=order)
        last = np.searchsorted(nodes, wanted, side="right", sorter=order)
        for node, start, end in zip(wanted.tolist(), first.tolist(), last.tolist(), strict=True):
            if start < end:
                yield node, order[start:end]

    def _add_bins(self, found: BinCounts, cells: Cells, values: Floats, labels: Integers) -> None:
        rows, cell = cells.found(values)
        if rows.size < values.size:
            values, labels = values[rows], labels[rows]
        count, classes = self._question.bin_count, self._question.classes
        low, scale, place = cells.low, cells.scale, cells.place
        if low.size > 1:
            low, scale, place = low[cell], scale[cell], place[cell]
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = (values - low) * scale
        if not scale.all():  # an infinite width times 0
            scaled = np.nan_to_num(scaled)
        bins = np.minimum(scaled, count - 1).astype(np.int64) + place * count
        found.counts += np.bincount(bins * classes + labels, minlength=found.counts.size)
        np.minimum.at(found.low, bins, values)
        np.maximum.at(found.high, bins, values)

    def _add_values(
        self, found: SparseCounts, cells: Cells, values: Floats, labels: Integers
    ) -> None:
        rows, cell = cells.found(values)
        keys = cells.place[cell] * self._question.classes + labels[rows]
        found.add(keys, values[rows], np.ones(rows.size, np.int64))

    def _add_codes(
        self, found: SparseCounts, node: int, name: str, codes: Integers, labels: Integers
    ) -> None:
        classes, places = self._question.classes, len(self._question.categories[name]) + 1
        counts = np.bincount((codes + 1) * classes + labels)
        keys = np.flatnonzero(counts)
        found.add(keys + node * places * classes, np.zeros(keys.size), counts[keys])

    def answers(self) -> Iterator[Any]:
        """Batches of the counts that are not 0."""
        classes = self._question.classes
        for part, bins in self._bins.items():
            keys = np.flatnonzero(bins.counts)
            low, high = bins.low[keys // classes], bins.high[keys // classes]
            yield self._answer(part, keys, bins.counts[keys], {LOW: low, HIGH: high})
        for part, counts in self._values.items():
            keys, values, rows = counts.joined()
            yield self._answer(part, keys, rows, {VALUE: values})
        for part, counts in self._listed.items():
            keys, _, rows = counts.joined()
            yield self._answer(part, keys, rows, {})

    def _answer(self, part: int, keys: Integers, rows: Integers, more: Mapping[str, Floats]) -> Any:
        parts = np.full(keys.size, part)
        return answer({PART: parts, KEY: keys, ROWS: rows, **more}, self._question.names)


def count_cells(batches: Iterable[Any], question: CellQuestion) -> Iterator[Any]:
    """Count the cells, bins and categories of the rows of a partition."""
    counter = CellCounter(question)
    for batch in larger_batches(batches):
        counter.add(batch)
    yield from counter.answers()


# The survey


def survey_partition(batches: Iterable[Any], question: SurveyQuestion) -> Iterator[Any]:
    """Find the ranges of numeric columns, and count the values of others.

    A column with too many different values is answered by a single entry without a value and
    without rows. The part ``PARTITIONS`` has one row.
    """
    yield answer({PART: [PARTITIONS], ROWS: [1]}, SURVEY_NAMES)
    ranges: dict[int, tuple[int, float, float]] = {}
    counts: dict[int, dict[Any, int] | None] = {part: {} for part in question.listed}
    for batch in larger_batches(batches):
        for part, name in question.numeric.items():
            values = numbers(batch, name)
            values = values[~np.isnan(values)]
            if values.size:
                rows, low, high = ranges.get(part, (0, np.inf, -np.inf))
                low, high = min(low, float(values.min())), max(high, float(values.max()))
                ranges[part] = rows + values.size, low, high
        for part, name in question.listed.items():
            counts[part] = _with_values(counts[part], column_of(batch, name), question.max_values)
    if ranges:
        columns = dict(zip((ROWS, LOW, HIGH), zip(*ranges.values(), strict=True), strict=True))
        yield answer({PART: list(ranges), **columns}, SURVEY_NAMES)
    for part, found in counts.items():
        if found is None:
            yield answer({PART: [part], ROWS: [0]}, SURVEY_NAMES)
        elif found:
            texts = [None if isinstance(value, float) else value for value in found]
            floats = [value if isinstance(value, float) else None for value in found]
            listed = {TEXT: texts, VALUE: floats, ROWS: list(found.values())}
            yield answer({PART: [part] * len(found), **listed}, SURVEY_NAMES)


def _with_values(found: dict[Any, int] | None, column: Any, most: int) -> dict[Any, int] | None:
    """Add the values of a column; Booleans become texts."""
    if found is None:
        return None
    for value, rows in _value_counts(column):
        text = str(value) if isinstance(value, bool) else value
        found[text] = found.get(text, 0) + rows
    return found if len(found) <= most else None


def _value_counts(column: Any) -> Iterable[tuple[Any, int]]:
    """Different values of a column, None where it is missing, with their rows."""
    if not pa.types.is_dictionary(column.type):
        values, rows = column.value_counts().flatten()
        return zip(values.to_pylist(), rows.to_pylist(), strict=True)
    values = [*column.dictionary.to_pylist(), None]
    indices = pc.fill_null(column.indices.cast(pa.int32()), len(values) - 1).to_numpy()
    rows = np.bincount(indices, minlength=len(values)).tolist()
    return ((value, count) for value, count in zip(values, rows, strict=True) if count)


# Cuts and patterns


def nearest_values(
    batches: Iterable[Any], wanted: Mapping[int, tuple[str, Floats]], *, above: bool
) -> Iterator[Any]:
    """Find the smallest value above each of some ordered numbers, or the largest up to it."""
    start, better = (np.inf, np.minimum) if above else (-np.inf, np.maximum)
    found = {part: np.full(ends.size + 1, start) for part, (_, ends) in wanted.items()}
    for batch in larger_batches(batches):
        for part, (name, ends) in wanted.items():
            values = numbers(batch, name)
            values = values[~np.isnan(values)]
            better.at(found[part], np.searchsorted(ends, values, side="left"), values)
    for part, nearest in found.items():
        if above:  # what lies above a number lies above all before it
            nearest = np.minimum.accumulate(nearest[:0:-1])[::-1]
        else:
            nearest = np.maximum.accumulate(nearest[:-1])
        keys = np.flatnonzero(np.isfinite(nearest))
        columns = {PART: np.full(keys.size, part), KEY: keys, LOW: nearest[keys]}
        yield answer({**columns, HIGH: nearest[keys]}, CUT_NAMES)


def pattern_names(question: PatternQuestion) -> tuple[str, ...]:
    """Columns of the answer about patterns."""
    return (*question.cuts, *question.categories, LABEL, ROWS)


def count_patterns(batches: Iterable[Any], question: PatternQuestion) -> Iterator[Any]:
    """Count the rows that cuts and categories tell apart."""
    found: list[NDArray[np.int32]] = []
    weights: list[Integers] = []
    for batch in larger_batches(batches):
        columns = BatchColumns(batch, question.categories)
        codes = [
            np.where(np.isnan(columns[name]), -1, np.searchsorted(cuts, columns[name], side="left"))
            for name, cuts in question.cuts.items()
        ]
        codes += [columns[name] for name in question.categories]
        codes.append(labels_of_rows(batch, question.labels))
        patterns = np.stack(codes).astype(np.int32)
        some, rows = _different(patterns, np.ones(patterns.shape[1], np.int64))
        found.append(some)
        weights.append(rows)
    if found:
        patterns, rows = _different(np.concatenate(found, axis=1), np.concatenate(weights))
        names = pattern_names(question)
        yield answer(dict(zip(names, [*patterns, rows], strict=True)), names)


def _different(patterns: NDArray[np.int32], rows: Integers) -> tuple[NDArray[np.int32], Integers]:
    """Different columns of a matrix, with the sum of their rows."""
    low = patterns.min(axis=1).astype(np.int64)
    widths = patterns.max(axis=1) - low + 1
    if np.prod(widths.astype(np.float64)) < MAX_KEY:
        order = np.argsort(np.ravel_multi_index(tuple(patterns - low[:, None]), tuple(widths)))
    else:
        order = np.lexsort(patterns)
    patterns, rows = patterns[:, order], rows[order]
    new = np.ones(rows.size, np.bool_)
    new[1:] = (patterns[:, 1:] != patterns[:, :-1]).any(axis=0)
    first = np.flatnonzero(new)
    return patterns[:, first], np.add.reduceat(rows, first)


# Rules


def depth_names(rules: int) -> tuple[str, ...]:
    """Columns of the answer about the depths of rules."""
    return (*(f"{CODE}{rule}" for rule in range(rules)), LABEL, ROWS)


def count_depths(
    batches: Iterable[Any], question: PartQuestion, rules: Sequence[Sequence[Any]]
) -> Iterator[Any]:
    """Count the rows of a part by the first condition of each rule that fails, and by class."""
    found: list[NDArray[np.int32]] = []
    weights: list[Integers] = []
    for batch in larger_batches(batches):
        columns = BatchColumns(batch, question.categories)
        labels = labels_of_rows(batch, question.labels)
        rows = columns.rows_of(question, labels)
        if rows.size:
            depths = [columns.depth(rule, rows) for rule in rules]
            lines = np.stack([*depths, labels[rows]]).astype(np.int32)
            some, counts = _different(lines, np.ones(rows.size, np.int64))
            found.append(some)
            weights.append(counts)
    if found:
        lines, counts = _different(np.concatenate(found, axis=1), np.concatenate(weights))
        names = depth_names(len(rules))
        yield answer(dict(zip(names, [*lines, counts], strict=True)), names)


def fetched_names(columns: Sequence[str], categories: Mapping[str, Any]) -> tuple[str, ...]:
    """Columns of the answer with the rows of a part, those of the classes last."""
    names = (f"{CODE if c in categories else NUMBER}{i}" for i, c in enumerate(columns))
    return (*names, LABEL)


def fetch_rows(
    batches: Iterable[Any], question: PartQuestion, wanted: Sequence[str]
) -> Iterator[Any]:
    """Return some columns of the rows of a part: numbers, and the numbers of categories."""
    names = fetched_names(wanted, question.categories)
    for batch in larger_batches(batches):
        columns = BatchColumns(batch, question.categories)
        labels = labels_of_rows(batch, question.labels)
        rows = columns.rows_of(question, labels)
        if rows.size:
            parts = [*(columns[name][rows] for name in wanted), labels[rows]]
            yield answer(dict(zip(names, parts, strict=True)), names)
