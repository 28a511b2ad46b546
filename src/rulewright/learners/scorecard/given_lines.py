"""Lines of a scorecard that a user wrote: conditions, with points or without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families import ExpertTests
from rulewright.learners.base.monotonicity import favours
from rulewright.render import predicate_text
from rulewright.rules import AllOf, Literal, Predicate, literals_of, parse_condition

# A time such as 12:30 has neither a blank nor a sign after its colon.
POINTS = re.compile(r"^(?P<condition>.*\S)\s*:(?:\s+|(?=[+-]))(?P<points>[+-]?\d+)\s*$", re.DOTALL)


@dataclass(frozen=True)
class GivenLine:
    """A condition that stays on the card; ``points`` is None where they are learnt.

    ``sign`` is 1 or -1 where points may not have the other sign, else 0.
    """

    condition: Predicate
    points: int | None
    sign: int = 0

    @property
    def tests(self) -> int:
        """Number of tests of the condition."""
        return sum(1 for _ in literals_of(self.condition))


@dataclass(frozen=True)
class LineLimits:
    """What points may be: the largest number, the number of classes, signs and directions."""

    max_points: int
    classes: int
    positive: bool
    directions: Mapping[str, int]


def read_lines(lines: object, table: Table, limits: LineLimits) -> tuple[GivenLine, ...]:
    """Parse lines such as ``"age > 60: +2"``, or ``"age > 60"`` for points that are learnt."""
    if lines is None:
        return ()
    if isinstance(lines, str) or not isinstance(lines, Iterable):
        raise InputError(f"lines must be a list of texts such as 'age > 60: +2', got {lines!r}.")
    found: dict[Predicate, GivenLine] = {}
    for text in lines:
        line = _read_line(text, table, limits)
        if line.condition in found:
            raise InputError(
                f"lines has the condition {predicate_text(line.condition)!r} twice. Drop one."
            )
        found[line.condition] = line
    return tuple(found.values())


def _read_line(text: object, table: Table, limits: LineLimits) -> GivenLine:
    if not isinstance(text, str):
        raise InputError(f"lines must be texts such as 'age > 60: +2', got {text!r}.")
    matched = POINTS.match(text)
    written = text if matched is None else matched["condition"]
    condition = parse_condition(written, table.fields)
    parts = condition.parts if isinstance(condition, AllOf) else (condition,)
    if not all(isinstance(part, Literal) for part in parts):
        raise InputError(
            f"The condition of a line must be a test, or tests combined with 'and', got "
            f"{written!r}. Write the parts combined with 'or' as lines of their own."
        )
    points = None if matched is None else _read_points(matched["points"], text, limits)
    return GivenLine(condition, points, _sign(condition, points, text, limits))


def _read_points(written: str, text: str, limits: LineLimits) -> int:
    points, most = int(written), limits.max_points
    if limits.classes > 2:
        raise InputError(
            f"The points of a line can be given for two classes, got {limits.classes} classes and "
            f"{text!r}. Give the condition only: its points are learnt."
        )
    if not 1 <= abs(points) <= most:
        raise InputError(
            f"The points of a line must be from 1 to max_points={most}, or from {-most} to -1, got "
            f"{text!r}."
        )
    return points


def _sign(condition: Predicate, points: int | None, text: str, limits: LineLimits) -> int:
    """Sign that the points of a line must have, by the constraints; 0 for any."""
    tests = list(literals_of(condition))
    allowed = [
        sign
        for sign, output in ((1, 1), (-1, 0))
        if all(favours(test, output, limits.directions) for test in tests)
        and not (sign < 0 and limits.positive)
    ]
    if points is not None:
        allowed = [sign for sign in allowed if sign * points > 0]
    if not allowed:
        negative = limits.positive and points is not None and points < 0
        reason = "positive_only" if negative else "monotonic_cst"
        raise InputError(
            f"The line {text!r} does not respect {reason}. Change the line, or drop it."
        )
    return allowed[0] if len(allowed) == 1 else 0


def expert_family(lines: Sequence[GivenLine]) -> tuple[ExpertTests, ...]:
    """Family of the single tests of lines; none without lines."""
    tests = dict.fromkeys(
        predicate_text(test) for line in lines for test in literals_of(line.condition)
    )
    return (ExpertTests(tuple(tests)),) if tests else ()
