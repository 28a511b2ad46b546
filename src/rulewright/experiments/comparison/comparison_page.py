"""The page of a comparison: summary, table, chart and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulewright.experiments.comparison.measures import Measures, SplitFacts
from rulewright.experiments.comparison.paired_tests import holm
from rulewright.experiments.comparison.recommendation import LEVEL, Recommendation
from rulewright.experiments.pages import (
    CellValue,
    Figure,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.render import ChartAxis, ChartSeries, scatter

SIZE_TITLE = "size: tests, weights, support vectors or stored rows"
MIN_SHOWN = 0.7
"""Place of a model without parts on the logarithmic axis."""

TestRow = tuple[str, float, float, float, float, float]


def comparison_page(
    title: str,
    measures: Sequence[Measures],
    refused: Mapping[str, str],
    facts: SplitFacts,
    recommendation: Recommendation,
    how: str,
    descriptions: Mapping[str, str],
) -> ResultPage:
    """Page of a comparison."""
    sections: list[Paragraph | ResultTable | Figure] = [
        *(Paragraph(sentence) for sentence in recommendation.sentences()),
        _main_table(measures, recommendation, how),
        _figure(measures, recommendation),
    ]
    if len(measures) > 1:
        sections.append(_tests_table(measures, facts, recommendation))
    if refused:
        rows = [[name, reason] for name, reason in refused.items()]
        sections.append(ResultTable("Left out", ["learner", "reason"], rows))
    if descriptions:
        known = [[name, text] for name, text in descriptions.items()]
        sections.append(ResultTable("The learners", ["learner", "description"], known))
    return ResultPage(title, sections)


def _main_table(
    measures: Sequence[Measures], recommendation: Recommendation, how: str
) -> ResultTable:
    costs = recommendation.costs
    columns: list[str | ResultColumn] = [
        "learner",
        ResultColumn("error", percent=True),
        *(["cost"] if costs else []),
        ResultColumn("±", percent=not costs),
        *([] if costs else [ResultColumn("balanced error", percent=True)]),
        ResultColumn("rules", digits=1),
        ResultColumn("tests", digits=1),
        ResultColumn("certificate", percent=True),
        ResultColumn("fit, s", digits=2),
    ]
    rows: list[list[CellValue]] = [
        [
            one.name,
            float(one.errors.mean()),
            *([one.loss] if costs else []),
            one.deviation(),
            *([] if costs else [one.balanced_error]),
            one.mean("rules"),
            one.mean("literals"),
            one.mean("bound"),
            one.mean("fit_seconds"),
        ]
        for one in measures
    ]
    marked = {recommendation.best.name, getattr(recommendation.taken, "name", None)}
    emphasis = {(row, 0) for row, one in enumerate(measures) if one.name in marked}
    note = (
        f"{how} Means over the splits. The certificate is the bound on the error that a learner of "
        "this library gives from its training rows alone (95 % confidence). Highlighted: the "
        "lowest and the one to take."
    )
    return ResultTable("Learners", columns, rows, note, emphasis)


def tests_against(best: Measures, measures: Sequence[Measures], facts: SplitFacts) -> list[TestRow]:
    """Paired tests of all learners against the best one, corrected for their number."""
    others = [one for one in measures if one is not best]
    tests = [facts.test(one, best) for one in others]
    corrected = holm([test.p_value for test in tests])
    return [
        (one.name, test.difference, test.low, test.high, test.p_value, chance)
        for one, test, chance in zip(others, tests, corrected, strict=True)
    ]


def _tests_table(
    measures: Sequence[Measures], facts: SplitFacts, recommendation: Recommendation
) -> ResultTable:
    best, shares = recommendation.best, not recommendation.costs
    digits = None if shares else 3
    number = [ResultColumn(name, digits, percent=shares) for name in ("difference", "from", "to")]
    rows: list[list[CellValue]] = [
        [
            name,
            difference,
            low,
            high,
            chance,
            together,
            _verdict(chance, together),
        ]
        for name, difference, low, high, chance, together in tests_against(best, measures, facts)
    ]
    note = (
        f"The loss of each learner minus that of {best.name}, with its 95 % interval. p (all) is "
        "corrected for the number of comparisons (Holm). Worse: p (all) is at most 5 %. Perhaps "
        "worse: only p is at most 5 %."
    )
    columns: list[str | ResultColumn] = ["learner", *number]
    columns += [*(ResultColumn(name, 3, least=0.001) for name in ("p", "p (all)")), "verdict"]
    return ResultTable(f"Paired tests against {best.name}", columns, rows, note)


def _verdict(chance: float, together: float) -> str:
    if together <= LEVEL:
        return "worse"
    return "perhaps worse" if chance <= LEVEL else "not clearly different"


def _figure(measures: Sequence[Measures], recommendation: Recommendation) -> Figure:
    noun = "cost" if recommendation.costs else "error"
    note = (
        "Each point is a learner. Lower is better, further left is easier to read. The line joins "
        f"the learners that no smaller one beats. Bars: one standard error of the {noun}."
    )
    return Figure(f"{noun.capitalize()} and size", pareto_chart(measures, recommendation), note)


def pareto_chart(measures: Sequence[Measures], recommendation: Recommendation) -> str:
    """Chart of loss against size, with the front of the best learners of each size."""
    noun = "cost per case" if recommendation.costs else "error"
    # A constant answer has no size, and its loss would leave little room for the others.
    shown = [one for one in measures if one is not recommendation.constant]
    sized = [one for one in shown if one.size is not None]
    groups = [
        ("models of rules and tests", [one for one in sized if one.is_readable], 1),
        ("other models", [one for one in sized if not one.is_readable], 0),
    ]
    series = [
        ChartSeries(
            name,
            [(_place(one), one.loss) for one in found],
            labels=[one.name for one in found],
            errors=[_error(one, recommendation) for one in found],
            colour=colour,
        )
        for name, found, colour in groups
        if found
    ]
    front = pareto_front(sized)
    listed = "; ".join(f"{one.name}: {one.loss:.3g}, size {one.size:.1f}" for one in sized)
    return scatter(
        series,
        ChartAxis(SIZE_TITLE, scale="log"),
        ChartAxis(noun, percent=not recommendation.costs),
        title=f"{noun.capitalize()} against size",
        description=listed,
        guides=[[(_place(one), one.loss) for one in front]] if len(front) > 1 else [],
    )


def pareto_front(measures: Sequence[Measures]) -> list[Measures]:
    """The learners whose loss is below that of all smaller ones, by increasing size."""
    front: list[Measures] = []
    for one in sorted(measures, key=lambda one: (one.size or 0.0, one.loss)):
        if not front or one.loss < front[-1].loss:
            front.append(one)
    return front


def _place(one: Measures) -> float:
    return max(one.size or 0.0, MIN_SHOWN)


def _error(one: Measures, recommendation: Recommendation) -> float:
    error = recommendation.facts.error_of(one)
    return 0.0 if error != error else error
