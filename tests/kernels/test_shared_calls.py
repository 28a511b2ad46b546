"""Calls on several threads."""

import threading

import pytest

from rulewright.kernels import stop_if_cancelled, thread_map

MANY = 2**30
"""Number of cells that threads share."""


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("cells", [0, MANY])
def test_results_are_in_the_order_of_the_items(threads, cells):
    assert thread_map(lambda n: n * n, range(20), threads, cells) == [n * n for n in range(20)]
    assert thread_map(abs, [], threads, cells) == []


def test_an_error_of_one_call_cancels_the_others():
    started, stopped = threading.Event(), threading.Event()

    def call(number):
        if number == 0:
            started.wait(60)
            raise ValueError("no result")
        started.set()
        try:
            while True:
                stop_if_cancelled()
        finally:
            stopped.set()

    with pytest.raises(ValueError, match="no result"):
        thread_map(call, range(2), 2, MANY)
    assert stopped.is_set()
    stop_if_cancelled()
