"""Jobs of Spark: a function of Arrow batches runs in the worker of each partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from rulewright.data.lazy_queries import ROWS, Answer, answered

if TYPE_CHECKING:
    from rulewright.data.partition_counts import PartitionJob, Run

ADDED = {ROWS: "sum", "low": "min", "high": "max"}
"""How the columns of answers that are no keys are joined."""


def spark_runner(frame: Any) -> Run | None:
    """Return the function that runs jobs on a frame of Spark; None for other engines."""
    if not (frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect()):
        return None
    from pyspark import cloudpickle  # noqa: PLC0415  (only needed here)

    from rulewright.data import partition_functions  # noqa: PLC0415

    # The workers need not have this package: the functions are sent with the job.
    register: Any = cloudpickle.register_pickle_by_value
    register(partition_functions)
    return lambda job: _answer(frame, job)


def _answer(frame: Any, job: PartitionJob) -> Answer:
    native = nw.to_native(frame.select(*job.columns))
    schema = ", ".join(f"{name} {kind}" for name, kind in job.types.items())
    counted = nw.from_native(native.mapInArrow(job.count, schema))
    return answered(_joined(counted, job) if job.joined else counted, job.what)


def _joined(counted: Any, job: PartitionJob) -> Any:
    """Join the rows of several partitions that have the same keys."""
    sums = [getattr(nw.col(name), ADDED[name])() for name in job.names if name in ADDED]
    return counted.group_by(*(name for name in job.names if name not in ADDED)).agg(*sums)
