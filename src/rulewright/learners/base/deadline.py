"""A limit on the time that a search may take."""

from __future__ import annotations

import math
import time
import warnings

import numpy as np

from rulewright.errors import InputError


class Deadline:
    """Time at which a search stops and keeps the best model found so far.

    Parameters
    ----------
    time_budget : float or None
        Seconds from now; None for as long as it takes.

    Examples
    --------
    >>> Deadline(None).over, Deadline(60).over
    (False, False)
    """

    def __init__(self, time_budget: object) -> None:
        self.seconds = read_time_budget(time_budget)
        self._end = time.monotonic() + self.seconds
        self.missed = False
        self._parts: list[Deadline] = []

    @property
    def over(self) -> bool:
        """Whether time is up; a search that finds this out stops at once."""
        self.missed = self.missed or time.monotonic() > self._end
        return self.missed

    @property
    def left(self) -> float:
        """Seconds that are left; infinite where there is no limit."""
        return max(self._end - time.monotonic(), 0.0)

    def half(self) -> Deadline:
        """Deadline of the next part of a search, after half of the time that is left."""
        self._parts.append(Deadline(max(self.left, 1e-9) / 2))
        return self._parts[-1]

    def warn(self, what: str) -> None:
        """Warn that a search stopped early, and of what it kept; nothing if it finished."""
        if self.missed or any(part.missed for part in self._parts):
            warnings.warn(
                f"The time_budget of {self.seconds:.15g} seconds was over before the "
                f"search: {what}",
                TimeBudgetWarning,
                stacklevel=2,
            )


class TimeBudgetWarning(UserWarning):
    """A search reached its deadline and kept the best model found so far."""


def read_time_budget(seconds: object, name: str = "time_budget") -> float:
    """Number of seconds; infinite where there is no limit."""
    if seconds is None:
        return math.inf
    numeric = isinstance(seconds, int | float | np.number) and not isinstance(seconds, bool)
    if numeric and seconds > 0:  # type: ignore[operator]
        return float(seconds)  # type: ignore[arg-type]
    raise InputError(
        f"{name} must be a number of seconds above 0, or None for no limit, got {seconds!r}."
    )
