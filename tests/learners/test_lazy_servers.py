"""Spark and PostgreSQL: the model and the certificate of the rows in memory, from counts there."""

import time
from dataclasses import replace

import numpy as np
import pytest
from exports.databases import postgres_program, postgres_server
from lazy_frames import ugly_frame, written

from rulewright import DecisionListMachine, RuleListClassifier, TreeClassifier

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def frame():
    rows = 80
    keys = np.random.default_rng(1).permutation(rows) * 7919
    return ugly_frame(rows, "npq").with_columns(id=keys)


@pytest.fixture(scope="module")
def spark_rows(frame, tmp_path_factory):
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    path = tmp_path_factory.mktemp("spark") / "rows.parquet"
    frame.write_parquet(path)
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
    session = sql.SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    yield session.read.parquet(str(path))
    session.stop()


@pytest.fixture(scope="module")
def postgres_rows(frame):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    for name in ("initdb", "postgres"):
        if postgres_program(name) is None:
            pytest.skip(f"{name} is not installed: install PostgreSQL's server")
    with postgres_server() as address:
        for attempt in range(300):
            try:
                psycopg.connect(address).close()
                break
            except psycopg.OperationalError:
                if attempt == 299:
                    raise
                time.sleep(0.2)
        connection = ibis.connect(address)
        connection.create_table("rows", frame.to_arrow())
        yield connection.table("rows")
        connection.disconnect()


@pytest.mark.parametrize("rows", ["spark_rows", "postgres_rows"])
@pytest.mark.parametrize("certificate", [None, "split"])
def test_a_server_gives_the_model_of_memory(request, frame, rows, certificate):
    lazy = request.getfixturevalue(rows)
    tree = TreeClassifier(certificate=certificate, max_depth=2, n_splits=1)
    if certificate is None:
        expected = tree.fit(frame.drop("id"), target="y").model_
        found = tree.fit(lazy.drop("id"), target="y").model_
        assert written(found) == written(expected)
        return
    expected = tree.fit(frame, target="y", key="id").model_
    plain = replace(expected, certificate=replace(expected.certificate, cautions=()))
    found = tree.fit(lazy, target="y", key="id").model_
    assert written(found) == written(plain)
    if rows == "postgres_rows":  # Spark takes seconds to plan each query
        assert found.certificate.verify(found, lazy).holds


@pytest.mark.parametrize("rows", ["spark_rows", "postgres_rows"])
@pytest.mark.parametrize(
    "machine",
    [
        DecisionListMachine(certificate=None, max_rules=2),
        RuleListClassifier(certificate=None, max_rules=1, max_terms=2, beam_width=1),
    ],
)
def test_a_server_gives_the_list_of_memory(request, frame, rows, machine):
    lazy = request.getfixturevalue(rows)
    expected = written(machine.fit(frame.drop("id"), target="y").model_)
    assert written(machine.fit(lazy.drop("id"), target="y").model_) == expected
