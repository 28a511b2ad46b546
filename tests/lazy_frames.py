"""Lazy frames of hard rows, shared by the tests of learning from counts."""

from dataclasses import replace
from functools import reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st
from oracles.counts import RowCounts
from strategies.mixed import tables

from rulewright.data import CategoryOrder, LazyTable, Table, detect_table
from rulewright.data.partition_functions import (
    answer_of_blocks,
    batches_written,
    blocks_of,
    joined_answers,
)
from rulewright.models import save_model

CONNECTION = duckdb.connect()  # in DuckDB 1, a relation does not keep it open


def in_duckdb(frame):
    """Relation of a frame; Arrow hands ordered categories over as text."""
    relation = CONNECTION.from_arrow(frame.to_arrow())
    orders = {name: dtype for name, dtype in frame.schema.items() if isinstance(dtype, pl.Enum)}
    if not orders:
        return relation
    columns = {name: duckdb.ColumnExpression(name) for name in frame.columns}
    for name, dtype in orders.items():
        values = ", ".join("'" + label.replace("'", "''") + "'" for label in dtype.categories)
        columns[name] = columns[name].cast(duckdb.sqltype(f"ENUM({values})"))
    return relation.select(*(column.alias(name) for name, column in columns.items()))


ENGINES = {
    "duckdb": in_duckdb,
    "polars": pl.DataFrame.lazy,
}


SPARK_TYPES = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
}


