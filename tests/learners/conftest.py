"""Engines that learners are run in, each started once."""

import os
import sys
import time
import zlib

import pytest
from engine_tables import Tables
from exports.databases import postgres_program, postgres_server
from lazy_frames import ENGINES


@pytest.fixture(autouse=True)
def rows_kept(request, monkeypatch):
    """DuckDB sends the rows once in half of the tests, and for every question in the others."""
    if zlib.crc32(request.node.nodeid.encode()) % 2:
        monkeypatch.setattr("rulewright.data.lazy_table.KEPT_BYTES", 0)


@pytest.fixture(scope="session")
def spark():
    """A session of Spark with two threads and few partitions."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "America/New_York",
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres():
    """A connection of Ibis to a server of PostgreSQL that is stopped afterwards."""
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
        yield connection
        connection.disconnect()


@pytest.fixture(scope="session")
def tables(request, tmp_path_factory):
    """Tables in the engines, loaded when they are asked for."""
    folder = tmp_path_factory.mktemp("tables")

    def load(engine, name, frame):
        if engine in ENGINES:
            return ENGINES[engine](frame)
        server = request.getfixturevalue(engine)
        if engine == "postgres":
            return server.create_table(name, frame.to_arrow())
        frame.write_parquet(folder / f"{name}.parquet")
        return server.read.parquet(str(folder / f"{name}.parquet")).repartition(2)

    return Tables(request.getfixturevalue("data_folder"), load)
