"""Dates, datetimes and durations: from every container, as text, and what is refused."""

import datetime as dt
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright.data import (
    Field,
    detect_table,
    fit_table,
    labels_of,
    moment_text,
    open_data,
    read_moment,
    write_table,
)
from rulewright.errors import FileError, InputError

EAST = dt.timezone(dt.timedelta(hours=2))
VALUES = {
    "date": [dt.date(2021, 3, 1), None, dt.date(1850, 1, 2)],
    "datetime": [dt.datetime(2021, 3, 1, 12, 30, 0, 5), None, dt.datetime(9999, 12, 31)],
    "instant": [
        dt.datetime(2021, 3, 1, 12, 30, tzinfo=EAST),
        None,
        dt.datetime(1999, 1, 1, tzinfo=EAST),
    ],
    "duration": [dt.timedelta(days=3, seconds=5), None, -dt.timedelta(hours=2)],
}
TEXTS = {
    "date": ["2021-03-01", None, "1850-01-02"],
    "datetime": ["2021-03-01 12:30:00.000005", None, "9999-12-31"],
    "instant": ["2021-03-01 10:30Z", None, "1998-12-31 22:00Z"],
    "duration": ["3 days 00:00:05", None, "-02:00"],
}
CONTAINERS = {
    "pandas": lambda data: pd.DataFrame({name: pd.Series(data[name]) for name in data}),
    "pandas of objects": lambda data: pd.DataFrame(data, dtype=object),
    "pandas of Arrow": lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "Arrow": pa.table,
}


def cells(table):
    return {column.name: column.cells() for column in table.columns}


def kinds(table):
    return {field.name: field.kind for field in table.fields}


def as_trained(X, kind):
    return fit_table(X, (Field("when", kind),), {"when"}, named=True).column("when")


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_columns(container):
    table = detect_table(CONTAINERS[container](VALUES))
    assert kinds(table) == {kind: kind for kind in VALUES}
    assert cells(table) == TEXTS
    assert [column.missing.tolist() for column in table.columns] == [[False, True, False]] * 4


def test_numbers_count_days_and_microseconds():
    table = detect_table(pl.DataFrame(VALUES))
    assert table.numbers("date")[0] == 18687
    assert table.numbers("datetime")[0] == 1614601800000005
    assert table.numbers("instant")[0] == 1614594600000000
    assert table.numbers("duration")[0] == 259205000000


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        (np.array([["2021-03-01"], ["NaT"]], "M8[D]"), "date", ["2021-03-01", None]),
        (np.array([["2021-03"]], "M8[M]"), "date", ["2021-03-01"]),
        (np.array([["2021-03-01T12:30"]], "M8[s]"), "datetime", ["2021-03-01 12:30"]),
        (np.array([["2021-03-01T12:30"]], "M8[ns]"), "datetime", ["2021-03-01 12:30"]),
        (np.array([[90], [-3600]], "m8[s]"), "duration", ["00:01:30", "-01:00"]),
        (np.array([[dt.date(2021, 3, 1)], [None]], object), "date", ["2021-03-01", None]),
        (
            np.array([[np.datetime64("NaT")], [dt.timedelta(1)]], object),
            "duration",
            [None, "1 day"],
        ),
    ],
)
def test_numpy_dates_are_columns(values, kind, texts):
    table = detect_table(values)
    assert kinds(table) == {"x0": kind}
    assert cells(table) == {"x0": texts}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            np.array([["2021-03-01T00:00:00.000000001"]], "M8[ns]"),
            r"row 0: the value has nanoseconds",
        ),
        (np.array([[pd.Timestamp(1)]], object), "nanoseconds"),
        (np.array([["20210-01-01"]], "M8[D]"), "years 1 to 9999"),
        (np.array([["-0001-01-01"]], "M8[s]"), "years 1 to 9999"),
        (np.array([[2**62]], "m8[D]"), "out of range"),
        (np.array([["9999-12-31T00:00:00.000001"]], "M8[us]"), "to keep microseconds"),
        (np.array([[2**53 + 1]], "m8[us]"), "to keep microseconds"),
        (np.array([[1]], "m8[M]"), "whose unit has no fixed length"),
        (np.array([[dt.date(2021, 3, 1)], [dt.timedelta(1)]], object), "mixes dates and durations"),
        (
            np.array([VALUES["datetime"][:1], VALUES["instant"][:1]], object),
            "mixes datetimes with a time zone and datetimes without a time zone",
        ),
        (np.array([[dt.date(2021, 3, 1)], [3.0]], object), "dates must not be mixed"),
        (np.array([[dt.date(2021, 3, 1)], ["soon"]], object), "dates must not be mixed"),
        (np.array([[dt.time(12, 30)]], object), "type time"),
    ],
)
def test_what_would_lose_digits_or_meaning_is_refused(values, said):
    with pytest.raises(InputError, match=said):
        detect_table(values)


