"""Every family with the options that change what it does, and training data to ask it about."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from strategies.mixed import COLOURS
from strategies.numbers import TIED, TIED_OR_MISSING, weights_for

from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.families import (
    Balls,
    Categories,
    CoarseThresholds,
    ExpertTests,
    GivenPredicates,
    HalfPlanes,
    HalfSpaces,
    Intervals,
    Midpoints,
    MissingValues,
    Question,
    RoundedThresholds,
    Subsets,
    Thresholds,
    Training,
)
from rulewright.rules import Kernel, Metric


def manhattan(x, p):
    return float(np.abs(x - p).sum())


def manhattan_where_known(x, p):
    return float(np.nansum(np.abs(x - p)))


def overlap(x, p):
    return float(np.minimum(x, p).sum())


def overlap_where_known(x, p):
    return float(np.nansum(np.minimum(x, p)))


def is_large(columns):
    return columns["a"] > 0.5


def is_blue_or_small(columns):
    return (columns["colour"] == "blue") | (columns["b"] < 0)


def always(columns):
    return np.ones(columns.rows, bool)


RBF = Kernel("rbf", gamma=0.5)
POLYNOMIAL = Kernel("polynomial", gamma=1.0, offset=1.0, degree=2)
PRECOMPUTED = Kernel("precomputed")

EXPERT = (
    "a > 0.5",
    "b <= 0 or missing",
    "0 < b <= 1",
    "a < -1 or a > 2",
    "colour != blue or missing",
    "not flag or missing",
)

ON_COLUMNS = {
    "thresholds": Thresholds(),
    "intervals": Intervals(),
    "midpoints": Midpoints(),
    "rounded": RoundedThresholds(),
    "coarse": CoarseThresholds(),
    "categories": Categories(),
    "subsets": Subsets(),
    "missing": MissingValues(),
    "given": GivenPredicates(),
    "given columns": GivenPredicates(columns=("bit", "flag")),
    "given functions": GivenPredicates(functions={"large": is_large, "blue": is_blue_or_small}),
    "expert": ExpertTests(EXPERT),
    "given both": GivenPredicates(columns=("bit",), functions={"always": always}),
}
BALLS = {
    "balls": Balls(),
    "balls, simple": Balls(types="simple"),
    "balls, l1": Balls(metric="l1"),
    "balls, linf": Balls(metric="linf"),
    "balls, linear kernel": Balls(metric="kernel"),
    "balls, rbf": Balls(metric=Metric("kernel", RBF)),
    "balls, polynomial": Balls(metric=Metric("kernel", POLYNOMIAL)),
    "balls, function": Balls(metric=manhattan),
    "balls, kernel function": Balls(
        metric=Metric("kernel", Kernel("function", name="overlap", function=overlap))
    ),
    "balls, standard": Balls(scale="standard"),
    "balls, rank": Balls(metric="l1", scale="rank"),
}
HALF_SPACES = {
    "half-spaces": HalfSpaces(),
    "half-spaces, rbf": HalfSpaces(kernel=RBF),
    "half-spaces, polynomial": HalfSpaces(kernel=POLYNOMIAL),
    "half-spaces, function": HalfSpaces(kernel=overlap),
    "half-spaces, standard": HalfSpaces(scale="standard"),
    "half-spaces, rank": HalfSpaces(kernel=RBF, scale="rank"),
}
READ_FROM_COLUMNS = {
    "balls, precomputed": Balls(metric="precomputed"),
    "balls, precomputed kernel": Balls(metric=Metric("kernel", PRECOMPUTED)),
    "half-spaces, precomputed": HalfSpaces(kernel="precomputed"),
}
HALF_PLANES = {"half-planes": HalfPlanes(), "half-planes of three": HalfPlanes(3)}
WHERE_KNOWN = {
    "balls, where known": Balls(metric=manhattan_where_known),
    "half-spaces, where known": HalfSpaces(kernel=overlap_where_known),
}
FILLED = {
    "balls, mean": Balls(impute="mean"),
    "balls, median of ranks": Balls(metric="l1", scale="rank", impute="median"),
    "balls, filled for a function": Balls(metric=manhattan, impute="most_frequent"),
    "half-spaces, most frequent": HalfSpaces(scale="standard", impute="most_frequent"),
}
FAMILY = ON_COLUMNS | BALLS | HALF_SPACES | HALF_PLANES | READ_FROM_COLUMNS | WHERE_KNOWN | FILLED


@dataclass(frozen=True)
class Problem:
    """A family, measured on the examples that it is asked about."""

    family: object
    training: Training


@st.composite
def tables(draw, rows, numbers):
    """Numbers a and b, colours, a Boolean, a number that is 0 or 1; ties and duplicates."""
    element = {True: st.sampled_from([0.0, 1.0, np.nan]), False: st.sampled_from([0.0, 1.0])}
    bits = element[numbers is TIED_OR_MISSING]
    colours = hnp.arrays(np.int32, rows, elements=st.integers(-1, len(COLOURS) - 1))
    return Table(
        [
            NumericColumn("a", draw(hnp.arrays(np.float64, rows, elements=numbers))),
            CategoricalColumn("colour", "text", draw(colours), (*COLOURS, "unseen")),
            NumericColumn("b", draw(hnp.arrays(np.float64, rows, elements=numbers))),
            CategoricalColumn(
                "flag",
                "boolean",
                draw(hnp.arrays(np.int32, rows, elements=st.integers(-1, 1))),
                ("False", "True"),
            ),
            NumericColumn("bit", draw(hnp.arrays(np.float64, rows, elements=bits))),
        ],
        rows,
    )


@st.composite
def compared(draw, family, rows):
    """A table that holds how rows compare: a column for each row of the user's table."""
    count = int(rows.max()) + 1
    points = draw(hnp.arrays(np.float64, (count, 2), elements=TIED))
    if family.name == "balls" and family.metric.kind == "precomputed":
        matrix = np.abs(points[:, None] - points[None]).sum(axis=2)
    else:
        matrix = points @ points.T
    columns = [NumericColumn(f"to {row}", matrix[rows, row]) for row in range(count)]
    if family.name == "balls" and family.metric.kind == "kernel":
        columns.append(NumericColumn("to itself", np.diag(matrix)[rows]))
    return Table(columns, rows.size)


