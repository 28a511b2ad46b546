"""Spark and PostgreSQL: the model and the certificate of the rows in memory, from counts there."""

import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from lazy_frames import plain, timed_frame, ugly_frame, written
from oracles.counts import RowCounts

from rulewright import TreeClassifier
from rulewright.data import LazyTable, ValueRange, detect_table
from rulewright.data.spark_partitions import sent
from rulewright.errors import EngineError, InputError
from rulewright.learners import TreeSettings, learn_lazily

pytestmark = [
    pytest.mark.engines,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.xdist_group("servers"),
]


@pytest.fixture(scope="module")
def frame():
    rows = 80
    keys = np.random.default_rng(1).permutation(rows) * 7919
    return ugly_frame(rows, "npq").with_columns(id=keys)


@pytest.fixture(scope="module")
def timed():
    """Dates, times and text; the ticks of the durations are a column of their own."""
    frame = timed_frame(80).drop("key").with_columns(pl.col("size").cast(pl.String))
    return frame.with_columns(tick=pl.col("span").to_physical())


@pytest.fixture(scope="module")
def spark_rows(spark, frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "rows.parquet"
    frame.write_parquet(path)
    return spark.read.parquet(str(path)).repartition(3)


@pytest.fixture(scope="module")
def spark_times(spark, timed, tmp_path_factory):
    path = tmp_path_factory.mktemp("spark") / "times.parquet"
    timed.drop("span").write_parquet(path)
    seconds = "CAST(tick AS DECIMAL(20, 0)) / 1000000"
    rows = spark.read.parquet(str(path))
    return rows.selectExpr("*", f"make_dt_interval(0, 0, 0, {seconds}) AS span").drop("tick")


@pytest.fixture(scope="module")
def postgres_rows(postgres, frame):
    return postgres.create_table("rows", frame.to_arrow())


@pytest.fixture(scope="module")
def postgres_times(postgres, timed):
    postgres.create_table("ticks", timed.drop("span").to_arrow())
    postgres.raw_sql(
        "CREATE TABLE times AS SELECT *, tick * INTERVAL '1 microsecond' AS span FROM ticks"
    )
    return postgres.table("times").drop("tick")


@pytest.mark.parametrize("rows", ["spark_times", "postgres_times"])
def test_a_server_counts_dates_and_times_as_memory_does(request, timed, rows):
    lazy, frame = request.getfixturevalue(rows), timed.drop("tick")
    names = [name for name in frame.columns if name != "y"]
    expected = RowCounts(detect_table(frame.select(names)), np.zeros(80, np.int32), ("n",))
    found = LazyTable(lazy, "y")
    assert {f.name: f for f in found.fields} == {f.name: f for f in expected.fields}
    assert (found.ranges, found.missing) == (expected.ranges, expected.missing)
    tree = TreeClassifier(certificate=None, max_depth=2)
    model = tree.fit(frame.select([*names[:3], *names[4:], "span", "y"]), target="y").model_
    assert "time > 19" in str(model)
    ordered = lazy.select("day", "time", "zone", "size", "span", "y")
    assert written(tree.fit(ordered, target="y").model_) == written(model)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("DATE 'infinity'", "1 of its rows: the value is infinite"),
        ("TIMESTAMPTZ '-infinity'", "1 of its rows: the value is infinite"),
        ("INTERVAL '1 month'", "an interval of months"),
        ("DATE '0044-03-15 BC'", "dates out of range"),
        ("TIME '10:00'", "values of type Time"),
        ("B'101'", "values of type"),
    ],
)
def test_what_postgresql_cannot_turn_into_numbers_is_refused(postgres, value, message):
    postgres.raw_sql("DROP TABLE IF EXISTS strange")
    postgres.raw_sql(
        f"CREATE TABLE strange AS SELECT {value} AS t, 'a' AS y UNION ALL SELECT NULL, 'b'"
    )
    with pytest.raises(InputError, match=message):
        LazyTable(postgres.table("strange"), "y")


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


def test_many_partitions_are_joined_in_spark(spark_rows, frame, monkeypatch):
    monkeypatch.setattr("rulewright.data.partition_counts.MAX_PARTITIONS", 1)
    tree = TreeClassifier(certificate=None, max_depth=2)
    expected = written(tree.fit(frame.drop("id"), target="y").model_)
    assert written(tree.fit(spark_rows.drop("id"), target="y").model_) == expected


def kept(rows):
    """Number of data sets that the workers keep."""
    return rows.sparkSession.sparkContext._jsc.getPersistentRDDs().size()


def test_nothing_is_kept_in_spark_after_a_fit(spark_rows, frame, monkeypatch):
    rows = spark_rows.drop("id")
    seen = []

    def interrupt(what, done, most):
        seen.append(kept(rows))
        if what.startswith("level 2"):
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        LazyTable(rows, "y") as table,
    ):
        learn_lazily(TreeSettings(certificate=None), table, progress=interrupt)
    assert seen == [1, 1]
    assert kept(rows) == 0
    with pytest.raises(InputError, match="infinite"):
        LazyTable(rows.selectExpr("y", "DOUBLE('inf') AS x"), "y")
    assert kept(rows) == 0
    machine = TreeClassifier(certificate=None, family="balls")
    with pytest.raises(InputError, match="lazy table supports"):
        machine.fit(rows, target="y")
    assert kept(rows) == 0
    tree = TreeClassifier(certificate=None, max_depth=1)
    monkeypatch.setattr("rulewright.data.spark_partitions._blocks_of_messages", lambda _: None)
    expected = written(tree.fit(frame.drop("id"), target="y").model_)
    assert written(tree.fit(rows, target="y").model_) == expected
    assert kept(rows) == 0


def test_a_failing_job_of_spark_is_an_error_that_keeps_nothing(spark_rows, capsys):
    rows = spark_rows.selectExpr("y", "raise_error('no such file') + a AS x")
    with pytest.raises(
        EngineError, match="could not survey the columns(.|\n)*Physical Plan(.|\n)*no such file"
    ):
        TreeClassifier(certificate=None).fit(rows, target="y")
    assert kept(rows) == 0
    assert "Physical Plan" not in capsys.readouterr().out


def test_a_session_of_spark_says_where_columns_are_kept(spark_rows, frame):
    session, rows = spark_rows.sparkSession, spark_rows.drop("id")
    tree = TreeClassifier(certificate=None, max_depth=1)
    name = "spark.rulewright.storageLevel"
    try:
        session.conf.set(name, "NONE")
        with LazyTable(rows, "y"):
            assert kept(rows) == 0
        expected = written(tree.fit(frame.drop("id"), target="y").model_)
        assert written(tree.fit(rows, target="y").model_) == expected
        session.conf.set(name, "DISK_ONLY")
        with LazyTable(rows, "y"):
            found = session.sparkContext._jsc.sc().getPersistentRDDs().values().head()
            assert found.getStorageLevel().toString() == "StorageLevel(disk, 1 replicas)"
        session.conf.set(name, "here")
        with pytest.raises(InputError, match="must be NONE or a storage level of Spark"):
            tree.fit(rows, target="y")
    finally:
        session.conf.unset(name)


WORKER = """
import pickle, sys
sys.modules["rulewright"] = None  # any import of it fails
import pyarrow as pa
count = pickle.load(open(sys.argv[1], "rb"))
batch = pa.RecordBatch.from_pydict({"y": ["n", "p"], "c0": [1.0, None]})
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
    (tmp_path / "function").write_bytes(cloudpickle.dumps(sent(jobs[0].count)))
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
