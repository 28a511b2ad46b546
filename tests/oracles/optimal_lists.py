"""Optimal lists of rules by trying every list."""

from functools import cache

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


def conditions_of(literals, max_terms):
    """Conjunctions of literals by what they cover."""
    masks = {mask.tobytes(): mask for mask in literals.values()}
    found = dict(masks)
    for _ in range(max_terms - 1):
        longer = [one & other for one in found.values() for other in masks.values()]
        found |= {mask.tobytes(): mask for mask in longer}
    return found


def fewest_errors(literals, label, weight, classes, max_rules, max_terms):
    """Fewest errors of a list of at most 0, 1, ... rules."""
    conditions = conditions_of(literals, max_terms)

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
    """Errors of a list of rules, each a tuple of literals."""
    left, errors = np.ones(label.size, np.bool_), 0
    for rule in [*rules, ()]:
        covered = left.copy()
        for literal in rule:
            covered &= literal_mask(literal)
        counts = np.bincount(label[covered], weight[covered], classes)
        errors += int(counts.sum() - counts.max())
        left &= ~covered
    return errors