def test_dates_among_datetimes_are_their_midnights():
    mixed = np.array([[dt.date(2021, 3, 1)], [dt.datetime(2021, 3, 1, 6)]], object)
    assert cells(detect_table(mixed)) == {"x0": ["2021-03-01", "2021-03-01 06:00"]}
    assert kinds(detect_table(mixed)) == {"x0": "datetime"}


def test_a_declared_category_of_dates_is_known_by_its_text():
    table = detect_table(pl.DataFrame({"when": VALUES["date"]}), categorical=["when"])
    assert table.categories("when").categories == ("1850-01-02", "2021-03-01")


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("kind", VALUES)
def test_training_on_one_container_fits_text_and_others(container, kind):
    expected = as_trained(pl.DataFrame({"when": VALUES[kind]}), kind)
    for values in (VALUES[kind], TEXTS[kind]):
        found = as_trained(CONTAINERS[container]({"when": values}), kind)
        np.testing.assert_array_equal(found.values, expected.values)
        assert found.kind == kind
    table = detect_table(pl.DataFrame({"when": VALUES[kind]}))
    assert (
        fit_table(table, (Field("when", kind),), {"when"}, named=True).column("when").kind == kind
    )


def test_dates_and_midnights_stand_for_each_other():
    days, midnights = [dt.date(2021, 3, 1), None], [dt.datetime(2021, 3, 1), None]
    assert as_trained(pl.DataFrame({"when": days}), "datetime").cells() == ["2021-03-01", None]
    assert as_trained(pd.DataFrame({"when": midnights}), "date").cells() == ["2021-03-01", None]
    noon = pd.DataFrame({"when": np.array(["2021-03-01T00", "2021-03-02T12"], "M8[s]")})
    with pytest.raises(InputError, match=r"row 1: .* 2021-03-02 12:00 has a time of day"):
        as_trained(noon, "date")


@pytest.mark.parametrize(
    ("values", "kind", "said"),
    [
        (
            ["2021-03-01", "03/01/2021"],
            "date",
            "row 1: '03/01/2021' does not belong to dates. Write it as 2021-03-01",
        ),
        (["2021-02-30"], "date", "row 0: '2021-02-30'"),
        (["2021-03-01 12:00"], "date", "row 0: "),
        (["2021-03-01 12:00"], "instant", "row 0: .* Write it as 2021-03-01 12:30Z"),
        (
            ["2021-03-01 12:00Z"],
            "datetime",
            "row 0: .* does not belong to datetimes without a time zone",
        ),
        ([18687.0], "date", "held dates in training, but has 18687.0 now"),
        (VALUES["datetime"], "instant", "without a time zone now"),
        (VALUES["instant"], "datetime", "with a time zone now"),
        (VALUES["duration"], "date", "held dates in training, but holds durations now"),
        (VALUES["date"], "numeric", "held numbers in training, but holds dates now"),
    ],
)
def test_other_values_than_in_training_are_refused(values, kind, said):
    with pytest.raises(InputError, match=said):
        as_trained(pl.DataFrame({"when": values}), kind)


def test_a_column_of_nothing_is_missing():
    for empty in ([None, None], [float("nan")] * 2):
        assert as_trained(pd.DataFrame({"when": empty}), "date").missing.all()


