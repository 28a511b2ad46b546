"""Blocks of columns in Spark's workers: the same rows as the batches that they are made of."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import examples

from rulewright.data.partition_functions import (
    answer,
    batches_of_size,
    batches_written,
    blocks_of,
    blocks_of_messages,
    blocks_read,
    category_codes,
    joined_answers,
    labels_of_rows,
    larger_batches,
    numbers,
)

NUMBERS = st.sampled_from([None, float("nan"), -0.0, 0.1, 0.5, 1e308, 5e-324, 2.0**24 + 1])
TEXTS = st.sampled_from([None, "", "é", "a", "--"])
FLAGS = st.sampled_from([None, False, True])
KINDS = {"x": "double", "s": "string", "b": "boolean", "y": "double"}
ARROW = {"double": pa.float64(), "string": pa.string(), "boolean": pa.bool_()}
SCHEMA = pa.schema([(name, ARROW[kind]) for name, kind in KINDS.items()])


@st.composite
def partitions(draw):
    """Batches of a partition, some of them without rows."""
    row = st.tuples(NUMBERS, TEXTS, FLAGS, st.sampled_from([-1.0, 0.0, -0.0, 2.5]))
    batches = draw(st.lists(st.lists(row, max_size=6), min_size=1, max_size=3))
    return [
        pa.RecordBatch.from_pylist([dict(zip(KINDS, row, strict=True)) for row in rows], SCHEMA)
        for rows in batches
    ]


def cells(batches):
    """Values and codes of all rows."""
    found = []
    for batch in larger_batches(batches):
        found.append(
            [
                numbers(batch, "x"),
                category_codes(batch, "s", ("", "--", "a")),
                category_codes(batch, "b", ("False", "True")),
                labels_of_rows(batch, (2.5, -1.0, 0.0)),
            ]
        )
    return [np.concatenate(column) for column in zip(*found, strict=True)]


@given(partitions())
@examples(0.5)
def test_blocks_have_the_values_of_their_batches(batches):
    messages = [bytes(batch.serialize()) for batch in batches]
    for blocks in (blocks_of(batches), blocks_of_messages(messages, KINDS)):
        for found, expected in zip(cells(blocks_read(blocks)), cells(batches), strict=True):
            assert found.tobytes() == expected.tobytes()


def test_numbers_are_kept_in_single_precision_where_it_is_exact():
    columns = {"x": [0.5, float("nan")] * 500, "z": [0.5] * 999 + [0.1]}
    (batch,) = blocks_read(blocks_of([pa.RecordBatch.from_pydict(columns)]))
    assert [field.type for field in batch.schema] == [pa.float32(), pa.float64()]


@pytest.mark.parametrize(("columns", "rows"), [(1, 131_072), (1_000, 8_000)])
def test_large_batches_are_divided(columns, rows):
    column = pa.array(np.zeros(200_000, np.int8))
    batch = pa.RecordBatch.from_arrays([column] * columns, [f"c{i}" for i in range(columns)])
    sizes = [some.num_rows for some in batches_of_size([batch])]
    assert max(sizes) == rows
    assert sum(sizes) == 200_000


def test_joined_answers_are_those_of_all_rows():
    names = ("part", "value", "text", "rows", "low", "high")
    first = {"part": [1, 1, 2], "text": ["a", None, "a"], "rows": [3, 4, 5]}
    second = {"part": [2, 1], "text": ["a", None], "rows": [10, 20]}
    written = [
        batches_written([answer({**one, "low": ends, "high": ends}, names)])
        for one, ends in ((first, [0.0, 1.0, 2.0]), (second, [-1.0, 5.0]))
    ]
    found = pa.ipc.open_stream(joined_answers(*written)).read_all()
    assert found.schema == pa.ipc.open_stream(written[0]).schema
    rows = sorted(zip(*(found[name].to_pylist() for name in names), strict=True), key=str)
    assert rows == [
        (1, None, "a", 3, 0.0, 0.0),
        (1, None, None, 24, 1.0, 5.0),
        (2, None, "a", 15, -1.0, 2.0),
    ]


def test_blocks_may_have_different_texts():
    texts = [str(number) for number in range(200)]
    halves = [pa.RecordBatch.from_pydict({"s": some}) for some in (texts[:100], texts[100:])]
    blocks = [block for half in halves for block in blocks_of([half])]
    codes = [
        category_codes(batch, "s", tuple(texts)) for batch in larger_batches(blocks_read(blocks))
    ]
    assert np.concatenate(codes).tolist() == list(range(200))
