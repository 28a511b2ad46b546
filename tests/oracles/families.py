"""Every candidate of a family, one after another, in the documented order."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from rulewright.rules import (
    Ball,
    Category,
    Columns,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Missing,
    Threshold,
    parse_condition,
)


def candidates(family, training, question):
    """All predicates that a question admits, each with the rows that it fires on."""
    listed = LISTED[family.name](family, training, question)
    return [(p, p.holds(training.table) == question.side) for p in listed]


def gathers(fires, weight):
    """What firing on these rows gathers, and the positive part of that."""
    return int(weight[fires].sum()), int(weight[fires & (weight > 0)].sum())


def heaviest(families, training, question):
    """The first of the best of several families: predicate, total, gathered."""
    every = [
        (predicate, *gathers(fires, question.weight))
        for family in families
        for predicate, fires in candidates(family, training, question)
    ]
    best = max((found[1:] for found in every), default=None)
    return next((found for found in every if found[1:] == best), None)


def _open(training, question):
    return np.ones(training.y.size, bool) if question.open is None else question.open


def _others(training, question):
    """The open examples of other classes."""
    return (training.y != question.output) & _open(training, question)


def _distinct(x):
    return np.unique(x[~np.isnan(x)]).tolist()


def _first(mask):
    return int(np.flatnonzero(mask)[0])


def _thresholds(family, training, question):
    for column in training.table.numeric:
        x = column.values
        if not question.implied:
            for above in (False, True):
                for cut in _distinct(x):
                    yield Threshold(column.name, above, cut, anchored_on=(_first(x == cut),))
            continue
        borders = _others(training, question)
        for fires_above in (False, True):
            for cut in _distinct(x[borders]):
                yield Threshold(
                    column.name,
                    fires_above == question.side,
                    cut,
                    anchored_on=(_first((x == cut) & borders),),
                    cut_above=not fires_above,
                )


def _intervals(family, training, question):
    for column in training.table.numeric:
        x = column.values
        for inside in (True, False):
            ends = np.ones(x.size, bool)
            if question.implied:
                fires_inside = inside == question.side
                own = training.y == question.output
                ends = (own == fires_inside) & _open(training, question)
            values = _distinct(x[ends])
            for i, low in enumerate(values):
                for high in values[i:]:
                    rows = tuple(_first((x == end) & ends) for end in (low, high))
                    yield Interval(column.name, low, high, inside, anchored_on=rows)


def midpoint_ends(x, training, question, above):
    """Rows whose values a cut may lie between: (low, high) pairs, the lower values first."""
    single = x.astype(np.float32)
    known = ~np.isnan(x) & (_open(training, question) if question.implied else True)
    values = _distinct(single[known])
    fires_below = above != question.side
    own = training.y == question.output
    for low, high in pairwise(values):
        ends = [(single == low) & known, (single == high) & known]
        if question.implied:
            ends = [ends[0] & (own == fires_below), ends[1] & (own != fires_below)]
        if all(end.any() for end in ends):
            yield ends


def _cut(low, high):
    """The largest double that single precision does not round above the mean, by bisection."""
    mean = low / 2 + high / 2
    below, above = low, high  # both are numbers of single precision
    while (middle := below / 2 + above / 2) not in (below, above):
        if float(np.float32(middle)) <= mean:
            below = middle
        else:
            above = middle
    return below


def _midpoints(family, training, question):
    for column in training.table.numeric:
        x = column.values
        for above in (False, True):
            for ends in midpoint_ends(x, training, question, above):
                low, high = (_first(end) for end in ends)
                cut = _cut(float(np.float32(x[low])), float(np.float32(x[high])))
                yield Threshold(column.name, above, cut, anchored_on=(low, high))


def rounded_ends(x, training, question, above):
    """Rows whose values a rounded cut may lie between: (low, high) pairs, the lower first.

    Both are the same at the largest value, which is not divided from anything but missing values.
    """
    known = ~np.isnan(x) & (_open(training, question) if question.implied else True)
    values = _distinct(x[known])
    fires_below = above != question.side
    own = training.y == question.output
    pairs = (
        pairwise(values)
        if question.implied
        else zip(values, [*values[1:], *values[-1:]], strict=True)
    )
    for low, high in pairs:
        ends = [(x == low) & known, (x == high) & known]
        if question.implied:
            ends = [ends[0] & (own == fires_below), ends[1] & (own != fires_below)]
        if all(end.any() for end in ends):
            yield ends


def roundest(low, high):
    """The value with the largest step, by trying all numbers of few digits."""
    if low == high:
        return low
    if low <= 0 < high:
        return 0.0
    for exponent in range(5, -8, -1):
        for digit in (5, 1):
            step = Decimal(digit).scaleb(exponent)
            first = int(Decimal(low) / step) - 2
            inside = []
            for number in range(first, int(Decimal(high) / step) + 3):
                if low <= float(number * step) < high:
                    inside.append(number)
            middle = (Decimal(low) + Decimal(high)) / 2 / step
            if inside:
                return float(min(inside, key=lambda n: (abs(n - middle), -n)) * step)
    raise AssertionError("the gap is too small for this oracle")


def _rounded(family, training, question):
    for column in training.table.numeric:
        x = column.values
        for above in (False, True):
            for ends in rounded_ends(x, training, question, above):
                low, high = (_first(end) for end in ends)
                cut = roundest(float(x[low]), float(x[high]))
                yield Threshold(column.name, above, cut, anchored_on=(low, high))


def _coarse(family, training, question):
    grids = dict(family.grids)
    for column in training.table.numeric:
        aside = column.values[::10]
        for above in (False, True):
            for cut in grids.get(column.name, coarse_cuts(aside)):
                yield Threshold(column.name, above, cut)


def coarse_cuts(values):
    """Of n sorted values the one that a share k/17 of them is below, for k from 1 to 16."""
    known = sorted(values[~np.isnan(values)].tolist())
    return sorted({known[k * len(known) // 17] for k in range(1, 17)}) if known else []


def _categories(family, training, question):
    for column in training.table.categorical:
        for among in (True, False):
            for category in column.categories:
                yield Category(column.name, (category,), among)


def _subsets(family, training, question):
    for column in training.table.categorical:
        sizes = range(1, len(column.categories) + 1)
        for size in sizes if question.side else reversed(sizes):  # firing on fewer first
            for values in combinations(column.categories, size):
                yield Category(column.name, values)


def _missings(family, training, question):
    for column in training.table.columns:
        if column.missing.any():
            yield Missing(column.name)
            yield Missing(column.name, False)


def _given(family, training, question):
    for column in training.table.columns:
        named = family.columns is not None and column.name in family.columns
        every = family.columns is None and not family.functions
        if named or (every and column.field.kind == "boolean"):
            yield Given(column.name)
            yield Given(column.name, False)
    for name, function in sorted(family.functions or ()):
        columns = Columns(training.table)
        function(columns)
        for truth in (True, False):
            yield Function(name, tuple(columns.looked_at), truth, function)


def _expert(family, training, question):
    fields = training.table.fields
    return [parse_condition(text, fields) for text in family.tests]


def _ordered(training, rows):
    """Some rows by their coordinates, the first column first, and then by number."""
    columns = [column.values for column in training.table.numeric]

    def place(row):
        return [(bool(np.isnan(x[row])), np.nan_to_num(x[row])) for x in columns]

    return sorted(np.flatnonzero(rows).tolist(), key=place)


def _point(table, names, row, fill=()):
    place = [float(table.numbers(name)[row]) for name in names]
    return tuple(y if x != x else x for x, y in zip(place, fill or place, strict=True))


def _right(predicate, training, question, prototypes):
    """Whether prototypes of the class are fired on, or already covered, and others are not."""
    fires = predicate.holds(training.table) == question.side
    covered = np.zeros(fires.size, bool) if question.covered is None else question.covered
    own = training.y == question.output
    return all(fires[row] or covered[row] if own[row] else not fires[row] for row in prototypes)


def _balls(family, training, question):
    table, names = training.table, [c.name for c in training.table.numeric]
    for centre in _ordered(training, _open(training, question)):
        fires_inside = bool(training.y[centre] == question.output)
        if not fires_inside and family.types == "simple":
            continue
        own_names = names
        if family.precomputed:  # a column for each row of the table that the user gave
            own_names = [names[training.rows[centre]]]
            own_names += names[-1:] if family.metric.kind == "kernel" else []
        if not np.isfinite(_point(table, own_names, centre, family.scaling.fill)).all():
            continue
        ball = Ball(
            tuple(own_names),
            _point(table, own_names, centre, family.scaling.fill),
            0.0,
            family.metric,
            strict=fires_inside,
            inside=fires_inside == question.side,
            scaling=family.scaling,
        )
        distance = ball.distance(table)
        for border in _ordered(training, _others(training, question)):
            if not np.isfinite(distance[border]):
                continue
            found = replace(ball, radius=float(distance[border]), anchored_on=(centre, border))
            if not question.implied or _right(found, training, question, (centre,)):
                yield found


def _half_spaces(family, training, question):
    same_class = (training.y == question.output) & _open(training, question)
    for own in _ordered(training, same_class):
        for other in _ordered(training, _others(training, question)):
            yield from _half_spaces_of(family, training, question, own, other)


def _half_spaces_of(family, training, question, own, other):
    table, names = training.table, [c.name for c in training.table.numeric]
    toward, away = (own, other) if question.side else (other, own)
    if family.precomputed:
        names = [names[training.rows[row]] for row in (toward, away)]
    points = [_point(table, names, row, family.scaling.fill) for row in (toward, away)]
    if not np.isfinite(points).all():
        return
    half = HalfSpace(
        tuple(names),
        *points,
        0.0,
        strict=question.side,
        kernel=family.kernel,
        scaling=family.scaling,
    )
    margin = half.margin(table)
    for border in _ordered(training, _others(training, question)):
        if not np.isfinite(margin[border]):
            continue
        found = replace(half, cut=float(margin[border]), anchored_on=(toward, away, border))
        if not question.implied or _right(found, training, question, (own, other)):
            yield found


def _half_planes(family, training, question):
    own = training.y == question.output
    for half in half_planes_tried(training.table, training.y, family.sum_columns):
        sums = half.sums(training.table)
        for above in (False, True):
            borders = ~np.isnan(sums)
            if question.implied:
                fires_on_border = above != question.side
                borders &= (own == fires_on_border) & _open(training, question)
            for cut in _distinct(sums[borders]):
                anchor = (_first((sums == cut) & borders),)
                yield replace(half, above=above, cut=cut, anchored_on=anchor)


def half_planes_tried(table, y=(), sum_columns=2, beam=10):
    """The sums of columns with the weights that a search tries."""
    spread = {column.name: _spread(column.values) for column in table.numeric}
    spread = {name: deviation for name, deviation in spread.items() if deviation}
    tried = []
    for first, second in combinations(spread, 2):
        quotient = spread[first] / spread[second]
        for weight in _weights_around(quotient):
            if 1e-12 <= abs(weight) <= 9e12:
                tried.append(HalfPlane((first, second), (1.0, _digit(weight)), 0.0, above=True))
    for _ in range(sum_columns - 2):
        purest = sorted(tried, key=lambda half: -_purity(half.sums(table), y))[:beam]
        tried = _with_another_column(purest, table, spread)
    return tried


def _spread(values):
    present = np.sort(values[~np.isnan(values)])
    with np.errstate(over="ignore", invalid="ignore"):
        found = present.std() if len(set(present.tolist())) > 1 else 0.0
    return found if np.isfinite(found) else 0.0


def _weights_around(quotient):
    for size in (quotient / 4, quotient / 2, quotient, 2 * quotient, 4 * quotient):
        yield from (size, -size)


def _digit(weight):
    return float(f"{weight:.0e}")


def _purity(sums, y):
    """Sum of the squared shares of the classes in the parts of the best cut, by their sizes."""
    known = [(s, c) for s, c in zip(sums.tolist(), y.tolist(), strict=True) if s == s]
    missing = [c for s, c in zip(sums.tolist(), y.tolist(), strict=True) if s != s]
    purity = [
        _squares([c for s, c in known if s <= cut])
        + _squares([c for s, c in known if s > cut])
        + _squares(missing)
        for cut in [np.inf, *{s for s, _ in known}]
    ]
    return round(float(max(purity) / len(y)), 12)


def _squares(classes):
    counts = Counter(classes).values()
    return Fraction(sum(count**2 for count in counts), max(len(classes), 1))


def _with_another_column(halves, table, spread):
    names = list(spread)
    found = set()
    for half in halves:
        unit = _spread(half.sums(table))
        for name in [name for name in names if name not in half.on] if unit else []:
            for weight in _weights_around(unit / spread[name]):
                weights = dict(zip(half.on, half.weights, strict=True)) | {name: weight}
                on = tuple(sorted(weights, key=names.index))
                others = [weights[n] / weights[on[0]] for n in on[1:]]
                if all(1e-12 <= abs(other) <= 9e12 for other in others):
                    found.add(HalfPlane(on, (1.0, *map(_digit, others)), 0.0, above=True))
    return sorted(
        (half for half in found if not np.isinf(half.sums(table)).any()),
        key=lambda h: ([names.index(n) for n in h.on], [(abs(w), w < 0) for w in h.weights]),
    )


LISTED = {
    "thresholds": _thresholds,
    "intervals": _intervals,
    "midpoints": _midpoints,
    "rounded": _rounded,
    "coarse": _coarse,
    "categories": _categories,
    "subsets": _subsets,
    "missing": _missings,
    "given": _given,
    "expert": _expert,
    "balls": _balls,
    "half_spaces": _half_spaces,
    "half_planes": _half_planes,
}
