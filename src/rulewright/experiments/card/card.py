"""The off-the-shelf card as an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from rulewright.experiments.card.tables import BAYES, FORMS, GENERATED
from rulewright.experiments.card.verdicts import (
    IN_LECTURE,
    LECTURE,
    MAX_BEHIND,
    MAX_CHANGED,
    MAX_EXPONENT,
    MAX_LITERALS,
    MAX_LOSS,
    MAX_MISSING_LOSS,
    Measured,
    verdict,
)
from rulewright.experiments.cells import Cell, Result
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.pages import (
    Figure,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.learners import SETTINGS
from rulewright.render import ChartAxis, ChartSeries, lines

CELLS = "rulewright.experiments.card.measuring"
REFERENCE = "forest"
"""The learner that accuracy is compared with; it is always measured."""
LEARNERS = (*SETTINGS, *IN_LECTURE, REFERENCE)
NUMERIC = ("banknote", "breastw", "ionosphere", "pima", "wdbc", GENERATED)
QUICK_NUMERIC = ("breastw", GENERATED)
REAL = ("credit", "german_readable", "tic_tac_toe", "titanic_passengers", "votes")
"""Tables with categories, where only accuracy is measured."""
ROWS, QUICK_ROWS = (2_000, 4_000, 8_000, 16_000, 32_000), (1_000, 2_000, 4_000)
MIXED_ROWS = 1_000


class OffTheShelf(Experiment):
    """Nine criteria, measured for every learner.

    Parameters
    ----------
    learners : sequence of str
        Names of learners and baselines; by default all learners and the three of the lecture.
    """

    name: ClassVar[str] = "off-the-shelf"
    title: ClassVar[str] = "The off-the-shelf card: nine criteria measured for every learner"

    def __init__(self, learners: Sequence[str] = LEARNERS) -> None:
        self.learners = tuple(dict.fromkeys(learners))

    def cells(self, quick: bool) -> list[Cell]:
        """All measurements of all learners."""
        return [cell for name in self._measured for cell in self._cells_of(name, quick)]

    @property
    def _measured(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.learners, REFERENCE)))

    def _cells_of(self, name: str, quick: bool) -> list[Cell]:
        folds = 3 if quick else 5
        return [
            *(
                _cell("changed_table", learner=name, table=t, form=form, folds=folds)
                for t in (QUICK_NUMERIC if quick else NUMERIC)
                for form in FORMS
            ),
            *(
                _cell("real_table", learner=name, table=t, folds=folds)
                for t in (() if quick else REAL)
            ),
            _cell("mixed_types", learner=name, rows=MIXED_ROWS),
            _cell("missing_cells", learner=name),
            *(_cell("growth", learner=name, rows=n) for n in (QUICK_ROWS if quick else ROWS)),
        ]

    def page(self, results: Sequence[Result], quick: bool) -> ResultPage:
        """The card, the numbers behind it, and the lecture's verdicts."""
        of = {name: [r for r in results if _learner(r) == name] for name in self._measured}
        best = _accuracy(of[REFERENCE])
        measured = {name: summary(of[name], best) for name in self.learners}
        sections: list[Any] = [
            Paragraph(_introduction(quick)),
            _card(measured),
            _numbers(measured),
            _sizes(measured),
        ]
        if any(name in IN_LECTURE for name in measured):
            sections.append(_lecture(measured))
        return ResultPage("The off-the-shelf card", [*sections, _growth(of, self.learners)])


def _cell(function: str, **parameters: Any) -> Cell:
    return Cell(f"{CELLS}.{function}", parameters)


def _learner(result: Result) -> str:
    return str(result.cell.parameters["learner"])


def _values(results: Sequence[Result], function: str, **parameters: Any) -> list[dict[str, Any]]:
    return [
        result.values
        for result in results
        if result.cell.function == f"{CELLS}.{function}"
        and all(result.cell.parameters[key] == value for key, value in parameters.items())
    ]


def _accuracy(results: Sequence[Result]) -> float:
    found = _values(results, "changed_table", form="plain") + _values(results, "real_table")
    return float(np.mean([values["accuracy"] for values in found]))


def summary(results: Sequence[Result], reference: float) -> Measured:
    """What was measured of one learner; ``reference`` is the accuracy of the random forest."""
    forms = {form: _values(results, "changed_table", form=form) for form in FORMS}
    means = {form: float(np.mean([v["accuracy"] for v in found])) for form, found in forms.items()}
    loss = {form: means["plain"] - mean for form, mean in means.items()}
    pairs = zip(forms["plain"], forms["monotone"], strict=True)
    shares = [_share_changed(one["answers"], two["answers"]) for one, two in pairs]
    sizes = [v["size"] for v in forms["plain"] if v["size"] is not None]
    (mixed,), (taken,) = _values(results, "mixed_types"), _values(results, "missing_cells")
    accuracy = _accuracy(results)
    return Measured(
        takes_mixed=mixed["taken"],
        mixed_excess=mixed["error"] - BAYES,
        takes_missing=taken["taken"],
        missing_loss=loss["missing"],
        cause_loss=loss["cause"],
        outlier_loss=loss["outliers"],
        changed=float(np.mean(shares)),
        exponent=_exponent(growth_points(results)),
        noise_loss=loss["irrelevant"],
        rotation_loss=loss["rotated"],
        rules=_mean([size["rules"] for size in sizes]),
        literals=_mean([size["literals"] for size in sizes]),
        columns=_mean([size["columns"] for size in sizes]),
        accuracy=accuracy,
        behind=reference - accuracy,
    )


