"""Trees and lists from counts in DuckDB: time by round, memory and bytes for growing tables.

Usage: python benchmarks/out_of_core.py [--folder FOLDER] [ROWS ...]

The table of 20 columns, 16 of numbers and 4 of text, is made inside DuckDB, in a file of a
temporary folder, or of a given one, where it stays for the next run. DuckDB may use 4 GB of memory.
Beside it the same learners are timed on the rows in memory, where the table has at most MEMORY_ROWS
rows, and the models are compared. Peers are scikit-learn's tree on a sample of SAMPLE rows, and
LightGBM on all rows in memory, where there are at most LIGHTGBM_ROWS: one tree of the same depth,
and 100 trees. LightGBM runs in a process of its own, so that its memory is measured alone. The rule
list and RIPPER are learnt of at most LIST_ROWS rows, the rules from a tree of at most PATH_ROWS.
"""

from __future__ import annotations

import re
import time
import warnings
from argparse import ArgumentParser
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
from sklearn.tree import DecisionTreeClassifier

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import LazyTable, open_data
from rulewright.learners import learn_lazily
from rulewright.models import Model

NUMBERS, TEXTS = 16, 4
MEMORY_ROWS, LIGHTGBM_ROWS = 2_000_000, 20_000_000
LIST_ROWS, PATH_ROWS = 20_000_000, 2_000_000
MEMORY_LIMIT = "4GB"
DEPTH, RULES, TERM_RULES = 4, 4, 3
SAMPLE = 100_000
KEY = "number"
KEYED = f"SELECT rowid AS {KEY}, * FROM t"
"""The table with the numbers of its rows, by which RIPPER divides them."""


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
        connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
        connection.execute(
            f"CREATE TABLE t AS SELECT * EXCLUDE (noise), "
            f"CASE WHEN ({rule}) != (noise < 0.1) THEN 'yes' ELSE 'no' END AS y FROM "
            f"(SELECT {columns}, {uniform[-1]} AS noise FROM range({rows}) r(i))"
        )


