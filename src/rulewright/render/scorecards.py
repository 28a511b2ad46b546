"""Renderers of scorecards: a table of points, and a table from totals to risks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from rulewright.bounds import split_interval
from rulewright.data import Table
from rulewright.render.arrangements import paragraph
from rulewright.render.formatting import count_text, interval_text, number_text, weight_text
from rulewright.render.predicates import headline_text
from rulewright.render.registry import (
    ArrangementRenderer,
    PredicateRenderer,
    Support,
    predicate_renderer,
    register_arrangement,
    register_predicate,
)
from rulewright.rules import (
    ClassScorecard,
    LargestTotal,
    Predicate,
    Scorecard,
    TotalRange,
)


def points_text(points: int) -> str:
    """Points with their sign.

    Examples
    --------
    >>> points_text(3), points_text(0), points_text(-2)
    ('+3', '0', '-2')
    """
    return f"{points:+d}" if points else "0"


def risk_text(risk: float) -> str:
    """Risk in per cent, with one decimal.

    Examples
    --------
    >>> risk_text(0.312)
    '31.2 %'
    """
    return f"{100 * risk:.1f} %"


class BandCases(NamedTuple):
    """Training cases of a band of totals, and how many of them are of the second class."""

    weight: float
    own: float

    @classmethod
    def of(cls, output: int, support: Support) -> BandCases:
        """Return the cases of a band from those whose class is that of the band."""
        weight, right = support
        return cls(weight, right if output == 1 else weight - right)

    @property
    def interval(self) -> str:
        """Clopper and Pearson's 95 % interval of the share of the second class.

        There is none without cases, or where weights are no numbers of cases.

        Examples
        --------
        >>> BandCases(10.0, 3.0).interval, BandCases(2.5, 1.0).interval
        ('6.6 to 65.3 %', '')
        """
        if not self.weight or not (self.weight.is_integer() and self.own.is_integer()):
            return ""
        return interval_text(*split_interval(int(self.own), int(self.weight), log_prior=0.0))


INTERVALS = "The intervals are of the training cases of each line, which also chose the points."
"""What the intervals in the table of risks leave out."""


def total_text(low: int | None, high: int | None) -> str:
    """Range of totals in words.

    Examples
    --------
    >>> total_text(None, 2), total_text(3, 3), total_text(4, 6), total_text(7, None)
    ('2 or less', '3', '4 to 6', '7 or more')
    """
    if low is None:
        return "any" if high is None else f"{high} or less"
    if high is None:
        return f"{low} or more"
    return f"{low}" if low == high else f"{low} to {high}"


def band_texts(body: Scorecard) -> list[str]:
    """Totals of each band in words."""
    lows = [None, *(band.low for band in body.bands[1:])]
    highs = [*(band.low - 1 for band in body.bands[1:]), None]
    return [total_text(low, high) for low, high in zip(lows, highs, strict=True)]


def _sums(
    lines: Sequence[tuple[Predicate, int]], start: int, table: Table, ending: str
) -> list[str]:
    """For each row the points of the conditions that hold, each with its reason, and the total."""
    parts: list[list[str]] = [[f"{points_text(start)} to begin with"] if start else []] * table.rows
    parts = [list(part) for part in parts]
    totals = [start] * table.rows
    for condition, points in lines:
        holds = condition.holds(table)
        rows = holds.nonzero()[0]
        if not rows.size or not points:
            continue
        some = table.select(condition.columns).take(rows)
        reasons = predicate_renderer(condition).reasons(condition, some)
        for row, reason in zip(rows.tolist(), reasons, strict=True):
            parts[row].append(f"{points_text(points)} {reason}")
            totals[row] += points
    return [
        f"{', '.join([*part, f'total {total}'])}{ending}"
        for part, total in zip(parts, totals, strict=True)
    ]


class TotalRangeRenderer(PredicateRenderer[TotalRange]):
    """``total 4 to 6``; its reason has the points of the row."""

    def text(self, node: TotalRange, *, headline: bool = False) -> str:
        return f"{'' if node.inside else 'not '}total {total_text(node.low, node.high)}"

    def reasons(self, node: TotalRange, table: Table) -> list[str]:
        ending = "" if node.risk is None else f" -> {risk_text(node.risk)}"
        return _sums([(line.condition, line.points) for line in node.lines], 0, table, ending)


class LargestTotalRenderer(PredicateRenderer[LargestTotal]):
    """``largest total``; its reason has the points of the class on the row."""

    def text(self, node: LargestTotal, *, headline: bool = False) -> str:
        return f"the total of this class is {'' if node.truth else 'not '}the largest"

    def reasons(self, node: LargestTotal, table: Table) -> list[str]:
        lines = [(line.condition, line.points[node.output]) for line in node.lines]
        return _sums(lines, node.start[node.output], table, "")


class ScorecardRenderer(ArrangementRenderer[Scorecard]):
    """The points of each condition, the cut, and the risk for each total."""

    def lines(self, body: Scorecard, names: Sequence[str], unanswered: str) -> list[str]:
        if body.cut is None:
            return [f"always {names[body.outputs[-1]]}"]
        return self.text(body, names, unanswered, ())

    def text(
        self, body: Scorecard, names: Sequence[str], unanswered: str, support: Sequence[Support]
    ) -> list[str]:
        if body.cut is None:
            return self.lines(body, names, unanswered)
        risks = self._risks(body, names, support)
        return [*self._points(body), self.decision(body, names), *risks]

    def _points(self, body: Scorecard) -> list[str]:
        width = max([len("points"), *(len(points_text(line.points)) for line in body.lines)])
        texts = [
            f"  {points_text(line.points):>{width}}  {headline_text(line.condition)}"
            for line in body.lines
        ]
        return [f"  {'points':>{width}}", *texts]

    def decision(self, body: Scorecard, names: Sequence[str]) -> str:
        """Return the sentence of the cut."""
        yes, no = names[body.outputs[-1]], names[body.outputs[0]]
        return f"answer {yes} if the total is at least {body.cut}, otherwise {no}"

    def _risks(
        self, body: Scorecard, names: Sequence[str], support: Sequence[Support]
    ) -> list[str]:
        totals, intervals = band_texts(body), _intervals(body, support)
        width = max(len("total"), *map(len, totals))
        heading = f"  {'total':<{width}}  probability of {names[1]}"
        if not any(intervals):
            heads, notes = [heading], []
        else:
            heads, notes = [f"{heading}, 95 % interval"], [INTERVALS]
            room = max(map(len, intervals)) + 2
            intervals = [f"{interval:>{room}}" for interval in intervals]
        rows = [
            f"  {total:<{width}}  {risk_text(band.risk):>7}{interval}  {names[band.output]}"
            for total, band, interval in zip(totals, body.bands, intervals, strict=True)
        ]
        return [*heads, *rows, *notes]

    def html(
        self,
        body: Scorecard,
        names: Sequence[str],
        unanswered: str,
        support: Sequence[Support],
        max_rules: int | None,
    ) -> str | None:
        if body.cut is None:
            return None
        lines = "".join(
            f"<tr><td>{points_text(line.points)}</td><td>{escape(headline_text(line.condition))}"
            "</td></tr>"
            for line in body.lines
        )
        shown: Sequence[Support | None] = support or [None] * len(body.bands)
        bands = "".join(
            f"<tr><td>{total}</td><td>{risk_text(band.risk)}</td><td>{interval}</td>"
            f"<td>{names[band.output]}</td><td>{_cases(band.output, fit)}</td></tr>"
            for total, band, interval, fit in zip(
                band_texts(body), body.bands, _intervals(body, support), shown, strict=True
            )
        )
        return (
            f"<table><tr><th>points</th><th>if</th></tr>{lines}</table>"
            f"{paragraph(self.decision(body, names))}"
            f"<table><tr><th>total</th><th>probability of {names[1]}</th><th>95 % interval</th>"
            f"<th>answer</th><th>training cases</th></tr>{bands}</table>"
            f"{paragraph(INTERVALS) if any(_intervals(body, support)) else ''}"
        )

    def summary(self, body: Scorecard) -> str:
        return f"scorecard of {count_text(len(body.lines), 'line')}"


def _intervals(body: Scorecard, support: Sequence[Support]) -> list[str]:
    """Interval of the share of the second class in each band; empty where none is known."""
    if not support:
        return [""] * len(body.bands)
    return [
        BandCases.of(band.output, fit).interval
        for band, fit in zip(body.bands, support, strict=True)
    ]


def _cases(output: int, support: Support | None) -> str:
    """Training cases of a band, and the share of the second class among them."""
    if support is None or not support[0]:
        return ""
    cases = BandCases.of(output, support)
    return f"{weight_text(cases.weight)}, {risk_text(cases.own / cases.weight)} of them"


class ClassScorecardRenderer(ArrangementRenderer[ClassScorecard]):
    """The points of each condition for each class."""

    def lines(self, body: ClassScorecard, names: Sequence[str], unanswered: str) -> list[str]:
        classes = names[: len(body.start)]
        columns = [points_text(points) for points in body.start]
        rows = [
            (columns, "to begin with"),
            *(
                ([points_text(p) for p in line.points], headline_text(line.condition))
                for line in body.lines
            ),
        ]
        widths = [
            max(len(name), *(len(cells[number]) for cells, _ in rows))
            for number, name in enumerate(classes)
        ]
        table = [
            "  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(cells, widths, strict=True)) + end
            for cells, end in [(classes, ""), *((cells, f"  {text}") for cells, text in rows)]
        ]
        return ["the class with the most points:", *table, self.chances(body)]

    def chances(self, body: ClassScorecard) -> str:
        """Return the sentence of the probabilities."""
        return f"probabilities are proportional to exp({number_text(body.slope)} x points)"

    def html(
        self,
        body: ClassScorecard,
        names: Sequence[str],
        unanswered: str,
        support: Sequence[Support],
        max_rules: int | None,
    ) -> str | None:
        heads = "".join(f"<th>{name}</th>" for name in names[: len(body.start)])
        lines = [(body.start, "to begin with")]
        lines += [(line.points, escape(headline_text(line.condition))) for line in body.lines]
        rows = "".join(
            f"<tr>{''.join(f'<td>{points_text(p)}</td>' for p in points)}<td>{text}</td></tr>"
            for points, text in lines
        )
        return (
            f"{paragraph('the class with the most points:')}"
            f"<table><tr>{heads}<th>if</th></tr>{rows}</table>{paragraph(self.chances(body))}"
        )

    def summary(self, body: ClassScorecard) -> str:
        return f"scorecard of {count_text(len(body.lines), 'line')}"


register_predicate(TotalRange, TotalRangeRenderer())
register_predicate(LargestTotal, LargestTotalRenderer())
register_arrangement(Scorecard, ScorecardRenderer())
register_arrangement(ClassScorecard, ClassScorecardRenderer())
