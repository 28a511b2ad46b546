"""The worked examples of the lecture on trees, from public functions of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rulewright.criteria import (
    conditional_entropy,
    impurity_entropy,
    mutual_information,
    split_errors,
    surprise,
)
from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import Figure, Paragraph, ResultColumn, ResultPage, ResultTable
from rulewright.render import ChartAxis, ChartBox, ChartSeries, lines, rectangles, scatter

CELLS = "rulewright.experiments.lectures.tree_cells"
EXAMPLES = (
    (0, 0, 0, 1),
    (0, 0, 1, 0),
    (0, 1, 0, 1),
    (0, 1, 1, 1),
    (1, 0, 0, 0),
    (1, 0, 1, 1),
    (1, 1, 0, 0),
    (1, 1, 1, 0),
)
"""The lecture's training examples: x1, x2, x3 and y."""
PUBLISHED_ERRORS = (2, 4, 4)

OUTLOOK = {"sunny": (0.1, 0.1), "rain": (0.2, 0.8), "overcast": (0.7, 0.5)}
"""Probability of each outlook, and of rain given it."""

PROGRESS = ((20, 10), (20, 0))
"""A split whose errors are as many as before it: 10 of the second class, all on one side."""


def contingency(column: int) -> list[list[int]]:
    """Counts of y = 0 and y = 1 for both values of one column of the examples."""
    return [
        [sum(row[column] == value and row[3] == y for row in EXAMPLES) for y in (0, 1)]
        for value in (0, 1)
    ]


def rain_table() -> list[tuple[float, float]]:
    """Joint probabilities of the outlook (rows) and of rain or no rain (columns)."""
    return [(p * rain, p * (1 - rain)) for p, rain in OUTLOOK.values()]


class LectureTrees(Experiment):
    """Worked examples on splits, entropy and gain; figures of rectangles and of y -> y^4."""

    name: ClassVar[str] = "lecture-trees"
    title: ClassVar[str] = "Trees: the lecture's worked examples, rectangles, y -> y^4"

    def cells(self, quick: bool) -> list[Cell]:
        """The two figures that need a tree."""
        return [
            Cell(f"{CELLS}.tree_rectangles", {"seed": 0, "rows": 160, "leaves": 6}),
            Cell(f"{CELLS}.bent_line", {"seed": 0, "rows": 120, "margin": 0.04}),
        ]

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """All examples in the order of the lecture."""
        boxes, bent = results
        return ResultPage(
            "Trees: the lecture's worked examples",
            [
                _attributes(),
                _progress(),
                _surprise(),
                _entropy_figure(),
                _outlook(),
                _rectangles(boxes),
                *_bent(bent),
            ],
        )


def _attributes() -> ResultTable:
    rows: list[list[str | int | float | None]] = []
    for column, published in enumerate(PUBLISHED_ERRORS):
        table = contingency(column)
        counts = "; ".join(f"{value}: {no} no, {yes} yes" for value, (no, yes) in enumerate(table))
        gain, left = float(mutual_information(table)), float(conditional_entropy(table))
        rows.append([f"x{column + 1}", counts, published, int(split_errors(table)), left, gain])
    columns = ["attribute", "counts of y", "J, lecture", "J", "entropy left", "gain"]
    return ResultTable(
        "Choosing the best attribute",
        columns,
        rows,
        "J: errors of a tree of one split. Both methods of the lecture choose x1.",
    )


def _progress() -> ResultTable:
    before = np.sum(PROGRESS, axis=0)
    rows: list[list[str | int | float | None]] = [
        ["before", int(before.min()), float(impurity_entropy(before))],
        ["after", int(split_errors(PROGRESS)), float(conditional_entropy(PROGRESS))],
    ]
    return ResultTable(
        "A split that makes progress without fewer errors",
        ["", "errors J", "entropy"],
        rows,
        "40 examples of one class and 10 of the other. A split sends 20 of the first class to one "
        "side and all others to the other. The number of errors does not change; the entropy "
        "falls. This is why the lecture's second method counts information.",
    )


def _surprise() -> ResultTable:
    values = surprise([0.2, 0.8])
    rows: list[list[str | int | float | None]] = [
        ["surprise of V = 0, P = 0.2", float(values[0])],
        ["surprise of V = 1, P = 0.8", float(values[1])],
        ["entropy of V, their mean", float(impurity_entropy([0.2, 0.8]))],
    ]
    return ResultTable("Surprise and entropy", ["", ResultColumn("bits", 3)], rows)


