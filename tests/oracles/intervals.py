"""Intervals by trying every pair of values."""

import numpy as np


def gathered_rows(x, low, high, inside, gathers_missing):
    """Rows between two values, or the others that have a value."""
    rows = ((x >= low) & (x <= high)) == inside
    return np.where(np.isnan(x), gathers_missing, rows)


def heaviest_interval(
    columns,
    weight,
    gathers_missing=False,
    prefers_outside=False,
    inside_ends=None,
    outside_ends=None,
):
    """Try every interval of every column in the documented order; the first of the best wins."""
    best = None
    for number, x in enumerate(columns):
        for inside in (False, True) if prefers_outside else (True, False):
            ends = inside_ends if inside else outside_ends
            ends = np.ones(x.size, bool) if ends is None else ends
            values = np.unique(x[~np.isnan(x) & ends])
            for i, low in enumerate(values):
                for high in values[i:]:
                    rows = gathered_rows(x, low, high, inside, gathers_missing)
                    total = int(weight[rows].sum())
                    gathered = int(weight[rows & (weight > 0)].sum())
                    if best is None or (total, gathered) > best[4:]:
                        first = [int(np.flatnonzero((x == v) & ends)[0]) for v in (low, high)]
                        best = (number, inside, *first, total, gathered)
    return best
