"""The lecture's comparison of criteria, their isolines, and the errors that they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import CRITERIA, smoothed_gain, table
from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.comparison.paired_tests import corrected_test, holm
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    CellValue,
    Figure,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.render import ChartAxis, ChartSeries, isolines

CELL = "rulewright.experiments.lectures.criteria_cells.criterion_errors"
P, N = 200, 100
PUBLISHED = (
    (50, 0, 50, 50, 0.25, 50, 1, 22.65, 23.70, 7.07),
    (100, 50, 50, -150, 0, 1.96, 0.67, 2.33, 1.98, 2.93),
    (50, 9, 41, 5, 0.16, 5, 0.85, 7.87, 7.94, 4.07),
    (5, 0, 5, 5, 0.03, 5, 1, 2.04, 3.04, 2.24),
    (100, 0, 100, 100, 0.5, 100, 1, 52.18, 53.32, 10.0),
    (140, 20, 120, 40, 0.5, 6.67, 0.88, 37.09, 37.03, 7.36),
)
"""Rows of the lecture: p, n, p - n, p - 5n, p/P - n/N, p/(n+1), p/(n+p), I, IGain, boosting."""
NAMES = ("p - n", "p - 5n", "p/P - n/N", "p/(n+1)", "p/(n+p)", "I", "IGain", "sqrt p - sqrt n")

TABLES = (
    "breastw",
    "bupa",
    "car",
    "credit",
    "german_readable",
    "glass",
    "heart_cleveland",
    "hepatitis",
    "ionosphere",
    "pima",
    "tic_tac_toe",
    "votes",
)
QUICK_TABLES = ("breastw", "glass", "votes")
SPLITS = ("gini", "entropy", "gain_ratio", "error")
"""Criteria of trees."""

DEFAULTS = {"rule-list": "boosting_normalised", "tree": "gini"}
"""Criteria that learners have by default; the others are tested against them."""

CURVES = ("precision", "accuracy", "entropy", "fisher", "boosting_normalised", "foil_gain")
"""Criteria with a figure."""


class Criteria(Experiment):
    """What the lecture says of criteria, computed and measured."""

    name: ClassVar[str] = "criteria"
    title: ClassVar[str] = "Criteria of rules: the lecture's table, isolines, and what they change"

    def cells(self, quick: bool) -> list[Cell]:
        """Every criterion on every table."""
        return [
            Cell(CELL, {"table": t, "learner": learner, "criterion": c, "folds": folds(quick)})
            for t in (QUICK_TABLES if quick else TABLES)
            for learner, criteria in (("rule-list", [*CRITERIA]), ("tree", SPLITS))
            for c in criteria
        ]

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """The comparison beside the lecture's, the isolines, and the errors."""
        return ResultPage(
            "Criteria of rules",
            [
                Paragraph(REASON),
                _comparison(),
                Paragraph(ISOLINES),
                *_figures(),
                *_claims(results, quick),
            ],
        )


def folds(quick: bool) -> int:
    """Number of folds of the cross-validation."""
    return 3 if quick else 5


REASON = (
    "The lecture heads its table with P = N = 100. Its own numbers need P = 200 and N = 100: the "
    "last rule covers 140 examples of a class of 100, and p/P - n/N = 0.25 for p = 50, n = 0 gives "
    "P = 200, and then 0.5 for p = 140, n = 20 gives N = 100. The column IGain is the information "
    "gain of all 300 examples in nats, with x ln(x + 1) in the place of x ln x in the two parts. "
    "The lecture prints neither; with both, all 48 numbers are reproduced to the last digit."
)
ISOLINES = (
    "A rule is a point in coverage space: it covers n of N others and p of P examples of its "
    "class. Rules on one line are equally good for the criterion, and the lines are at equal steps "
    "of it. Where the lines are straight and "
    "parallel, the criterion counts costs; where they meet in the origin, it is a share."
)


def _comparison() -> ResultTable:
    ours = table(P=P, N=N).columns
    cases = np.array([row[:2] for row in PUBLISHED], float)
    columns = [values for name, values in ours.items() if name not in ("p", "n", "gain")]
    columns.insert(6, tuple(smoothed_gain(cases[:, 0], cases[:, 1], P, N).tolist()))
    rows: list[list[CellValue]] = []
    emphasis = set()
    for number, published in enumerate(PUBLISHED):
        row: list[CellValue] = [int(published[0]), int(published[1])]
        for place, column in enumerate(columns):
            row += [_text(published[place + 2]), _text(round(column[number] + 1e-9, 2))]
            if row[-1] != row[-2]:
                emphasis.add((number, len(row) - 1))
        rows.append(row)
    heads = [head for name in NAMES for head in (f"{name}, lecture", "ours")]
    note = (
        "A star marks a number that differs."
        if emphasis
        else "All numbers are the same, rounded as in the lecture."
    )
    return ResultTable(f"Criteria for P = {P}, N = {N}", ["p", "n", *heads], rows, note, emphasis)


