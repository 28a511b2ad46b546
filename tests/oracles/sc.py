"""Overfitting by its definition: every rule, every split, in exact fractions."""

from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, floor

import numpy as np


def covered_sets(X, signs, possible):
    """Every set of objects that thresholds can cover, as rows of a Boolean matrix."""
    columns = [x if sign == "<=" else -x for x, sign in zip(X.T, signs, strict=True)]
    cuts = [[-np.inf, *np.unique(x[~np.isnan(x)])] for x in columns]
    cuts = [[c if i else None for i, c in enumerate(line)] for line in cuts]
    found = set()
    for thresholds in product(*cuts):
        covered = possible.copy()
        for x, t in zip(columns, thresholds, strict=True):
            covered &= np.zeros(x.size, bool) if t is None else x <= t
        for x in columns:
            covered &= ~np.isnan(x)
        found.add(tuple(covered))
    return np.array(sorted(found), bool).reshape(len(found), possible.size)


def connected(errors, r):
    """Objects on edges upwards: q."""
    found = set()
    for a in errors:
        if (errors[r] <= a).all() and (errors[r] != a).sum() == 1:
            found |= set(np.flatnonzero(errors[r] != a))
    return found


def inferior(errors, r):
    """Objects on which a rule errs where a lower one does not: h."""
    found = set()
    for a in errors:
        if (a <= errors[r]).all():
            found |= set(np.flatnonzero(errors[r] & ~a))
    return found


def counts(errors, covered, target):
    """Errors, covered negatives and positives, q, h, q_p, h_n of every rule."""
    lines = []
    for r, cover in enumerate(covered):
        q, h = connected(errors, r), inferior(errors, r)
        q_p = sum(1 for x in q if cover[x] and target[x])
        h_n = sum(1 for x in h if cover[x] and not target[x])
        negatives, positives = (cover & ~target).sum(), (cover & target).sum()
        lines.append([errors[r].sum(), negatives, positives, len(q), len(h), q_p, h_n])
    return [tuple(map(int, line)) for line in lines]


def draws(all_, marked, drawn, values):
    """P[number of marked ones among the drawn is one of the values]."""
    ways = sum(
        comb(marked, s) * comb(all_ - marked, drawn - s)
        for s in values
        if 0 <= s <= marked and 0 <= drawn - s <= all_ - marked
    )
    return Fraction(ways, comb(all_, drawn))


def term(L, trained, eps, line, counted):
    """What a rule adds to the bound on errors, covered negatives or covered positives."""
    m, m_n, m_p, q, h, q_p, h_n = line
    k = L - trained
    if trained < q or k < h:
        return Fraction(0)
    weight = Fraction(comb(L - q - h, trained - q), comb(L, trained))
    free, drawn = L - q - h, trained - q
    if counted == "positives":
        least = ceil(Fraction(trained, L) * (m_p + eps * k) - q_p)
        return weight * draws(free, m_p - q_p, drawn, range(max(least, 0), L + 1))
    total, hidden = (m, h) if counted == "errors" else (m_n, h_n)
    most = floor(Fraction(trained, L) * (total - eps * k))
    return weight * draws(free, total - hidden, drawn, range(most + 1))


def bound(L, trained, eps, lines, counted="errors"):
    return sum((term(L, trained, eps, line, counted) for line in lines), Fraction(0))


def true_probability(errors, trained, eps, events=None, more_hidden=True):
    """How often the rule picked by pessimistic training deviates by eps or more.

    ``events``, a Boolean matrix of rules and objects, says what is counted (errors unless said);
    where several rules could be picked, the one that deviates most is.
    """
    L = errors.shape[1]
    events = errors if events is None else events
    all_errors = errors.sum(axis=1)
    overfitted = 0
    for training in combinations(range(L), trained):
        inside = np.zeros(L, bool)
        inside[list(training)] = True
        in_training = errors[:, inside].sum(axis=1)
        best = in_training == in_training.min()
        picked = best & (all_errors == all_errors[best].max())
        seen = events[picked][:, inside].sum(axis=1).tolist()
        hidden = events[picked][:, ~inside].sum(axis=1).tolist()
        deviations = [
            Fraction(b, L - trained) - Fraction(a, trained)
            for a, b in zip(seen, hidden, strict=True)
        ]
        most = max(deviations) if more_hidden else -min(deviations)
        overfitted += most >= eps
    return Fraction(overfitted, comb(L, trained))
