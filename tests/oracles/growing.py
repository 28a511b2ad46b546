"""Decision trees by trying every split of every node, written from the definitions."""

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from rulewright.kernels import (
    CUT,
    INTERVAL,
    LEAF,
    MULTIWAY,
    PRESENT,
    SUBSET,
    ColumnLimits,
    GrowthOptions,
    Scoring,
    TrainingColumns,
    TreeArrays,
)


class Case(NamedTuple):
    training: TrainingColumns
    options: GrowthOptions
    scoring: Scoring | None = None
    limits: ColumnLimits = ColumnLimits()


class Place(NamedTuple):
    """The examples that reach a node, the bounds on its value, and the columns of its path.

    ``in_use`` are the columns of the tree when the node was split, or at the end.
    """

    rows: np.ndarray
    weight: np.ndarray
    depth: int = 0
    lower: float = -np.inf
    upper: float = np.inf
    path: frozenset[int] = frozenset()
    in_use: frozenset[int] = frozenset()


class Candidate(NamedTuple):
    """A split: the branch of each example at the node, -1 where it takes no part in the gain."""

    kind: int
    column: int
    own: np.ndarray  # before missing values are placed: these have -1
    branch: np.ndarray
    sure: bool  # the grower must try it; or else it may
    offered: int = 1  # of how many alike it is one, where that is paid for


# Measures


def xlogx(x):
    return x * np.log2(x) if x > 0 else 0.0


def class_weights(case, rows, weight):
    return np.bincount(case.training.answers[rows], weight, case.training.classes)


def lower_median(y, weight, slack=0.0):
    order = np.argsort(y, kind="stable")
    reached = np.cumsum(weight[order])
    return y[order][np.argmax(reached >= reached[-1] / 2 + slack)]


def mean(y, weight):
    return (weight * y).sum() / weight.sum()


def impurity_of_classes(name, counts):
    total = counts.sum()
    if name == "gini":
        return total - (counts**2).sum() / total if total > 0 else 0.0
    if name == "entropy":
        return xlogx(total) - sum(map(xlogx, counts))
    return total - counts.max()


def impurity(case, rows, weight):
    name = case.options.impurity
    if name in ("gini", "entropy", "error"):
        return impurity_of_classes(name, class_weights(case, rows, weight))
    y = case.training.answers[rows]
    if y.size == 0:
        return 0.0
    if name == "variance":
        return (weight * (y - mean(y, weight)) ** 2).sum()
    return (weight * abs(y - lower_median(y, weight))).sum()


def value(case, rows, weight):
    """Mean or median; of classes the share of the second."""
    y = case.training.answers[rows]
    if case.options.impurity == "variance":
        return mean(y, weight)
    if case.options.impurity == "absolute":
        return lower_median(y, weight)
    return weight[y == 1].sum() / weight.sum()


def is_pure(case, place):
    return np.unique(case.training.answers[place.rows]).size == 1


def gain(case, place, branch):
    """What a split saves of the impurity of the examples that take part in it."""
    known = branch >= 0
    parts = [branch == b for b in range(branch.max() + 1)]
    if case.scoring is not None:
        covered = [class_weights(case, place.rows[p], place.weight[p]) for p in parts]
        whole = class_weights(case, place.rows[known], place.weight[known])
        return case.scoring(np.array(covered), whole).max()
    return impurity(case, place.rows[known], place.weight[known]) - sum(
        impurity(case, place.rows[p], place.weight[p]) for p in parts
    )


def information(place, branch):
    """The bits that say which branch an example takes; -1 is one more."""
    weights = [place.weight[branch == b].sum() for b in range(-1, branch.max() + 1)]
    return xlogx(sum(weights)) - sum(map(xlogx, weights))


# Where examples go


def larger_side(place, own):
    """The branch with more than half of the weight that has a value, or else the second."""
    return 0 if 2 * place.weight[own == 0].sum() > place.weight[own >= 0].sum() else 1


def settled(case, place, candidate):
    """The branch of each example; -1 where it goes down all of them."""
    if case.options.impurity == "absolute" and not case.options.fractional:
        side = larger_side(place, candidate.own)
        return np.where(candidate.branch < 0, side, candidate.branch)
    return candidate.branch


def parts(place, branch):
    """The rows of each branch and their weights: what goes everywhere is shared out by weight."""
    known = place.weight[branch >= 0].sum()
    found = []
    for b in range(branch.max() + 1):
        share = place.weight[branch == b].sum() / known
        weight = np.where(branch == b, place.weight, place.weight * share)
        there = (branch == b) | (branch < 0)
        found.append((place.rows[there], weight[there]))
    return found


