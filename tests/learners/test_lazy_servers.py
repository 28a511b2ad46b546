"""Spark and PostgreSQL: the model and the certificate of the rows in memory, from counts there."""

import os
import re
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from exports.databases import postgres_program, postgres_server
from lazy_frames import plain, ugly_frame, written

from rulewright import (
    AutoClassifier,
    DecisionListMachine,
    RuleListClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import LazyTable, ValueRange

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
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1"}
    session = sql.SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    yield session.read.parquet(str(path)).repartition(3)
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
    found = tree.fit(lazy, target="y", key="id").model_
    assert written(found) == written(plain(expected))
    if rows == "postgres_rows":  # Spark takes seconds for each job
        assert found.certificate.verify(found, lazy).holds


@pytest.mark.parametrize("rows", ["spark_rows", "postgres_rows"])
@pytest.mark.parametrize(
    "machine",
    [
        DecisionListMachine(certificate=None, max_rules=2),
        RuleListClassifier(certificate=None, max_rules=1, max_terms=2, beam_width=1),
        TreeRulesClassifier(certificate=None, min_samples_leaf=10, forbid=["a", "it's"]),
    ],
)
def test_a_server_gives_the_list_of_memory(request, frame, rows, machine):
    lazy = request.getfixturevalue(rows)
    expected = written(machine.fit(frame.drop("id"), target="y").model_)
    assert written(machine.fit(lazy.drop("id"), target="y").model_) == expected


@pytest.mark.parametrize("rows", ["spark_rows", "postgres_rows"])
def test_a_server_gives_the_choice_of_memory(request, frame, rows):
    auto = AutoClassifier(n_splits=1, among=("machines", "cart"))
    expected = auto.fit(frame, target="y", key="id").model_
    found = auto.fit(request.getfixturevalue(rows), target="y", key="id").model_
    assert written(found) == written(plain(expected))


def test_many_partitions_are_joined_in_spark(spark_rows, frame, monkeypatch):
    monkeypatch.setattr("rulewright.data.partition_counts.MAX_PARTITIONS", 1)
    tree = TreeClassifier(certificate=None, max_depth=2)
    expected = written(tree.fit(frame.drop("id"), target="y").model_)
    assert written(tree.fit(spark_rows.drop("id"), target="y").model_) == expected


WORKER = """
import pickle, sys
sys.modules["rulewright"] = None  # any import of it fails
import pyarrow as pa
count = pickle.load(open(sys.argv[1], "rb"))
batch = pa.RecordBatch.from_pydict({"y": pa.array([0, 1], pa.int32()), "c0": [1.0, None]})
print(sum(answer.column("rows").to_pylist()[0] for answer in count(iter([batch]))))
"""


def test_workers_need_not_have_the_package(spark_rows, tmp_path, monkeypatch):
    from pyspark import cloudpickle

    jobs = []

    def run(job):
        jobs.append(job)
        raise KeyboardInterrupt

    table = LazyTable(spark_rows.select("a", "y"), "y")
    monkeypatch.setattr(table._counts, "_run", run)
    with pytest.raises(KeyboardInterrupt):
        table.by_value(0, {"a": [ValueRange(0, 0.0, 2.0)]})
    (tmp_path / "function").write_bytes(cloudpickle.dumps(jobs[0].count))
    command = [sys.executable, "-c", WORKER, str(tmp_path / "function")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_the_worked_example_in_spark_prints_what_the_page_shows(spark_rows):
    page = Path(__file__).parents[2] / "docs" / "scale.md"
    text = page.read_text(encoding="utf-8")
    code, shown = re.search(
        r"```python\n(from pyspark.*?)```.*?```text\n(.*?)```", text, re.S
    ).groups()
    printed = StringIO()
    with redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == shown
