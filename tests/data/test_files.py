"""Tables from files, and what is said of files that are not tables."""

import datetime
import gzip
import sqlite3
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rulewright.data import detect_table, open_data
from rulewright.data.csv_file import BLOCK_COLUMNS, CsvFile
from rulewright.data.duckdb_file import connect
from rulewright.errors import FileError, InputError

DATA = {
    "age": [41, None, 19],
    "income": [1.5, -2.25, 3e10],
    "city": ["Bern", None, 'say "Aosta", friend'],
    "member": [True, False, None],
}


def cells(table):
    return {column.name: column.cells() for column in table.columns}


def read(path, table=None, **options):
    with open_data(path, table) as file:
        return file.read(**options)


@pytest.fixture
def csv(tmp_path):
    def write(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return write


@pytest.fixture(params=["csv", "csv.gz", "parquet", "duckdb", "sqlite"])
def stored(request, tmp_path):
    """The same table in every kind of file."""
    path = tmp_path / f"data.{request.param}"
    frame = pd.DataFrame(DATA)
    if request.param.startswith("csv"):
        frame.to_csv(path, index=False)
    elif request.param == "parquet":
        frame.to_parquet(path)
    elif request.param == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    else:
        with sqlite3.connect(path) as connection:
            frame["member"] = ["True", "False", None]  # SQLite has no Booleans
            frame.to_sql("people", connection, index=False)
        connection.close()
    return path


def test_every_kind_of_file_gives_the_same_cells(stored):
    table = read(stored)
    assert cells(table) == cells(detect_table(pd.DataFrame(DATA)))
    assert [f.is_numeric for f in table.fields] == [True, True, False, False]


def test_every_kind_of_file_comes_in_batches(stored):
    kinds = {"income": "numeric", "city": "text", "member": "boolean"}
    with open_data(stored) as file:
        batches = list(file.batches(kinds, keep=["city", "age"], size=2))
    assert [table.rows for table, _ in batches] == [2, 1]
    assert cells(batches[1][0]) == {
        "income": [3e10],
        "city": ['say "Aosta", friend'],
        "member": [None],
    }
    cities, ages = ([cell for _, kept in batches for cell in kept[i].cells()] for i in range(2))
    assert cities == DATA["city"]
    assert [age and float(age) for age in ages] == [41.0, None, 19.0]


def test_batches_of_no_columns_still_count_the_rows(stored):
    with open_data(stored) as file:
        assert [table.rows for table, _ in file.batches({}, size=2)] == [2, 1]


def test_columns_can_be_dropped_or_declared(stored):
    table = read(stored, drop=["city"], categorical=["age"])
    assert table.names == ["age", "income", "member"]
    assert table.fields[0].kind == "code"
    with pytest.raises(InputError, match="has no column 'zip'"):
        read(stored, drop=["zip"])


def test_cells_of_a_csv_are_read_as_they_are_written(csv):
    table = read(csv("code,answer,padded\n007,yes, x \n12,no,y\n,,\n"))
    assert cells(table) == {
        "code": ["007", "12", None],  # a padded number is a code
        "answer": ["yes", "no", None],  # and not a Boolean
        "padded": ["x", "y", None],
    }


def test_usual_words_for_missing_are_missing(csv):
    table = read(csv("x,y\n1,NA\nNaN,a\n?,N/A\n"))
    assert cells(table) == {"x": [1, None, None], "y": [None, "a", None]}


def test_blanks_around_a_cell_do_not_count(csv):
    table = read(csv("x,y\n 1 , NA \n 2.5, a \n"))
    assert cells(table) == {"x": [1, 2.5], "y": [None, "a"]}


def test_a_word_far_down_makes_a_column_text(csv, monkeypatch):
    monkeypatch.setattr("rulewright.data.csv_file.PLAIN_DETECTION_ROWS", 3)
    table = read(csv("x,y\n" + "1,2\n" * 50 + "many, 3\n"))
    assert [f.kind for f in table.fields] == ["text", "numeric"]
    assert table.column("x").cells()[-1] == "many"
    assert table.rows == 51


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(csv, delimiter):
    table = read(csv(delimiter.join(["a", '"b, c; d"']) + "\n" + delimiter.join(["1", "x"]) + "\n"))
    assert cells(table) == {"a": [1], "b, c; d": ["x"]}


def test_windows_line_ends_and_byte_order_marks_are_no_matter(csv):
    assert cells(read(csv("\ufeffa,b\r\n1,x\r\n"))) == {"a": [1], "b": ["x"]}


def test_strange_names_are_data(csv):
    name = "it's; DROP TABLE x; --"
    assert cells(read(csv(f'"{name}",b\n1,2\n'))) == {name: [1], "b": [2]}


def test_ragged_rows_are_refused_with_their_line(csv):
    with pytest.raises(FileError, match=r"data.csv, line 3: 1 cells where the header has 2"):
        read(csv("a,b\n1,2\n3\n4,5\n"))
    with pytest.raises(FileError, match=r"line 3: 3 cells where the header has 2"):
        read(csv("a,b\n1,2\n3,4,5\n"))


def test_text_that_is_not_utf8_is_refused_with_the_way_out(csv):
    with pytest.raises(FileError, match=r"data.csv, line 2: the text is not UTF-8.*iconv"):
        read(csv("a,b\n1,Zürich\n", encoding="latin1"))
    with pytest.raises(FileError, match=r"header: the text is not UTF-8"):
        read(csv("größe,b\n1,2\n", encoding="latin1"))


def test_an_empty_file_is_refused(csv):
    with pytest.raises(InputError, match="is empty"):
        read(csv(""))


def test_a_header_without_rows_is_refused(csv):
    with pytest.raises(InputError, match="has columns but no rows"):
        read(csv("a,b\n"))


def test_duplicate_and_empty_names_are_refused(csv):
    with pytest.raises(InputError, match="must be unique.* has 'a', 'a'"):
        read(csv("a,b,a\n1,2,3\n"))
    with pytest.raises(InputError, match=r"column 1 of the header has no name.*index=False"):
        read(csv(",a\n0,1\n"))


def test_a_file_that_is_not_there_or_not_a_table_is_refused(csv, tmp_path):
    with pytest.raises(FileError, match="Cannot read .*No such file"):
        open_data(tmp_path / "none.csv")
    with pytest.raises(FileError, match="is not a supported table"):
        read(csv(b"\x00\x01\x02\x03" * 100))
    with pytest.raises(FileError, match="Cannot read"):
        read(csv(b"PAR1 but not really"))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_compressed_file_that_was_cut_off_is_refused(csv, share):
    rng = np.random.default_rng(0)
    whole = gzip.compress(("a,b\n" + "".join(f"{x},1\n" for x in rng.random(9999))).encode())
    assert read(csv(whole)).rows == 9999
    with pytest.raises(FileError, match="damaged"):
        read(csv(whole[: int(share * len(whole))]))


def test_an_infinite_cell_is_refused(csv):
    with pytest.raises(InputError, match=r"'a', row 1: the value is infinite"):
        read(csv("a,b\n1,2\ninf,3\n"))


LARGE = 2**53 + 1


@pytest.fixture(params=["csv", "csv.gz", "parquet", "decimal", "duckdb", "sqlite"])
def keys(request, tmp_path):
    """A table with keys too large for doubles, in every kind of file."""
    path = tmp_path / f"keys.{request.param}"
    frame = pd.DataFrame({"key": [5, LARGE, LARGE + 1], "x": [1, 2, 3]})
    if request.param.startswith("csv"):
        frame.to_csv(path, index=False)
    elif request.param == "parquet":
        frame.to_parquet(path)
    elif request.param == "decimal":
        key = pa.array([Decimal(k) for k in frame["key"].tolist()], pa.decimal128(20, 0))
        pq.write_table(pa.table({"key": key, "x": [1, 2, 3]}), path)
    elif request.param == "duckdb":
        with duckdb.connect(path) as connection:
            connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    else:
        with sqlite3.connect(path) as connection:
            frame.to_sql("t", connection, index=False)
        connection.close()
    return path


def test_whole_numbers_that_would_lose_digits_are_refused_or_kept_as_codes(keys):
    message = rf"Column 'key' holds the whole number {LARGE}.*--drop.*--categorical"
    with pytest.raises(InputError, match=message):
        read(keys)
    with open_data(keys) as file, pytest.raises(InputError, match=message):
        list(file.batches({"key": "numeric"}))
    assert cells(read(keys, drop=["key"])) == {"x": [1, 2, 3]}
    texts = ["5", str(LARGE), str(LARGE + 1)]
    assert cells(read(keys, categorical=["key"]))["key"] == texts
    with open_data(keys) as file:
        (batch, _), *_ = file.batches({"key": "code"})
    assert cells(batch) == {"key": texts}


def test_large_numbers_that_lose_nothing_are_numbers(csv):
    table = read(csv(f"a,b,c\n{2**60},1e300,{LARGE}.5\n-{2**53}, {2**60} ,1\n"))
    assert table.numbers("a").tolist() == [2.0**60, -(2.0**53)]
    assert table.numbers("b").tolist() == [1e300, 2.0**60]


def test_wide_files_are_read_and_answered_as_narrow_ones(csv, monkeypatch):
    """Columns beyond a block come by other queries, and give the same cells."""
    rows = ["1, u ,NA,007, 2", "NA,v,3.5,8,x", " 4 ,,-1e3,9,3"]
    path = csv("a,b,rowid,d,e\n" + "\n".join(rows) + "\n")
    kinds = {"a": "numeric", "b": "text", "rowid": "numeric", "d": "code", "e": "text"}

    def found():
        with open_data(path) as file:
            whole = cells(file.read())
            batches = list(file.batches(kinds, keep=["e", "a"], size=2))
        with open_data(path) as file:
            given = cells(file.read_as(kinds))
        return whole, given, [(cells(table), [k.cells() for k in kept]) for table, kept in batches]

    narrow = found()
    monkeypatch.setattr("rulewright.data.csv_file.BLOCK_COLUMNS", 2)
    wide = found()
    assert wide[:2] == narrow[:2]
    assert [table for table, _ in wide[2]] == [table for table, _ in narrow[2]]
    assert [kept[0] for _, kept in wide[2]] == [["2", "x"], ["3"]]
    assert [kept[0] for _, kept in narrow[2]] == [["2", "x"], ["3"]]
    assert narrow[0]["a"] == [1, None, 4]
    assert narrow[0]["e"] == ["2", "x", "3"]


def test_a_word_in_a_numeric_column_of_a_wide_file_is_refused(csv, monkeypatch):
    monkeypatch.setattr("rulewright.data.csv_file.BLOCK_COLUMNS", 1)
    kinds = {"a": "numeric", "b": "numeric"}
    with (
        open_data(csv("a,b\n1,2\nhigh,3\n")) as file,
        pytest.raises(InputError, match="'high'.*numeric"),
    ):
        list(file.batches(kinds))


def test_the_work_of_reading_grows_with_the_columns_and_not_faster(csv, monkeypatch):
    """No query has an expression for each of many columns."""
    names = [f"c{i}" for i in range(1000)]
    path = csv(",".join(names) + "\n" + ",".join(["1"] * 1000) + "\n" + ",".join("x" * 1000))
    asked = []
    execute = CsvFile._execute

    def listen(file, query):
        asked.append(query)
        return execute(file, query)

    monkeypatch.setattr(CsvFile, "_execute", listen)
    with open_data(path) as file:
        assert {field.kind for field in file.read().fields} == {"text"}
    assert max(query.count("trim(") for query in asked) <= BLOCK_COLUMNS
    assert len(asked) < 10


def test_columns_may_have_the_names_that_queries_use(csv):
    table = read(csv("name,cell,incoming,sample,rowid,c0\n1,a,2,b,3,\n"))
    assert cells(table) == {
        "name": [1],
        "cell": ["a"],
        "incoming": [2],
        "sample": ["b"],
        "rowid": [3],
        "c0": [None],
    }


def test_times_of_day_in_a_typed_file_are_refused(tmp_path):
    path = tmp_path / "d.parquet"
    pd.DataFrame({"when": [datetime.time(12, 30)], "x": [1]}).to_parquet(path)
    with pytest.raises(InputError, match="Column 'when' holds values of type TIME"):
        read(path)
    assert read(path, drop=["when"]).names == ["x"]


def test_a_word_in_a_numeric_column_is_refused_when_kinds_are_known(csv):
    with open_data(csv("a\n1\nhigh\n")) as file, pytest.raises(InputError, match="'high'.*numeric"):
        list(file.batches({"a": "numeric"}))


def test_a_word_in_a_numeric_column_of_sqlite_is_refused(tmp_path):
    path = tmp_path / "d.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(1,), ("high",)])
    connection.close()
    with open_data(path) as file, pytest.raises(InputError, match="holds 'high' now"):
        list(file.batches({"a": "numeric"}))


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    path = tmp_path / f"two.{request.param}"
    connection = (duckdb if request.param == "duckdb" else sqlite3).connect(path)
    connection.execute("CREATE TABLE first (a INTEGER)")
    connection.execute("INSERT INTO first VALUES (1)")
    connection.execute('CREATE TABLE "sec""ond" (b INTEGER)')
    connection.execute('INSERT INTO "sec""ond" VALUES (2)')
    connection.commit()
    connection.close()
    return path


def test_a_database_with_several_tables_asks_which(database):
    with pytest.raises(InputError, match=r"No table is named.*'first', 'sec\"ond'.* --table"):
        open_data(database)
    with pytest.raises(InputError, match="There is no table 'third'"):
        open_data(database, "third")
    assert cells(read(database, 'sec"ond')) == {"b": [2]}


def test_a_table_of_another_schema_is_known_by_both_names(tmp_path):
    path = tmp_path / "s.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute('CREATE SCHEMA "o ther"; CREATE TABLE "o ther".t AS SELECT 1 AS a')
        connection.execute("CREATE TABLE t AS SELECT 2 AS a")
    with pytest.raises(InputError, match="has the tables 'o ther.t', 't'"):
        open_data(path)
    assert cells(read(path, "o ther.t")) == {"a": [1]}
    assert cells(read(path, "t")) == {"a": [2]}


def test_a_database_without_tables_says_so(tmp_path):
    with duckdb.connect(tmp_path / "e.duckdb") as connection:
        connection.execute("CREATE SCHEMA s")
    with pytest.raises(InputError, match=r"e.duckdb has no tables"):
        open_data(tmp_path / "e.duckdb")


def test_a_column_of_nothing_but_nulls_is_numeric_and_lists_are_refused(tmp_path):
    table = pa.table({"a": pa.nulls(2), "b": [1, 2]})
    pq.write_table(table, tmp_path / "n.parquet")
    assert cells(read(tmp_path / "n.parquet")) == {"a": [None, None], "b": [1, 2]}
    decimals = pa.array([[Decimal("1.5")]], pa.list_(pa.decimal128(5, 2)))
    pq.write_table(pa.table({"a": decimals}), tmp_path / "l.parquet")
    with pytest.raises(InputError, match=r"'a' holds values of type DECIMAL\(5,2\)\[\]"):
        read(tmp_path / "l.parquet")


@pytest.mark.parametrize("names", [["a", "a"], ["a", "A"]])
def test_names_that_differ_by_case_alone_are_refused(csv, tmp_path, names):
    message = "differ by more than case"
    with pytest.raises(InputError, match=message):
        read(csv(f"{','.join(names)}\n1,2\n"))
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 2, names), tmp_path / "d.parquet")
    with pytest.raises(InputError, match=message):
        read(tmp_path / "d.parquet")