def is_missing(case, place, column):
    numeric = len(case.training.numeric)
    if column < numeric:
        return np.isnan(case.training.numeric[column][place.rows])
    return case.training.codes[column - numeric][place.rows] < 0


def direction_of(case, column):
    directions = case.training.directions
    free = directions is None or column >= len(case.training.numeric)
    return 0 if free else int(directions[column])


# Splits


def placements(case, own):
    """Missing values on either side; or taking no part."""
    apart = case.options.fractional or case.options.impurity == "absolute"
    if apart or (own >= 0).all():
        return [own]
    return [np.where(own < 0, side, own) for side in (1, 0)]


def with_missing(case, kind, column, owns, sure=True, offered=None):
    """Both placements of each of some splits that are alike; of these those allowed are counted."""
    for placed in zip(*(placements(case, own) for own in owns), strict=True):
        alike = [Candidate(kind, column, own, b, sure) for own, b in zip(owns, placed, strict=True)]
        yield alike, offered


def alikes_on_numbers(case, place, column):
    x = case.training.numeric[column][place.rows]
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    if case.options.cuts and values.size > 1:
        owns = [np.where(missing, -1, np.where(x <= v, 0, 1)) for v in values[:-1]]
        yield from with_missing(case, CUT, column, owns)
    intervals = case.options.intervals and direction_of(case, column) == 0
    if intervals and values.size > 1 and case.options.impurity != "absolute":
        ends = [(a, b) for a in values for b in values if a <= b]
        ends.remove((values[0], values[-1]))
        owns = [np.where(missing, -1, np.where((a <= x) & (x <= b), 0, 1)) for a, b in ends]
        yield from with_missing(case, INTERVAL, column, owns, is_convex(case))


def alikes_on_categories(case, place, column):
    code = case.training.codes[column - len(case.training.numeric)][place.rows]
    there = np.unique(code[code >= 0])
    habit = case.options.categories
    if there.size < 2 or (case.options.impurity == "absolute" and habit != "subset"):
        return
    if habit == "single":
        owns = [only(code, {c}) for c in there]
        yield from with_missing(case, SUBSET, column, owns, offered=there.size)
    elif habit == "multiway":
        own = np.where(code < 0, -1, np.searchsorted(there, code))
        weights = [place.weight[own == b].sum() for b in range(there.size)]
        branch = own if case.options.fractional else np.where(own < 0, np.argmax(weights), own)
        yield [Candidate(MULTIWAY, column, own, branch, True)], 1
    elif habit == "subset":
        for order in orders(case, place, code, there):
            owns = [only(code, set(order[:k])) for k in range(1, there.size)]
            yield from with_missing(case, SUBSET, column, owns, not case.options.fractional)
        if case.options.by_ratio:
            return
        sets = [set(s) for k in range(1, there.size) for s in combinations(there, k)]
        owns = [only(code, s) for s in sets]
        yield from with_missing(case, SUBSET, column, owns, is_convex(case))


def only(code, chosen):
    return np.where(code < 0, -1, np.where(np.isin(code, list(chosen)), 0, 1))


def orders(case, place, code, there):
    """The categories by the share of each class, or by their mean; equal ones by their number."""
    by_class = case.options.impurity in ("gini", "entropy", "error")
    classes = [1] if case.training.classes == 2 else range(case.training.classes)
    for c in classes if by_class else [None]:
        y = case.training.answers[place.rows]
        y = (y == c).astype(float) if by_class else y
        keys = {k: mean(y[code == k], place.weight[code == k]) for k in there}
        yield sorted(there, key=lambda k: (keys[k], k))


def is_convex(case):
    """Whether every set is tried, in effect: the gain is convex, and no set is forbidden."""
    two = case.options.impurity == "variance" or case.training.classes == 2
    exact = two and case.options.impurity != "absolute" and case.scoring is None
    return exact and case.options.min_leaf == 0 and case.training.directions is None


def presence(case, place, column):
    missing = is_missing(case, place, column)
    apart = case.options.fractional or case.options.impurity == "absolute"
    if apart or missing.all() or not missing.any():
        return
    own = np.where(missing, -1, 0)
    yield [Candidate(PRESENT, column, own, np.where(missing, 1, 0), True)], 1


def asked_columns(case):
    """C4.5 leaves out columns of nearly as many categories as rows, unless there are no others."""
    numeric = len(case.training.numeric)
    many = [count >= 0.3 * case.training.weight.sum() for count in case.training.categories]
    only_many = numeric == 0 and all(many)
    asked = list(range(numeric)) if case.options.cuts or case.options.intervals else []
    if case.options.categories != "none":
        for j, is_many in enumerate(many):
            if not case.options.by_ratio or only_many or not is_many:
                asked.append(numeric + j)
    return asked


