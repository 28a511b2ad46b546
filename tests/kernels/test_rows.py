"""Rows of Arrow as columns, and rows as lines of text."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.kernels import arrow_rows, row_lines

TEXTS = st.none() | st.sampled_from(["", "a", "b", "Zürich", "x" * 40]) | st.text(max_size=3)
NUMBERS = st.none() | st.sampled_from([-0.0, 1.5, float("inf"), 5e-324])


@given(
    st.lists(st.tuples(NUMBERS, TEXTS), max_size=30),
    st.integers(1, 9),
    st.integers(0, 5),
    st.sampled_from([pa.string(), pa.large_string()]),
)
def test_columns_are_those_of_the_rows(rows, size, skipped, kind):
    table = pa.table(
        {
            "x": pa.array([x for x, _ in rows], pa.float64()),
            "t": pa.array([t for _, t in rows], kind),
        }
    )
    chunks = pa.concat_tables([table.slice(skipped), table.slice(0, skipped)])
    found = []
    for count, (numbers, (codes, texts)) in arrow_rows(chunks, size):
        assert 1 <= count <= size
        assert numbers.size == codes.size == count
        assert list(dict.fromkeys(codes[codes >= 0].tolist())) == list(range(len(texts)))
        cells = [*texts, None]
        found += zip(numbers.tolist(), (cells[c] for c in codes.tolist()), strict=True)
    wanted = [*rows[skipped:], *rows[:skipped]]
    assert str(found) == str([(np.nan if x is None else x, t) for x, t in wanted])


def test_many_different_texts_are_numbered():
    texts = [str(number) for number in range(1000)] * 2
    ((count, ((codes, found),)),) = arrow_rows(pa.table({"t": texts}), 5000)
    assert count == 2000
    assert found == texts[:1000]
    assert codes.tolist() == [*range(1000)] * 2


def test_an_error_of_the_source_is_reported():
    def batches():
        yield pa.record_batch({"x": np.zeros(2)})
        raise ValueError("the source is exhausted")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.float64()}), batches())
    rows = arrow_rows(reader, 9)
    assert next(rows)[0] == 2
    with pytest.raises(RuntimeError, match="the source is exhausted"):
        next(rows)


@pytest.mark.parametrize("first", [0, 9, 95, 10**6 - 3, 2**40])
def test_lines_have_the_number_and_the_texts_of_each_row(first):
    codes = np.arange(12, dtype=np.int32) % 3
    columns = [(codes, [b",", b",no", b",yes"]), (codes[::-1].copy(), [b"\n", b";\n", b"\n\n"])]
    wanted = b"".join(
        str(first + row).encode() + columns[0][1][row % 3] + columns[1][1][(11 - row) % 3]
        for row in range(12)
    )
    assert row_lines(first, 12, columns) == wanted
