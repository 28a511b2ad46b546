"""The lecture's closing comparison of ensembles, with 1 to 1,000 trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    Figure,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.render import ChartAxis, ChartSeries, lines

CELL = "rulewright.experiments.lectures.ensemble_cells.ensemble_errors"
TREES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
TRIALS = (2, 5, 10, 20, 50)
RULES = (1, 2, 5, 10, 20, 50)
SIZES = {
    "single tree": (1,),
    "bagging": TREES,
    "random forest": TREES,
    "random forest, leaves of 5": TREES,
    "extremely randomised trees": TREES,
    "boosting": TREES,
    "boosted trials": TRIALS,
    "rule vote": RULES,
}
TABLES = ("german_readable", "glass", "heart_cleveland", "ionosphere", "pima", "sonar")
QUICK_TABLES = ("sonar",)
TITLES = {
    ("bagging", "votes"): "bagging",
    ("random forest", "votes"): "random forest, simple votes",
    ("random forest", "probabilities"): "random forest, probabilities",
    ("random forest, leaves of 5", "votes"): "the same, leaves of 5 rows, simple votes",
    ("random forest, leaves of 5", "probabilities"): "the same, leaves of 5 rows, probabilities",
    ("extremely randomised trees", "votes"): "extremely randomised trees",
    ("boosting", "boosted"): "AdaBoost, trees of depth 3",
    ("boosted trials", "trials"): "boosted trials (C5.0)",
    ("rule vote", "rules"): "rule vote",
    ("single tree", "grown out"): "single tree, grown out",
    ("single tree", "pruned (C4.5)"): "single tree, pruned (C4.5)",
}
"""Curves that are shown; trees that are grown out give the same answers in both votes."""


class Ensembles(Experiment):
    """Single trees and ensembles of them on the same folds."""

    name: ClassVar[str] = "ensembles"
    title: ClassVar[str] = (
        "Single trees, bagging, forests, boosting and rule votes, 1 to 1,000 trees"
    )

    def cells(self, quick: bool) -> list[Cell]:
        """Every method on every table."""
        return [
            Cell(CELL, {"table": t, "method": method, "sizes": [*sizes], "folds": folds(quick)})
            for t in (QUICK_TABLES if quick else TABLES)
            for method, sizes in SIZES.items()
        ]

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """Convergence, and the errors of the largest ensembles."""
        return ResultPage(
            "Ensembles of trees and rules",
            [
                Paragraph(INTRODUCTION.format(folds=folds(quick))),
                _convergence(results),
                _by_size(results),
                _largest(results),
            ],
        )


def folds(quick: bool) -> int:
    """Number of folds of the cross-validation."""
    return 3 if quick else 10


INTRODUCTION = (
    "The lecture: a forest is a vote of trees that overfit different samples; its trees vote "
    "simply, or by the frequency of the class in their leaves; extremely randomised trees draw "
    "their cuts at random; and with growth its performance converges. Errors are those of "
    "{folds}-fold cross-validation on the same folds. Forests are scikit-learn's, with its "
    "defaults; categories become columns of 0 and 1. Boosted trials and the rule vote are "
    "Rulewright's: pruned trees boosted as in C5.0, and boosted rules of several terms. Leaves of "
    "trees that are grown out hold one class, so that simple votes and probabilities give the same "
    "answers; they differ where leaves have at least 5 rows."
)


def _curves(results: Sequence[Result]) -> dict[tuple[str, str], dict[str, list[float]]]:
    """Errors by curve and table, in the order of the titles."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {key: {} for key in TITLES}
    for result in results:
        parameters = result.cell.parameters
        for name, errors in result.values["errors"].items():
            if (parameters["method"], name) in found:
                found[parameters["method"], name][parameters["table"]] = errors
    return found


def _convergence(results: Sequence[Result]) -> Figure:
    series: list[ChartSeries] = []
    for key, tables in _curves(results).items():
        sizes = SIZES[key[0]]
        means = np.mean([*tables.values()], axis=0).tolist()
        points = list(zip(sizes, means, strict=True))
        if len(sizes) == 1:
            points = [(TREES[0], means[0]), (TREES[-1], means[0])]
        if all(points != drawn.points for drawn in series):  # those that coincide, once
            series.append(ChartSeries(TITLES[key], points))
    svg = lines(
        series,
        ChartAxis("trees, trials or rules", scale="log"),
        ChartAxis("error, mean of the tables", percent=True),
        title="Error by the number of trees",
        description="Errors of ensembles fall with the number of their members, then level off.",
    )
    return Figure("Error by the number of trees", svg)


def _by_size(results: Sequence[Result]) -> ResultTable:
    rows: list[list[str | int | float | None]] = []
    for key, tables in _curves(results).items():
        means = dict(zip(SIZES[key[0]], np.mean([*tables.values()], axis=0).tolist(), strict=True))
        rows.append([TITLES[key], *(means.get(size) for size in TREES)])
    return ResultTable(
        "Mean error by the number of trees, trials or rules",
        ["", *(ResultColumn(f"{size:,}", percent=True) for size in TREES)],
        rows,
        _change(results),
    )


def _change(results: Sequence[Result]) -> str:
    """A sentence on convergence: what the second half of the trees changes."""
    curve = _curves(results)["random forest", "probabilities"]
    means = np.mean([*curve.values()], axis=0)
    last, before = TREES.index(1000), TREES.index(100)
    return (
        f"The error of the random forest changes by {100 * (means[before] - means[0]):+.1f} points "
        f"from 1 to 100 trees, and by {100 * (means[last] - means[before]):+.1f} points from 100 "
        "to 1,000."
    )


def _largest(results: Sequence[Result]) -> ResultTable:
    seconds: dict[str, list[float]] = {}
    for result in results:
        seconds.setdefault(result.cell.parameters["method"], []).append(result.values["seconds"])
    curves = _curves(results)
    tables = list(next(iter(curves.values())))
    errors = np.array([[of[table][-1] for table in tables] for of in curves.values()])
    rows: list[list[str | int | float | None]] = [
        [title, SIZES[key[0]][-1], *found.tolist(), float(found.mean())]
        for (key, title), found in zip(TITLES.items(), errors, strict=True)
    ]
    for row, key in zip(rows, TITLES, strict=True):
        row.append(float(np.mean(seconds[key[0]])))
    best = {(int(errors[:, place].argmin()), place + 2) for place in range(len(tables))}
    percent = [ResultColumn(name, percent=True) for name in (*tables, "mean")]
    return ResultTable(
        "Errors of the largest ensembles",
        ["", "size", *percent, ResultColumn("seconds", 2)],
        rows,
        "Seconds: CPU time of fitting and testing all sizes of one fold. The best of each table is "
        "highlighted.",
        best,
    )
