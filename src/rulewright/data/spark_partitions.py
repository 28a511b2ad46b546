"""Jobs of Spark: a function of Arrow batches runs in the worker of each partition.

The workers keep the columns as blocks, so that only the first job reads and converts the rows.
"""

from __future__ import annotations

import pickle  # noqa: TID251  (functions, for workers that Spark sends them to)
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from rulewright.data.lazy_queries import Answer, answered, columns_of, engine_errors
from rulewright.errors import InputError

if TYPE_CHECKING:
    from rulewright.data.partition_counts import PartitionJob, Runner

STORAGE = "spark.rulewright.storageLevel"
"""Setting of a session: where the workers keep the columns, or NONE."""
DEFAULT_STORAGE, NO_STORAGE = "MEMORY_AND_DISK_DESER", "NONE"


def spark_runner(frame: Any) -> Runner | None:
    """Return what runs jobs on a frame of Spark; None for other engines."""
    is_remote = frame.implementation.is_pyspark_connect()
    if not (frame.implementation.is_pyspark() or is_remote):
        return None
    level = _storage(nw.to_native(frame).sparkSession)
    return ScanRunner(frame) if is_remote or level is None else BlockRunner(frame, level)


def _storage(session: Any) -> Any:
    """Storage level that the session asks for; None for none."""
    from pyspark import StorageLevel  # noqa: PLC0415  (only needed here)

    name = session.conf.get(STORAGE, DEFAULT_STORAGE)
    if name == NO_STORAGE:
        return None
    level = getattr(StorageLevel, name, None)
    if not isinstance(level, StorageLevel):
        raise InputError(
            f"{STORAGE} must be {NO_STORAGE} or a storage level of Spark, such as "
            f"{DEFAULT_STORAGE} or DISK_ONLY, got {name!r}."
        )
    return level


@cache
def _functions() -> bytes:
    """Names of ``partition_functions`` with what they stand for, in bytes that need no module."""
    from pyspark import cloudpickle  # noqa: PLC0415  (only needed here)

    from rulewright.data import partition_functions  # noqa: PLC0415  (Arrow is slow)

    pickler: Any = cloudpickle
    pickler.register_pickle_by_value(partition_functions)
    own = {
        name: one
        for name, one in vars(partition_functions).items()
        if getattr(one, "__module__", None) == partition_functions.__name__
    }
    return bytes(pickler.dumps(own))


def sent(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of ``partition_functions`` for workers that do not have this package.

    It is pickled by its name. What the names stand for goes with it in bytes that are made once:
    pickling all functions for each job would take longer than some jobs.
    """
    functions, call = _functions(), pickle.dumps(function)
    module = "rulewright.data.partition_functions"

    def run(*arguments: Any) -> Any:
        known = pickle.loads(functions)

        class Reader(pickle.Unpickler):
            def find_class(self, where: str, name: str) -> Any:
                return known[name] if where == module else super().find_class(where, name)

        return Reader(BytesIO(call)).load()(*arguments)

    return run


class ScanRunner:
    """Runs each job on the rows of a frame, which Spark reads again."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __call__(self, job: PartitionJob) -> Answer:
        native = nw.to_native(self._frame.select(*job.columns))
        schema = ", ".join(f"{name} {kind}" for name, kind in job.types.items())
        counted = nw.from_native(native.mapInArrow(sent(job.count), schema))
        return answered(_joined(counted, job) if job.joined else counted, job.what)

    def close(self) -> None:
        """Nothing is kept."""


def _joined(counted: Any, job: PartitionJob) -> Any:
    """Join the rows of several partitions that have the same keys."""
    from rulewright.data.partition_functions import JOINED  # noqa: PLC0415  (Arrow is slow)

    sums = [getattr(nw.col(name), JOINED[name])() for name in job.names if name in JOINED]
    return counted.group_by(*(name for name in job.names if name not in JOINED)).agg(*sums)


class BlockRunner:
    """Runs jobs on blocks of rows, which the workers keep from the first job until ``close``."""

    def __init__(self, frame: Any, level: Any) -> None:
        self._native = nw.to_native(frame)
        with engine_errors(self._native, "read the rows"):
            blocks = _blocks_of_messages(self._native) or _blocks_of_rows(self._native)
            self._blocks = blocks.setName("columns that rulewright counts").persist(level)

    def __call__(self, job: PartitionJob) -> Answer:
        import pyarrow as pa  # noqa: PLC0415  (Arrow is slow)

        from rulewright.data.partition_functions import (  # noqa: PLC0415  (Arrow is slow)
            answer_of_blocks,
            joined_answers,
        )

        count = partial(answer_of_blocks, count=job.count, names=job.names)
        with engine_errors(self._native, job.what):
            counted = self._blocks.mapPartitions(sent(count))
            joined = [counted.treeReduce(sent(joined_answers))] if job.joined else None
            answers = counted.collect() if joined is None else joined
        return columns_of(pa.concat_tables(pa.ipc.open_stream(one).read_all() for one in answers))

    def close(self) -> None:
        """Release the blocks."""
        with suppress(Exception):  # a session that has ended keeps nothing
            self._blocks.unpersist()


def _blocks_of_messages(native: Any) -> Any:
    """Blocks of a frame from Spark's own Arrow batches; None if a version has none.

    Java makes these batches in less than half the time that ``mapInArrow`` takes.
    """
    from py4j.protocol import Py4JError, Py4JJavaError  # noqa: PLC0415  (only needed here)
    from pyspark import RDD  # noqa: PLC0415  (only needed here)
    from pyspark.serializers import NoOpSerializer  # noqa: PLC0415  (only needed here)

    from rulewright.data.partition_functions import (  # noqa: PLC0415  (Arrow is slow)
        blocks_of_messages,
    )

    session = native.sparkSession
    is_large = session.conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false") == "true"
    text = "large_string" if is_large else "string"
    kinds = {n: k if k in ("double", "boolean") else text for n, k in native.dtypes}
    try:
        batches = native._jdf.toArrowBatchRdd().toJavaRDD()
    except Py4JJavaError:
        raise
    except Py4JError:  # no such method
        return None
    messages: Any = RDD(batches, session.sparkContext, NoOpSerializer())
    return messages.mapPartitions(sent(partial(blocks_of_messages, kinds=kinds)))


def _blocks_of_rows(native: Any) -> Any:
    """Blocks of a frame."""
    from rulewright.data.partition_functions import (  # noqa: PLC0415  (Arrow is slow)
        BLOCK,
        block_batches,
        block_of,
    )

    return native.mapInArrow(sent(block_batches), f"{BLOCK} binary").rdd.map(sent(block_of))
