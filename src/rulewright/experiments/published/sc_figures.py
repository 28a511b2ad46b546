"""Figures of the paper on conjunctive rules with corrected counts.

K. Vorontsov and A. Ivahnenko (2011), Tight Combinatorial Generalization Bounds for Threshold
Conjunction Rules, Pattern Recognition and Machine Intelligence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import SCGraph, sc_graph
from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    CellValue,
    Figure,
    Paragraph,
    ResultPage,
    ResultTable,
)
from rulewright.render import ChartAxis, ChartSeries, sc_figure, scatter

POINTS = "rulewright.experiments.published.point_cells.points_of_rules"
LEARNERS = ("DL", "DL+CS", "WV", "WV+CS", "RIPPER+opt", "C4.5(Rules)", "SLIPPER")
TABLES = ("liver", "heart", "hepatitis")
SPLITS = 5
OBJECTS = np.column_stack([range(1, 11), [3, 5, 2, 6, 8, 1, 9, 10, 4, 7]]).astype(np.float64)
TARGET = (OBJECTS <= 6).all(axis=1)
"""Ten objects of two classes that one rule separates."""


class ScFigures(Experiment):
    """Rules in training and on held-out rows, classes of equivalent rules, and the SC-graph."""

    name: ClassVar[str] = "sc-figures"
    title: ClassVar[str] = "Rules in training and on new rows; the SC-graph (2011)"

    def cells(self, quick: bool) -> list[Cell]:
        """Every learner on the halves of every table."""
        return [
            Cell(POINTS, {"table": table, "learner": learner, "repeat": repeat, "fold": fold})
            for table in (TABLES[:1] if quick else TABLES)
            for learner in LEARNERS
            for repeat in range(1 if quick else SPLITS)
            for fold in range(2)
        ]

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """Scatter plots, their summary, and the figures of ten objects."""
        graph = sc_graph(OBJECTS, TARGET, ["<=", "<="])
        return ResultPage(
            "Threshold Conjunction Rules (2011): figures",
            [
                Paragraph(INTRODUCTION),
                *(_scatter(results, learner) for learner in LEARNERS),
                _summary(results, quick),
                Paragraph(EXAMPLE),
                _every_rule(graph),
                Figure(
                    "One point per class of equivalent rules, and the SC-graph",
                    sc_figure(OBJECTS, TARGET, graph),
                    "Left: rules that cover the same objects are one point. Right: the same "
                    "classes by their errors. Rules that differ in one object are joined.",
                ),
                _graph_table(graph),
            ],
        )


INTRODUCTION = (
    "A rule covers p rows of its class and n rows of other classes. Each table is cut into two "
    "halves: rules are learnt from one and counted on both. Because a rule was chosen on the "
    "training rows, it tends to cover fewer rows of its class and more of the others on new rows. "
    "The correction predicts this from the training rows alone (eta = 1/2)."
)
EXAMPLE = (
    "The last figures show ten objects of two classes, which rules of the form f1 <= t1 and "
    "f2 <= t2 can separate."
)


def _of(results: Sequence[Result], table: str, learner: str) -> list[Result]:
    wanted = {"table": table, "learner": learner}
    return [r for r in results if wanted.items() <= dict(r.cell.parameters).items()]


def _scatter(results: Sequence[Result], learner: str) -> Figure:
    """The rules of one training half."""
    table = TABLES[0]
    first = _of(results, table, learner)[0].values
    points = first["points"]
    training = [(point["n"], point["p"]) for point in points]
    held = [(point["held_n"], point["held_p"]) for point in points]
    corrected = [(point["corrected_n"], point["corrected_p"]) for point in points]
    svg = scatter(
        [
            ChartSeries("in training", training),
            ChartSeries("on held-out rows", held),
            ChartSeries("corrected in training", corrected),
        ],
        ChartAxis("n, rows of other classes", low=0),
        ChartAxis("p, rows of its class", low=0),
        title=f"{learner} on {table}: rules in training and on held-out rows",
        description=f"{len(points)} rules, each three times, joined by a line.",
        guides=[list(three) for three in zip(corrected, training, held, strict=True)],
    )
    return Figure(
        f"{learner} on {table}: {len(points)} rules, one point per rule",
        svg,
        f"Learnt from {first['rows']} rows. Lines join the three points of a rule. Counts on "
        "held-out rows are scaled to the number of training rows.",
    )


def _summary(results: Sequence[Result], quick: bool) -> ResultTable:
    rows: list[list[CellValue]] = []
    for table in TABLES[:1] if quick else TABLES:
        for learner in LEARNERS:
            cells = _of(results, table, learner)
            points = [point for cell in cells for point in cell.values["points"]]
            if not points:
                continue
            means = {name: float(np.mean([p[name] for p in points])) for name in points[0]}
            worse = [p["held_n"] > p["n"] and p["held_p"] < p["p"] for p in points]
            rows.append(
                [
                    f"{table}, {learner}",
                    len(points) / len(cells),
                    *(means[name] for name in ("n", "held_n", "corrected_n")),
                    *(means[name] for name in ("p", "held_p", "corrected_p")),
                    float(np.mean(worse)),
                ]
            )
    splits = "1 split" if quick else f"{SPLITS} splits"
    return ResultTable(
        "Means over rules",
        [
            "table, learner",
            "rules",
            "n in training",
            "n held out",
            "n corrected",
            "p in training",
            "p held out",
            "p corrected",
            "both worse",
        ],
        rows,
        f"{splits} into halves (from seed 0), each half once for training. Both worse: share of "
        "rules with more n and less p on held-out rows.",
    )


def _every_rule(graph: SCGraph) -> Figure:
    """All pairs of thresholds between values, coloured by their errors."""
    cuts = np.arange(0.5, 11)
    by_errors: dict[int, list[tuple[float, float]]] = {}
    for first in cuts.tolist():
        for second in cuts.tolist():
            covered = (OBJECTS <= (first, second)).all(axis=1)
            by_errors.setdefault(int((covered != TARGET).sum()), []).append((first, second))
    best, *others = sorted(by_errors)
    series = [
        ChartSeries("object of the rules' class", _pairs(OBJECTS[TARGET]), colour=1),
        ChartSeries("other object", _pairs(OBJECTS[~TARGET]), colour=0),
        ChartSeries(f"rule with {best} errors", by_errors[best]),
        ChartSeries("rule with more errors", [p for e in others for p in by_errors[e]]),
    ]
    rules = cuts.size**2
    return Figure(
        f"One point per rule: {rules} pairs of thresholds, {len(graph.rules)} classes",
        scatter(
            series,
            ChartAxis("f1, or threshold t1", low=0, high=11),
            ChartAxis("f2, or threshold t2", low=0, high=11),
            title="One point per rule",
            description=f"Ten objects and {rules} rules, a point at the thresholds of each.",
        ),
        "A rule covers the objects to the left of and below its point.",
    )


def _pairs(objects: NDArray[np.float64]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in objects.tolist()]


def _graph_table(graph: SCGraph) -> ResultTable:
    return ResultTable(
        "The SC-graph by layers",
        ["errors", "classes of rules"],
        [[errors, len(rules)] for errors, rules in sorted(graph.layers.items())],
        f"{len(graph.rules)} classes and {len(graph.edges)} edges.",
    )
