"""Progress: a search says how far it is, and whoever wants to know listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, "int | None"], None]
"""Called with what is being done, how many steps are done, and how many there are at the most.

None where nobody knows.
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


def report(what: str, done: int, most: int | None) -> None:
    """Say how far a search is."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, most)
