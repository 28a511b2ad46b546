"""The points of scorecards in documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulewright.render.english_conditions import english_text
from rulewright.render.formatting import count_text
from rulewright.render.predicates import headline_text
from rulewright.render.scorecards import points_text
from rulewright.rules import Arrangement, ClassScorecard, Scorecard


class PointsTable(NamedTuple):
    """The points of each condition: the heads and the cells of a table, and sentences."""

    titles: list[str]
    cells: list[list[str]]
    sentences: list[str]


def points_table(body: Arrangement, names: Sequence[str]) -> PointsTable | None:
    """Return the points of a scorecard; None for another arrangement.

    Parameters
    ----------
    body : Arrangement
    names : sequence of str
        The classes.
    """
    match body:
        case Scorecard(lines):
            cells = [[points_text(line.points), headline_text(line.condition)] for line in lines]
            sentences = [
                f"{_counted(line.points)} if {english_text(line.condition)}." for line in lines
            ]
            sentences += [f"The risk is the probability of {name}." for name in names[1:2]]
            return PointsTable(["Points", "If"], cells, sentences)
        case ClassScorecard(start, class_lines):
            rows = [(start, "to begin with", "in every case")]
            for each in class_lines:
                texts = headline_text(each.condition), english_text(each.condition)
                rows.append((each.points, texts[0], f"if {texts[1]}"))
            cells = [[*map(points_text, points), text] for points, text, _ in rows]
            sentences = [
                f"{_by_class(points, names)}, {text}." for points, _, text in rows if any(points)
            ]
            return PointsTable([*names[: len(start)], "If"], cells, sentences)
        case _:
            return None


def _counted(points: int) -> str:
    counted = count_text(abs(points), "point")
    return counted if points >= 0 else f"Minus {counted}"


def _by_class(points: Sequence[int], names: Sequence[str]) -> str:
    return ", ".join(
        f"{points_text(number)} for {name}"
        for number, name in zip(points, names, strict=False)
        if number
    )
