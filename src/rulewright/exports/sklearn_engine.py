"""The engine of objects of scikit-learn: an interpreter in which this package is not found."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulewright.exports.engines import Engine, Job, driver
from rulewright.render import file_content


class SklearnEngine(Engine):
    """scikit-learn."""

    form = "sklearn"
    title = "scikit-learn"
    as_numbers = True

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options = dict(options or {})

    def with_options(self, options: Mapping[str, Any]) -> Engine:
        return SklearnEngine(options)

    def write(self, folder: Path, number: int, job: Job) -> None:
        content = file_content(job.model.export("sklearn", **self._options))
        (folder / f"model{number}.joblib").write_bytes(content)

    def execute(self, folder: Path, count: int) -> None:
        (folder / "driver.py").write_text(driver("sklearn_driver.py.txt"), encoding="utf-8")
        self.call([sys.executable, "-I", "driver.py", str(count)], folder)
