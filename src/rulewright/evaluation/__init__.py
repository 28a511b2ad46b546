"""Evaluation of models on new data: tests on rows with known classes, and monitoring.

A test compares the errors with the certificate; monitoring compares batches of rows with the
training rows. Both give numbers, a table for a terminal, and a page. May import: experiments (for
pages), selection, certificates and below.
To add a measure: compute it in ``measures.py``, and enter it in ``ModelTest`` and ``pages.py``.
"""

__all__ = [
    "DEFAULT_DELTA",
    "PERIODS",
    "AnsweredRows",
    "BatchCounter",
    "BatchResult",
    "CertificateComparison",
    "CostResult",
    "ModelTest",
    "MonitoredBatches",
    "Monitoring",
    "ProbabilityBin",
    "RuleResult",
    "answered_rows",
    "evaluate",
    "monitor",
    "periods_of",
    "result_schema",
]

from rulewright.evaluation.measures import ProbabilityBin, RuleResult
from rulewright.evaluation.monitoring import (
    PERIODS,
    BatchCounter,
    BatchResult,
    MonitoredBatches,
    Monitoring,
    monitor,
    periods_of,
)
from rulewright.evaluation.results import CertificateComparison, CostResult, ModelTest
from rulewright.evaluation.schema import result_schema
from rulewright.evaluation.testing import (
    DEFAULT_DELTA,
    AnsweredRows,
    answered_rows,
    evaluate,
)