@pytest.mark.parametrize("text", ["a,b\r1,2\r", "a" * 200_000 + ",b\n1,2\n"])
def test_a_header_that_cannot_be_read_is_said(csv, text):
    with pytest.raises(FileError, match="cannot read the header"):
        read(csv(text))


def test_a_plain_file_has_no_tables(csv):
    with pytest.raises(InputError, match="is not a database"):
        open_data(csv("a\n1\n"), "t")


def test_a_damaged_sqlite_file_is_said(tmp_path):
    path = tmp_path / "d.sqlite"
    path.write_bytes(b"SQLite format 3\x00" + b"\x00" * 200)
    with pytest.raises(FileError, match="Cannot read d.sqlite as an SQLite file"):
        open_data(path)


def test_text_of_sqlite_that_is_not_utf8_is_said(tmp_path):
    path = tmp_path / "d.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
    connection.close()
    with pytest.raises(FileError, match="decode"):
        read(path)


def test_blobs_are_refused(tmp_path):
    path = tmp_path / "b.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("INSERT INTO t VALUES (x'00')")
    connection.close()
    with pytest.raises(InputError, match="Column 'a' holds values of type BLOB"):
        read(path)


def test_no_bar_of_progress_stands_on_the_output():
    """DuckDB draws one on the standard output when reading takes long."""
    with connect() as connection:
        settings = ("enable_progress_bar", "enable_progress_bar_print")
        for name in settings:
            assert connection.execute(f"SELECT current_setting('{name}')").fetchone() == (False,)


@pytest.mark.slow
def test_rows_of_a_large_file_come_in_its_order(tmp_path):
    number = np.arange(1_500_000)
    frame = pd.DataFrame({"number": number, "word": "a", "code": number % 7})
    frame.to_csv(tmp_path / "large.csv", index=False)
    with open_data(tmp_path / "large.csv") as file:
        table = file.read(categorical=["code"])
        batches = list(file.batches({"number": "numeric", "word": "text"}, keep=["number"]))
    assert np.array_equal(table.numbers("number"), number)
    found = np.concatenate([batch.numbers("number") for batch, _ in batches])
    assert np.array_equal(found, number)
    assert [text for _, (kept,) in batches for text in kept.cells()] == list(map(str, number))


def test_a_file_closes_while_a_thread_reads_ahead(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("x\n" + "1.5\n" * 1_000_000)
    with open_data(path) as file:
        batches = file.batches({"x": "numeric"}, size=200_000)
        assert next(batches)[0].rows > 0
