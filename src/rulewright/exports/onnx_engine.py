"""The engine of ONNX: onnxruntime, in this process."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Field
from rulewright.errors import InputError
from rulewright.exports.engines import Engine, Job
from rulewright.exports.exchange import ExportAnswer, bulk_answers, label_cells
from rulewright.models import Model


class OnnxEngine(Engine):
    """onnxruntime, on one thread."""

    form = "onnx"
    title = "onnxruntime"

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options = dict(options or {})

    def with_options(self, options: Mapping[str, Any]) -> Engine:
        return OnnxEngine(options)

    def absent(self) -> list[str]:
        return [name for name in ("onnx", "onnxruntime") if find_spec(name) is None]

    def need(self) -> None:
        if self.absent():
            raise InputError(
                f"Checking the form 'onnx' needs {self.absent()[0]}. Install it with: "
                "pip install rulewright[onnx]"
            )

    def run(self, jobs: Sequence[Job]) -> list[list[ExportAnswer]]:
        return [self._answers(job) for job in jobs]

    def write(self, folder: Path, number: int, job: Job) -> None:
        """Do nothing: a session reads the bytes of the export."""

    def execute(self, folder: Path, count: int) -> None:
        """Do nothing: sessions are run one by one."""

    def _answers(self, job: Job) -> list[ExportAnswer]:
        import onnxruntime  # noqa: PLC0415

        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        content = job.model.export("onnx", **self._options)
        session = onnxruntime.InferenceSession(
            content, settings, providers=["CPUExecutionProvider"]
        )
        missing = json.loads(session.get_modelmeta().custom_metadata_map["missing_text"])
        given = {field.name: _given(job, field, missing) for field in job.fields}
        given = given or {"rows": np.array([job.table.rows])}
        labels, rules, *shares = session.run(None, given)
        found = labels.tolist()
        if isinstance(job.model, Model) and isinstance(job.model.classes[0], bool):
            flags = {"True": True, "False": False}  # texts where the model can abstain
            found = [flags.get(label, label) for label in found]
        return bulk_answers(label_cells(found), rules.tolist(), shares[0].T if shares else ())


def _given(job: Job, field: Field, missing: str) -> NDArray[Any]:
    """Return a column as the export takes it."""
    column = job.table.column(field.name)
    if not isinstance(column, CategoricalColumn):
        return column.values
    cells = column.cells()
    if field.kind == "boolean":
        numbers = {"True": 1.0, "False": 0.0}
        return np.array([math.nan if cell is None else numbers[cell] for cell in cells])
    return np.array([missing if cell is None else cell for cell in cells], object)
