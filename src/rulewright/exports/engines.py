"""Engines that run exports: interpreters and compilers of this machine.

To add one, write a subclass of ``Engine`` and enter it in ``ENGINES`` under the name of its form.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar

from rulewright.data import Column, Field, Table, query_columns
from rulewright.errors import InputError
from rulewright.exports.exchange import (
    ExportAnswer,
    bulk_answers,
    label_cell,
    label_cells,
    read_answers,
    row_lines,
    text_cell,
)
from rulewright.models import Model, RegressionModel
from rulewright.render import c_members


@dataclass(frozen=True)
class Job:
    """A model and the rows on which its export is run."""

    model: Model | RegressionModel
    table: Table

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns that the export reads, in the order of the training data."""
        used = set(self.model.body.columns)
        return tuple(field for field in self.model.columns if field.name in used)


class Engine(ABC):
    """Something that runs the exports of one form, several in one program."""

    form: ClassVar[str]
    title: ClassVar[str]
    """Name of the engine in messages."""
    programs: ClassVar[tuple[str, ...]] = ()
    """Commands that must be installed."""
    packages: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Packages of Python that must be installed, each with the extra that installs it."""
    seconds: float = 600
    """Maximum time of one program."""
    as_numbers: ClassVar[bool] = False
    """Whether dates, datetimes and durations are given as numbers."""
    infinite: ClassVar[bool] = True
    """Whether infinite numbers can be given."""
    overflows: ClassVar[bool] = True
    """Whether arithmetic beyond the doubles gives infinity or 0, not an error."""

    def with_options(self, options: Mapping[str, Any]) -> Engine:
        """Return the engine for exports with some options, by default the same."""
        return self

    def absent(self) -> list[str]:
        """Return the commands and packages that are not installed."""
        commands = [name for name in self.programs if shutil.which(name) is None]
        return [*commands, *(name for name, _ in self.packages if find_spec(name) is None)]

    def need(self) -> None:
        """Raise an error if the engine cannot run here."""
        absent = self.absent()
        extras = dict(self.packages)
        if not absent:
            return
        if absent[0] in extras:
            raise InputError(
                f"Checking the form {self.form!r} needs the package {absent[0]}. Install it with: "
                f"pip install 'rulewright[{extras[absent[0]]}]'"
            )
        raise InputError(
            f"Checking the form {self.form!r} needs the command {absent[0]}, which is not "
            "installed. Install it, or check another form."
        )

    def run(self, jobs: Sequence[Job]) -> list[list[ExportAnswer]]:
        """Return the answers of the exports on their rows."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number, job in enumerate(jobs):
                lines = row_lines(job.table, job.fields, as_numbers=self.as_numbers)
                (folder / f"rows{number}").write_text(lines, encoding="ascii")
                self.write(folder, number, job)
            self.execute(folder, len(jobs))
            return [
                read_answers((folder / f"answers{number}").read_text("ascii"))
                for number in range(len(jobs))
            ]

    @abstractmethod
    def write(self, folder: Path, number: int, job: Job) -> None:
        """Write an export, numbered from 0, into a folder."""

    @abstractmethod
    def execute(self, folder: Path, count: int) -> None:
        """Run the exports on the files ``rows0``, ...; write the files ``answers0``, ..."""

    def call(self, command: Sequence[str], folder: Path) -> None:
        """Run a command in the folder."""
        try:
            subprocess.run(
                command,
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
                timeout=self.seconds,
            )
        except subprocess.CalledProcessError as error:
            reason = "\n".join(error.stderr.strip().splitlines()[-5:])
            raise InputError(f"The export failed in {self.title}: {reason}") from error
        except subprocess.TimeoutExpired as error:
            raise InputError(
                f"The export took over {self.seconds:g} seconds in {self.title}."
            ) from error


@cache
def driver(name: str) -> str:
    """Return the program that runs exports in a language."""
    return files("rulewright.exports").joinpath("drivers", name).read_text("utf-8")


class PythonEngine(Engine):
    """The interpreter that runs this library, without its packages."""

    form = "python"
    title = "python -I -S"

    def write(self, folder: Path, number: int, job: Job) -> None:
        text = job.model.export("python")
        (folder / f"model{number}.py").write_text(text, encoding="utf-8")

    def execute(self, folder: Path, count: int) -> None:
        (folder / "driver.py").write_text(driver("driver.py.txt"), encoding="utf-8")
        self.call([sys.executable, "-I", "-S", "driver.py", str(count)], folder)


class NodeEngine(Engine):
    """Node.js."""

    form = "javascript"
    title = "node"
    programs = ("node",)

    def write(self, folder: Path, number: int, job: Job) -> None:
        text = job.model.export("javascript")
        (folder / f"model{number}.mjs").write_text(text, encoding="utf-8")

    def execute(self, folder: Path, count: int) -> None:
        (folder / "driver.mjs").write_text(driver("driver.mjs.txt"), encoding="utf-8")
        self.call(["node", "driver.mjs", str(count)], folder)


class CompilerEngine(Engine):
    """gcc with all warnings as errors."""

    form = "c"
    title = "gcc"
    programs = ("gcc",)
    as_numbers = True
    flags: ClassVar[tuple[str, ...]] = (
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-ffp-contract=off",
    )

    def write(self, folder: Path, number: int, job: Job) -> None:
        text = job.model.export("c", prefix=f"model{number}") + _c_job(job, number)
        (folder / f"model{number}.c").write_text(text, encoding="utf-8")

    def execute(self, folder: Path, count: int) -> None:
        models = "".join(f'#include "model{number}.c"\n' for number in range(count))
        runs = " || ".join(f"run{number}()" for number in range(count))
        main = f"\nint main(void) {{\n    return {runs or 0};\n}}\n"
        text = driver("driver.c.txt") + models + main
        (folder / "driver.c").write_text(text, encoding="utf-8")
        self.call(["gcc", *self.flags, "-o", "driver", "driver.c", "-lm"], folder)
        self.call(["./driver"], folder)