def asked_at(case, place):
    """The columns that a node may test."""
    limits = case.limits
    return [column for column in asked_columns(case) if column in place.path] + [
        column
        for column in asked_columns(case)
        if column not in place.path
        and (column in place.in_use or len(place.in_use) < limits.max_columns)
        and len(place.path) < limits.max_on_path
        and (
            limits.groups is None
            or any(group[[column, *place.path]].all() for group in limits.groups)
        )
    ]


def candidates(case, place, column, slack):
    """The allowed splits on a column, each with the number of those it is paid to be one of."""
    numbers = column < len(case.training.numeric)
    alikes = alikes_on_numbers if numbers else alikes_on_categories
    for ways in (alikes, presence):
        for alike, offered in ways(case, place, column):
            allowed = [c for c in alike if is_allowed(case, place, c, slack)]
            for candidate in allowed:
                sure = candidate.sure and not is_seen_late(case, candidate)
                yield candidate._replace(offered=offered or len(allowed), sure=sure)


def is_seen_late(case, candidate):
    """Whether what missing values do to medians is seen only once the best cut is found."""
    bounded = case.options.impurity == "absolute" and case.training.directions is not None
    return bounded and (candidate.own < 0).any()


def least_weight(case, place, candidate):
    least = case.options.min_leaf
    if case.options.by_ratio and candidate.kind == CUT:
        known = place.weight[candidate.own >= 0].sum()
        least = max(least, min(25.0, 0.1 * known / case.training.classes))
    return least


def is_allowed(case, place, candidate, slack):
    """Whether a split leaves enough in its branches, and values that are in order."""
    many = candidate.kind == MULTIWAY
    branch = candidate.own if many else candidate.branch
    count = int(branch.max()) + 1
    weights = np.array([place.weight[branch == b].sum() for b in range(count)])
    if count < 2 or (weights <= 0).any():
        return False
    enough = weights >= least_weight(case, place, candidate) - slack
    if enough.sum() < 2 if many else not enough.all():
        return False
    return is_in_order(case, place, candidate, slack)


def is_in_order(case, place, candidate, slack):
    if case.training.directions is None:
        return True
    values = [value(case, *part) for part in parts(place, settled(case, place, candidate))]
    if min(values) < place.lower - slack or max(values) > place.upper + slack:
        return False
    direction = direction_of(case, candidate.column) if candidate.kind == CUT else 0
    return direction * (values[-1] - values[0]) >= -slack


def paid(case, place, candidate):
    """What a choice maximises: the gain, less C4.5's price of a cut, or what chance saves."""
    price = np.log2(candidate.offered) if case.options.by_ratio else chance(case, place, candidate)
    return gain(case, place, candidate.branch) - price


def chance(case, place, candidate):
    """An average example's impurity for each category beyond two that a split is fitted to."""
    fitted = candidate.kind in (SUBSET, MULTIWAY) and case.options.categories != "single"
    if not fitted or case.scoring is not None:
        return 0.0
    code = case.training.codes[candidate.column - len(case.training.numeric)][place.rows]
    count = np.unique(code[code >= 0]).size
    average = impurity(case, place.rows, place.weight) / place.weight.sum()
    return max(count - 2, 0) * average


def best_on(case, place, column, slack):
    """The best splits on a column that surely are tried, and the best that may be."""
    found = [(paid(case, place, c), c) for c in candidates(case, place, column, slack)]
    return [g for g, c in found if c.sure], [g for g, c in found]


# Reading arrays


def taken(case, tree, node, place):
    """The split that a node makes of its examples, read from the arrays."""
    column, kind = int(tree.column[node]), int(tree.kind[node])
    missing = is_missing(case, place, column)
    if kind == PRESENT:
        own = np.zeros(place.rows.size, int)
    elif kind in (CUT, INTERVAL):
        x = case.training.numeric[column][place.rows]
        low, high = tree.low[node], tree.high[node]
        own = np.where(x <= low if kind == CUT else (low <= x) & (x <= high), 0, 1)
    else:
        code = case.training.codes[column - len(case.training.numeric)][place.rows]
        own = tree.branch_of[tree.table_start[node] + code.clip(0)]
    own = np.where(missing, -1, own)
    apart = case.options.fractional or case.options.impurity == "absolute"
    branch = own if apart else np.where(missing, tree.missing[node], own)
    return Candidate(kind, column, own, branch, True)


def children(tree: TreeArrays, node):
    return tree.branches[tree.start[node] : tree.start[node + 1]]


