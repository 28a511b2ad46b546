"""Null distributions of comparisons by going through all ways to draw the new rows."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def chances(values, new_rows, statistic):
    """Probability of each value of a statistic (earlier, new), all draws being equally likely."""
    places = range(len(values))
    found = Counter()
    for drawn in combinations(places, new_rows):
        chosen = set(drawn)
        earlier = [values[i] for i in places if i not in chosen]
        found[statistic(earlier, [values[i] for i in drawn])] += 1
    total = sum(found.values())
    return {value: Fraction(count, total) for value, count in found.items()}


def upper_tail(distribution, value):
    """Probability of a value or a larger one."""
    return float(sum(p for other, p in distribution.items() if other >= value))


def rows_outside(earlier, new):
    """Number of new values outside the range of the earlier ones."""
    return sum(not min(earlier) <= value <= max(earlier) for value in new)


def category_counts(earlier, new):
    """Rows of each category among the earlier and the new rows."""
    names = sorted({*earlier, *new})
    first, second = Counter(earlier), Counter(new)
    return tuple(first[name] for name in names), tuple(second[name] for name in names)
