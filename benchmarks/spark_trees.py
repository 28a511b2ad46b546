"""Trees from counts in Spark, beside the decision tree of Spark's MLlib, in one run.

Usage: python benchmarks/spark_trees.py [--counts-first] [--rounds N] [ROWS ...]

The table of ``out_of_core.py`` is a Parquet file, read by a local Spark with two threads. Both
trees have DEPTH levels. MLlib needs numbers for the texts, which are timed alone, and one column of
vectors, which are made from the file while it learns. Each tree is learnt N times, in turn:
Java compiles most of what it runs in the first rounds. What comes first in a session starts Java's
and Python's workers; with ``--counts-first`` that is the tree from counts. In the end MLlib learns
from vectors that Spark keeps in memory. Seconds of the clock, and processor seconds of this
process, of Java and of its Python workers. The model is compared with that of the rows in memory,
where the table has at most MEMORY_ROWS rows.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import polars as pl
from out_of_core import DEPTH, MEMORY_ROWS, NUMBERS, TEXTS, make

from rulewright import TreeClassifier
from rulewright.models import to_json

THREADS = 2


SEEN: dict[tuple[int, int], int] = {}
"""Processor time of every process that was seen, by its number and its start."""


def processor_seconds() -> float:
    """Processor seconds of this process and of all that it started.

    Idle workers of Spark end after a minute: what they had used when they were last seen counts.
    """
    parents, ticks = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        number = int(path.parent.name)
        parents[number] = int(words[1])
        ticks[number] = (number, int(words[19])), int(words[11]) + int(words[12])
    mine = {os.getpid()}
    while more := {n for n, parent in parents.items() if parent in mine} - mine:
        mine |= more
    SEEN.update(ticks[number] for number in mine)
    return sum(SEEN.values()) / os.sysconf("SC_CLK_TCK")


def timed(what: str, work: Any) -> Any:
    wall, cpu = time.perf_counter(), processor_seconds()
    found = work()
    wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
    print(f"  {what}: {wall:.1f} s, {cpu:.1f} CPU s", flush=True)
    return found


def mllib(rows: Any) -> Any:
    """Time MLlib's tree and what it needs, and return its vectors."""
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    texts = [f"s{j}" for j in range(TEXTS)]
    codes = [f"i{j}" for j in range(TEXTS)]
    indexer = StringIndexer(inputCols=[*texts, "y"], outputCols=[*codes, "label"])
    indexed = timed("MLlib: numbers of the texts", lambda: indexer.fit(rows)).transform(rows)
    numbers = [f"x{j}" for j in range(NUMBERS)]
    assembler = VectorAssembler(inputCols=[*numbers, *codes], outputCol="features")
    vectors = assembler.transform(indexed).select("features", "label")
    tree = DecisionTreeClassifier(maxDepth=DEPTH)
    timed("MLlib: tree from the file", lambda: tree.fit(vectors))
    return vectors


def mllib_in_memory(vectors: Any) -> None:
    """Time MLlib's tree of vectors that Spark keeps in memory."""
    from pyspark.ml.classification import DecisionTreeClassifier

    vectors = vectors.cache()
    timed("MLlib: vectors assembled and kept in memory", vectors.count)
    tree = DecisionTreeClassifier(maxDepth=DEPTH)
    timed("MLlib: tree from vectors in memory", lambda: tree.fit(vectors))
    vectors.unpersist()


def run(session: Any, rows: int, folder: Path, *, rounds: int, counts_first: bool) -> None:
    path = folder / f"{rows}.parquet"
    make(folder / f"{rows}.db", rows)
    with duckdb.connect(folder / f"{rows}.db", read_only=True) as connection:
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    lazy = session.read.parquet(str(path))
    print(f"{rows:,} rows, {path.stat().st_size / 1e9:.2f} GB on disk", flush=True)
    learner = TreeClassifier(certificate=None, max_depth=DEPTH)

    def counts() -> Any:
        return timed("tree by counts", lambda: learner.fit(lazy, target="y").model_)

    for turn in range(1, rounds + 1):
        print(f"  round {turn}", flush=True)
        if counts_first:
            model, vectors = counts(), mllib(lazy)
        else:
            vectors, model = mllib(lazy), counts()
    mllib_in_memory(vectors)
    if rows <= MEMORY_ROWS:
        frame = pl.read_parquet(path)
        known = timed("tree in memory", lambda: learner.fit(frame, target="y").model_)
        print(f"  same model file: {to_json(model) == to_json(known)}", flush=True)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("rows", nargs="*", type=float)
    parser.add_argument("--counts-first", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
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
        for rows in given.rows or [1e5, 1e6]:
            turns = {"rounds": given.rounds, "counts_first": given.counts_first}
            run(session, int(rows), Path(folder), **turns)
    session.stop()


if __name__ == "__main__":
    main()
