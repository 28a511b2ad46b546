"""What the values of columns hold of covered rows, counted one row after the other."""

from __future__ import annotations

from collections.abc import Sequence


def value_sums(
    codes: Sequence[Sequence[int]],
    covered: Sequence[bool],
    own: Sequence[bool],
    weight: Sequence[float],
) -> dict[tuple[int, int], tuple[float, float]]:
    """Give the weight of the class and of the others for each (column, value) that occurs."""
    sums: dict[tuple[int, int], tuple[float, float]] = {}
    for column, code in enumerate(codes):
        for row, value in enumerate(code):
            if covered[row] and weight[row]:
                p, n = sums.get((column, value), (0.0, 0.0))
                sums[column, value] = (p + weight[row], n) if own[row] else (p, n + weight[row])
    return sums
