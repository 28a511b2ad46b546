"""The engine of PMML: the JPMML evaluator, whose archives the package jpmml_evaluator holds."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from rulewright.exports.engines import QUICK, Engine, Job, driver
from rulewright.exports.exchange import text_cell

PACKAGE = "jpmml_evaluator"


class PmmlEngine(Engine):
    """JPMML: documents are validated by the schema of PMML 4.4 and evaluated row by row."""

    form = "pmml"
    title = "JPMML"
    programs = ("javac", "java")
    packages = ((PACKAGE, "engines"),)

    def write(self, folder: Path, number: int, job: Job) -> None:
        text = job.model.export("pmml", reasons=False)
        (folder / f"model{number}.pmml").write_text(text, encoding="utf-8", newline="")
        lines = "".join(f"{text_cell(field.name)}\t{field.kind}\n" for field in job.fields)
        (folder / f"columns{number}").write_text(lines, encoding="ascii")

    def execute(self, folder: Path, count: int) -> None:
        (folder / "PmmlDriver.java").write_text(driver("PmmlDriver.java.txt"), encoding="ascii")
        path = _archives()
        flags = [f"-J{flag}" for flag in QUICK]
        self.call(["javac", *flags, "-cp", path, "PmmlDriver.java"], folder)
        command = ["java", "-XX:+UseSerialGC", "-Xss64m", "-cp", f"{path}{os.pathsep}."]
        self.call([*command, "PmmlDriver", str(count)], folder)


def _archives() -> str:
    """Return the class path of the evaluator."""
    spec = find_spec(PACKAGE)
    places = (spec.submodule_search_locations if spec else None) or []
    found = (path for place in places for path in Path(place).glob("dependencies/*.jar"))
    return os.pathsep.join(sorted(map(str, found)))
