"""Tests of exchangeability: whether the rows look like independent draws from one source.

If rows are exchangeable, all their orders are equally likely. Each test computes the probability of
an order at least as extreme as the given one. The probabilities are exact, or upper limits that
hold for any number of rows. Nothing is approximated or simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import preview
from rulewright.kernels import code_counts, code_sums

FALSE_ALARM = 0.001
"""Maximum share of exchangeable tables that get a caution."""
CHECK = FALSE_ALARM / 4
"""Share of it for each of the four tests on classes and errors.

That a column follows the row numbers by chance has a probability below 1e-12, by the correlation
required, and needs no share.
"""
MIN_ROWS = 5
"""Minimum number of errors, or of rows of one of many classes, for a test of order."""
MIN_CORRELATION, MIN_DISTINCT = 0.99, 20
"""Minimum rank correlation with the row numbers, and number of values, of a time column."""
SMALL_SAMPLE, SMALL_MIN_CORRELATION, LARGE_SAMPLE = 1_000, 0.97, 100_000
"""Rows and minimum correlation of a first test that excludes most columns; rows of the second."""

Codes = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Counts = NDArray[np.integer[Any]] | Floats

NEWEST = "If the rows are in the order of collection, check the model on the newest rows."


def order_cautions(
    table: Table, y: Codes, wrong: Mask, classes: Sequence[object] = ()
) -> list[str]:
    """Return cautions about training rows that look ordered, in time or by class.

    A certificate is about rows that are drawn independently from one source. At most one in a
    thousand such tables gets a caution.

    Parameters
    ----------
    table : Table
        The training rows, in their order.
    y : array of int
        The class of each row, as a number from 0.
    wrong : array of bool
        The rows that the model misjudges.
    classes : sequence
        The labels by their numbers, for the text. The numbers by default.

    Examples
    --------
    >>> sorted_by_class = np.repeat([0, 1], 10)
    >>> for caution in order_cautions(Table([], 20), sorted_by_class, np.zeros(20, bool)):
    ...     print(caution[:69])
    The rows are sorted by class: each of the 2 classes is one block of t
    """
    labels = [str(label) for label in (classes if len(classes) else range(y.max(initial=0) + 1))]
    by_class = _sorted_by_class(y) or _class_drift(y, labels)
    found = [
        by_class or _neighbours(y, labels),
        "" if by_class else _error_drift(wrong),
        _ordering_columns(table),
    ]
    return [caution for caution in found if caution]


def _sorted_by_class(y: Codes) -> str:
    counts = [int(count) for count in _counts(y) if count]
    if len(counts) < 2 or _runs(y).size > len(counts):
        return ""
    orders = math.lgamma(y.size + 1) - sum(math.lgamma(count + 1) for count in counts)
    if math.lgamma(len(counts) + 1) - orders > math.log(CHECK):
        return ""
    return (
        f"The rows are sorted by class: each of the {len(counts)} classes is one block of the "
        f"{y.size} rows. If they were also collected in this order, check the model on rows of "
        "mixed classes."
    )


def _class_drift(y: Codes, labels: Sequence[str]) -> str:
    deviations = _deviations(y)
    code = drifting_class(_counts(y), deviations)
    if code is None:
        return ""
    return f"Class {labels[code]!r} becomes {_drift_text(y == code, deviations[code])}. {NEWEST}"


def _error_drift(wrong: Mask) -> str:
    errors = int(wrong.sum())
    deviation = _deviations(wrong.astype(np.int32))[1] if errors else 0.0
    if not errors_drift(errors, wrong.size, deviation):
        return ""
    return f"The model's errors become {_drift_text(wrong, deviation)}. {NEWEST}"


def _neighbours(y: Codes, labels: Sequence[str]) -> str:
    counts = _counts(y)
    tested = _tested(counts)
    runs = np.bincount(y[_runs(y)], minlength=counts.size)
    chances = [_chance_of_runs(int(runs[c]), int(counts[c]), y.size) for c in tested]
    if not chances or min(chances) * len(tested) > CHECK:
        return ""
    code = tested[chances.index(min(chances))]
    count = int(counts[code])
    behind, expected = count - int(runs[code]), count * (count - 1) / y.size
    found = (
        f"Of the {count} rows of class {labels[code]!r}, {behind} stand right behind another of "
        f"that class, where a random order has about {expected:.0f}"
    )
    if behind > expected:
        return (
            f"{found}: neighbouring rows are alike. If neighbours belong together, such as several "
            "rows of one person, keep one row of each such group."
        )
    return (
        f"{found}: the classes take turns. If rows were picked by their class, in pairs perhaps, "
        "the certificate is about such picked rows only: use rows as they come, or rely on the "
        "bounds within each class. If the file was merely arranged so afterwards, the certificate "
        "is unaffected."
    )


def _ordering_columns(table: Table) -> str:
    strengths = {column.name: _time_correlation(column.values) for column in table.numeric}
    found = {
        name: strength for name, strength in strengths.items() if abs(strength) > MIN_CORRELATION
    }
    if not found:
        return ""
    columns = "column" if len(found) == 1 else "columns"
    ways = " or ".join(dict.fromkeys("rising" if s > 0 else "falling" for s in found.values()))
    weakest = math.floor(1000 * min(map(abs, found.values())) + 1e-6) / 1000
    return (
        f"The rows look ordered by {columns} {preview(found)}, in time perhaps ({ways} along the "
        f"rows, rank correlation {'at least ' if weakest < 1 else ''}{weakest:g}). {NEWEST}"
    )


def drifting_class(counts: Counts, deviations: Floats) -> int | None:
    """Return the class that is early or late beyond chance, if there is one.

    ``counts`` are the rows of each class, and ``deviations`` how late these are.
    """
    tested = _tested(counts)
    code = max(tested, key=lambda code: abs(deviations[code]), default=-1)
    if code < 0 or _chance_of_deviation(deviations[code]) * len(tested) > CHECK:
        return None
    return code


def errors_drift(errors: int, rows: int, deviation: float) -> bool:
    """Whether errors are early or late beyond chance."""
    return min(errors, rows - errors) >= MIN_ROWS and _chance_of_deviation(deviation) <= CHECK


def _tested(counts: Counts) -> list[int]:
    """Return the classes to test against the others; of two classes, one."""
    present = np.flatnonzero(counts)
    if present.size <= 2:
        return [int(code) for code in present[1:]]
    return [int(code) for code in np.flatnonzero(counts >= MIN_ROWS)]


def _counts(codes: Codes) -> NDArray[np.int64]:
    """Return the number of rows of each code up to the largest."""
    return code_counts(codes, int(codes.max(initial=-1)) + 1)


def _runs(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions where a run of equal values starts."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])


def _deviations(codes: Codes) -> Floats:
    """Return how late the rows of each code are, in standard deviations of their rank sum.

    Negative values are early. Rows are ranked without ties, as in the test of Wilcoxon.
    """
    rows = codes.size
    counts = _counts(codes).astype(np.float64)
    surplus = code_sums(codes, np.arange(rows, dtype=np.float64), counts.size)
    surplus -= counts * ((rows - 1) / 2)
    return in_deviations(surplus, counts, rows)


def in_deviations(surplus: Floats, counts: Floats, rows: float) -> Floats:
    """Return sums of centred ranks in standard deviations of random orders of the rows."""
    deviation = np.sqrt(counts * (rows - counts) * ((rows + 1) / 12))
    deviations: Floats = np.divide(
        surplus, deviation, out=np.zeros_like(surplus), where=deviation > 0
    )
    return deviations


def _chance_of_deviation(deviation: float) -> float:
    """Return an upper limit of the probability that rows are this early, or this late.

    Notes
    -----
    The sum of the ranks of n rows among m has the generating function of a Gaussian binomial: when
    centred, a product of n factors ``(sinh(Nt/2) / N) / (sinh(it/2) / i)`` with ``N = m - n + i``.
    As ``sinh(x) / x`` is the product of all ``1 + (x / (k pi))^2``, each factor is at most
    ``exp((N^2 - i^2) t^2 / 24)``, and these exponents sum to ``t^2 / 2`` times the variance. So
    either tail is at most ``exp(-deviation^2 / 2)``, for any n and m.
    """
    return min(1.0, 2 * math.exp(-(deviation**2) / 2))


def _drift_text(marked: Mask, deviation: float) -> str:
    """Return the text of the shares before and after the row where they differ most."""
    rows, count = marked.size, int(marked.sum())
    ahead = np.cumsum(marked)[:-1] - np.arange(1, rows) * (count / rows)
    first = int(np.argmin(ahead) if deviation > 0 else np.argmax(ahead)) + 1
    before = int(marked[:first].sum())
    early, late = 100 * before / first, 100 * (count - before) / (rows - first)
    return (
        f"{'more' if deviation > 0 else 'less'} frequent along the rows: {early:.1f} % of the "
        f"first {first}, {late:.1f} % of the other {rows - first}"
    )


def _chance_of_runs(runs: int, count: int, rows: int) -> float:
    """Return an upper limit of the probability of this few, or this many, runs of a class.

    The runs take some of the gaps between the other rows, so their number is hypergeometric. From
    one number to the next the probability changes by ever smaller factors away from the mean; a
    geometric series therefore limits the tail.
    """
    gaps = rows - count + 1
    here = _log_choose(gaps, runs) + _log_choose(count - 1, runs - 1) - _log_choose(rows, count)
    if runs * rows < count * gaps:
        onward = runs * (runs - 1) / ((gaps - runs + 1) * (count - runs + 1))
    else:
        onward = (gaps - runs) * (count - runs) / ((runs + 1) * runs)
    return min(1.0, 2 * math.exp(here) / (1 - onward)) if onward < 1 else 1.0


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _time_correlation(values: Floats) -> float:
    """Return the rank correlation of a column with the row numbers, 0 where it is weak."""
    sample = _present(_sampled(values, SMALL_SAMPLE))
    if not _starts_on_one_side(sample) or abs(_rank_correlation(sample)) < SMALL_MIN_CORRELATION:
        return 0.0
    return _rank_correlation(_sampled(_present(values), LARGE_SAMPLE), MIN_DISTINCT)


def _present(values: Floats) -> Floats:
    present: Floats = values[~np.isnan(values)]
    return present


def _starts_on_one_side(values: Floats) -> bool:
    """Whether nearly all of the first third is on one side of the middle value.

    A quick test that saves sorting most columns.
    """
    first = values[: values.size // 3]
    below = np.count_nonzero(first <= values[values.size // 2]) if first.size else 0
    return not 0.1 * first.size < below < 0.9 * first.size


def _sampled(values: Floats, size: int) -> Floats:
    """Return about ``size`` values at equal steps, all where there are fewer."""
    return values[:: max(1, values.size // size)]


def _rank_correlation(values: Floats, distinct: int = 2) -> float:
    """Return Spearman's correlation of numbers with their positions; 0 if too few are distinct."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = _runs(ordered)
    if starts.size < distinct:
        return 0.0
    sizes = np.diff(np.append(starts, values.size))
    middle = (values.size - 1) / 2
    ranks = np.repeat(starts + (sizes - 1) / 2, sizes) - middle
    scale = float(ranks @ ranks) * (values.size**3 - values.size) / 12
    return float(ranks @ (order - middle)) / math.sqrt(scale)