def places(case, tree):
    """What reaches each node."""
    rows = np.arange(case.training.answers.size)
    found = {0: Place(rows, case.training.weight)}
    for node in range(tree.kind.size):
        if tree.kind[node] == LEAF:
            continue
        place, split = found[node], taken(case, tree, node, found[node])
        for child, below in zip(
            children(tree, node), places_below(case, place, split), strict=True
        ):
            found[int(child)] = below
    in_use = columns_in_use(case, tree)
    return [found[node]._replace(in_use=in_use[node]) for node in range(tree.kind.size)]


def columns_in_use(case, tree):
    """The columns that are in use when each node is split, or at the end."""
    used = case.limits.used
    so_far = frozenset() if used is None else frozenset(np.flatnonzero(used).tolist())
    found = {}
    splits = np.flatnonzero(tree.kind != LEAF)
    for node in sorted(splits, key=lambda i: tree.branches[tree.start[i]]):
        found[int(node)] = so_far
        so_far |= {int(tree.column[node])}
    return [found.get(node, so_far) for node in range(tree.kind.size)]


def places_below(case, place, split):
    below = parts(place, settled(case, place, split))
    bounds = [(place.lower, place.upper)] * len(below)
    direction = direction_of(case, split.column) if split.kind == CUT else 0
    if direction:
        middle = np.mean([value(case, *part) for part in below])
        bounds = [(place.lower, middle), (middle, place.upper)][::direction]
    return [
        Place(*part, place.depth + 1, *bound, place.path | {split.column})
        for part, bound in zip(below, bounds, strict=True)
    ]


def leaf_of(tree, numbers, codes):
    """The leaf that an example without missing values reaches."""
    node = 0
    while tree.kind[node] != LEAF:
        column, low, high = int(tree.column[node]), tree.low[node], tree.high[node]
        if tree.kind[node] == PRESENT:
            branch = 0
        elif column < len(numbers):
            x = numbers[column]
            branch = int(not (x <= low if tree.kind[node] == CUT else low <= x <= high))
        else:
            branch = int(tree.branch_of[tree.table_start[node] + codes[column - len(numbers)]])
            branch = int(tree.largest[node]) if branch < 0 else branch
        node = int(children(tree, node)[branch])
    return node


# Ranges of numbers


def joined_ranges(case, place, code):
    """Branch of every example after neighbouring ranges are joined, -1 where it has none.

    Small ranges are joined to a neighbour first, and then ranges whose union is worth as much.
    """
    groups = [[c] for c in np.unique(code[code >= 0]).tolist()]
    weight = {c: place.weight[code == c].sum() for c in range(code.max() + 1)}

    def joined(at):
        return [*groups[:at], groups[at] + groups[at + 1], *groups[at + 2 :]]

    def best(places):
        found = [(worth_of_ranges(case, place, code, joined(at)), at) for at in places]
        highest = max(worth for worth, _ in found)
        return next((worth, at) for worth, at in found if worth >= highest - 1e-9)

    while len(groups) > 1:
        weights = [sum(weight[c] for c in group) for group in groups]
        lightest = int(np.argmin(weights))
        if weights[lightest] >= case.options.min_leaf:
            break
        neighbours = [at for at in (lightest - 1, lightest) if 0 <= at < len(groups) - 1]
        groups = joined(best(neighbours)[1])
    while len(groups) > 2:
        worth, at = best(range(len(groups) - 1))
        fits = len(groups) <= case.options.max_leaves
        if fits and worth < worth_of_ranges(case, place, code, groups) - 1e-9:
            break
        groups = joined(at)
    return branches_of_ranges(code, groups)


def branches_of_ranges(code, groups):
    own = np.full(code.size, -1)
    for branch, group in enumerate(groups):
        own[np.isin(code, group)] = branch
    return own


def worth_of_ranges(case, place, code, groups):
    """What a split into ranges is worth, by the examples with a value."""
    known = Place(place.rows[code >= 0], place.weight[code >= 0])
    own = branches_of_ranges(code[code >= 0], groups)
    found = paid_ranges(case, known, own, np.unique(code[code >= 0]).size)
    if case.options.by_ratio:
        return found / information(known, own) if len(groups) > 1 else found
    average = impurity(case, place.rows, place.weight) / place.weight.sum()
    return found - max(len(groups) - 2, 0) * average


def paid_ranges(case, place, branch, ranges):
    """The gain of a split into ranges, less C4.5's price of its cuts among those possible."""
    cuts = int(branch.max())
    price = np.log2(comb(ranges - 1, cuts)) if case.options.by_ratio else 0.0
    return gain(case, place, branch) - price