def opened(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the table for reading, with little memory and without a progress bar."""
    connection = duckdb.connect(path, read_only=True)
    connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    connection.execute("SET enable_progress_bar_print = false")
    return connection


def timed(work) -> tuple[float, float, object]:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return time.perf_counter() - wall, time.process_time() - cpu, found


def costs(wall: float, cpu: float) -> str:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1e6
    return f"{wall:6.1f} s, {cpu:6.1f} CPU s, peak {peak:.2f} GB"


def bytes_read() -> int:
    """Bytes that this process has read from files so far."""
    lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
    return int(lines[0].split()[1])


class Rounds:
    """Processor seconds of each round of a search: what it reports, and when."""

    def __init__(self) -> None:
        self._seen: list[tuple[str, float]] = [("survey", time.process_time())]

    def __call__(self, what: str, done: int, most: int | None) -> None:
        self._seen.append((f"{what} {done}", time.process_time()))

    def __str__(self) -> str:
        ends = [*(at for _, at in self._seen[1:]), time.process_time()]
        spent = zip(self._seen, ends, strict=True)
        return ", ".join(f"{what}: {end - start:.1f}" for (what, start), end in spent)


def counted(learner: Any, path: Path) -> Model:
    """Learn from counts in DuckDB, and print what it costs."""
    with opened(path) as connection:
        rounds, before = Rounds(), bytes_read()
        settings = learner.settings()
        key = KEY if settings.draws_by_key else None
        relation = connection.sql(KEYED) if key else connection.table("t")
        wall, cpu, found = timed(
            lambda: learn_lazily(settings, LazyTable(relation, "y", key=key), progress=rounds)
        )
    read = (bytes_read() - before) / 1e9
    print(
        f"  {learner.settings().learner}: {costs(wall, cpu)}, {read:.2f} GB read; {rounds}",
        flush=True,
    )
    return found.entry.model


def in_memory(learner: Any, path: Path) -> Model:
    """Read the rows and learn from them, and print what it costs."""

    def work() -> Model:
        if learner.settings().draws_by_key:
            with opened(path) as connection:
                frame = connection.sql(KEYED).pl()
            return learner.fit(frame, target="y", key=KEY).model_
        with open_data(path, "t") as file:
            table = file.read()
        labels = table.column("y").cells()
        return learner.fit(table.without(["y"]), labels).model_

    wall, cpu, model = timed(work)
    print(
        f"  {learner.settings().learner}, rows in memory: {costs(wall, cpu)}",
        flush=True,
    )
    return model


def lightgbm_costs(path: Path, trees: int) -> str:
    """Read the rows, fit trees of LightGBM, and return what it costs and its errors on a sample."""
    from lightgbm import LGBMClassifier

    numbers = ", ".join(f"x{j}" for j in range(NUMBERS))
    codes = ", ".join(f"CAST(substr(s{j}, 2) AS TINYINT) AS s{j}" for j in range(TEXTS))

    def work() -> tuple[Any, np.ndarray, np.ndarray]:
        with opened(path) as connection:
            frame = connection.sql(f"SELECT {numbers}, {codes}, y = 'yes' AS y FROM t").pl()
        values, labels = frame.drop("y").to_numpy(), frame["y"].to_numpy()
        del frame
        rate = 1.0 if trees == 1 else 0.1
        learner = LGBMClassifier(
            n_estimators=trees, learning_rate=rate, max_depth=DEPTH, num_leaves=2**DEPTH,
            n_jobs=2, verbose=-1,
        )  # fmt: skip
        learner.fit(values, labels, categorical_feature=list(range(NUMBERS, NUMBERS + TEXTS)))
        return learner, values[:SAMPLE], labels[:SAMPLE]

    wall, cpu, (learner, values, labels) = timed(work)
    wrong = (learner.predict(values) != labels).mean()
    return f"  LightGBM, {trees} trees: {costs(wall, cpu)}; wrong on {wrong:.2%} of its first rows"


def beside_lightgbm(path: Path) -> None:
    """Print the costs of LightGBM, each in a process of its own."""
    if find_spec("lightgbm") is None:
        print("  LightGBM is not installed", flush=True)
        return
    for trees in (1, 100):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(pool.submit(lightgbm_costs, path, trees).result(), flush=True)


def from_sample(path: Path, model: Model) -> None:
    """Print the errors of scikit-learn's tree of a sample, and of a model, on the same new rows."""
    with opened(path) as connection:
        rows = connection.sql(
            f"SELECT * FROM t USING SAMPLE reservoir({2 * SAMPLE} ROWS) REPEATABLE (1)"
        ).pl()
    known, new = rows[:SAMPLE], rows[SAMPLE:]
    texts = [f"s{j}" for j in range(TEXTS)]
    wall, cpu, tree = timed(
        lambda: DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(
            known.drop("y").to_dummies(texts).to_numpy(), known["y"].to_numpy()
        )
    )
    labels = new["y"].to_numpy()
    wrong = (tree.predict(new.drop("y").to_dummies(texts).to_numpy()) != labels).mean()
    ours = (np.asarray(model.predict(new.drop("y"))) != labels).mean()
    print(
        f"  scikit-learn's tree of {known.height:,} rows: {costs(wall, cpu)}; wrong on "
        f"{wrong:.2%} of {new.height:,} others, the tree of all rows on {ours:.2%}",
        flush=True,
    )


def run(rows: int, folder: Path) -> None:
    path = folder / f"{rows}.db"
    made = "made before"
    if not path.exists():
        wall, cpu, _ = timed(lambda: make(path, rows))
        made = f"made in {wall:.1f} s, {cpu:.1f} CPU s"
    print(f"{rows:,} rows, {path.stat().st_size / 1e9:.2f} GB on disk, {made}", flush=True)
    tree = TreeClassifier(certificate=None, max_depth=DEPTH)
    learners = [tree, DecisionListMachine(certificate=None, max_rules=RULES)]
    if rows <= LIST_ROWS:
        learners.append(RuleListClassifier(certificate=None, max_rules=TERM_RULES, beam_width=1))
        learners.append(RipperClassifier(certificate=None))
    if rows <= PATH_ROWS:
        learners.append(TreeRulesClassifier(certificate=None, min_samples_leaf=rows // 50))
    for learner in learners:
        model = counted(learner, path)
        if learner is tree and rows >= 2 * SAMPLE:
            from_sample(path, model)
        if learner is tree and rows <= LIGHTGBM_ROWS:
            beside_lightgbm(path)
        if rows <= MEMORY_ROWS:
            other = in_memory(learner, path)
            same = (model.body, model.evidence) == (other.body, other.evidence)
            print(f"  same model: {same}", flush=True)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = ArgumentParser(description="Learn from counts in DuckDB.")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("rows", nargs="*", type=float, default=[1e5, 1e6])
    chosen = parser.parse_args()
    with TemporaryDirectory() as folder:
        for rows in map(int, chosen.rows):
            run(rows, chosen.folder or Path(folder))


if __name__ == "__main__":
    main()