class PartsRunner:
    """Runs jobs on thirds of a Polars frame, as Spark does in its workers.

    The first third are Arrow batches, the others blocks of these.
    """

    def __init__(self, frame):
        self._frame = frame

    def __call__(self, job):
        rows = self._frame.select(*job.columns).to_native().collect()
        third = -(-rows.height // 3)
        first, *others = (
            rows.slice(start, third).to_arrow().to_batches() for start in (0, third, 2 * third)
        )
        schema = pa.schema([(name, SPARK_TYPES[kind]) for name, kind in job.types.items()])
        none = pa.RecordBatch.from_pylist([], schema)
        answers = [batches_written([none, *job.count(iter(first))])]
        answers += [
            one
            for some in others
            for one in answer_of_blocks(blocks_of(some), count=job.count, names=job.names)
        ]
        tables = [pa.ipc.open_stream(one).read_all() for one in answers]
        assert all(table.schema == schema for table in tables)
        if job.joined:
            tables = [pa.ipc.open_stream(reduce(joined_answers, answers)).read_all()]
        return {
            c.name: c.to_numpy() if not c.null_count() else np.array(c.to_list(), object)
            for c in pl.from_arrow(pa.concat_tables(tables))
        }

    def close(self):
        """Nothing is kept."""


def lazy_table(engine, frame, target="y", **options):
    """Lazy table of a frame in an engine.

    The engine may also be the "parts" of a frame, and DuckDB may count by "queries" alone, or send
    its rows in "streams" for every question.
    """
    if engine == "streams":
        with patch("rulewright.data.lazy_table.KEPT_BYTES", 0):
            return LazyTable(in_duckdb(frame), target, **options)
    if engine == "queries":
        with patch("rulewright.data.lazy_table.sends_rows", lambda _: False):
            return LazyTable(in_duckdb(frame), target, **options)
    if engine != "parts":
        return LazyTable(ENGINES[engine](frame), target, **options)
    with patch("rulewright.data.lazy_table.spark_runner", PartsRunner):
        return LazyTable(frame.lazy(), target, **options)


def oracle(frame):
    """Slow counts of a frame whose class is n or p."""
    labels = np.array([0 if label == "n" else 1 for label in frame["y"].to_list()], np.int32)
    return RowCounts(detect_table(frame.drop("y")), labels, ("n", "p"))


def as_lists(found):
    """Counts as lists, which can be compared."""
    return {name: [column.tolist() for column in counts] for name, counts in found.items()}


HARD = '"' if duckdb.__version__ >= "2" else "'"  # DuckDB 1 cannot count columns with a quote
NAMES = ["a", f"b{HARD}--", "it's", "where", "ä ß", "y"]


def ugly_frame(rows=120, classes="np"):
    """Numbers with ties and missing values, text, a Boolean, hostile names and values, noise."""
    random = np.random.default_rng(5)
    a = random.normal(size=rows).round(1)
    whole = random.integers(-3, 4, rows)
    noise = random.random(rows) < 0.15
    text = random.choice(["'", '"', "--", ""], rows)
    score = np.where(noise, -1, (a > 0.2).astype(int) + (whole > 1) + (text == "--"))
    values = [
        pl.Series([None if v > 1.5 else float("nan") if v < -2 else v for v in a.tolist()]),
        pl.Series(whole),
        pl.Series([None if hole else t for t, hole in zip(text.tolist(), noise, strict=True)]),
        pl.Series(random.random(rows) < 0.5),
        pl.Series(random.integers(0, 100, rows) / 100).cast(pl.Decimal(6, 2)),
        pl.Series([classes[value % len(classes)] for value in score.tolist()]),
    ]
    return pl.DataFrame(dict(zip(NAMES, values, strict=True)))


def with_orders(table):
    """The table with durations, and with ordered colours, one of which does not occur."""
    a, b, colour, flag = table.columns
    order = CategoryOrder(("red", "black", "blue", "green"))
    columns = [a, replace(b, kind="duration"), colour.with_order(order), flag]
    return Table(columns, table.rows)


LABELS = ("tiny", "small", "it's", "large", "huge")


def timed_frame(rows=150):
    """Dates, datetimes with and without a zone, durations and ordered categories, with noise."""
    random = np.random.default_rng(7)
    day = random.integers(-30, 30, rows)
    tick = random.integers(-(10**15), 10**15, rows)
    size = random.integers(0, len(LABELS), rows)
    y = np.where((size > 2) ^ (day > 3) ^ (random.random(rows) < 0.1), "p", "n")
    y[tick > 6 * 10**14] = "n"
    holes = pl.Series(random.random(rows) < 0.1)
    frame = pl.DataFrame(
        {
            "day": pl.Series(day, dtype=pl.Int32).cast(pl.Date),
            "time": pl.Series(tick).cast(pl.Datetime("us")),
            "zone": pl.Series(np.roll(tick, 1)).cast(pl.Datetime("us", "Europe/Paris")),
            "span": pl.Series(np.roll(tick, 2)).cast(pl.Duration("us")),
            "size": pl.Series([LABELS[place] for place in size.tolist()], dtype=pl.Enum(LABELS)),
            "key": random.permutation(rows) * 7919,
            "y": y,
        }
    )
    return frame.with_columns(pl.when(~holes).then(name).alias(name) for name in ("day", "size"))


@st.composite
def labelled(draw):
    table = draw(tables(most_rows=40, least_rows=2))
    if draw(st.booleans()):
        table = with_orders(table)
    classes = draw(st.integers(2, 4))
    labels = draw(st.lists(st.integers(0, classes - 1), min_size=table.rows, max_size=table.rows))
    seen, codes = np.unique(labels, return_inverse=True)
    return table, codes.astype(np.int32), tuple("pqrs"[: seen.size])


@st.composite
def ruled(draw, missing=True):
    """Rows whose class follows from rules, with noise: ties, duplicates and missing values."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, classes = draw(st.integers(10, 120)), draw(st.integers(2, 3))
    a, b = random.normal(size=rows).round(1), random.integers(0, draw(st.integers(1, 9)), rows)
    texts = np.array(["red", "blue", "--"])[random.integers(0, 3, rows)]
    flags = random.random(rows) < 0.5
    score = (a > 0.3).astype(int) + ((b > 2) & (texts != "red")) + (flags & (a < -0.5))
    noise = random.random(rows) < draw(st.sampled_from([0.0, 0.1, 0.3]))
    labels = np.where(noise, random.integers(0, classes, rows), score % classes)
    holes = random.random((4, rows)) < (0.15 if missing else 0)
    values = [
        [None if hole else cell for hole, cell in zip(lost, cells.tolist(), strict=True)]
        for lost, cells in zip(holes, (a, b.astype(float), texts, flags), strict=True)
    ]
    frame = pl.DataFrame(
        dict(zip(("a", "b", "colour", "flag"), values, strict=True)),
        schema={"a": pl.Float64, "b": pl.Float64, "colour": pl.String, "flag": pl.Boolean},
    )
    seen, codes = np.unique(labels, return_inverse=True)
    return detect_table(frame), codes.astype(np.int32), tuple("pqrs"[: seen.size])


def plain(model):
    """Model with the cautions about categories only: all others need rows."""
    said = tuple(one for one in model.certificate.cautions if "that training did not" in one)
    return replace(model, certificate=replace(model.certificate, cautions=said))


def written(model):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save_model(model, path)
        return path.read_bytes()