CSV = """day,time,zone,word,wrong,both
2021-03-01,2021-03-01T12:30,2021-03-01 12:30:00+02:00,a,2021-02-30,2021-03-01
,?,2021-03-01T12:30:00Z,b,2021-03-01,2021-03-01 10:00
 1850-01-02 ,2021-03-01 12:30:00.5,NA,c,2021-02-28,
"""


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(CSV)
    return path


def test_a_csv_file_has_iso_dates(csv):
    with open_data(csv) as file:
        table = file.read()
        assert kinds(table) == {
            "day": "date",
            "time": "datetime",
            "zone": "instant",
            "word": "text",
            "wrong": "text",
            "both": "datetime",
        }
        assert cells(table.select(["day", "time", "zone", "both"])) == {
            "day": ["2021-03-01", None, "1850-01-02"],
            "time": ["2021-03-01 12:30", None, "2021-03-01 12:30:00.5"],
            "zone": ["2021-03-01 10:30Z", "2021-03-01 12:30Z", None],
            "both": ["2021-03-01", "2021-03-01 10:00", None],
        }
        ((batch, _),) = file.batches(kinds(table))
        assert cells(batch) == cells(table)
        assert file.read(categorical=["day"]).column("day").field.kind == "code"
        assert file.read_as({"day": "text"}).column("day").field.kind == "text"


def test_a_csv_cell_that_is_no_date_is_named_by_column_and_row(csv):
    with open_data(csv) as file:
        with pytest.raises(InputError, match="Column 'word', row 0: 'a' does not belong to dates"):
            file.read_as({"word": "date"})
        with pytest.raises(InputError, match="Column 'wrong', row 0: "):
            list(file.batches({"wrong": "date"}))
    csv.write_text("d\n2021-03-01\n2021-03-02\nsoon\n")
    with open_data(csv) as file, pytest.raises(InputError, match="row 2: 'soon'"):
        list(file.batches({"d": "date"}, size=2))


def test_a_word_far_down_makes_a_column_text(csv, monkeypatch):
    monkeypatch.setattr("rulewright.data.csv_file.PLAIN_DETECTION_ROWS", 2)
    csv.write_text("d,e\n2021-03-01,2021-03-01\n2021-03-02,2021-03-01\nsoon,2021-03-01 10:00\n")
    with open_data(csv) as file:
        assert kinds(file.read()) == {"d": "text", "e": "datetime"}


@pytest.fixture
def typed(tmp_path):
    """A DuckDB file and a Parquet file of every type of time."""
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM (VALUES (DATE '2021-03-01', "
            "TIMESTAMP '2021-03-01 12:30', TIMESTAMPTZ '2021-03-01 12:30:00+02', "
            "TIMESTAMP_S '2021-03-01 12:30:00', TIMESTAMP_NS '2021-03-01 12:30:00.000005', "
            "INTERVAL '3 days 5 seconds'), (NULL, NULL, NULL, NULL, NULL, NULL)) "
            "v(day, time, zone, seconds, fine, lasted)"
        )
        parquet = tmp_path / "d.parquet"
        connection.execute(f"COPY (SELECT * EXCLUDE lasted FROM t) TO '{parquet}'")
    return tmp_path


@pytest.mark.parametrize("name", ["d.duckdb", "d.parquet"])
def test_typed_files_have_dates(typed, name):
    expected = {
        "day": ["2021-03-01", None],
        "time": ["2021-03-01 12:30", None],
        "zone": ["2021-03-01 10:30Z", None],
        "seconds": ["2021-03-01 12:30", None],
        "fine": ["2021-03-01 12:30:00.000005", None],
        "lasted": ["3 days 00:00:05", None],
    }
    with open_data(typed / name) as file:
        table = file.read()
        assert cells(table) == {column: expected[column] for column in table.names}
        ((batch, _),) = file.batches(kinds(table))
        assert cells(batch) == cells(table)
        assert file.read_as({"day": "datetime"}).column("day").cells() == ["2021-03-01", None]
        with pytest.raises(InputError, match="'time', row .* held dates .* has a time of day"):
            file.read_as({"time": "date"})
        with pytest.raises(InputError, match="held numbers in training, but holds datetimes"):
            file.read_as({"time": "numeric"})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("DATE 'infinity'", "infinite date"),
        ("TIMESTAMP '-infinity'", "infinite datetime"),
        ("INTERVAL '14 months'", "interval of months or years"),
        ("TIMESTAMP_NS '2021-03-01 12:30:00.000000005'", "nanoseconds"),
    ],
)
def test_what_has_no_count_in_a_typed_file_is_refused(tmp_path, value, said):
    with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT {value} AS w")
    with open_data(tmp_path / "d.duckdb") as file, pytest.raises(FileError, match=said):
        file.read()