def _text(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if "." in f"{value:.2f}" else f"{value:g}"


def _figures() -> Iterator[Figure]:
    for name in CURVES:
        n, p = np.meshgrid(np.linspace(0, N, 101), np.linspace(0, P, 101))
        curves = contours(n, p, np.asarray(CRITERIA[name](p, n, P, N)), levels=6)
        chance = ChartSeries("", [(0, 0), (0.8 * N, 0.8 * P), (N, P)], ["chance"], colour=7)
        svg = isolines(
            [*curves, chance],
            ChartAxis("n: covered examples of other classes", 0, N),
            ChartAxis("p: covered examples of the class", 0, P),
            title=f"Isolines of {name}",
            description=f"Lines on which the criterion {name} has the same value.",
        )
        yield Figure(f"Isolines of {name}", svg)


Grid = NDArray[np.float64]


def contours(x: Grid, y: Grid, z: Grid, levels: int) -> list[ChartSeries]:
    """Curves of equal z over a grid whose rows have one y, at evenly spaced values of z.

    In each row of the grid the places where z crosses the level are found by interpolation; a
    criterion falls with n, so there is at most one above chance, and it is the first.
    """
    above = y / y.max() >= x / x.max()
    shown = np.where(above, z, np.nan)
    low, high = np.nanquantile(shown, 0.02), np.nanmax(shown)  # at the origin shares are 0
    found = []
    for place in range(1, levels + 1):
        level = low + (high - low) * place / (levels + 1)
        points = _start(y[:, 0], z[:, 0], level)
        points += [point for row in range(len(z)) if (point := _crossing(x, y, shown, row, level))]
        found.append(ChartSeries("", points, labels=[f"{level:.3g}"]))
    return found


def _start(p: Grid, z: Grid, level: float) -> list[tuple[float, float]]:
    """The point of a curve at n = 0; none where the curve comes from the origin."""
    row = int(np.argmax(z >= level))
    if row < 2 or z[row] < level:
        return []
    share = (level - z[row - 1]) / (z[row] - z[row - 1])
    return [(0.0, float(p[row - 1] + share * (p[row] - p[row - 1])))]


def _crossing(x: Grid, y: Grid, z: Grid, row: int, level: float) -> tuple[float, float] | None:
    known = ~np.isnan(z[row])
    values, places = z[row][known], x[row][known]
    for i in range(values.size - 1):
        first, second = values[i] - level, values[i + 1] - level
        if first >= 0 > second:
            share = first / (first - second)
            return (float(places[i] + share * (places[i + 1] - places[i])), float(y[row, 0]))
    return None


def _claims(results: Sequence[Result], quick: bool) -> Iterator[ResultTable | Paragraph]:
    yield Paragraph(CLAIM.format(folds=folds(quick)))
    for learner, title in (("rule-list", "Rule lists"), ("tree", "Trees")):
        of = [result for result in results if result.cell.parameters["learner"] == learner]
        yield _errors(of, title)
        yield _spread(of, title)
        yield criterion_tests(*_matrix(of), DEFAULTS[learner], title)


CLAIM = (
    "The lecture says: the criterion usually does not matter. Here the same learner runs with each "
    "criterion in turn, on the same {folds} folds of each table; everything else has its default "
    "(trees: C4.5's pessimistic pruning). Whether differences are more than chance is tested with "
    "the tables as pairs."
)


def _errors(results: Sequence[Result], title: str) -> ResultTable:
    error = {_at(r): r.values["error"] for r in results}
    literals = {_at(r): r.values["literals"] for r in results}
    tables, criteria, _ = _matrix(results)
    best = {t: min(error[t, c] for c in criteria) for t in tables}
    rows, emphasis = [], set()
    for number, criterion in enumerate(criteria):
        found = [error[t, criterion] for t in tables]
        emphasis |= {(number, k + 4) for k, t in enumerate(tables) if found[k] == best[t]}
        above = float(np.mean([e - best[t] for e, t in zip(found, tables, strict=True)]))
        size = float(np.mean([literals[t, criterion] for t in tables]))
        rows.append([criterion, float(np.mean(found)), above, size, *found])
    shares = [ResultColumn(t, percent=True) for t in ("mean error", "above the best")]
    return ResultTable(
        f"{title}: error with each criterion",
        ["criterion", *shares, "literals", *(ResultColumn(t, percent=True) for t in tables)],
        rows,
        "Above the best: mean difference from the best criterion of each table, which is known "
        "only afterwards. Literals: mean number of tests in the model. The best of each table is "
        "highlighted. The cost of linear_cost is 1 here, which makes it the same as accuracy.",
        emphasis,
    )


def _spread(results: Sequence[Result], title: str) -> ResultTable:
    """How much of the differences is due to the table, and how much to the criterion."""
    tables, criteria, matrix = _matrix(results)
    ranks = np.array([np.argsort(np.argsort(row)) for row in matrix])
    means = matrix.mean(axis=0)
    rows: list[list[CellValue]] = [
        ["deviation between tables (mean of all criteria)", _deviation(matrix.mean(axis=1))],
        ["deviation between criteria (mean of all tables)", _deviation(means)],
        ["deviation between criteria on one table, mean", float(_rows_deviation(matrix).mean())],
        ["worst criterion minus best, mean of all tables", float(np.ptp(means))],
    ]
    better = int(ranks.sum(axis=0).argmin())
    return ResultTable(
        f"{title}: does the criterion matter?",
        ["", ResultColumn("error", digits=2, percent=True)],
        rows,
        f"{len(tables)} tables, {len(criteria)} criteria. The best by mean rank is "
        f"{criteria[better]}, the best by mean error {criteria[int(means.argmin())]}, the worst "
        f"{criteria[int(means.argmax())]}.",
    )


def criterion_tests(
    tables: Sequence[str], criteria: Sequence[str], matrix: Grid, default: str, title: str
) -> ResultTable:
    """Paired tests over tables of each criterion against the default one.

    ``matrix`` has a row of errors for each table. J. Demšar (2006), Statistical Comparisons of
    Classifiers over Multiple Data Sets, recommends both tests.
    """
    reference = matrix[:, criteria.index(default)]
    others = [place for place, name in enumerate(criteria) if name != default]
    differences = {criteria[place]: matrix[:, place] - reference for place in others}
    p_values = [_signed_rank(values) for values in differences.values()]
    rows: list[list[CellValue]] = []
    for (name, values), *p in zip(differences.items(), p_values, holm(p_values), strict=True):
        test = corrected_test(values.tolist(), test_ratio=0.0)
        counts = [int((values < 0).sum()), int((values > 0).sum())]
        rows.append([name, test.difference, test.low, test.high, *counts, *p])
    shares = [ResultColumn(t, percent=True) for t in ("difference", "from", "to")]
    chance = [ResultColumn(name, digits=3, least=0.001) for name in ("p", "p (all)")]
    return ResultTable(
        f"{title}: tests against {default}",
        ["criterion", *shares, "tables better", "worse", *chance],
        rows,
        f"Error minus that of {default}, the default: mean of {len(tables)} tables with its 95 % "
        "interval, tables with a lower and with a higher error, p-value of Wilcoxon's signed rank "
        "test with the tables as pairs, and the same corrected for the number of tests (Holm). "
        f"Friedman's test that all {len(criteria)} criteria are equal: p = "
        f"{_friedman(matrix):.2g}.",
    )


def _signed_rank(differences: Grid) -> float:
    from scipy.stats import wilcoxon  # noqa: PLC0415 - it takes long to import

    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


def _friedman(matrix: Grid) -> float:
    from scipy.stats import friedmanchisquare  # noqa: PLC0415 - it takes long to import

    return float(friedmanchisquare(*matrix.T).pvalue) if np.ptp(matrix, axis=1).any() else 1.0


def _matrix(results: Sequence[Result]) -> tuple[list[str], list[str], Grid]:
    """Tables, criteria, and the errors with a row for each table."""
    error = {_at(r): r.values["error"] for r in results}
    tables, criteria = (list(dict.fromkeys(keys)) for keys in zip(*error, strict=True))
    return tables, criteria, np.array([[error[t, c] for c in criteria] for t in tables])


def _at(result: Result) -> tuple[str, str]:
    return result.cell.parameters["table"], result.cell.parameters["criterion"]


def _deviation(values: Grid) -> float:
    return float(values.std(ddof=1)) if values.size > 1 else 0.0


def _rows_deviation(matrix: Grid) -> Grid:
    found: Grid = matrix.std(axis=1, ddof=1)
    return found
