"""Rules of a few terms, every one of them tried."""

import itertools
import math

import numpy as np

from oracles.families import candidates
from rulewright.data import NumericColumn
from rulewright.families import Question
from rulewright.rules import Ball, Category, HalfSpace, Missing, Threshold


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


def every_axis_term(family, training):
    """Make every term of a family of given predicates, sums, balls or pairs, as rows it holds on.

    Numbers are cut at those of all rows; a centre is any row, and a pair any two rows of different
    classes.
    """
    table = training.table
    if family.name in ("given", "half_planes"):
        every = candidates(family, training, Question(np.ones(table.rows, np.int64)))
        yield from (holds for _, holds in every)
        return
    names = tuple(column.name for column in table.quantities)
    points = [tuple(p) for p in np.stack([table.numbers(name) for name in names], axis=1).tolist()]
    if family.name == "balls":
        lines = [Ball(names, p, 0.0, family.metric).distance(table) for p in points]
    else:
        lines = [
            HalfSpace(names, points[i], points[j], 0.0, kernel=family.kernel).margin(table)
            for i, j in itertools.combinations(range(table.rows), 2)
            if training.y[i] != training.y[j]
        ]
    for numbers in lines:
        for cut in np.unique(numbers).tolist():
            yield numbers <= cut
            yield numbers > cut


def best_score(table, rows, own, weight, criterion, most, acceptable, further=()):
    """Give the highest score of a conjunction of at most so many terms, minus infinity for none.

    ``further`` are the rows of terms besides those of single columns.
    """
    terms = [*(term.holds(table) for term in every_term(table)), *further]
    P, N = weight[rows & own].sum(), weight[rows & ~own].sum()
    best = -math.inf
    for size in range(1, most + 1):
        for chosen in itertools.combinations(terms, size):
            covered = np.logical_and.reduce(chosen) & rows
            p, n = weight[covered & own].sum(), weight[covered & ~own].sum()
            if p * N > n * P and acceptable(p, n, P, N):
                best = max(best, float(criterion(p, n, P, N)))
    return best