def test_texts_of_sqlite_are_dates_where_all_are(tmp_path):
    with sqlite3.connect(tmp_path / "d.sqlite") as connection:
        connection.execute("CREATE TABLE t (day TEXT, time TEXT, word TEXT, number REAL)")
        rows = [("2021-03-01", "2021-03-01 10:00:00", "2021-03-01 x", 1.0), (None,) * 4]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
    connection.close()
    with open_data(tmp_path / "d.sqlite") as file:
        table = file.read()
    assert list(kinds(table).values()) == ["date", "datetime", "text", "numeric"]
    assert table.column("time").cells() == ["2021-03-01 10:00", None]


@pytest.mark.parametrize("name", ["d.csv", "d.parquet"])
def test_written_dates_read_back(tmp_path, name):
    table = detect_table(pl.DataFrame(VALUES)).select(["date", "datetime", "instant"])
    write_table(tmp_path / name, table)
    with open_data(tmp_path / name) as file:
        found = file.read_as(kinds(table))
    assert cells(found) == cells(table)


def test_a_class_of_dates_is_known_by_its_text():
    labels, known = labels_of(detect_table(pl.DataFrame({"when": VALUES["date"]})), "when")
    assert labels[known].tolist() == ["2021-03-01", "1850-01-02"]


@given(st.integers(-719162, 2932896), st.sampled_from([0.0, 0.5, 0.25, 1 / 3]))
def test_dates_read_back(day, part):
    assert read_moment(moment_text(day + part, "date"), "date") == day + part


@given(st.datetimes().map(lambda t: (t - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)))
def test_datetimes_read_back(count):
    for kind in ("datetime", "instant"):
        for number in (float(count), float(count) + 0.5, float(count) * 0.3):
            assert read_moment(moment_text(number, kind), kind) == number


@given(st.integers(-(2**53), 2**53))
def test_durations_read_back(count):
    assert read_moment(moment_text(count, "duration"), "duration") == count


def test_a_number_beyond_the_calendar_is_written_as_it_is():
    assert moment_text(1e300, "date") == "1e+300"


CLOCKS = st.builds(
    "{}{:02d}:{:02d}{}".format,
    st.sampled_from(" Tt"),
    st.integers(0, 25),
    st.integers(0, 61),
    st.one_of(
        st.just(""),
        st.builds(":{:02d}".format, st.integers(0, 61)),
        st.builds(":{:02d}.{}".format, st.integers(0, 59), st.integers(0, 10**7)),
    ),
)
ISO_TEXTS = st.builds(
    "{:04d}-{:02d}-{:02d}{}".format,
    st.sampled_from([0, 1, 1600, 1969, 1970, 2024, 2300, 9999]),
    st.integers(0, 13),
    st.integers(0, 32),
    st.one_of(st.just(""), CLOCKS),
)


@given(
    texts=st.lists(st.one_of(st.none(), ISO_TEXTS), max_size=4),
    kind=st.sampled_from(["date", "datetime", "instant"]),
)
def test_many_texts_are_read_as_each_of_them(texts, kind):
    expected = [np.nan if text is None else read_moment(text, kind) for text in texts]
    wrong = any(
        number is None or (kind == "date" and number == number and not number.is_integer())
        for number in expected
    )
    frame = pd.DataFrame({"t": pd.Series(texts, dtype=object)})
    if wrong:
        with pytest.raises(InputError, match="does not belong to"):
            fit_table(frame, [Field("t", kind)], {"t"}, named=True)
        return
    found = fit_table(frame, [Field("t", kind)], {"t"}, named=True).numbers("t")
    np.testing.assert_array_equal(found, np.array(expected, float))
