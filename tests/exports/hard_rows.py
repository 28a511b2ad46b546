"""Rows that are hard to answer alike: at every border of a model, and with every odd value."""

import math

import numpy as np

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.rules import Ball, Category, HalfPlane, HalfSpace, Interval, Threshold, literals_of

ODD_NUMBERS = (
    *(0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e-300, 0.1, 1 / 3, 1.0, -1.0),
    *(2.0**53, 2.0**53 + 2, -(2.0**53), 1e154, -1e155, 1.7976931348623157e308),
    *(-1.7976931348623157e308, math.inf, -math.inf),
)
ODD_TEXTS = (
    *("", " ", "never seen", "'", '"', "`", "\\", "a'b", 'x"y', "two\nlines", "\r\n", "\t"),
    *("</script>", "${x}", "%s", "{}", "é", "e\u0301", "ß", "SS", "日本", "😀", "NULL", "null"),
    *(
        "nan",
        "--",
        "/*",
        "*/",
        "//",
        ";",
        "True",
        "north ",
        "North",
        "?",
        "??/",
        "\u202e",
        "\\u0022",
    ),
)
ODD_CODES = (
    "0",
    "-1",
    "2.5",
    "1e-07",
    "123456789012345678901234567890",
    "0.1",
    "-0.25",
    "not a code",
)


def numbers_in(node, column):
    """Numbers that a test compares a column with."""
    match node:
        case Threshold(cut=cut):
            return [cut]
        case Interval(low=low, high=high):
            return [low, high]
        case Ball(on, centre, radius):
            at = centre[on.index(column)]
            return [at, at + radius, at - radius]
        case HalfSpace(on, toward, away):
            return [toward[on.index(column)], away[on.index(column)]]
        case HalfPlane(cut=cut):
            return [cut, 1.0]
    return []


def candidates(body, field):
    """Values of a numeric column at borders, beside them, and odd ones."""
    cuts = [
        x
        for node in literals_of(body)
        if field.name in node.columns
        for x in numbers_in(node, field.name)
    ]
    if field.moment is not None:
        whole = [float(math.floor(cut) + step) for cut in cuts for step in (-1, 0, 1, 2)]
        return [*whole, 0.0, 18_000.0]
    near = [math.nextafter(cut, side) for cut in cuts for side in (-math.inf, math.inf)]
    return [*cuts, *near, *(cut + 1 for cut in cuts), *ODD_NUMBERS]


def beside(pool, rows, rng):
    """Values of a pool, a fifth of them moved by up to a million doubles."""
    x = rng.choice(pool, rows)
    moved = np.isfinite(x) & (rng.random(rows) < 0.2)
    steps = (2.0 ** rng.uniform(0, 20, rows)).astype(np.int64) * rng.choice([-1, 1], rows)
    near = (x.view(np.int64) + steps).view(np.float64)
    return np.where(moved & np.isfinite(near), near, x)


def on_borders(body, values, rng):
    """Move some rows to the border of a weighted sum: one of its columns is solved for."""
    rows = next(iter(values.values())).size if values else 0
    for node in literals_of(body):
        if not isinstance(node, HalfPlane) or any(name not in values for name in node.on):
            continue
        some = rng.random(rows) < 0.2
        with np.errstate(all="ignore"):  # sums may overflow
            rest = sum(
                w * values[name] for w, name in zip(node.weights[1:], node.on[1:], strict=True)
            )
            solved = (node.cut - rest) / node.weights[0]
            beside = np.nextafter(solved, rng.choice([-np.inf, np.inf], rows))
        solved = np.where(rng.random(rows) < 0.5, beside, solved)
        use = some & np.isfinite(solved)
        values[node.on[0]][use] = solved[use]


def without_overflow(body, values):
    """Put 0 for numbers whose squares or sums would overflow, or underflow to 0."""
    for node in literals_of(body):
        if isinstance(node, Ball | HalfSpace | HalfPlane):
            for x in (values[name] for name in node.on):
                x[(np.abs(x) > 1e30) | (np.abs(x) < 1e-30)] = 0.0


def hard_table(model, rows, seed=0, infinite=True, overflows=True):
    """A table of the columns that a model uses."""
    rng = np.random.default_rng(seed)
    used = set(model.body.columns)
    fields = [field for field in model.columns if field.name in used]
    values, columns = {}, []
    for field in fields:
        if field.is_numeric:
            pool = np.array(candidates(model.body, field))
            pool = pool if infinite else pool[np.isfinite(pool)]
            x = beside(pool, rows, rng) if field.moment is None else rng.choice(pool, rows)
            x[rng.random(rows) < 0.1] = np.nan
            values[field.name] = x
    on_borders(model.body, {f.name: values[f.name] for f in fields if f.is_quantity}, rng)
    if not overflows:
        without_overflow(model.body, values)
    for field in fields:
        if field.is_numeric:
            columns.append(NumericColumn(field.name, values[field.name], field.kind))
            continue
        texts = sorted(set(texts_of(model.body, field)))
        codes = rng.integers(-1, len(texts), rows).astype(np.int32)
        columns.append(CategoricalColumn(field.name, field.kind, codes, tuple(texts)))
    return Table(columns, rows)


def texts_of(body, field):
    """Categories of a column: those of the tests, and odd ones."""
    if field.kind == "boolean":
        return ["False", "True"]
    tested = [
        value
        for node in literals_of(body)
        if isinstance(node, Category) and node.column == field.name
        for value in node.values
    ]
    if field.kind == "code":
        return [*tested, *ODD_CODES]
    return [*tested, *tested[:2], *(text + " " for text in tested), *ODD_TEXTS]
