"""Paths name one local file, and what a file holds can reach nothing else."""

import gzip
import os
import random
import sqlite3

import duckdb
import pandas as pd
import pytest

from rulewright.data import open_data, write_table
from rulewright.data.duckdb_file import connect
from rulewright.errors import FileError, InputError

NAMES = [
    "d[1]",
    "d*",
    "d?",
    "d**",
    "[!a]",
    "[[]",
    "d{1,2}",
    "d%20",
    "it's",
    'say "so"',
    "back\\slash",
    "~",
    "http:",
    "s3:",
    "file:x",
    "a=1",
    "a;b",
    "a\nb",
    "-x",
    "$HOME",
]


def write(path, value):
    """Write a table of one cell in the format that the path's suffix names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"a": [value]})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, partition_cols=None)
    elif path.suffix == ".duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE t AS SELECT {value} AS a")
    else:
        with sqlite3.connect(path) as connection:
            frame.to_sql("t", connection, index=False)
        connection.close()
    return path


def cells(path):
    with open_data(path) as file:
        return {column.name: column.cells() for column in file.read().columns}


FORMATS = pytest.mark.parametrize("suffix", ["csv", "parquet", "duckdb", "sqlite"])


@pytest.mark.cross_section(20)
@pytest.mark.parametrize("suffix", ["csv", "parquet", "sqlite"])
@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_one_file_whatever_letters_it_has(tmp_path, name, suffix):
    for decoy in ("d1", "b"):
        write(tmp_path / f"{decoy}.{suffix}", 1)
        write(tmp_path / decoy / f"x.{suffix}", 1)
    assert cells(write(tmp_path / f"{name}.{suffix}", 2)) == {"a": [2]}
    assert cells(write(tmp_path / name / f"x.{suffix}", 3)) == {"a": [3]}


@pytest.mark.parametrize("name", ["d[1]", "d*", "it's", "http:", "a=1"])
def test_a_database_is_one_file_whatever_letters_it_has(tmp_path, name):
    write(tmp_path / "d1.duckdb", 1)
    assert cells(write(tmp_path / f"{name}.duckdb", 2)) == {"a": [2]}


def test_a_backslash_in_the_name_of_a_database_opens_no_other(tmp_path):
    write(tmp_path / "a" / "b.duckdb", 1)
    write(tmp_path / "x.duckdb", 2).rename(tmp_path / "a\\b.duckdb")
    with pytest.raises(FileError, match="Rename the file"):
        open_data(tmp_path / "a\\b.duckdb")


@FORMATS
@pytest.mark.parametrize("name", ["~", "http:", "s3:", "file:", "d[1]"])
def test_a_relative_path_is_a_local_file(tmp_path, monkeypatch, name, suffix):
    write(tmp_path / "d1" / f"x.{suffix}", 1)
    write(tmp_path / name / f"x.{suffix}", 2)
    monkeypatch.chdir(tmp_path)
    assert cells(f"{name}/x.{suffix}") == {"a": [2]}
    assert cells(f"{name}//x.{suffix}") == {"a": [2]}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_backslash_beside_a_pattern_is_refused_with_the_way_out(tmp_path, suffix):
    path = write(tmp_path / f"a\\[1].{suffix}", 1)
    with pytest.raises(FileError, match="Rename the file"):
        open_data(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_is_written_where_the_path_says(tmp_path, suffix):
    source = write(tmp_path / "source.csv", 7)
    folder = tmp_path / "out[1]*"
    folder.mkdir()
    with open_data(source) as file:
        write_table(folder / f"d[2].{suffix}", file.read())
    assert os.listdir(folder) == [f"d[2].{suffix}"]
    assert cells(folder / f"d[2].{suffix}") == {"a": [7]}


SECRET = "the secret"
VIEWS = {
    "text": "SELECT content AS a FROM read_text('{secret}')",
    "csv": "SELECT * FROM read_csv('{secret}', header=false)",
    "glob": "SELECT file AS a FROM glob('{folder}/*')",
    "variable": "SELECT * FROM hidden_variable",
}


@pytest.mark.parametrize("kind", VIEWS)
def test_a_view_in_a_database_reads_no_other_file(tmp_path, kind):
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET)
    path = tmp_path / "view.duckdb"
    # A view could find it by this name.
    hidden_variable = pd.DataFrame({"a": [SECRET]}, dtype=object)
    with duckdb.connect(str(path)) as connection:
        query = VIEWS[kind].format(secret=secret, folder=tmp_path)
        connection.execute(f"CREATE VIEW v AS {query}")
        assert connection.execute("SELECT * FROM v").fetchall()
    with pytest.raises(FileError, match=r"Cannot read view.duckdb") as error:
        cells(path)
    assert SECRET not in str(error.value)
    assert not hidden_variable.empty


def test_a_view_over_the_database_itself_is_read(tmp_path):
    path = write(tmp_path / "own.duckdb", 5)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE VIEW v AS SELECT a + 1 AS b FROM t")
    with open_data(path, "v") as file:
        assert file.read().column("b").cells() == [6]


def test_a_connection_stays_confined(tmp_path):
    allowed, other = write(tmp_path / "d[1].csv", 1), write(tmp_path / "d1.csv", 2)
    with connect([allowed]) as connection:
        for query in (
            f"SELECT * FROM read_csv('{other}')",
            f"SELECT * FROM read_csv('{tmp_path}/*.csv')",
            f"ATTACH '{tmp_path}/new.duckdb'",
            f"COPY (SELECT 1) TO '{tmp_path}/new.csv'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
            "LOAD httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(query)
    assert not (tmp_path / "new.duckdb").exists()


def test_a_view_in_sqlite_only_reads(tmp_path):
    path = write(tmp_path / "v.sqlite", 3)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIEW good AS SELECT a * 2 AS b FROM t")
        connection.execute("CREATE VIEW bad AS SELECT load_extension('evil') AS b")
    connection.close()
    with open_data(path, "good") as file:
        assert file.read().column("b").cells() == [6]
        for query in ("ATTACH ':memory:' AS other", "PRAGMA trusted_schema = ON", "DELETE FROM t"):
            with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
                file._connection.execute(query)
    with pytest.raises(FileError, match="not authorized|unsafe"), open_data(path, "bad") as file:
        file.read()


@pytest.mark.parametrize("text", ['a,"b\nc"\n1,2\n', 'a,"b\r\nc",d\r\n1,2,3\r\n'])
def test_a_quoted_line_end_in_the_header_is_part_of_the_name(tmp_path, text):
    path = tmp_path / "d.csv"
    path.write_bytes(text.encode())
    found = cells(path)
    assert [name.replace("\r", "") for name in found][:2] == ["a", "b\nc"]
    assert list(found.values()) == [[1], [2], [3]][: len(found)]


def test_a_header_of_more_than_a_megabyte_is_read_whole(tmp_path):
    names = [f"a_rather_long_name_of_a_column_{i:06d}" for i in range(30_000)]
    path = tmp_path / "d.csv"
    path.write_text(",".join(names) + "\n")
    with open_data(path) as file:
        assert file.names == names


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("place", ["last", "middle"])
def test_a_line_beyond_the_limit_is_refused_wherever_it_is(tmp_path, monkeypatch, place, packed):
    size = 1 << 20
    monkeypatch.setattr("rulewright.data.csv_file.MAX_LINE_BYTES", size)
    lines = ["a,b", "1,x", "2," + "y" * 5 * size, "3,z"]
    text = "\n".join(lines[: 3 if place == "last" else 4]) + "\n"
    path = tmp_path / "d.csv"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with pytest.raises(FileError, match=r"d.csv has a line of more than 1 MB.*unclosed"):
        cells(path)


def test_a_line_of_ten_megabytes_is_read(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,b\n1,x\n2," + "y" * 10_000_000 + "\n")
    assert [len(text) for text in cells(path)["b"]] == [1, 10_000_000]


def test_compressed_files_with_any_flipped_bit_give_a_clear_message(tmp_path):
    path = tmp_path / "d.csv.gz"
    whole = gzip.compress(("a,b\n" + "".join(f"{i},{i * i}\n" for i in range(300))).encode())
    path.write_bytes(whole)
    right = cells(path)
    rng = random.Random(0)
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[rng.randrange(2, len(whole))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            assert cells(path) == right  # a bit of the file's name or time
        except (FileError, InputError) as error:
            assert "damaged" in str(error)
