"""Exports: exported models are run in their engines and compared with the model.

``rulewright.render`` writes the exports; here they run, on rows of a table, and their classes,
rules and probabilities are compared with those of the model, bit by bit. May import: models,
render, rules, data, errors.
To add an engine: subclass ``Engine`` and enter it in ``ENGINES``; the conformance tests find it
there.
"""

__all__ = [
    "ENGINES",
    "SQL_ENGINES",
    "Agreement",
    "Engine",
    "ExportAnswer",
    "Job",
    "SqlEngine",
    "check_export",
    "compare",
    "model_answers",
]

from rulewright.exports.agreement import Agreement, check_export, compare, model_answers
from rulewright.exports.engines import ENGINES, SQL_ENGINES, Engine, Job, SqlEngine
from rulewright.exports.exchange import ExportAnswer
from rulewright.exports.onnx_engine import OnnxEngine
from rulewright.exports.pmml_engine import PmmlEngine
from rulewright.exports.sklearn_engine import SklearnEngine
from rulewright.exports.spark_engine import SparkEngine
from rulewright.exports.workbook_engine import WorkbookEngine

ENGINES[OnnxEngine.form] = OnnxEngine()
ENGINES[SklearnEngine.form] = SklearnEngine()
ENGINES[WorkbookEngine.form] = WorkbookEngine()
ENGINES[PmmlEngine.form] = PmmlEngine()
SQL_ENGINES[SparkEngine.dialect] = SparkEngine()
