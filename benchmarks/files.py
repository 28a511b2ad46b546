"""A fit of a CSV file beside DuckDB, growth with the rows, and the gain of a second thread.

    python benchmarks/files.py files [ROWS ...]
    python benchmarks/files.py growth
    python benchmarks/files.py threads [ROWS [LEARNER ...]]

``files`` makes CSV files of 23 columns and a class (16 of numbers, 1 of dates, 6 of text) in a
temporary folder. Each line is a process of its own: processor seconds, seconds by the clock, and
peak memory. DuckDB reads the same file and computes the mean, the smallest and the largest value of
each column of numbers and the number of rows of each category, by class. ``growth`` fits 10,000 and
100,000 rows; ``threads`` fits with one thread and with several.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import NamedTuple

import duckdb

NUMBERS, WHOLE, TEXTS = 12, 4, 6
CATEGORIES = (3, 5, 12, 30, 100, 1_000)
FITS = {
    "tree, no certificate": ("tree", "--max-depth", "4", "--certificate", "none"),
    "tree, default certificate": ("tree", "--max-depth", "4"),
}
LINE = "{:>10} {:>8} {:<28} {:>8} {:>8} {:>8} {:>7}"


class Cost(NamedTuple):
    """What a process took: processor seconds, seconds by the clock, gigabytes."""

    cpu: float
    clock: float
    memory: float


def make_csv(path: Path, rows: int) -> None:
    """Write a table whose class depends on three columns, with 10 % noise."""

    def uniform(column: int) -> str:
        return f"(hash(i * 64 + {column}) % 1000000007) / 1000000007.0"

    columns = [f"round({uniform(j)} * 100, {2 + j % 4}) AS x{j}" for j in range(NUMBERS)]
    columns += [
        f"CAST(hash(i * 64 + {20 + j}) % {10 ** (j + 1)} AS INT) AS n{j}" for j in range(WHOLE)
    ]
    columns += [
        f"'value ' || (hash(i * 64 + {30 + j}) % {size}) AS s{j}"
        for j, size in enumerate(CATEGORIES)
    ]
    columns.append(f"DATE '2000-01-01' + CAST({uniform(40)} * 9000 AS INT) AS opened")
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * EXCLUDE (noise), CASE WHEN (x0 > 60 AND n1 > 30 OR s1 = 'value 2') "
            f"!= (noise < 0.1) THEN 'yes' ELSE 'no' END AS y FROM (SELECT {', '.join(columns)}, "
            f"{uniform(50)} AS noise FROM range({rows}) r(i))) TO '{path}' (HEADER)"
        )


def measured(code: str, *arguments: str) -> Cost:
    """Cost of a program in a process of its own."""
    program = (
        "import resource, sys, time; start = time.perf_counter()\n"
        f"{code}\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1e6)"
    )
    # Modules are compiled once, as an installed package is, wherever that was switched off.
    compiled = {"PYTHONPYCACHEPREFIX": str(Path(gettempdir()) / "rulewright-benchmarks")}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    found = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
        env=environment | compiled,
    )
    return Cost(*map(float, found.stdout.split()[-3:]))


DUCKDB = """
import duckdb
rows = duckdb.read_csv(sys.argv[1])
numbers = [n for n, kind in zip(rows.columns, map(str, rows.types)) if kind in ("DOUBLE", "BIGINT")]
parts = [f"min({name}), max({name})" for name in rows.columns if name != "y"]
parts += [f"avg({name})" for name in numbers]
rows.aggregate(f"y, count(*), {', '.join(parts)}", "y").fetchall()
"""
FIT = """
from rulewright.cli.main import run
sys.argv[0] = "rulewright"
try:
    run()
except SystemExit as done:
    assert not done.code, done.code
"""


def print_line(size: str, file: str, what: str, cost: Cost, ratio: str = "") -> None:
    """Print one row of the table."""
    print(
        LINE.format(
            size,
            file,
            what,
            f"{cost.cpu:.1f} s",
            f"{cost.clock:.1f} s",
            f"{cost.memory:.2f} GB",
            ratio,
        ),
        flush=True,
    )


def compare_files(sizes: list[int]) -> None:
    """Print what a fit of a CSV file takes, and DuckDB's aggregates of the same file."""
    print(LINE.format("rows", "file", "", "CPU", "clock", "peak", "ratio"))
    for rows in sizes:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            make_csv(path, rows)
            size, file = f"{rows:,}", f"{path.stat().st_size / 1e9:.2f} GB"
            measured("import rulewright.cli.fit, duckdb")  # compiles the modules
            base = measured(DUCKDB, str(path))
            print_line(size, file, "DuckDB: read, aggregate", base)
            for what, (learner, *options) in FITS.items():
                model = str(Path(folder) / "model.json")
                given = ("fit", str(path), "--target", "y", "--learner", learner, *options)
                cost = measured(FIT, *given, "--quiet", "--overwrite", "--out", model)
                print_line(size, file, what, cost, f"{cost.cpu / base.cpu:.2f}")


