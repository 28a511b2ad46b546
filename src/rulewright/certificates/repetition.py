"""Whether rows repeat more than independent draws from one source do.

The number of times that a row occurs has a Poisson distribution whose mean depends on the row.
Whatever the means are, the numbers of rows that occur k - 1, k and k + 1 times limit each other:
the middle one cannot be much larger than the two others. Where copies were made, it is. This holds
for every source. Where columns have many values, two independent rows are hardly ever equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, NumericColumn, Table
from rulewright.kernels import row_hashes

FALSE_ALARM = 0.001
"""Maximum share of independent samples that get the caution about multiplicities."""
PARAMETERS = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1 / 2, 3 / 4, 63 / 64)
"""Values of x and y in the e-values of ``_excess_multiplicity``."""

MIN_REPEATED = 0.05
"""Minimum share of repeated rows; a smaller one hardly changes a bound."""
MIN_VALUES, MAX_COLUMNS = 20, 6
"""Minimum number of values of a compared column, and maximum number of these columns."""
MAX_CORRELATION = 0.9
"""Maximum rank correlation of two columns that are compared."""
MIN_RATIO = 10
"""Minimum ratio of equal pairs of rows to those expected by chance."""

Counts = NDArray[np.integer[Any]]
Hashes = NDArray[np.uint64]


def repetition_cautions(
    table: Table, y: NDArray[np.integer[Any]], target: str = "class"
) -> list[str]:
    """Return a caution about repeated rows that independent draws do not explain.

    Rows are equal where all columns and the class are. ``target`` is the word for the latter.

    Examples
    --------
    >>> from rulewright.data import NumericColumn
    >>> values = np.repeat(np.arange(40.0), 25)
    >>> table = Table([NumericColumn("x", values)], 1000)
    >>> for caution in repetition_cautions(table, np.zeros(1000, int)):
    ...     print(caution[:59])
    960 of the 1000 rows repeat another row: all columns and th
    """
    hashes = column_hashes(table.columns, y)
    ordered = np.sort(hashes)
    if (ordered[1:] != ordered[:-1]).all():
        return []
    _, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    repeated = table.rows - counts.size
    reason = _too_regular(counts) or _too_many(table.take(first), counts)
    if not reason:
        return []
    return [
        f"{repeated} of the {table.rows} rows repeat another row: all columns and the {target} are "
        f"equal, and only {counts.size} rows differ. {reason} Copies of a case are not new cases, "
        "and the certificate counts each row as one: keep one row of each case, or hold out and "
        "count whole groups of rows."
    ]


def column_hashes(columns: Sequence[Column], *more: Counts) -> Hashes:
    """Return a 64-bit hash of each row by some columns and further codes."""
    numbers = [column.values for column in columns if isinstance(column, NumericColumn)]
    codes = [column.codes for column in columns if isinstance(column, CategoricalColumn)]
    all_codes = [np.ascontiguousarray(code, np.int32) for code in (*codes, *more)]
    rows = numbers[0].size if numbers else all_codes[0].size
    return row_hashes(numbers, all_codes, rows)


def _too_regular(counts: Counts) -> str:
    """Return the reason if no source explains the multiplicities, else an empty text."""
    profile = np.bincount(counts)
    times, evidence = _excess_multiplicity(profile)
    rows = int(counts.sum())
    # A fixed number of rows is a Poisson number conditioned on its value, with this probability.
    log_inverse = 0.5 * math.log(2 * math.pi * rows) + 1 / (12 * rows)
    if evidence < log_inverse - math.log(FALSE_ALARM):
        return ""
    fewer, many, more = (_at(profile, times + step) for step in (-1, 0, 1))
    return (
        f"{many} of these occur {_times(times)}, but {fewer} occur {_times(times - 1)} and {more} "
        f"{_times(times + 1)}: fewer than 1 in {round(1 / FALSE_ALARM)} independent samples repeat "
        "like that, whatever their source."
    )


def _excess_multiplicity(profile: Counts) -> tuple[int, float]:
    """Return the multiplicity with the largest e-value, and the log of the sum of e-values.

    ``profile[k]`` is the number of rows that occur k times. With a mean of l, a row occurs k times
    with probability p(k) = exp(-l) l**k / k!. Since 2 sqrt(ab) <= a + b, for x and y below 1

        g p(k) <= x p(k-1) + y p(k+1)    with    g = 2 sqrt(xy k / (k+1)),

    so (1+g)**profile[k] (1-x)**profile[k-1] (1-y)**profile[k+1] has an expectation of at most 1,
    and so has any mean of these products. It exceeds 1/a with a probability of at most a.
    """
    evidence: dict[int, float] = {}
    for k in np.flatnonzero(profile):
        if k >= 2:
            values = [_log_e_value(profile, int(k), x, y) for x in PARAMETERS for y in PARAMETERS]
            evidence[int(k)] = _log_mean(values) - math.log(k * (k - 1))  # 1/(k(k-1)) sum to 1
    if not evidence:
        return 0, -math.inf
    everything = math.log(sum(math.exp(min(value, 700.0)) for value in evidence.values()))
    return max(evidence, key=lambda k: evidence[k]), everything


def _log_e_value(profile: Counts, k: int, x: float, y: float) -> float:
    gain = 2 * math.sqrt(x * y * k / (k + 1))
    excess = _at(profile, k) * math.log1p(gain)
    return excess + _at(profile, k - 1) * math.log1p(-x) + _at(profile, k + 1) * math.log1p(-y)


def _at(profile: Counts, k: int) -> int:
    return int(profile[k]) if k < profile.size else 0


def _log_mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs) / len(logs))


def _times(k: int) -> str:
    return {1: "once", 2: "twice"}.get(k, f"{k} times")


def _too_many(different: Table, counts: Counts) -> str:
    """Return the reason if columns of many values make equal rows unlikely, else an empty text.

    The different rows show how often two of them agree in a column, and in two columns. Equal rows
    agree in both.
    """
    rows = int(counts.sum())
    if counts.size < 2 or rows - counts.size < MIN_REPEATED * rows:
        return ""
    equal = _pairs(counts)
    by_values = sorted(
        (
            (np.unique(c.values[~c.missing]).size, place)
            for place, c in enumerate(different.numeric)
        ),
        reverse=True,
    )
    chosen = [
        different.numeric[place] for size, place in by_values[:MAX_COLUMNS] if size >= MIN_VALUES
    ]
    for one, other in combinations(chosen, 2):
        if abs(_rank_correlation(one.values, other.values)) > MAX_CORRELATION:
            continue
        chance = max(_agreeing([one]) * _agreeing([other]), _agreeing([one, other], known=0))
        expected = chance * rows * (rows - 1) / 2
        if equal > MIN_RATIO * (1 + expected):
            return (
                f"Two rows seldom agree even in {one.name!r} and {other.name!r} alone: chance "
                f"explains about {expected:.2g} pairs of equal rows, and there are {equal}."
            )
    return ""


def _pairs(counts: Counts) -> int:
    return int((counts.astype(np.int64) * (counts.astype(np.int64) - 1) // 2).sum())


def _agreeing(columns: Sequence[Column], known: int = 3) -> float:
    """Return the share of row pairs that agree in these columns, with ``known`` pairs added."""
    _, counts = np.unique(column_hashes(columns), return_counts=True)
    rows = int(counts.sum())
    return min(1.0, (_pairs(counts) + known) / (rows * (rows - 1) / 2))


def _rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    there = ~(np.isnan(one) | np.isnan(other))
    if there.sum() < 3:
        return 1.0
    ranks = np.array([_ranks(values[there]) for values in (one, other)])
    if not np.ptp(ranks, axis=1).all():
        return 1.0
    return float(np.corrcoef(ranks)[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.unique(values, return_inverse=True)[1].astype(np.float64)
