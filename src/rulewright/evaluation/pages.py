"""Pages of a test and of monitoring: for a terminal, or as Markdown, CSV or HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from rulewright.experiments import (
    Figure,
    Listing,
    Paragraph,
    ResultColumn,
    ResultPage,
    ResultTable,
)
from rulewright.models import p_text
from rulewright.render import (
    ChartAxis,
    ChartSeries,
    confidence_text,
    interval_text,
    lines,
    number_text,
    percent_text,
    scatter,
    table_html,
)

if TYPE_CHECKING:
    from rulewright.evaluation.monitoring import BatchResult, Monitoring
    from rulewright.evaluation.results import ModelTest

MAX_CONDITION = 60
MAX_RULES = 30
"""Maximum number of rules in a table; the JSON output has all."""
MAX_LINES = 8
"""Maximum number of lines in a chart."""

Section = Paragraph | ResultTable | Figure


def page_of_test(result: ModelTest, title: str) -> ResultPage:
    """Return the result of a test as a page."""
    return ResultPage(title, list(_test_sections(result)))


def sections_html(page: ResultPage) -> str:
    """Return a page as HTML to be shown in a notebook: its paragraphs and tables."""
    parts = []
    for section in page.sections:
        if isinstance(section, ResultTable):
            parts.append(table_html(section.title, section.names, section.texts()))
        elif isinstance(section, Figure):
            parts.append(section.svg)
        elif isinstance(section, Listing):
            items = "".join(f"<li>{escape(line)}</li>" for line in section.lines)
            parts.append(f"<ul>{items}</ul>")
        else:
            parts.append(f"<p>{escape(section.text)}</p>")
    return "".join(parts)


def _test_sections(result: ModelTest) -> Iterator[Section]:
    yield Paragraph(_error_text(result))
    if result.certificate is not None:
        yield Paragraph(result.certificate.sentence)
    if result.cost is not None:
        yield Paragraph(_cost_text(result))
    yield Paragraph(_probability_text(result))
    yield ResultTable(
        "Rows of each class (lines) by their answer (columns)",
        ["class", *result.answers],
        [[name, *row] for name, row in zip(result.classes, result.confusion, strict=True)],
    )
    yield _rule_table(result)
    yield _calibration_table(result)
    if len(result.calibration) > 1:
        yield _calibration_figure(result)
    for name, found in result.by.items():
        yield ResultTable(f"By {name}", found.head, found.cells(), found.caption)
        for sentence in found.sentences():
            yield Paragraph(sentence)
    for note in result.notes:
        yield Paragraph(f"Note: {note}")


def _error_text(result: ModelTest) -> str:
    error, confidence = result.error, confidence_text(result.delta)
    wrong = "Wrong" if result.answered is None else "Wrong or unanswered"
    share = f" ({100 * error.share:.1f} %)" if error.share is not None else ""
    text = (
        f"{wrong} on {error.wrong:,} of {error.rows:,} rows{share}. Error rate of new cases from "
        f"the same source: {interval_text(error.low, error.high)} ({confidence} confidence)."
    )
    if result.answered is not None:
        answered = result.answered
        text += f" Among the {answered.rows:,} rows with an answer, {answered.wrong:,} are wrong"
        text += f" ({interval_text(answered.low, answered.high)})." if answered.rows else "."
    if result.weighted_error is not None:
        text += f" Weighted error: {100 * result.weighted_error:.1f} %."
    return text


def _cost_text(result: ModelTest) -> str:
    cost = result.cost
    assert cost is not None
    listed = ", ".join(f"{name} {number_text(each)}" for name, each in cost.costs.items())
    bound = "" if cost.bound is None else f" The certificate allows {cost.bound:.3g}."
    return (
        f"A row costs {cost.mean:.3g} on average. Mean cost of new cases: {cost.low:.3g} to "
        f"{cost.high:.3g} ({confidence_text(result.delta)} confidence).{bound} Cost of a "
        f"misclassified case: {listed}."
    )


def _probability_text(result: ModelTest) -> str:
    auc = "not defined for one class" if result.auc is None else f"{result.auc:.3f}"
    distance = (
        ""
        if result.calibration_error is None
        else f" Predicted and observed shares are {100 * result.calibration_error:.1f} percentage "
        "points apart on average."
    )
    return f"AUC {auc}. Brier score {result.brier:.3f}.{distance}"


def _rule_table(result: ModelTest) -> ResultTable:
    used = sorted(result.rules, key=lambda each: -each.rows)[:MAX_RULES]
    shown = sorted(used, key=lambda each: each.number)
    left = len(result.rules) - len(shown)
    more = f" The {left} rules with the fewest rows are left out." if left else ""
    rows = [
        [
            str(each.number),
            _shortened(each.rule),
            each.answer,
            each.rows,
            each.share,
            each.precision,
            "" if each.low is None or each.high is None else interval_text(each.low, each.high),
            each.lift,
            each.training_precision,
        ]
        for each in shown
    ]
    columns: list[str | ResultColumn] = [
        *("rule", "condition", "answer", "rows"),
        ResultColumn("share", percent=True),
        ResultColumn("right", percent=True),
        "interval",
        ResultColumn("lift", 2),
        ResultColumn("right in training", percent=True),
    ]
    return ResultTable(
        "Rules",
        columns,
        rows,
        "The intervals are for new cases that a rule answers, all at once with "
        f"{confidence_text(result.delta)} confidence. Lift: the share that is right, as a multiple "
        f"of the share of the class among all rows.{more}",
    )


def _calibration_table(result: ModelTest) -> ResultTable:
    rows: list[list[str | int | float | None]] = [
        [each.predicted, each.rows, each.observed, interval_text(each.low, each.high)]
        for each in result.calibration
    ]
    columns: list[str | ResultColumn] = [
        ResultColumn("probability of the predicted class", percent=True),
        "rows",
        ResultColumn("right", percent=True),
        "interval",
    ]
    return ResultTable(
        "Calibration",
        columns,
        rows,
        f"All intervals hold at once with {confidence_text(result.delta)} confidence.",
    )


def _calibration_figure(result: ModelTest) -> Figure:
    points = [(each.predicted, each.observed) for each in result.calibration]
    errors = [(each.high - each.low) / 2 for each in result.calibration]
    title = "Calibration: predicted and observed shares"
    low = min(min(point) for point in points) - 0.05
    chart = scatter(
        [ChartSeries("rows with similar probabilities", points, errors=errors)],
        ChartAxis("probability of the predicted class", max(low, 0.0), 1.0, percent=True),
        ChartAxis("share of rows that are right", max(low, 0.0), 1.0, percent=True),
        title=title,
        description="On the diagonal, predicted and observed shares are equal.",
        guides=[[(0.0, 0.0), (1.0, 1.0)]],
    )
    return Figure(title, chart, "On the diagonal, predicted and observed shares are equal.")


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CONDITION else text[: MAX_CONDITION - 3] + "..."


def page_of_monitoring(result: Monitoring, title: str) -> ResultPage:
    """Return the result of monitoring as a page."""
    return ResultPage(title, list(_monitoring_sections(result)))


def _monitoring_sections(result: Monitoring) -> Iterator[Section]:
    yield Paragraph(result.summary)
    yield _batch_table(result)
    if len(result.batches) > 1:
        yield from _monitoring_figures(result)
    found = [
        [batch.name, finding.text] for batch in result.batches for finding in batch.drift.findings
    ]
    if found:
        yield ResultTable(
            "Differences from the training rows",
            ["batch", "difference"],
            found,
            f"From an unchanged source, at most {100 * result.level:g} % of runs give any of these "
            "or of the marked errors.",
        )
    for note in result.notes:
        yield Paragraph(f"Note: {note}")


def _batch_table(result: Monitoring) -> ResultTable:
    has_classes = any(batch.error is not None for batch in result.batches)
    rows: list[list[str | int | float | None]] = []
    for batch in result.batches:
        shares = [batch.share(answer) for answer in result.answers]
        row: list[str | int | float | None] = [batch.name, batch.rows, *shares]
        if has_classes:
            row += _error_cells(batch)
        rows.append([*row, len(batch.drift.findings)])
    answers = [ResultColumn(name, percent=True) for name in result.answers]
    errors: list[str | ResultColumn] = [
        ResultColumn("error", percent=True),
        "interval",
        "against the certificate",
    ]
    columns: list[str | ResultColumn] = [
        "batch",
        "rows",
        *answers,
        *(errors if has_classes else []),
        "differences",
    ]
    noted = {
        (place, len(columns) - 1)
        for place, batch in enumerate(result.batches)
        if batch.drift.findings
    }
    return ResultTable("Batches", columns, rows, emphasis=noted)


def _error_cells(batch: BatchResult) -> list[str | int | float | None]:
    if batch.error is None:
        return [None, "", ""]
    compared = batch.certificate
    verdict = "" if compared is None else "within" if compared.within else "more than allowed"
    more = "" if compared is None else f" ({p_text(compared.p_value)})"
    return [batch.error.share, interval_text(batch.error.low, batch.error.high), verdict + more]


def _monitoring_figures(result: Monitoring) -> Iterator[Figure]:
    places = list(range(1, len(result.batches) + 1))
    names = [batch.name for batch in result.batches]
    axis = ChartAxis("batch", 0.5, len(places) + 0.5, names=names)
    shares = [
        ChartSeries(
            name,
            [
                (x, batch.share(name) or 0.0)
                for x, batch in zip(places, result.batches, strict=True)
            ],
        )
        for name in result.answers[:MAX_LINES]
    ]
    if shares:
        title = "Share of each answer"
        y = ChartAxis("share of rows", 0.0, percent=True)
        text = "One line for each answer, over the batches."
        yield Figure(title, lines(shares, axis, y, title=title, description=text))
    errors = [
        (x, batch.error.share)
        for x, batch in zip(places, result.batches, strict=True)
        if batch.error is not None and batch.error.share is not None
    ]
    if errors:
        series = [ChartSeries("error", errors)]
        note = ""
        if result.bound is not None:
            ends = [(float(places[0]), result.bound), (float(places[-1]), result.bound)]
            series.append(ChartSeries("bound of the certificate", ends))
            note = f"The certificate allows {percent_text(result.bound)}."
        title = "Error of each batch"
        y = ChartAxis("share of rows that are wrong", 0.0, percent=True)
        text = "The error of each batch, and the bound of the certificate."
        yield Figure(title, lines(series, axis, y, title=title, description=text), note)
    changes = [
        (float(x), float(len(batch.drift.findings)))
        for x, batch in zip(places, result.batches, strict=True)
    ]
    title = "Differences from the training rows"
    y = ChartAxis("number of differences", 0.0, max(n for _, n in changes) + 0.5, whole=True)
    text = "Number of differences in each batch."
    chart = lines([ChartSeries("", changes)], axis, y, title=title, description=text)
    yield Figure(title, chart)