def _entropy_figure() -> Figure:
    shares = np.linspace(0, 1, 101)
    bits = impurity_entropy(np.column_stack([shares, 1 - shares]))
    points = list(zip(shares.tolist(), bits.tolist(), strict=True))
    svg = lines(
        [ChartSeries("", points)],
        ChartAxis("P(V = 1)", 0, 1),
        ChartAxis("entropy of V in bits", 0, 1.05),
        title="Entropy of two values",
        description="It is 0 where one value is certain, and 1 bit where both are equally likely.",
        marks=False,
    )
    return Figure("Entropy of two values", svg)


def _outlook() -> ResultTable:
    table = rain_table()
    marginal = impurity_entropy(np.sum(table, axis=0))
    rows: list[list[str | int | float | None]] = [
        ["H(outlook)", 1.157, float(impurity_entropy([p for p, _ in OUTLOOK.values()]))]
    ]
    specific = impurity_entropy(table)
    for (name, _), published, ours in zip(
        OUTLOOK.items(), (0.469, 0.722, 1.0), specific, strict=True
    ):
        rows.append([f"H(rain | outlook = {name})", published, float(ours)])
    rows += [
        ["H(rain | outlook)", 0.893, float(conditional_entropy(table))],
        ["H(rain)", 0.999, float(marginal)],
        ["I(rain | outlook), the gain", 0.106, float(mutual_information(table))],
    ]
    differing = {(row, 2) for row, (_, a, b) in enumerate(rows) if round(float(b or 0), 3) != a}
    return ResultTable(
        "Outlook and rain, in bits",
        ["", ResultColumn("lecture", 3), ResultColumn("ours", 3)],
        rows,
        "The slide adds 0.1 x 0.469 + 0.2 x 0.722 + 0.7 x 1 to 0.893. The sum is 0.891, so the "
        "gain is 0.108 and not 0.106. Numbers that differ are highlighted.",
        differing,
    )


def _rectangles(result: Result) -> Figure:
    values = result.values
    boxes = [_box(box) for box in values["boxes"]]
    svg = rectangles(
        boxes,
        _classes(values["points"], values["classes"]),
        ChartAxis("x0"),
        ChartAxis("x1"),
        title="Rectangles of a tree",
        description="A tree divides the plane into axis-parallel rectangles, one for each leaf.",
    )
    note = (
        f"{len(boxes)} leaves, each a rectangle of one class; {values['errors']} of "
        f"{len(values['points'])} points are in a rectangle of another class."
    )
    return Figure("A tree divides the plane into axis-parallel rectangles", svg, note)


def _box(box: dict[str, Any]) -> ChartBox:
    left, right, bottom, top = box["sides"]
    return ChartBox(left, right, bottom, top, colour=box["class"])


def _bent(result: Result) -> list[Figure | Paragraph]:
    values = result.values
    found: list[Figure | Paragraph] = []
    for key, axis, title, separable in (
        ("points", "y", "Before the transformation", values["separable"][0]),
        ("bent", "y^4", "After y -> y^4", values["separable"][1]),
    ):
        svg = scatter(
            _classes(values[key], values["classes"]),
            ChartAxis("x", 0, 1),
            ChartAxis(axis, 0, 1),
            title=title,
            description="Two classes on either side of a line, which the transformation bends.",
        )
        found.append(
            Figure(title, svg, f"{'A' if separable else 'No'} line separates the classes.")
        )
    found.append(
        Paragraph(
            f"A tree that learns from the transformed rows changes {values['changed']:,} of "
            f"{values['asked']:,} answers on new points: a monotone transformation keeps the order "
            "of the rows, and the cuts lie at their values. Only the choice of the value between "
            "the two sides of a cut may change: it is the one below the middle, as in C4.5."
        )
    )
    return found


def _classes(points: Sequence[Sequence[float]], classes: Sequence[int]) -> list[ChartSeries]:
    return [
        ChartSeries(
            f"class {label}",
            [(x, y) for (x, y), of in zip(points, classes, strict=True) if of == label],
            colour=label,
        )
        for label in sorted(set(classes))
    ]
