"""Answers inside a database: the same as from a file, and nothing of the user's is lost."""

import sqlite3
import sys

import duckdb
import pandas as pd
import pytest

ODD = 'it\'s "the" table; DROP TABLE people; --'


def connect(engine, path):
    return duckdb.connect(str(path)) if engine == "duckdb" else sqlite3.connect(path)


def rows_of(engine, path, query):
    connection = connect(engine, path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(params=["duckdb", "sqlite"])
def engine(request):
    return request.param


@pytest.fixture
def database(engine, table, tmp_path):
    path = tmp_path / f"warehouse.{engine}"
    frame = pd.read_csv(table)
    connection = connect(engine, path)
    if engine == "sqlite":
        frame.to_sql("people", connection, index=False)
    else:
        connection.execute("CREATE TABLE people AS FROM frame")
    connection.execute("CREATE TABLE other (x INT)")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def predict(rulewright, model, database, engine):
    def call(*options):
        given = ("--table", "people", "--engine", engine, *options)
        return rulewright("predict", model, database, *given)

    return call


def test_answers_in_a_database_are_those_of_a_file(
    rulewright, predict, model, table, database, engine, tmp_path
):
    done = predict("--into", ODD)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"300 rows answered in {engine}\n")
    rulewright("predict", model, table, "--out", tmp_path / "answers.csv")
    expected = pd.read_csv(tmp_path / "answers.csv")
    wanted = "SELECT prediction, probability, rule, age, city, income, class"
    found = rows_of(engine, database, f"{wanted} FROM {quoted(ODD)} ORDER BY id")
    assert [row[:3] for row in found] == list(
        expected[["prediction", "predicted_class_probability", "rule"]].itertuples(
            index=False, name=None
        )
    )
    assert rows_of(engine, database, "SELECT count(*) FROM people") == [(300,)]


def test_a_view_follows_its_table(predict, database, engine):
    done = predict("--into", "scored", "--view", "--keep", "id", "--json")
    assert done.json == {"rows": 300, "engine": engine, "into": "scored"}
    connection = connect(engine, database)
    connection.execute("DELETE FROM people WHERE id >= 10")
    assert connection.execute("SELECT count(*) FROM scored").fetchall() == [(10,)]
    columns = [column[0] for column in connection.execute("SELECT * FROM scored").description]
    assert columns == ["id", "prediction", "rule", "probability", "reason"]
    connection.close()


def test_a_table_is_replaced_only_on_request(predict, database, engine):
    refused = predict("--into", "OTHER")
    assert refused.code == 1
    assert "already has 'other'" in refused.err
    assert rows_of(engine, database, "SELECT count(*) FROM other") == [(0,)]
    for options in ([], ["--view"], []):
        done = predict("--into", "other", "--overwrite", *options)
        assert (done.code, done.err) == (0, "")
    assert rows_of(engine, database, "SELECT count(*) FROM other") == [(300,)]
    source = predict("--into", "People", "--overwrite")
    assert source.code == 1
    assert "is the table that is read" in source.err
    assert rows_of(engine, database, "SELECT count(*) FROM people") == [(300,)]


def test_a_statement_that_fails_leaves_the_old_table(predict, database, engine):
    connection = connect(engine, database)
    connection.execute("DROP TABLE other")
    connection.execute("CREATE TABLE other AS SELECT 7 AS seven")
    connection.execute("ALTER TABLE people ADD COLUMN Rule INT")
    connection.commit()
    connection.close()
    done = predict("--into", "other", "--overwrite")
    assert done.code == 1
    assert "would have the column 'Rule' twice" in done.err
    assert rows_of(engine, database, "SELECT * FROM other") == [(7,)]


def test_wrong_tables_and_options_are_refused(rulewright, predict, model, database, engine):
    assert "--engine needs --into NAME" in predict().err
    assert "has no --out" in predict("--into", "x", "--out", "y.csv").err
    assert "no column 'nothing'" in predict("--into", "x", "--keep", "nothing").err
    given = ("predict", model, database, "--into", "x")
    assert "--into and --view are for --engine" in rulewright(*given, "--table", "people").err
    named = (*given, "--table", "people", "--engine")
    assert "--engine must be duckdb, sqlite, or an address" in rulewright(*named, "oracle").err
    assert "no column" in rulewright(*given, "--table", "other", "--engine", engine).err
    other = "sqlite" if engine == "duckdb" else "duckdb"
    assert rulewright(*named, other).code != 0


def test_texts_in_a_numeric_column_are_refused(predict, database, engine):
    connection = connect(engine, database)
    if engine == "duckdb":
        connection.execute("ALTER TABLE people ALTER age TYPE VARCHAR")
    connection.execute("UPDATE people SET age = 'old' WHERE id = 3")
    connection.commit()
    connection.close()
    done = predict("--into", "scored")
    assert done.code == 1
    assert "Column 'age' was numeric in training, and holds values of the kind 'text'" in done.err


def test_an_address_is_never_printed(rulewright, model, monkeypatch):
    address = "postgres://me:se%63ret@127.0.0.1:1/x?connect_timeout=2"
    given = ("predict", model, "people", "--into", "scored", "--engine", address)
    done = rulewright(*given)
    assert done.code == 1
    assert "PostgreSQL" in done.err
    assert "se%63ret" not in done.out + done.err
    assert "secret" not in done.out + done.err
    assert "leave out --table" in rulewright(*given, "--table", "people").err
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'rulewright[engines]'" in " ".join(rulewright(*given).err.split())
