"""The lecture's debate on perceptron, logistic regression and discriminant analysis, measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    CellValue,
    Figure,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.render import ChartAxis, ChartSeries, lines

CELLS = "rulewright.experiments.lectures.linear_cells"
LOGISTIC, LDA = "logistic regression", "discriminant analysis"
NAMES = ("perceptron", LOGISTIC, LDA)
SIZES = (20, 50, 100, 200, 500, 1000, 2000)
DISTANCES = (2.0, 2.5, 3.0, 3.5)
EFRON = {2.0: 0.899, 2.5: 0.786, 3.0: 0.641, 3.5: 0.486}
"""Asymptotic efficiency of logistic regression by the distance of the classes (Efron 1975)."""
KINDS = {
    "skewed": "the exponential function of Gaussian columns",
    "far": "three tenths of one class are 8 deviations further out",
}
FIT_ROWS = (2_000, 20_000, 200_000)
SHARE, MISSING, FACTOR = 0.05, 0.2, 1000.0
ROWS = 400


class LinearUnits(Experiment):
    """Each sentence of the debate with a measurement beside it."""

    name: ClassVar[str] = "ltu"
    title: ClassVar[str] = "Perceptron, logistic regression and discriminant analysis: the debate"

    def cells(self, quick: bool) -> list[Cell]:
        """Learning curves, times, costs, outliers and missing values."""
        repeats = 40 if quick else 300
        curves = [("right", distance) for distance in DISTANCES] + [(kind, 2.0) for kind in KINDS]
        cells = [
            _cell(
                "learning_curve",
                kind=kind,
                distance=distance,
                sizes=[*SIZES],
                names=[*NAMES],
                repeats=repeats,
                seed=0,
            )
            for kind, distance in curves
        ]
        cells += [_cell("fitting_time", name=n, rows=rows) for n in NAMES for rows in FIT_ROWS]
        common = {"rows": ROWS, "seed": 0, "repeats": 10 if quick else 100}
        spoilt = {"share": SHARE, "factor": FACTOR}
        for name in NAMES:
            cells.append(_cell("changed_loss", name=name, **common))
            cells.append(_cell("outliers", name=name, **common, **spoilt))
            cells.append(_cell("missing_values", name=name, **common, share=MISSING))
        return cells

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """The debate in the order of the lecture."""
        return ResultPage(
            "Perceptron, logistic regression and linear discriminant analysis",
            [
                *_efficiency(_of(results, "learning_curve")),
                _times(_of(results, "fitting_time")),
                _losses(_of(results, "changed_loss")),
                *_assumptions(_of(results, "learning_curve")),
                _outliers(_of(results, "outliers")),
                _missing(_of(results, "missing_values")),
            ],
        )


def _cell(function: str, **parameters: Any) -> Cell:
    return Cell(f"{CELLS}.{function}", parameters)


def _of(results: Sequence[Result], function: str) -> list[Result]:
    return [result for result in results if result.cell.function == f"{CELLS}.{function}"]


def _mean(result: Result, name: str) -> list[float]:
    return [mean for mean, _ in result.values["errors"][name]]


def rows_saved(sizes: Sequence[int], lda: Sequence[float], other: Sequence[float]) -> list[float]:
    """Share of the training rows that the first curve needs less for the errors of the second.

    The first curve is interpolated: error falls in a straight line of the logarithm of the rows
    between two sizes. Errors that it does not reach within the sizes give NaN.
    """
    falling = np.minimum.accumulate(lda)
    needed = np.interp(-np.asarray(other), -falling, np.log(sizes), left=np.nan, right=np.nan)
    return [float(share) for share in 1 - np.exp(needed) / np.asarray(sizes)]


def _efficiency(results: Sequence[Result]) -> Iterator[Paragraph | ResultTable | Figure]:
    yield Paragraph(
        "The lecture: if the generative model is right, discriminant analysis gives the highest "
        "accuracy, particularly with few rows, and needs 30 % less data than logistic regression. "
        "Measured on two Gaussian classes in ten columns; errors are exact, the mean of repeated "
        "samples."
    )
    right = {r.cell.parameters["distance"]: r for r in results if _kind(r) == "right"}
    yield _chart(right[3.0], "Learning curves, the Gaussian model is right (3 deviations apart)")
    rows: list[list[CellValue]] = []
    for distance, result in right.items():
        best, lda, other = result.values["best"], _mean(result, LDA), _mean(result, LOGISTIC)
        saved = [s for s in rows_saved(SIZES, lda, other)[3:] if np.isfinite(s)]
        excess = (lda[-1] - best) / (other[-1] - best)
        rows.append([f"{distance:g}", best, lda[3], other[3], float(np.mean(saved)), 1 - excess])
        rows[-1].append(1 - EFRON[distance])
    yield ResultTable(
        "Rows that discriminant analysis saves",
        [
            "deviations between the classes",
            *(ResultColumn(name, percent=True) for name in ("best error", "LDA, 200 rows")),
            ResultColumn("logistic, 200 rows", percent=True),
            ResultColumn("fewer rows", percent=True),
            ResultColumn(f"less excess error, {SIZES[-1]:,} rows", percent=True),
            ResultColumn("in theory", percent=True),
        ],
        rows,
        "Fewer rows: mean over 200 and more rows of the share of rows that discriminant analysis "
        "can do without and still have the error of logistic regression. In theory: one minus the "
        "asymptotic relative efficiency (Efron 1975, equal classes). The 30 % of the lecture is "
        "right for classes about 2.8 deviations apart; it is less for classes that overlap more.",
    )


def _kind(result: Result) -> str:
    return str(result.cell.parameters["kind"])


def _chart(result: Result, title: str) -> Figure:
    series = [
        ChartSeries(name, list(zip(SIZES, _mean(result, name), strict=True))) for name in NAMES
    ]
    best = [(SIZES[0], result.values["best"]), (SIZES[-1], result.values["best"])]
    svg = lines(
        [*series, ChartSeries("best possible", best)],
        ChartAxis("training rows", scale="log"),
        ChartAxis("error on new rows", low=0.0, percent=True),
        title=title,
        description="Error on new rows against the number of training rows.",
    )
    return Figure(title, svg)


def _times(results: Sequence[Result]) -> ResultTable:
    found = {(r.cell.parameters["name"], r.cell.parameters["rows"]): r.values for r in results}
    rows: list[list[CellValue]] = []
    for name in NAMES:
        seconds = [found[name, count]["seconds"] for count in FIT_ROWS]
        growth = np.polyfit(np.log(FIT_ROWS), np.log(seconds), 1)[0]
        rows.append([name, *seconds, float(growth), found[name, FIT_ROWS[-1]]["steps"] or None])
    return ResultTable(
        "Cost of fitting",
        ["", *(ResultColumn(f"{n:,} rows, s", 3) for n in FIT_ROWS), "exponent", "passes"],
        rows,
        "The lecture: generative models are the easiest to learn; discriminant analysis is "
        "computed without gradient descent. CPU seconds of one fit in ten columns (scikit-learn); "
        "the exponent of the growth with the rows; passes over the data or steps of the optimiser.",
    )


def _named_values(results: Sequence[Result], *names: str) -> list[list[CellValue]]:
    """A row for each classifier; what was not measured for one is left out."""
    return [[r.cell.parameters["name"], *(r.values.get(name) for name in names)] for r in results]


def _losses(results: Sequence[Result]) -> ResultTable:
    return ResultTable(
        "A loss that changes when the classifier is in use",
        ["", "as it was", "probabilities cut anew", "learnt again"],
        _named_values(results, "kept", "moved", "relearnt"),
        "Mean cost of a case, when missing a positive case costs 5 and a false alarm 1. "
        "Classifiers with probabilities change their answers without learning again; the "
        "perceptron has none.",
    )


def _assumptions(results: Sequence[Result]) -> Iterator[Figure | ResultTable]:
    wrong = {_kind(r): r for r in results if _kind(r) != "right"}
    for kind, text in KINDS.items():
        yield _chart(wrong[kind], f"Learning curves, the Gaussian model is wrong: {text}")
    rows: list[list[CellValue]] = [
        [text, wrong[kind].values["best"], *(_mean(wrong[kind], name)[-1] for name in NAMES)]
        for kind, text in KINDS.items()
    ]
    yield ResultTable(
        f"Error with {SIZES[-1]:,} rows when the Gaussian model is wrong",
        ["", *(ResultColumn(name, percent=True) for name in ("best possible", *NAMES))],
        rows,
        "The lecture: discriminant analysis then performs poorly, logistic regression is more "
        "robust, and the perceptron even more. The best possible error is that of a cut of one "
        "column, which all three could find.",
    )


def _outliers(results: Sequence[Result]) -> ResultTable:
    names = ("clean", "on their own side", "anywhere")
    return ResultTable(
        "Outliers",
        ["", *(ResultColumn(name, percent=True) for name in names)],
        _named_values(results, "clean", "far", "random"),
        "The lecture: outliers far from the border have little impact on logistic regression, a "
        "strong one on discriminant analysis; the perceptron may loop forever. On their own side: "
        f"{100 * SHARE:g} % of the training rows lie {FACTOR:,.0f} deviations away, on the right "
        f"side of the border. Anywhere: {100 * SHARE:g} % of the training cells are multiplied by "
        f"{FACTOR:,.0f}, also those on the wrong side. Test rows are clean.",
    )


def _missing(results: Sequence[Result]) -> ResultTable:
    names = ("complete", "filled with the mean", "known cells only (EM)")
    return ResultTable(
        "Missing values",
        ["", *(ResultColumn(name, percent=True) for name in names)],
        _named_values(results, "complete", "mean", "EM"),
        f"{100 * MISSING:g} % of all cells are missing at random, in training and in test; columns "
        "have correlation 0.7. The lecture: generative models have better ways. One is the EM "
        "algorithm: the Gaussian model is fitted to what is known, and a row is classified by the "
        "density of its known cells.",
    )
