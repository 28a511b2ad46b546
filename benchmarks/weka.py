"""Weka's J48, JRip and PART: real tables, written as ARFF files, and one run of many folds.

It needs Java (11 or newer) and Weka's jar, which is in Debian's package weka and in PyPI's
python-weka-wrapper3 (the extra ``bench``). Both sides get the same columns, declared the same:
numbers that are codes are categories, identifiers are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rulewright.data import CategoricalColumn, NumericColumn, Table, labels_of, open_data

DEBIAN = "/usr/share/java/weka.jar"
DRIVER = Path(__file__).parent / "WekaFolds.java"
AT_ONCE = 20_000


def installed_jar() -> str:
    """Path of the jar of PyPI's package if that is installed, otherwise where Debian has it."""
    try:
        return str(distribution("python-weka-wrapper3").locate_file("weka/lib/weka.jar"))
    except PackageNotFoundError:
        return DEBIAN


JAR = installed_jar()
HEART = ("sex", "cp", "fbs", "restecg", "exang", "slope", "thal")


@dataclass(frozen=True)
class Source:
    """How a file is read: numeric codes that are categories, columns left out, classes merged."""

    codes: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    merge: dict[str, str] | None = None


SOURCES = {
    "australian": Source(tuple("A1 A4 A5 A6 A8 A9 A11 A12".split())),
    # The columns that define the class stay: errors of 3 to 7 % say that the tables have them.
    "echocardiogram": Source(("still_alive", "pericardial_effusion"), drop=("group",)),
    "heart_cleveland": Source(HEART, merge=dict.fromkeys("1234", "1")),
    "heart_hungarian": Source(HEART),
    "hepatitis": Source(
        tuple(
            "sex steroid antivirals fatigue malaise anorexia liver_big liver_firm spleen_palpable "
            "spiders ascites varices histology".split()
        )
    ),
    "titanic_passengers": Source(("Pclass",), drop=("Ticket", "Cabin")),
    "taiwan_credit": Source(("SEX", "EDUCATION", "MARRIAGE")),
    "covertype": Source(
        (
            *(f"Wilderness_Area{i}" for i in range(1, 5)),
            *(f"Soil_Type{i}" for i in range(1, 41)),
        )
    ),
}
"""Sets that need more than their file says; categories that are text need no declaration."""


class Fold(NamedTuple):
    """What a learner made of a fold.

    ``size`` counts leaves, or rules, the default among them; ``reached`` of J48 the leaves that
    training examples reach, of others the same as ``size``; ``seconds`` are CPU time of building
    the model; ``literals`` are the single tests of all rules (of J48: 0).
    """

    errors: int
    size: int
    reached: int
    seconds: float
    literals: int = 0


def read(name: str) -> tuple[Table, np.ndarray]:
    """Read a set of the folder RULEWRIGHT_DATA: the table, and the labels as text."""
    source = SOURCES.get(name, Source())
    folder = Path(os.environ["RULEWRIGHT_DATA"])
    path = next(p for p in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if p.exists())
    with open_data(path) as file:
        whole = file.read(source.drop, source.codes)
    labels, known = labels_of(whole, "class")
    merge = source.merge or {}
    texts = np.array([merge.get(str(label), str(label)) for label in labels[known]])
    return whole.without(["class"]).take(known), texts


def arff(table: Table, labels: np.ndarray) -> Iterable[str]:
    """Write a table with its labels in Weka's format, some lines at a time.

    All categories of the table are declared, so that folds agree on them.
    """
    heads = [f"@attribute {_quoted(c.name)} {_domain(c)}" for c in table.columns]
    classes = ",".join(map(_quoted, np.unique(labels)))
    yield "\n".join(["@relation table", *heads, f"@attribute 'the class' {{{classes}}}", "@data"])
    for start in range(0, table.rows, AT_ONCE):
        rows = np.arange(start, min(start + AT_ONCE, table.rows))
        columns = [_cells(column.take(rows)) for column in table.columns]
        lines = zip(*columns, map(_quoted, labels[rows]), strict=True)
        yield "\n" + "\n".join(map(",".join, lines))
    yield "\n"


def _domain(column: NumericColumn | CategoricalColumn) -> str:
    if isinstance(column, NumericColumn):
        return "numeric"
    return f"{{{','.join(map(_quoted, column.categories))}}}"


def _cells(column: NumericColumn | CategoricalColumn) -> list[str]:
    if isinstance(column, NumericColumn):
        return ["?" if value != value else repr(value) for value in column.values.tolist()]
    texts = [*map(_quoted, column.categories), "?"]  # code -1 finds the last
    return [texts[code] for code in column.codes.tolist()]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def lacking(jar: str) -> str | None:
    """Say what is not here that a comparison with Weka on real tables needs, if anything."""
    if not os.environ.get("RULEWRIGHT_DATA"):
        return "RULEWRIGHT_DATA names no folder with data sets"
    return no_weka(jar)


def no_weka(jar: str) -> str | None:
    """Say what Weka lacks here, if anything."""
    if shutil.which("java") is None:
        return "there is no java"
    return None if Path(jar).is_file() else f"there is no {jar}"


def folds(
    learner: str,
    table: Table,
    labels: np.ndarray,
    tested: Sequence[Sequence[int]],
    jar: str,
    limit: float | None = None,
    seeds: Sequence[int] | None = None,
) -> list[Fold]:
    """Train J48, JRip or PART on all rows but those of each fold, and test it on those.

    An empty fold trains and tests on all rows. JRip draws with the fold's seed, which is 1 if
    there are none. When all models together have taken ``limit`` CPU seconds, the folds that were
    done are returned.
    """
    with tempfile.TemporaryDirectory() as folder:
        data, rows = Path(folder) / "table.arff", Path(folder) / "folds.txt"
        with data.open("w", encoding="utf-8") as file:
            file.writelines(arff(table, labels))
        rows.write_text(fold_lines(tested, seeds or [1] * len(tested)))
        opened = "--add-opens=java.base/java.lang=ALL-UNNAMED"  # or Weka complains
        options = [opened, "-Xmx4g", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-cp", jar]
        command = ["java", *options, str(DRIVER), learner, str(data), str(rows)]
        allowed = [] if limit is None else [str(limit)]
        done = subprocess.run([*command, *allowed], check=True, stdout=subprocess.PIPE, text=True)
    return read_folds(done.stdout)


def fold_lines(tested: Sequence[Sequence[int]], seeds: Sequence[int]) -> str:
    """Write folds as drivers read them: a line for each, with its seed and the rows to test on."""
    return "".join(
        " ".join(map(str, (seed, *rows))) + "\n" for seed, rows in zip(seeds, tested, strict=True)
    )


def read_folds(text: str) -> list[Fold]:
    """Read what a driver printed, a line for each fold."""
    found = [line.split() for line in text.splitlines()]
    return [Fold(int(e), int(n), int(r), float(s), int(t)) for e, n, r, s, t in found]
