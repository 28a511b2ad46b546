"""Running cells: those with a kept result are not run again, others run in parallel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed, parallel_config

from rulewright.data import ResultStore
from rulewright.experiments.cells import Cell, CellFunction, Result

IDLE_SECONDS = 10
"""Time after which a process without a task ends."""

CellProgress = Callable[[int, int, float | None], None]
"""A function of the number of finished cells, the number of all, and the seconds left (or None)."""


def run_cells(
    cells: Sequence[Cell],
    *,
    store: ResultStore | None = None,
    jobs: int = 1,
    context: Any = None,
    context_key: str = "",
    progress: CellProgress | None = None,
) -> list[Result]:
    """Return the results of cells in their order.

    Parameters
    ----------
    cells : sequence of Cell
    store : ResultStore, optional
        Where results are found and kept. None keeps nothing after the call.
    jobs : int, default=1
        Number of processes; -1 for one on each core.
    context : object
        What all cells share, such as a table. It must be possible to pickle it.
    context_key : str
        What identifies the context in the store.
    progress : callable, optional
        Called with the number of finished cells, the number of all cells and the seconds left.
    """
    if store is None:
        with ResultStore(None) as temporary:
            return run_cells(
                cells,
                store=temporary,
                jobs=jobs,
                context=context,
                context_key=context_key,
                progress=progress,
            )
    keys = [cell.key(context_key) for cell in cells]
    known = store.get(keys)
    unknown = {key: cell for key, cell in zip(keys, cells, strict=True) if key not in known}
    clock = _Clock(len(set(keys)), len(unknown), progress)
    for key, values, seconds in _computed(unknown, jobs, context):
        cell = unknown[key]
        store.put(key, cell.function, dict(cell.parameters), values, seconds)
        clock.count()
    kept = store.get(keys)
    return [Result(cell, *kept[key]) for key, cell in zip(keys, cells, strict=True)]


def _computed(
    cells: dict[str, Cell], jobs: int, context: Any
) -> Iterator[tuple[str, dict[str, Any], float]]:
    """Results as they finish."""
    tasks = [(key, cell.resolved(), dict(cell.parameters)) for key, cell in cells.items()]
    if jobs == 1 or len(tasks) < 2:
        yield from (_timed(*task, context) for task in tasks)
        return
    # Each process takes one task at a time, because tasks differ much in their length. It ends soon
    # after its parent was killed.
    with parallel_config("loky", idle_worker_timeout=IDLE_SECONDS):
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(_timed)(*task, context) for task in tasks)


def _timed(
    key: str, function: CellFunction, parameters: dict[str, Any], context: Any
) -> tuple[str, dict[str, Any], float]:
    start = time.perf_counter()
    values = function(parameters, context)
    return key, values, time.perf_counter() - start


class _Clock:
    """Counts finished cells, and estimates the time left from the cells of this run."""

    def __init__(self, total: int, unknown: int, progress: CellProgress | None) -> None:
        self._total, self._unknown, self._new = total, unknown, 0
        self._progress = progress
        self._start = time.perf_counter()
        self._report()

    def count(self) -> None:
        self._new += 1
        self._report()

    def _report(self) -> None:
        if self._progress is None:
            return
        left = self._unknown - self._new
        elapsed = time.perf_counter() - self._start
        seconds = elapsed / self._new * left if self._new else None
        self._progress(self._total - left, self._total, seconds)