def _c_job(job: Job, number: int) -> str:
    """Return a function that reads rows into the struct of an export and runs it."""
    functions = {"boolean": "flag_of", "text": "text_of", "code": "text_of"}
    fields = job.fields
    read = "".join(
        f"        row.{member} = {functions.get(field.kind, 'number_of')}(cell(&line));\n"
        for field, member in zip(fields, c_members(fields), strict=True)
    )
    model = job.model
    if isinstance(model, Model):
        labels = [label_cell(model.label_of(output)) for output in range(len(model.classes))]
        last = label_cell(model.abstain_label)
        texts = ", ".join(f'"{label}"' for label in labels)
        write = (
            f"        static const char *const labels[] = {{{texts}}};\n"
            f'        fputs(found.class_number < 0 ? "{last}" : labels[found.class_number], out);\n'
            '        fprintf(out, "\\t%d", found.rule);\n'
            f"        for (int i = 0; i < {len(labels)}; ++i) {{\n"
            "            fputc('\\t', out);\n            put_number(out, found.probabilities[i]);\n"
            "        }\n"
        )
    else:
        write = (
            '        put_number(out, found.value);\n        fprintf(out, "\\t%d", found.rule);\n'
        )
    text = driver("job.c.txt").replace("@JOB@", str(number))
    return text.replace("@READ@", read).replace("@WRITE@", write)


QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a virtual machine that runs for seconds."""


class JavaEngine(Engine):
    """The compiler of Java, at the level of Java 8, and its virtual machine."""

    form = "java"
    title = "java"
    programs = ("javac", "java")

    def write(self, folder: Path, number: int, job: Job) -> None:
        text = job.model.export("java", class_name=f"Model{number}")
        (folder / f"Model{number}.java").write_text(text, encoding="ascii")
        names = "".join(f"{text_cell(field.name)}\n" for field in job.fields)
        (folder / f"columns{number}").write_text(names, encoding="ascii")

    def execute(self, folder: Path, count: int) -> None:
        (folder / "Driver.java").write_text(driver("Driver.java.txt"), encoding="ascii")
        sources = [f"Model{number}.java" for number in range(count)]
        options = ["--release", "8", "-Xlint:-options", "-Werror", "-encoding", "ascii"]
        self.call(
            ["javac", *(f"-J{flag}" for flag in QUICK), *options, "Driver.java", *sources], folder
        )
        self.call(["java", *QUICK, "-cp", ".", "Driver", str(count)], folder)


class SqlEngine(Engine):
    """A database that runs queries of a table ``rows``."""

    form = "sql"
    dialect: ClassVar[str]

    @abstractmethod
    def query(
        self, columns: Sequence[Column], rows: int, key: str, text: str
    ) -> list[tuple[Any, ...]]:
        """Run a query of the table ``rows``: some columns, and the row number ``key``."""

    def with_options(self, options: Mapping[str, Any]) -> Engine:
        dialect = options.get("dialect", self.dialect)
        if dialect not in SQL_ENGINES:
            raise InputError(
                f"SQL of the dialect {dialect!r} cannot be run here. These can: "
                f"{', '.join(SQL_ENGINES)}. Their exports come from the same conditions."
            )
        return SQL_ENGINES[dialect]

    def run(self, jobs: Sequence[Job]) -> list[list[ExportAnswer]]:
        return [self._run_query(job) for job in jobs]

    def write(self, folder: Path, number: int, job: Job) -> None:
        """Do nothing: a query needs no file."""

    def execute(self, folder: Path, count: int) -> None:
        """Do nothing: queries are run one by one."""

    def _run_query(self, job: Job) -> list[ExportAnswer]:
        names = [field.name for field in job.fields]
        key = "row"
        while key in names:
            key += "_"
        query = job.model.export(
            "sql", dialect=self.dialect, table="rows", keep=key, probabilities=True
        )
        cells = [job.table.column(name) for name in names]
        found = sorted(self.query(cells, job.table.rows, key, query), key=itemgetter(0))
        if not found:
            return []
        _, labels, rules, *rest = zip(*found, strict=True)
        if isinstance(job.model, RegressionModel):
            return bulk_answers(label_cells(labels), rules, rest[1:])
        if isinstance(job.model.classes[0], bool):
            labels = tuple(bool(label) if label in (0, 1) else label for label in labels)
        return bulk_answers(label_cells(labels), rules, rest[2:])


class DuckdbEngine(SqlEngine):
    """DuckDB."""

    title = "duckdb"
    dialect = "duckdb"

    def query(
        self, columns: Sequence[Column], rows: int, key: str, text: str
    ) -> list[tuple[Any, ...]]:
        return query_columns("duckdb", columns, rows, key, text)


class SqliteEngine(SqlEngine):
    """The SQLite of Python."""

    title = "sqlite"
    dialect = "sqlite"

    def query(
        self, columns: Sequence[Column], rows: int, key: str, text: str
    ) -> list[tuple[Any, ...]]:
        return query_columns("sqlite", columns, rows, key, text)


SQL_ENGINES: dict[str, Engine] = {"duckdb": DuckdbEngine(), "sqlite": SqliteEngine()}
"""Engines of SQL by the dialect that they run."""

ENGINES: dict[str, Engine] = {
    engine.form: engine
    for engine in (
        PythonEngine(),
        NodeEngine(),
        CompilerEngine(),
        JavaEngine(),
        SQL_ENGINES["duckdb"],
    )
}
"""Engines by the form that they run."""
