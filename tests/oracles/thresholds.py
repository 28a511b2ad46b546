"""Thresholds by counting, one candidate after another."""

import numpy as np


def gathered_rows(x, cut, above, gathers_missing):
    """Rows on one side of a cut."""
    rows = x > cut if above else x <= cut  # NaN compares false
    return rows | np.isnan(x) if gathers_missing else rows


def heaviest_threshold(columns, weight, gathers_missing=False, prefers_above=False):
    """Try every cut of every column in the documented order; the first of the best wins."""
    best = None
    for number, x in enumerate(columns):
        for above in (True, False) if prefers_above else (False, True):
            for cut in np.unique(x[~np.isnan(x)]):
                rows = gathered_rows(x, cut, above, gathers_missing)
                total = int(weight[rows].sum())
                gathered = int(weight[rows & (weight > 0)].sum())
                if best is None or (total, gathered) > best[3:]:
                    best = (number, above, float(cut), total, gathered)
    return best


def tally(x, label, weight, classes):
    """Class weights at or below each distinct value, by counting."""
    return {
        float(v): [float(weight[(x <= v) & (label == c)].sum()) for c in range(classes)]
        for v in np.unique(x[~np.isnan(x)])
    }
