"""Trees from counts in Spark, beside the decision tree of Spark's MLlib, in one run.

Usage: python benchmarks/spark_trees.py [ROWS ...]

The table of ``out_of_core.py`` is a Parquet file, read by a local Spark with two threads. Both
trees have DEPTH levels. MLlib needs numbers for the texts and one column of vectors: that is timed
alone (``assembled``), and MLlib's tree both from the file and from vectors that Spark keeps in
memory. All is done twice: Java compiles most of what it runs in the first round. Seconds of the
clock, and processor seconds of this process, of Java and of its Python workers. The model is
compared with that of the rows in memory.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import polars as pl
from out_of_core import DEPTH, NUMBERS, TEXTS, make

from rulewright import TreeClassifier
from rulewright.models import to_json

THREADS = 2


def processor_seconds() -> float:
    """Processor seconds of this process and of all that it started."""
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        number = int(path.parent.name)
        parents[number], ticks[number] = int(words[1]), sum(map(int, words[11:15]))
    mine = {os.getpid()}
    while more := {n for n, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(ticks[number] for number in mine) / os.sysconf("SC_CLK_TCK")


def timed(what: str, work: Any) -> Any:
    wall, cpu = time.perf_counter(), processor_seconds()
    found = work()
    wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
    print(f"  {what}: {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
    return found


def mllib(rows: Any) -> None:
    """Time MLlib's tree and what it needs."""
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    texts = [f"s{j}" for j in range(TEXTS)]
    codes = [f"i{j}" for j in range(TEXTS)]
    indexer = StringIndexer(inputCols=[*texts, "y"], outputCols=[*codes, "label"])
    indexed = timed("MLlib: numbers of the texts", lambda: indexer.fit(rows)).transform(rows)
    numbers = [f"x{j}" for j in range(NUMBERS)]
    assembler = VectorAssembler(inputCols=[*numbers, *codes], outputCol="features")
    vectors = assembler.transform(indexed).select("features", "label")
    timed("MLlib: assembled", lambda: vectors.write.format("noop").mode("overwrite").save())
    tree = DecisionTreeClassifier(maxDepth=DEPTH)
    timed("MLlib: tree from the file, with assembling", lambda: tree.fit(vectors))
    vectors = vectors.cache()
    timed("MLlib: assembled and kept in memory", vectors.count)
    timed("MLlib: tree from vectors in memory", lambda: tree.fit(vectors))
    vectors.unpersist()


def run(session: Any, rows: int, folder: Path) -> None:
    path = folder / f"{rows}.parquet"
    make(folder / f"{rows}.db", rows)
    with duckdb.connect(folder / f"{rows}.db", read_only=True) as connection:
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    lazy = session.read.parquet(str(path))
    print(f"{rows:,} rows, {path.stat().st_size / 1e9:.2f} GB on disk", flush=True)
    learner = TreeClassifier(certificate=None, max_depth=DEPTH)
    for turn in ("first", "second"):
        print(f"  {turn} round", flush=True)
        mllib(lazy)
        model = timed("tree by counts", lambda: learner.fit(lazy, target="y").model_)
    frame = pl.read_parquet(path)
    known = timed("tree in memory", lambda: learner.fit(frame, target="y").model_)
    print(f"  same model file: {to_json(model) == to_json(known)}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{THREADS}]").config(map=options)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    with TemporaryDirectory() as folder:
        for rows in [int(float(word)) for word in sys.argv[1:]] or [100_000, 1_000_000]:
            run(session, rows, Path(folder))
    session.stop()


if __name__ == "__main__":
    main()
