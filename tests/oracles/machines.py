"""BuildSCM and BuildDLM by brute force: every candidate, exact fractions, the papers' own words."""

from fractions import Fraction

import numpy as np

from oracles import families as families_oracle
from rulewright.families import FAMILIES, Question, Training
from rulewright.rules import Ball, Category, HalfSpace, Kernel, Metric, Missing, Threshold

INFINITE = float("inf")


def single_column(table, names, implied, side, y, output):
    """Thresholds, categories and "is missing", in the documented order."""
    for name in names:
        if name == "thresholds" and implied:
            for column in table.numeric:
                there = ~np.isnan(column.values) & (y != output)
                for fires_above in (False, True):
                    rows = np.flatnonzero(there)
                    for row in sorted(rows.tolist(), key=lambda row: (column.values[row], row)):
                        cut = column.values[row]
                        yield Threshold(
                            column.name,
                            fires_above == side,
                            float(cut),
                            anchored_on=(row,),
                            cut_above=not fires_above,
                        )
        elif name == "thresholds":
            for column in table.numeric:
                cuts = np.unique(column.values[~np.isnan(column.values)])
                for above in (False, True):
                    for cut in cuts:
                        row = int(np.flatnonzero(column.values == cut)[0])
                        yield Threshold(column.name, above, float(cut), anchored_on=(row,))
        elif name == "categories":
            for column in table.categorical:
                for among in (True, False):
                    for category in column.categories:
                        yield Category(column.name, (category,), among)
        elif name == "missing":
            for column in table.columns:
                if column.missing.any():
                    yield from (Missing(column.name), Missing(column.name, False))


def spatial(table, name, y, output, side, options):
    """Balls and half-spaces, by the coordinates of their examples and then by row numbers."""
    on = tuple(column.name for column in table.numeric)
    points = [tuple(float(table.numbers(n)[row]) for n in on) for row in range(table.rows)]
    rows = sorted(range(table.rows), key=lambda row: (points[row], row))
    others = [row for row in rows if y[row] != output]
    if name == "balls":
        metric = options.get("metric", Metric())
        for centre in rows:
            inside = y[centre] == output
            if not inside and options.get("types") == "simple":
                continue
            ball = Ball(on, points[centre], 0.0, metric)
            distance = ball.distance(table)
            for border in others:
                yield Ball(
                    on,
                    points[centre],
                    float(distance[border]),
                    metric,
                    strict=bool(inside),
                    inside=bool(inside == side),
                    anchored_on=(centre, border),
                )
    else:
        kernel = options.get("kernel", Kernel())
        for own in (row for row in rows if y[row] == output):
            for other in others:
                toward, away = (own, other) if side else (other, own)
                half = HalfSpace(on, points[toward], points[away], 0.0, kernel=kernel)
                margin = half.margin(table)
                for border in others:
                    yield HalfSpace(
                        on,
                        points[toward],
                        points[away],
                        float(margin[border]),
                        strict=side,
                        kernel=kernel,
                        anchored_on=(toward, away, border),
                    )


def candidates(table, y, output, side, families, implied, options):
    """All predicates with the rows that they fire on, family by family."""
    found = []
    for name in families:
        if name in ("balls", "half_spaces"):
            offered = spatial(table, name, y, output, side, options)
        elif name in ("intervals", "subsets", "given", "half_planes"):
            family = FAMILIES[name]()
            training = Training(table, y)
            question = Question(np.zeros(table.rows, np.int64), output, side)
            offered = [h for h, _ in families_oracle.candidates(family, training, question)]
        else:
            offered = single_column(table, [name], implied, side, y, output)
        for predicate in offered:
            fires = frozenset(np.flatnonzero(predicate.holds(table) == side).tolist())
            found.append((name, predicate, fires))
    return found


def worth(covers, losses, penalties):
    """Usefulness as something that compares exactly: infinite losses first, free ones last."""
    lost = sum(w for k, w in losses.items() if penalties[k] == INFINITE)
    free = sum(w for k, w in losses.items() if penalties[k] == 0)
    paid = sum(
        Fraction(str(penalties[k])) * w for k, w in losses.items() if penalties[k] != INFINITE
    )
    return (-lost, covers - paid, -free, covers)


