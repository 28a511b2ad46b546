"""Memory of the process."""

from __future__ import annotations

from rulewright.kernels import _core


def keep_freed_memory() -> bool:
    """Keep the memory of freed arrays for new ones from now on; return whether that is possible.

    The system clears the memory of every new array, which takes a third of the time of a large fit.
    This is for programs that end after their work: the memory is not returned before.
    """
    return _core.keep_freed_memory()
