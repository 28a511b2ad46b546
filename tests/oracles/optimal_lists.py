"""Optimal lists of rules by trying every list."""

from functools import cache
from itertools import combinations

import numpy as np


def literals_of(tests):
    """Sides of tests that a predicate can express, by number: twice the test, plus its side.

    A predicate is false on missing values, except "is missing". ``tests`` are those of
    ``oracles.optimal_trees``. A side is a literal where no row is missing that the other kind of
    test would put on the other side.
    """
    missing = {column: mask for column, _, kind, mask in tests if kind == "missing"}
    found = {}
    for number, (column, _, kind, mask) in enumerate(tests):
        none = column not in missing
        if kind != "values or missing" or none:
            found[2 * number] = mask
        if kind != "values" or none:
            found[2 * number + 1] = ~mask
    return found


def fewest_errors(literals, label, weight, classes, max_rules, max_terms):
    """Fewest errors of a list of at most 0, 1, ... rules."""
    masks = list(literals.values())
    conditions = {mask.tobytes(): mask for mask in masks}
    if max_terms > 1:
        for one, other in combinations(masks, 2):
            conditions.setdefault((one & other).tobytes(), one & other)

    def constant(rows):
        counts = np.bincount(label[rows], weight[rows], classes)
        return int(counts.sum() - counts.max())

    @cache
    def best(packed, rules):
        rows = np.frombuffer(packed, np.bool_)
        found = constant(rows)
        for mask in conditions.values() if rules else ():
            covered = rows & mask
            if covered.any():
                rest = (rows & ~mask).tobytes()
                found = min(found, constant(covered) + best(rest, rules - 1))
        return found

    everything = np.ones(label.size, np.bool_).tobytes()
    return [best(everything, rules) for rules in range(max_rules + 1)]


def errors_of(rules, literal_mask, label, weight, classes):
    """Errors of a list of pairs of literals, the second -1 for none."""
    left, errors = np.ones(label.size, np.bool_), 0
    for pair in [*rules, ()]:
        covered = left.copy()
        for literal in pair:
            if literal >= 0:
                covered &= literal_mask(literal)
        counts = np.bincount(label[covered], weight[covered], classes)
        errors += int(counts.sum() - counts.max())
        left &= ~covered
    return errors
