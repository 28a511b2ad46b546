"""Trees from counts in DuckDB: time, peak memory and scans for tables of growing size.

Usage: python benchmarks/out_of_core.py [ROWS ...]

The table of 20 columns, 16 of numbers and 4 of text, is made inside DuckDB, in a file of a
temporary folder, and DuckDB may use 1 GB of memory. Beside it the tree of the rows in memory is
timed, where the table has at most MEMORY_ROWS rows, and the models are compared.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from rulewright import TreeClassifier
from rulewright.data import open_data

NUMBERS, TEXTS = 16, 4
MEMORY_ROWS = 2_000_000
DEPTH = 4


def make(path: Path, rows: int) -> None:
    """Write the table: numbers of normal and skewed columns, cities, and a noisy class."""
    uniform = [f"(hash(i * 31 + {j}) / 18446744073709551616.0)" for j in range(NUMBERS + TEXTS + 1)]
    numbers = [
        f"exp(4 * {u}) AS x{j}" if j % 2 else f"round({u}, 3) AS x{j}"
        for j, u in enumerate(uniform[:NUMBERS])
    ]
    texts = [
        f"'c' || CAST(floor({u} * 8) AS INTEGER) AS s{j}" for j, u in enumerate(uniform[NUMBERS:-1])
    ]
    columns = ", ".join([*numbers, *texts])
    rule = "(x0 > 0.6 AND x1 < 20) OR (s0 = 'c3' AND x2 > 0.5)"
    with duckdb.connect(path) as connection:
        connection.execute("SET memory_limit = '1GB'")
        connection.execute(
            f"CREATE TABLE t AS SELECT * EXCLUDE (noise), "
            f"CASE WHEN ({rule}) != (noise < 0.1) THEN 'yes' ELSE 'no' END AS y FROM "
            f"(SELECT {columns}, {uniform[-1]} AS noise FROM range({rows}) r(i))"
        )


def timed(work) -> tuple[float, float, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return time.perf_counter() - wall, time.process_time() - cpu, found


def costs(wall: float, cpu: float) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"{wall:6.1f} s, {cpu:6.1f} CPU s, peak {peak:.2f} GB"


def run(rows: int, folder: Path) -> None:
    path = folder / f"{rows}.db"
    make(path, rows)
    tree = TreeClassifier(certificate=None, max_depth=DEPTH)
    with duckdb.connect(path, read_only=True) as connection:
        connection.execute("SET memory_limit = '1GB'")
        wall, cpu, _ = timed(lambda: tree.fit(connection.table("t"), target="y"))
    size = path.stat().st_size / 1e9
    print(f"{rows:>11,} rows, {size:.2f} GB on disk: {costs(wall, cpu)}", flush=True)
    if rows > MEMORY_ROWS:
        return

    def in_memory() -> TreeClassifier:
        with open_data(path, "t") as file:
            table = file.read()
        labels = table.column("y").cells()
        return TreeClassifier(certificate=None, max_depth=DEPTH).fit(table.without(["y"]), labels)

    wall, cpu, fitted = timed(in_memory)
    model, lazy = fitted.model_, tree.model_
    same = (model.body, model.evidence) == (lazy.body, lazy.evidence)
    print(f"{'':>11} in memory: {costs(wall, cpu)}, same model: {same}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    with TemporaryDirectory() as folder:
        for rows in [int(float(word)) for word in sys.argv[1:]] or [100_000, 1_000_000]:
            run(rows, Path(folder))


if __name__ == "__main__":
    main()
