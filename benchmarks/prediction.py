"""Prediction: Rulewright beside scikit-learn's tree, LightGBM, generated C and DuckDB, in one run.

Models of ten tests on a matrix of ten columns (float64, rows one after the other): a list of five
rules with two tests each, a vote and a scorecard of ten lines, a tree of ten splits, the same tree
with fractions of rows where values are missing, and a list of 100 rules with three tests each, of
which most rows pass all. Every figure is rows per second of CPU time, all threads together, so it
does not depend on how many cores there are: the best of several runs. scikit-learn and LightGBM
predict with a tree of ten splits; the generated C has a loop over the rows of the matrix; DuckDB
runs our SQL on a table in memory.

The command line reads a file of four columns and writes CSV or Parquet; its figures are rows per
second by the clock and by CPU time, from the start of the process to its end. It runs once before,
so that Python's compiled files are there, as after an installation.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from rulewright import save_model
from rulewright.data import Field
from rulewright.models import Model
from rulewright.rules import (
    AllOf,
    Arrangement,
    Category,
    Leaf,
    Rule,
    RuleList,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

COLUMNS = 10
REPEATS = 5
LINE = "{:<18} {:>9} {:>9} {:>13} {:>9} {:>9} {:>9}"
LOOP = """
void run(const double *matrix, long rows, int *rule) {
    model_result result;
    for (long i = 0; i < rows; ++i) {
        model_predict((const model_row *)(matrix + COLUMNS * i), &result);
        rule[i] = result.rule;
    }
}
"""


def test(random: np.random.Generator, column: int, share: float = 0.5) -> Threshold:
    """A threshold that about this share of the rows passes."""
    cut = float(np.quantile(random.normal(size=1000), 1 - share))
    return Threshold(f"x{column % COLUMNS}", True, cut)


def listed(random: np.random.Generator, rules: int, tests: int, share: float) -> RuleList:
    return RuleList(
        tuple(
            Rule(AllOf(tuple(test(random, tests * r + t, share) for t in range(tests))), r % 2)
            for r in range(rules)
        ),
        0,
    )


def tree(random: np.random.Generator, shared: bool) -> Tree:
    nodes: list[Split | Leaf] = [Leaf(0)]
    for number in range(COLUMNS):
        first = len(nodes)
        shares = (8, 8) if shared else ()
        nodes[number] = Split((test(random, number),), (first, first + 1), shares)
        nodes += [Leaf(0), Leaf(1)]
    return Tree(tuple(nodes))


def bodies() -> dict[str, Arrangement]:
    random = np.random.default_rng(0)
    tests = [test(random, column) for column in range(COLUMNS)]
    points = random.integers(1, 9, COLUMNS).tolist()
    bands = tuple(ScoreBand(low, int(low > 20), 0.01 * (1 + low)) for low in range(0, 50, 5))
    return {
        "list": listed(random, 5, 2, 0.3),
        "vote": RuleVote(
            tuple(WeightedRule(t, n % 2, float(random.random())) for n, t in enumerate(tests)), 0
        ),
        "scorecard": Scorecard(tuple(map(ScoreLine, tests, points)), bands),
        "tree": tree(random, shared=False),
        "fractional tree": tree(random, shared=True),
        "list of 100 rules": listed(random, 100, 3, 0.15),
    }


def bound(body: Arrangement) -> Model:
    columns = tuple(Field(f"x{i}", "numeric") for i in range(COLUMNS))
    return Model(columns, ("no", "yes"), body, ((2.0, 1.0),) * len(body.outputs), named=False)


def speed(run: Callable[[], Any], rows: int) -> float:
    """Millions of rows per second of CPU time."""
    run()
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return rows / min(seconds) / 1e6


def generated_c(model: Model, X: np.ndarray, folder: Path) -> Callable[[], np.ndarray]:
    """The exported C with a loop over the matrix, whose rows are the structure of the export."""
    code = model.export("c")
    names = [f"x{i + 1}_x{i};" for i in range(COLUMNS)]
    assert all(name in code for name in names), "the export must use every column in order"
    source, library = folder / "model.c", folder / f"model{id(model)}.so"
    source.write_text(code + LOOP.replace("COLUMNS", str(COLUMNS)))
    command = ["cc", "-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-o", library]
    subprocess.run([*command, source, "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run
    rule = np.empty(len(X), np.int32)

    def predict() -> np.ndarray:
        run(
            ctypes.c_void_p(X.ctypes.data), ctypes.c_long(len(X)), ctypes.c_void_p(rule.ctypes.data)
        )
        return rule

    return predict


def in_duckdb(model: Model, X: np.ndarray) -> Callable[[], np.ndarray]:
    connection = duckdb.connect()
    rows = {f"x{i}": np.ascontiguousarray(X[:, i]) for i in range(COLUMNS)}
    connection.register("incoming", rows)
    connection.execute("CREATE TABLE data AS SELECT * FROM incoming")
    query = model.to_sql("duckdb", table="data", reasons=False).rstrip().rstrip(";")
    counted = f"SELECT rule, count(*) FROM ({query}) GROUP BY rule ORDER BY rule"
    return lambda: connection.execute(counted).fetchall()


def light_gbm(X: np.ndarray, y: np.ndarray) -> Callable[[], Any] | None:
    try:
        import lightgbm
    except ImportError:
        return None
    data = lightgbm.Dataset(X[:50_000], y[:50_000])
    options = {"objective": "binary", "num_leaves": 11, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, data, 1)
    return lambda: booster.predict(X, num_threads=1)


def compare_arrays(rows: int) -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(rows, COLUMNS))
    holed = np.where(random.random(X.shape) < 0.02, np.nan, X)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    peer = DecisionTreeClassifier(max_leaf_nodes=11, random_state=0).fit(X[:50_000], y[:50_000])
    others = {"scikit-learn, tree": speed(lambda: peer.predict(X), rows)}
    boosted = light_gbm(X, y)
    if boosted is not None:
        others["LightGBM, one tree"] = speed(boosted, rows)
    print(f"arrays of {rows:,} rows and {COLUMNS} columns: million rows per second of CPU time")
    for name, found in others.items():
        print(f"  {name:<20} {found:6.1f}")
    if boosted is None:
        print("  LightGBM is not installed")
    print(LINE.format("", "predict", "probable", "/scikit-learn", "C", "/C", "DuckDB"))
    with tempfile.TemporaryDirectory() as folder:
        for name, body in bodies().items():
            model, data = bound(body), holed if "fraction" in name else X
            compare_model(name, model, data, others["scikit-learn, tree"], Path(folder))


def compare_model(name: str, model: Model, X: np.ndarray, peer: float, folder: Path) -> None:
    rows = len(X)
    ours = speed(lambda: model.predict(X), rows)
    probable = speed(lambda: model.predict_proba(X), rows)
    run, query = generated_c(model, X, folder), in_duckdb(model, X)
    rules = model.body.answer(model.table(X)) + 1
    assert (run() == rules).all(), "the generated C answers differently"
    numbers, counts = np.unique(rules, return_counts=True)
    assert query() == list(zip(numbers.tolist(), counts.tolist(), strict=True))
    c, sql = speed(run, rows), speed(query, rows)
    figures = (ours, probable, ours / peer, c, ours / c, sql)
    print(LINE.format(name, *(f"{figure:.1f}" for figure in figures)), flush=True)


def compare_files(rows: int) -> None:
    body = RuleList(
        (
            Rule(AllOf((Category("city", ("Bern",)), Threshold("age", True, 40.0))), 1),
            Rule(Threshold("income", True, 80.0), 1),
        ),
        0,
    )
    columns = (Field("age", "numeric"), Field("city", "text", 3), Field("income", "numeric"))
    model = Model(columns, ("no", "yes"), body, ((2.0, 1.0), (1.0, 2.0), (9.0, 1.0)), "y")
    print(f"\nrulewright predict, files of {rows:,} rows: million rows per second (CPU time)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(model, folder / "model.json")
        query = (
            "SELECT 18 + (random() * 140)::INT / 2 AS age, ['Bern', 'Chur', 'Genf'][1 + "
            "(random() * 2.99)::INT % 3] AS city, round(random() * 100, 2) AS income, "
            f"(random() * 1000)::INT AS other FROM range({rows})"
        )
        duckdb.execute(f"COPY ({query} LIMIT 1000) TO '{folder / 'few.csv'}'")
        run_command(folder / "few.csv", folder / "few-out.csv")
        duckdb.execute(f"COPY ({query}) TO '{folder / 'data.csv'}'")
        duckdb.execute(f"COPY ({query}) TO '{folder / 'data.parquet'}' (FORMAT parquet)")
        for kind in ("csv", "parquet"):
            for out in ("csv", "parquet"):
                seconds, cpu = run_command(folder / f"data.{kind}", folder / f"out-{kind}.{out}")
                print(
                    f"  {kind:>7} to {out:<7} {rows / seconds / 1e6:6.2f} ({rows / cpu / 1e6:.2f})"
                )


def run_command(data: Path, out: Path) -> tuple[float, float]:
    """Seconds by the clock, and of CPU time."""
    arguments = ["predict", data.parent / "model.json", data, "--out", out]
    program = [sys.executable, "-m", "rulewright", *arguments]
    settings = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(program, check=True, env=settings, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--file-rows", type=int, default=10_000_000)
    arguments = parser.parse_args()
    compare_arrays(arguments.rows)
    compare_files(arguments.file_rows)


if __name__ == "__main__":
    main()