def _share_changed(one: str, two: str) -> float:
    return sum(a != b for a, b in zip(one, two, strict=True)) / len(one)


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def growth_points(results: Sequence[Result]) -> list[tuple[float, float]]:
    """Rows and CPU seconds of the fits that measure growth."""
    return [
        (float(r.cell.parameters["rows"]), max(r.values["seconds"], 1e-4))
        for r in results
        if r.cell.function == f"{CELLS}.growth"
    ]


def _exponent(measured: Sequence[tuple[float, float]]) -> float:
    rows, seconds = np.log(np.array(measured)).T
    return float(np.polyfit(rows, seconds, 1)[0])


def _introduction(quick: bool) -> str:
    tables = QUICK_NUMERIC if quick else NUMERIC
    more = "" if quick else f" Accuracy also on {', '.join(REAL)}."
    return (
        "A classifier off the shelf can be applied directly to data, without preparation and "
        "tuning. Each learner has its defaults here. Changes of accuracy are in percentage points, "
        f"by {3 if quick else 5}-fold cross-validation on the same folds, on {_listed(tables)}."
        f"{more} The generated table has a border parallel to its axes. Linear classifiers and the "
        "forest are scikit-learn's; where they refuse a table, they get it with missing numbers "
        "filled by the median, an indicator of what was missing, categories as columns of 0 and 1, "
        "and (linear ones) scaled columns."
    )


def _listed(names: Sequence[str]) -> str:
    """The names of tables, with an article for the generated one."""
    *first, last = (f"a {name} table" if name == GENERATED else name for name in names)
    return f"{', '.join(first)} and {last}"


def _card(measured: dict[str, Measured]) -> ResultTable:
    rows = [[name, *(verdict(c, found) for c in LECTURE)] for name, found in measured.items()]
    return ResultTable("The card", ["learner", *LECTURE], rows, NOTE)


NOTE = (
    "Yes, if: mixed data: the table is taken as it is, with an error at most "
    f"{100 * MAX_BEHIND:g} points above the least possible (the number in brackets). Missing "
    f"values: taken as they are, and at most {100 * MAX_MISSING_LOSS:g} points are lost both with "
    "20 % of the cells missing at random (first number) and with the largest 20 % of the values of "
    f"each column missing (second). Outliers: at most {100 * MAX_LOSS:g} points are lost with 5 % "
    "of the training cells moved by 1,000 deviations. Monotone transformations: at most "
    f"{100 * MAX_CHANGED:g} % of the answers change. Scalability: the exponent of the CPU time in "
    f"the number of rows is at most {MAX_EXPONENT:g}. Irrelevant inputs, linear combinations: at "
    f"most {100 * MAX_LOSS:g} points are lost with ten times as many columns of random numbers, or "
    f"when the columns are rotated. Interpretable: at most {MAX_LITERALS} tests or weights. "
    f"Accurate: at most {100 * MAX_BEHIND:g} points below the random forest."
)


def _numbers(measured: dict[str, Measured]) -> ResultTable:
    names = ["accuracy", "mixed: error above the least", "missing at random", "missing for cause"]
    names += ["outliers", "answers changed", "irrelevant columns", "rotated"]
    rows: list[list[str | int | float | None]] = [
        [
            name,
            *(m.accuracy, m.mixed_excess, -m.missing_loss, -m.cause_loss),
            *(-m.outlier_loss, m.changed, -m.noise_loss, -m.rotation_loss),
        ]
        for name, m in measured.items()
    ]
    columns = [ResultColumn(name, percent=True) for name in names]
    return ResultTable(
        "The numbers behind it",
        ["learner", *columns],
        rows,
        "Accuracy, error above the least possible one, changes of accuracy, and the share of "
        "answers that a monotone transformation of the columns changes.",
    )


def _sizes(measured: dict[str, Measured]) -> ResultTable:
    rows: list[list[str | int | float | None]] = [
        [name, m.rules, m.literals, m.columns, m.exponent] for name, m in measured.items()
    ]
    return ResultTable(
        "Sizes and growth",
        ["learner", "rules", "literals", "columns", ResultColumn("exponent", 2)],
        rows,
        "Means over the tables: rules (leaves of trees, sums of linear classifiers), literals "
        "(tests, or weights that are not 0) and columns in use; the exponent of the growth of CPU "
        "time with the rows.",
    )


def _lecture(measured: dict[str, Measured]) -> ResultTable:
    known = [name for name in IN_LECTURE if name in measured]
    rows, emphasis = [], set()
    for number, (criterion, said) in enumerate(LECTURE.items()):
        row = [criterion]
        for name in known:
            row += [said[IN_LECTURE.index(name)], verdict(criterion, measured[name])]
            if not row[-1].startswith(row[-2]):
                emphasis.add((number, len(row) - 1))
        rows.append(row)
    heads = [head for name in known for head in (f"{name}, lecture", "measured")]
    return ResultTable(
        "The lecture's verdicts beside the measured ones",
        ["criterion", *heads],
        rows,
        "Verdicts that differ are highlighted. The lecture judges what a method can do in "
        "principle; the numbers are those of scikit-learn's implementations at their defaults.",
        emphasis,
    )


def _growth(of: dict[str, list[Result]], names: Sequence[str]) -> Figure:
    svg = lines(
        [ChartSeries(name, growth_points(of[name])) for name in names],
        ChartAxis("training rows", scale="log"),
        ChartAxis("CPU seconds of a fit", scale="log"),
        title="Time of a fit by the number of rows",
        description="Both axes are logarithmic, so the slope is the exponent of the growth.",
    )
    return Figure("Time of a fit by the number of rows", svg)