def build_scm(
    table, y, weight, kind, p, max_rules, families, *, ties="losses", consistent=False, **options
):
    """Return the chosen predicates, and for each the value that was the largest."""
    output = 0 if kind == "conjunction" else 1
    side = kind == "disjunction"
    weight = [Fraction(w) for w in weight]
    every = candidates(table, y, output, side, families, consistent, options)
    remaining = set(range(table.rows))
    chosen = []

    def right(fired, anchors):
        """Whether the machine so far classifies all examples that rebuild it correctly."""
        covered = set().union(*fired)
        return all((row in covered) == (y[row] == output) for row in anchors)

    fired, anchors = [], set()
    while len(chosen) < max_rules and any(y[row] == output for row in remaining):
        best = None
        for _, predicate, fires in every:
            covers = sum((weight[i] for i in fires & remaining if y[i] == output), Fraction(0))
            loses = sum((weight[i] for i in fires & remaining if y[i] != output), Fraction(0))
            value = worth(covers, {0: loses}, {0: p})
            if ties == "losses":
                value = (*value[:-1], -loses, covers)
            if best is not None and value <= best[0]:
                continue
            if consistent and not right([*fired, fires], anchors | set(predicate.anchors)):
                continue
            best = value, predicate, fires
        if best is None or best[0][-1] == 0:
            break
        value, predicate, fires = best
        chosen.append((predicate, value))
        fired.append(fires)
        anchors |= set(predicate.anchors)
        remaining -= fires
    return chosen


def build_dlm(
    table,
    y,
    weight,
    penalties,
    max_rules,
    families,
    *,
    classes=2,
    ties="class",
    consistent=False,
    **options,
):
    """Return the chosen (predicate, output, default), and for each the value."""
    weight = [Fraction(w) for w in weight]
    every = {
        output: candidates(table, y, output, True, families, consistent, options)
        for output in range(classes)
    }
    remaining = set(range(table.rows))
    chosen, listed, anchors = [], [], set()

    def right(rules, default, rows):
        for row in rows:
            said = next((output for output, fires in rules if row in fires), default)
            if said != y[row]:
                return False
        return True

    def defaults(output):
        """The classes that may be answered where no rule fires; -1 where nothing depends on it."""
        return sorted({y[row] for row in remaining} - {output}) if consistent else [-1]

    def admissible(predicate, output, fires, default):
        if not set(predicate.anchors) <= remaining:
            return False
        if not {y[row] for row in predicate.anchors} <= {output, default}:
            return False
        return right([*listed, (output, fires)], default, anchors | set(predicate.anchors))

    def rank(value):
        """Value among rules of different classes."""
        return value if ties == "coverage" else (*value[:-1], value[-1] > 0)

    while len(chosen) < max_rules and len({y[row] for row in remaining}) > 1:
        best = None
        for output in reversed(range(classes)):
            rival, best = best, None
            for default in defaults(output):
                for name, predicate, fires in every[output]:
                    spatial_one = name in ("balls", "half_spaces")
                    if spatial_one and not set(predicate.anchors) <= remaining:
                        continue
                    here = fires & remaining
                    covers = sum((weight[i] for i in here if y[i] == output), Fraction(0))
                    losses = {
                        k: sum((weight[i] for i in here if y[i] == k), Fraction(0))
                        for k in range(classes)
                        if k != output
                    }
                    value = worth(covers, losses, penalties)
                    if best is not None and value <= best[0]:
                        continue
                    if consistent and not admissible(predicate, output, fires, default):
                        continue
                    best = value, predicate, output, fires
            if rival is not None and (best is None or rank(rival[0]) >= rank(best[0])):
                best = rival
        if best is None or best[0][-1] == 0:
            break
        value, predicate, output, fires = best
        chosen.append((predicate, output, value))
        listed.append((output, fires))
        anchors |= set(predicate.anchors)
        remaining -= fires
    return chosen
