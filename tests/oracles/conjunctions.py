"""Rules of a few terms, every one of them tried."""

import itertools
import math

import numpy as np

from rulewright.data import NumericColumn
from rulewright.rules import Category, Missing, Threshold


def every_term(table):
    """Make every test of one column: cuts at its values, its categories, being missing."""
    for column in table.columns:
        if isinstance(column, NumericColumn):
            for cut in np.unique(column.values[~column.missing]).tolist():
                yield Threshold(column.name, above=False, cut=cut)
                yield Threshold(column.name, above=True, cut=cut)
        else:
            for value in column.categories:
                yield Category(column.name, (value,))
                yield Category(column.name, (value,), among=False)
        yield Missing(column.name)
        yield Missing(column.name, missing=False)


def best_score(table, rows, own, weight, criterion, most, acceptable):
    """Give the highest score of a conjunction of at most so many terms, minus infinity for none."""
    terms = [term.holds(table) for term in every_term(table)]
    P, N = weight[rows & own].sum(), weight[rows & ~own].sum()
    best = -math.inf
    for size in range(1, most + 1):
        for chosen in itertools.combinations(terms, size):
            covered = np.logical_and.reduce(chosen) & rows
            p, n = weight[covered & own].sum(), weight[covered & ~own].sum()
            if p * N > n * P and acceptable(p, n, P, N):
                best = max(best, float(criterion(p, n, P, N)))
    return best
