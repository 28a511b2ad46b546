"""BuildSCM by brute force: every candidate predicate, exact fractions, the paper's own words."""

from fractions import Fraction

import numpy as np

from rulewright.rules import Category, Missing, Threshold


def candidates(table, families):
    """All predicates of the families, in the documented order."""
    found = []
    if "thresholds" in families:
        for column in table.numeric:
            cuts = np.unique(column.values[~np.isnan(column.values)])
            found += [
                Threshold(column.name, above, float(c)) for above in (False, True) for c in cuts
            ]
    if "categories" in families:
        for column in table.categorical:
            found += [
                Category(column.name, (category,), among)
                for among in (True, False)
                for category in column.categories
            ]
    if "missing" in families:
        for column in table.columns:
            if column.missing.any():
                found += [Missing(column.name), Missing(column.name, False)]
    return found


def value(covers, loses, p):
    """Usefulness as something that compares exactly, ties broken by covering more, losing less."""
    if p == float("inf"):
        return (-loses, covers)
    return (covers - p * loses, covers, -loses)


def build_scm(table, y, weight, kind, p, max_rules, families):
    """Return the chosen predicates, and for each the value that was the largest."""
    to_cover = set(np.flatnonzero(y == (0 if kind == "conjunction" else 1)).tolist())
    to_spare = set(range(len(y))) - to_cover
    weight = [Fraction(w) for w in weight]
    p = p if p == float("inf") else Fraction(str(p))
    # "Right" means: a conjunction's feature is false on what it covers, a disjunction's true.
    wanted = kind == "disjunction"
    sides = [
        (h, {i for i, holds in enumerate(h.holds(table).tolist()) if holds == wanted})
        for h in candidates(table, families)
    ]
    chosen = []
    while len(chosen) < max_rules and to_cover:
        scored = []
        for h, side in sides:
            covers = sum((weight[i] for i in side & to_cover), Fraction(0))
            loses = sum((weight[i] for i in side & to_spare), Fraction(0))
            scored.append((value(covers, loses, p), h, side, covers))
        if not scored:
            break
        best = max(v for v, *_ in scored)
        _, h, side, covers = next(s for s in scored if s[0] == best)
        if covers == 0:
            break
        chosen.append((h, best))
        to_cover -= side
        to_spare -= side
    return chosen
