"""Calls that share the cores: NumPy and the C++ core release Python's lock while they compute."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

MIN_CELLS_FOR_THREADS = 2**18
"""Number of cells from which threads take less time than starting them."""

_of_thread = threading.local()


def thread_map(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int, cells: int
) -> list[Result]:
    """Results of a function for all items, in their order.

    A call may not change what another one reads. Long calls use ``stop_if_cancelled``.

    Parameters
    ----------
    function : callable
    items : iterable
    threads : int
        Number of threads. Results do not depend on it.
    cells : int
        Number of cells that all calls read together. Few are read by one thread.

    Examples
    --------
    >>> thread_map(abs, [-1, 2, -3], threads=2, cells=10**6)
    [1, 2, 3]
    """
    items = list(items)
    threads = min(threads, len(items))
    if threads < 2 or cells < MIN_CELLS_FOR_THREADS:
        return [function(item) for item in items]
    cancelled = threading.Event()

    def call(item: Item) -> Result:
        _of_thread.cancelled = cancelled
        return function(item)

    with ThreadPoolExecutor(threads) as executor:
        try:
            return list(executor.map(call, items))
        except BaseException:  # Ctrl-C too: the other threads do not see it
            cancelled.set()
            raise


def stop_if_cancelled() -> None:
    """Raise an error in a call of ``thread_map`` whose result is not needed any more."""
    cancelled = getattr(_of_thread, "cancelled", None)
    if cancelled is not None and cancelled.is_set():
        raise CancelledError
