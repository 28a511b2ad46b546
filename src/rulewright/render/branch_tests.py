"""Tests of a split as they are shown: ranges of a numeric column have both of their ends."""

from __future__ import annotations

from rulewright.rules import Interval, Predicate, Split, Threshold


def branch_tests(split: Split) -> tuple[Predicate, ...]:
    """Tests of the branches, except the last, each as it holds on the rows that come to it.

    Examples
    --------
    >>> cuts = (Threshold("age", above=False, cut=20.0), Threshold("age", above=False, cut=60.0))
    >>> first, second = branch_tests(Split(cuts, (1, 2, 3)))
    >>> (first == cuts[0], second.low, second.high, second.low_open)
    (True, 20.0, 60.0, True)
    """
    ends = [test for test in split.tests if isinstance(test, Threshold) and not test.if_missing]
    if len(ends) < len(split.tests) or len(split.columns) > 1:
        return split.tests
    shown: list[Predicate] = []
    low: Threshold | None = None
    high: Threshold | None = None
    for end in ends:
        if end.above:
            shown.append(end if high is None else _between(end, high) or end)
            high = end
        else:
            shown.append(end if low is None else _between(low, end) or end)
            low = end
    return tuple(shown)


def _between(low: Threshold, high: Threshold) -> Interval | None:
    """Numbers above one cut and not above another; None if the cuts are not in order."""
    if not low.cut < high.cut:
        return None
    return Interval(
        low.column,
        low.cut,
        high.cut,
        low_open=not low.cut_above,
        high_open=high.cut_above,
        moment=low.moment,
    )
