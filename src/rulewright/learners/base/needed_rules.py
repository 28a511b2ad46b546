"""Lists without the rules that change no answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def needed_rules(
    covered: Sequence[NDArray[np.integer] | NDArray[np.bool_]],
    outputs: Sequence[int],
    default: int,
    rows: int,
    kept: int = 0,
) -> list[int]:
    """Numbers of the rules of a list without which some training row would be answered otherwise.

    ``covered`` are the rows on which each rule holds, a mask or row numbers. A rule is not needed
    where no row reaches it, or where the rules after it, or the default, answer the same. Rules are
    left out from the last to the first, so all that stay are needed. The first ``kept`` stay in any
    case.

    Examples
    --------
    >>> everywhere, first = np.array([True, True]), np.array([True, False])
    >>> needed_rules([first, everywhere], outputs=[0, 0], default=1, rows=2)
    [1]
    """
    times = np.zeros(rows, np.intp)
    for part in covered:
        times[part] += 1
    answers = np.full(rows, default)
    needed: list[int] = []
    for number in reversed(range(len(covered))):
        part = covered[number]
        times[part] -= 1
        reached = np.zeros(rows, np.bool_)
        reached[part] = True
        reached &= times == 0
        if number < kept or (answers[reached] != outputs[number]).any():
            answers[part] = outputs[number]
            needed.append(number)
    return needed[::-1]
