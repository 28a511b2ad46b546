"""Progress of a search, reported to a listener."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, "int | None"], None]
"""Function of the current work, the number of steps done and the maximum number of steps.

The maximum is None where it is not known.
"""

_listener: ContextVar[Listener | None] = ContextVar("progress", default=None)


@contextmanager
def listen(listener: Listener | None) -> Iterator[None]:
    """Report the progress of every search run inside to ``listener``; None changes nothing."""
    if listener is None:
        yield
        return
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(what: str, done: int, max_steps: int | None) -> None:
    """Report the progress of a search to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, max_steps)
