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


def term_sums(
    sums: dict[tuple[int, int], tuple[float, float]],
    cut: Sequence[bool],
    single: Sequence[bool],
    allowed: Sequence[Sequence[bool]],
    boundaries: bool,
) -> dict[tuple[int, int, int], tuple[float, float]]:
    """Give the weights that each (relation, column, value) keeps, from those of the values."""
    found = {}
    for column in range(len(cut)):
        absent = sums.get((column, -1))
        here = {v: pn for (c, v), pn in sorted(sums.items()) if c == column and v >= 0}
        values = list(here)

        def total(some: Sequence[int], here: dict = here) -> tuple[float, float]:
            return sum(here[v][0] for v in some), sum(here[v][1] for v in some)

        kept: dict[tuple[int, int], tuple[float, float]] = {}
        for place, value in enumerate(values[:-1] if cut[column] else []):
            after = here[values[place + 1]]
            if not boundaries or (here[value][0] > 0 and after[1] > 0):
                kept[0, value] = total(values[: place + 1])
            if not boundaries or (here[value][1] > 0 and after[0] > 0):
                kept[1, value] = total(values[place + 1 :])
        for value in values if single[column] else []:
            kept[2, value] = here[value]
            if len(values) > 2:
                kept[3, value] = total([v for v in values if v != value])
        if absent is not None:
            kept[4, -1], kept[5, -1] = absent, total(values)
        for (relation, value), (p, n) in kept.items():
            if allowed[column][relation] and p > 0:
                found[relation, column, value] = p, n
    return found
