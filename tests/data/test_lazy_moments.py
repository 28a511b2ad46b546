"""Dates, datetimes, durations and ordered categories in engines: the numbers of memory."""

from datetime import date, datetime, timedelta

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lazy_frames import ENGINES, as_lists, lazy_table, oracle
from strategies.effort import examples

from rulewright.data import CLOSED, Condition, Fork, KeyHash, LazyTable, ValueRange, detect_table
from rulewright.errors import InputError

ALL = [*ENGINES, "parts"]
LABELS = ("tiny", "it's", "medium", "huge")
DAY = 86_400 * 10**6
DAYS = st.one_of(st.none(), st.sampled_from([-719162, -1, 0, 1, 2932896]), st.integers(-9, 9))
TICKS = st.one_of(
    st.none(),
    st.sampled_from([-719162 * DAY, -DAY - 1, -1, 0, 1, 999_999, DAY, 2932896 * DAY, 2**53 - 1]),
    st.integers(-(2**53), 2**53),
)
NEAR = st.one_of(st.none(), st.sampled_from([-1, 0, 1]), st.integers(-(2**53), 2**53))


@st.composite
def frames(draw):
    rows = draw(st.integers(2, 15))

    def column(values):
        return draw(st.lists(values, min_size=rows, max_size=rows))

    def scaled(values, factor):
        return [None if value is None else factor(value) for value in values]

    milli, nano = (lambda tick: tick // 1000), (lambda tick: tick * 1000)
    labels = column(st.sampled_from([None, *LABELS]))
    return pl.DataFrame(
        {
            "day": pl.Series(column(DAYS), dtype=pl.Int32).cast(pl.Date),
            "time": pl.Series(column(TICKS), dtype=pl.Int64).cast(pl.Datetime("us")),
            "milli": pl.Series(scaled(column(TICKS), milli), dtype=pl.Int64).cast(
                pl.Datetime("ms")
            ),
            "nano": pl.Series(scaled(column(NEAR), nano), dtype=pl.Int64).cast(pl.Datetime("ns")),
            "zone": pl.Series(column(TICKS), dtype=pl.Int64).cast(
                pl.Datetime("us", "Europe/Paris")
            ),
            "span": pl.Series(column(NEAR), dtype=pl.Int64).cast(pl.Duration("us")),
            "size": pl.Series(labels, dtype=pl.Enum(LABELS)),
            "y": pl.Series(["n", "p", *column(st.sampled_from("np"))[2:]], dtype=pl.String),
        }
    )


ROUTE = Fork(
    "time",
    (Condition("missing"), Condition("up_to", 0.0)),
    (CLOSED, Fork("size", (Condition("among", categories=LABELS[:2]),), (4, 5)), 6),
)
CELLS = [ValueRange(node, -1e300, 1e300) for node in (4, 5, 6)]


@pytest.mark.parametrize("engine", ALL)
@examples(1 / 50)
@given(frame=frames())
def test_an_engine_counts_times_and_ordered_categories_as_rows_do(engine, frame):
    expected, found = oracle(frame), lazy_table(engine, frame)
    for name in ("fields", "missing", "ranges", "category_counts", "rows", "keys"):
        assert getattr(found, name) == getattr(expected, name)
    cells = dict.fromkeys(("day", "milli", "nano", "zone", "span"), CELLS)
    assert as_lists(found.by_value(ROUTE, cells)) == as_lists(expected.by_value(ROUTE, cells))
    categories = found.by_category(ROUTE, ["size"])
    assert as_lists(categories) == as_lists(expected.by_category(ROUTE, ["size"]))
    patterns = found.patterns({"day": np.array([0.0])}, ["size"]).table
    assert patterns.fields == tuple(f for f in expected.fields if f.name in ("day", "size"))


def test_the_time_zone_of_the_session_does_not_matter():
    ticks = [0, 1_603_588_800_000_000, -(10**15)]
    frame = pl.DataFrame({"z": ticks, "y": ["a", "b", "b"]})
    frame = frame.with_columns(pl.col("z").cast(pl.Datetime("us", "UTC")))
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    found = LazyTable(connection.from_arrow(frame.to_arrow()), "y")
    assert found.ranges == {"z": (min(ticks), max(ticks))}
    assert found.fields[0].kind == "instant"


@pytest.mark.parametrize("engine", ALL)
def test_dates_are_classes_as_in_files(engine):
    days = [date(2024, 5, 1), date(1969, 12, 31)]
    frame = pl.DataFrame({"x": [1.0, 2.0], "y": days})
    assert lazy_table(engine, frame).classes == ("1969-12-31", "2024-05-01")


def polars_frame(values, dtype):
    return pl.DataFrame({"t": pl.Series(values, dtype=pl.Int64).cast(dtype), "y": ["a", "b"]})


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (polars_frame([0, 1], pl.Datetime("ns")), "1 of its rows: the value has nanoseconds"),
        (polars_frame([0, 1], pl.Duration("ns")), "1 of its rows: the value has nanoseconds"),
        (polars_frame([0, 2**62], pl.Datetime("ms")), "the value is out of range"),
        (polars_frame([0, -(2**52)], pl.Datetime("ms")), "'t' holds datetimes .* out of range"),
        (polars_frame([0, 2932897], pl.Date), "'t' holds dates out of range. Dates must be in"),
        (polars_frame([0, 2**53 + 1], pl.Datetime("us")), "too far from 1970 to keep micro"),
        (polars_frame([2**55, 2**53 + 1], pl.Duration("us")), "too far from 0 to keep micro"),
    ],
)
def test_times_without_a_number_are_refused_as_in_memory(frame, message):
    with pytest.raises(InputError, match=message):
        LazyTable(frame.lazy(), "y")
    with pytest.raises(InputError):
        detect_table(frame.drop("y"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("DATE 'infinity'", "1 of its rows: the value is infinite. Mark it as missing"),
        ("TIMESTAMP '-infinity'", "the value is infinite"),
        ("TIMESTAMPTZ 'infinity'", "the value is infinite"),
        ("TIMESTAMP_NS '2020-01-01 00:00:00.000000001'", "the value has nanoseconds"),
        ("INTERVAL 1 MONTH", "is an interval of months or years"),
        ("DATE '10000-01-01'", "out of range"),
        ("TIMESTAMP '2300-01-01 00:00:00.000001'", "too far from 1970"),
        ("TIME '10:00'", "values of type Time"),
        ("[1]", "values of type List"),
        ("UNION_VALUE(a := 1)", "values of type union"),
    ],
)
def test_what_duckdb_cannot_turn_into_numbers_is_refused(value, message):
    rows = duckdb.sql(f"SELECT {value} AS t, 'a' AS y UNION ALL SELECT NULL, 'b'")
    with pytest.raises(InputError, match=message):
        LazyTable(rows, "y")