@st.composite
def trainings(draw, name):
    """Examples of up to three classes, their labels contradictory or all the same."""
    family = FAMILY[name]
    most = 6 if family.name == "half_spaces" else 10
    count = draw(st.integers(1, most))
    rows = np.arange(count)
    if draw(st.booleans()):  # some rows of the user's table have no weight and are left out
        rows = np.sort(np.array(draw(st.permutations(range(count + 3)))[:count]))
    if name in READ_FROM_COLUMNS:
        table = draw(compared(family, rows))
    else:
        complete = name in BALLS or name in HALF_SPACES
        table = draw(tables(count, TIED if complete else TIED_OR_MISSING))
    classes = draw(st.integers(1, 3))
    y = draw(hnp.arrays(np.int32, count, elements=st.integers(0, classes - 1)))
    return Training(table, y, rows)


@st.composite
def problems(draw, names):
    """One of these families and examples for it."""
    name = draw(st.sampled_from(sorted(names)))
    training = draw(trainings(name))
    return Problem(measured(name, training.table), training)


def measured(name, table):
    """A family as it is after it has seen the rows that it sets aside."""
    return FAMILY[name].measured(table, FAMILY[name].scaling_rows(table.rows))


@st.composite
def questions(draw, training, implied=None):
    """Weights, many of them zero, and which examples may be used for what."""
    rows = training.y.size
    masks = st.one_of(st.none(), hnp.arrays(np.bool_, rows))
    return Question(
        draw(weights_for(rows)),
        output=draw(st.integers(0, 2)),
        side=draw(st.booleans()),
        open=draw(masks),
        implied=draw(st.booleans()) if implied is None else implied,
        covered=draw(masks),
    )