GROWN = ("RipperClassifier", "TreeRulesClassifier", "TreeClassifier")
SHARED = {
    "tree": ("TreeClassifier", {}),
    "tree, split certificate": ("TreeClassifier", {"certificate": "split"}),
    "optimal tree": ("TreeClassifier", {"search": "optimal", "max_depth": 3}),
    "rules from trees": ("TreeRulesClassifier", {}),
    "RIPPER": ("RipperClassifier", {}),
    "set covering machine": ("SetCoveringMachine", {}),
    "decision list machine": ("DecisionListMachine", {}),
    "scorecard": ("ScorecardClassifier", {}),
    "SLIPPER": ("SlipperClassifier", {}),
    "rule list": ("RuleListClassifier", {}),
    "auto": ("AutoClassifier", {}),
    "rule vote": ("RuleVoteClassifier", {}),
}
"""What is fitted with several threads: the learner and its options."""
MANY = 8
"""Threads of the fit by which the part of the work that threads share is measured."""
LEARN = """
import warnings
import numpy, rulewright, tasks
warnings.simplefilter("ignore")
learner, kind, rows, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), eval(sys.argv[4])
table, labels = tasks.MADE[kind](rows, 20)
estimator = getattr(rulewright, learner)(**options)
estimator.fit(table.take(numpy.arange(100)), labels[:100])
before, first, start = time.process_time(), time.thread_time(), time.perf_counter()
estimator.fit(table, labels)
used, mine = time.process_time() - before, time.thread_time() - first
print(used, time.perf_counter() - start, 1 - mine / used)
raise SystemExit
"""


def compare_growth() -> None:
    """Print the processor seconds of fits of 10,000 and 100,000 rows, and their ratio."""
    line = "{:>14} {:<20} {:>10} {:>10} {:>7}"
    print(line.format("table", "learner", "10,000", "100,000", "ratio"))
    for kind in ("conjunctions", "clusters"):
        for learner in GROWN:
            few, many = (
                measured(LEARN, learner, kind, str(rows), "{'certificate': None}").cpu
                for rows in (10_000, 100_000)
            )
            cells = f"{few:.2f} s", f"{many:.2f} s", f"{many / few:.1f}"
            print(line.format(kind, learner, *cells), flush=True)


def compare_threads(rows: int, names: list[str]) -> None:
    """Print what fits take with one thread and with two, and the part that threads share.

    On a busy machine the clock says little, and a second thread may find no core in time. The third
    fit has many threads, and the first of them does its share of the common work: what the others
    do, times 8/7 and at most all of it, is the part that threads share. Two free cores could then
    gain a factor of 1 / (1 - part / 2). Where the first thread only waits, the part is too high by
    up to a seventh.
    """
    line = "{:<24} {:>9} {:>9} {:>9} {:>6} {:>7} {:>9}"
    heads = ("CPU, 1", "clock, 1", "clock, 2", "gain", "shared", "possible")
    print(line.format(f"{rows:,} rows", *heads))
    for name in names or list(SHARED):
        learner, options = SHARED[name]
        one, two, many = (
            measured(LEARN, learner, "clusters", str(rows), repr({**options, "n_jobs": jobs}))
            for jobs in (1, 2, MANY)
        )
        part = min(many.memory * MANY / (MANY - 1), 1.0)
        times = (f"{seconds:.2f} s" for seconds in (one.cpu, one.clock, two.clock))
        gains = f"{one.clock / two.clock:.2f}", f"{part:.0%}", f"{1 / (1 - part / 2):.2f}"
        print(line.format(name, *times, *gains), flush=True)


def main(arguments: list[str]) -> None:
    """Run one of the comparisons."""
    what, *sizes = arguments or ["files"]
    one, five, fifteen = os.getloadavg()
    print(f"Load of the machine: {one:.1f}, {five:.1f}, {fifteen:.1f}; {os.cpu_count()} cores")
    if what == "files":
        compare_files([int(size) for size in sizes] or [1_000_000, 6_000_000])
    elif what == "growth":
        compare_growth()
    elif what == "threads":
        compare_threads(int(sizes[0]) if sizes else 20_000, sizes[1:])
    else:
        raise SystemExit("Usage: python benchmarks/files.py files|growth|threads [ROWS ...]")


if __name__ == "__main__":
    main(sys.argv[1:])