def test_uuids_are_text_and_columns_without_values_are_numbers():
    rows = duckdb.sql(
        "SELECT '00000000-0000-0000-0000-000000000001'::UUID AS u, NULL AS n, i AS x, 'c' || i AS y"
        " FROM range(2) AS t(i)"
    )
    found = LazyTable(rows, "y")
    assert [field.kind for field in found.fields] == ["text", "numeric", "numeric"]
    assert found.category_counts["u"] == {"00000000-0000-0000-0000-000000000001": 2}
    assert found.missing == {"u": 0, "n": 2, "x": 0}


@pytest.mark.parametrize("engine", list(ENGINES))
def test_a_sample_has_times_and_orders(engine):
    frame = pl.DataFrame(
        {
            "key": [3, 1, 2],
            "time": [datetime(1900, 1, 2), None, datetime(2000, 1, 1, 0, 0, 0, 7)],
            "span": [timedelta(days=-1), timedelta(microseconds=5), None],
            "size": pl.Series(["huge", None, "tiny"], dtype=pl.Enum(LABELS)),
            "y": ["a", "b", "a"],
        }
    )
    table, labels = lazy_table(engine, frame, key="key").sampled(KeyHash((1, 2, 3)), 100)
    expected = detect_table(frame.sort("key").drop("key", "y"))
    assert labels.tolist() == [1, 0, 0]
    assert table.fields == expected.fields
    assert [c.cells() for c in table.columns] == [c.cells() for c in expected.columns]
