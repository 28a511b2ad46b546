"""Rules files: a list of rules that a person writes or edits, one rule a line.

::

    # accepted before anything else
    income > 151 -> good
    age > 40 and
        flag = t -> good
    otherwise -> bad

Conditions have the syntax of ``rulewright.rules.parser``. The first rule that holds answers. A line
that begins with # is a comment, and one that begins with a space continues the line before it. The
last line is ``otherwise -> CLASS``, or ``otherwise -> no answer`` for a list that abstains.

Rules of a vote have votes, and conditions of a scorecard have points::

    income > 151 -> good with 1.5 votes
    flag = t -> bad with 2 votes
    otherwise -> bad

    income > 151 -> 3 points
    flag = t -> -2 points
    1 points or more -> good
    otherwise -> bad
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.rules.arrangements import Arrangement, Rule, RuleList, RuleVote, WeightedRule
from rulewright.rules.combinations import AllOf
from rulewright.rules.conversion import as_rule_list
from rulewright.rules.parser import ARROW, parse_condition_of_rule, parse_rule
from rulewright.rules.registry import Points
from rulewright.rules.scorecards import (
    MAX_POINTS,
    ClassScorecard,
    ScoreBand,
    Scorecard,
    ScoreLine,
    extreme_totals,
)
from rulewright.rules.simplifying import simplified

WrittenBody = RuleList | RuleVote | Scorecard
RISKS = (0.25, 0.75)
"""Risk of a band by its class, until cases are counted."""
VOTES = re.compile(r"(.*\S)\s+with\s+([-+]?[0-9.]+(?:e[-+]?[0-9]+)?)\s+votes?", re.IGNORECASE)
POINTS = re.compile(r"([-+]?[0-9]{1,9})\s+points?", re.IGNORECASE)
COMMENT = "#"
OTHERWISE, NO_ANSWER = "otherwise", "no answer"
LAST_RULE = re.compile(rf"{OTHERWISE}\s*{ARROW}", re.IGNORECASE)
CUT = re.compile(rf"([-+]?[0-9]{{1,9}})\s+points?\s+or\s+more\s*{ARROW}(.*)", re.IGNORECASE)
MAX_LINES = 100_000


@dataclass(frozen=True)
class RulesFile:
    """Rules with the comments in their file.

    Attributes
    ----------
    body : RuleList, RuleVote or Scorecard
        A scorecard has at most two bands, below and from its cut.
    comments : tuple of tuple of str
        The comments and empty lines before each line, and at the end; or nothing where there are
        none.
    """

    body: WrittenBody
    comments: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, body: Arrangement) -> RulesFile:
        """Return the file of a model; each row has the same answer."""
        if isinstance(body, ClassScorecard):
            raise InputError(
                "A scorecard of several classes cannot be written as a rules file. Learn rules "
                "that can: RIPPER, a rule list or a tree."
            )
        if isinstance(body, Scorecard):
            return cls(_scorecard(body.lines, body.cut, body.outputs[-1], body.outputs[0]))
        return cls(body if isinstance(body, RuleVote) else as_rule_list(body))

    @property
    def parts(self) -> tuple[Rule | ScoreLine, ...]:
        """The rules, or the lines with points."""
        match self.body:
            case RuleList(listed):
                return listed
            case RuleVote(voters):
                return voters
        return self.body.lines

    @property
    def statements(self) -> int:
        """Number of lines that are not comments."""
        has_cut = isinstance(self.body, Scorecard) and self.body.cut is not None
        return len(self.parts) + has_cut + 1

    def without(self, numbers: Collection[int]) -> RulesFile:
        """Return the file without the rules of these numbers, counted from 1."""
        count = len(self.parts)
        strange = sorted(number for number in numbers if not 1 <= number <= count)
        if strange:
            raise InputError(f"There is no rule {strange[0]}: the rules are numbered 1 to {count}.")
        kept = [place for place in range(count) if place + 1 not in numbers]
        comments = self.comments
        if comments:
            comments = (*(comments[place] for place in kept), *comments[count:])
        return RulesFile(self._with_parts([self.parts[place] for place in kept]), comments)

    def _with_parts(self, parts: Sequence[Any]) -> WrittenBody:
        body = self.body
        if isinstance(body, Scorecard):
            return _scorecard(parts, body.cut, body.outputs[-1], body.outputs[0])
        if isinstance(body, RuleVote):
            return replace(body, voters=tuple(parts))
        return replace(body, listed=tuple(parts))

    def simplified(self) -> RulesFile:
        """Return the file without tests and rules that change no answer.

        Comments are kept where no rule is left out.
        """
        simple = RulesFile.of(simplified(self.body))
        same = len(simple.parts) == len(self.parts)
        return RulesFile(simple.body, self.comments if same else ())


def parse_rules_file(text: str, columns: Sequence[Field], classes: Sequence[object]) -> RulesFile:
    r"""Read a rules file.

    Examples
    --------
    >>> text = "# from the handbook\nage > 40 -> good\notherwise -> bad\n"
    >>> file = parse_rules_file(text, [Field("age", "numeric")], ["bad", "good"])
    >>> file.body.listed[0].condition.cut, file.body.default, file.comments[0]
    (40.0, 0, ('# from the handbook',))
    """
    rules: list[Rule | ScoreLine] = []
    comments: list[tuple[str, ...]] = []
    default: int | None = None
    cut: tuple[int, int] | None = None
    ended = False
    for line, before, statement in _statements(text):
        comments.append(before)
        if not statement:
            continue
        if ended:
            raise InputError(f"Line {line}: nothing may follow the line that begins 'otherwise'.")
        try:
            if LAST_RULE.match(statement):
                default, ended = _default(statement, classes), True
            elif cut is not None:
                raise InputError(f"Only 'otherwise {ARROW} CLASS' may follow 'points or more'.")
            elif found := CUT.fullmatch(statement):
                cut = int(found[1]), _class_of(found[2], classes)
            else:
                rules.append(_part(statement, columns, classes))
        except InputError as error:
            raise InputError(f"Line {line}: {error}") from error
    if not ended:
        raise InputError(
            f"The last line of a rules file must be 'otherwise {ARROW} CLASS', or 'otherwise "
            f"{ARROW} {NO_ANSWER}'."
        )
    return RulesFile(_body(rules, cut, default, len(classes)), tuple(comments))


def _part(statement: str, columns: Sequence[Field], classes: Sequence[object]) -> Rule | ScoreLine:
    """Read a rule, a rule with votes, or a condition with points."""
    if VOTES.search(statement) or POINTS.search(statement):
        condition, answer = parse_condition_of_rule(statement, columns)
        if answer not in map(str, classes):
            if found := VOTES.fullmatch(answer):
                return WeightedRule(condition, _class_of(found[1], classes), _weight(found[2]))
            if found := POINTS.fullmatch(answer):
                return ScoreLine(condition, Points(_points(found[1])))
    return parse_rule(statement, columns, classes)


def _weight(text: str) -> float:
    try:
        weight = float(text)
        if math.isfinite(weight):
            return weight
    except ValueError:
        pass
    raise InputError(f"A number of votes must be finite, got {text!r}.")


def _points(text: str) -> int:
    points = int(text)
    if abs(points) > MAX_POINTS:
        raise InputError(f"Points must be from {-MAX_POINTS} to {MAX_POINTS}, got {points}.")
    return points


def _body(
    parts: Sequence[Any], cut: tuple[int, int] | None, default: int | None, classes: int
) -> WrittenBody:
    """Return the rules of a file, which are all of one kind."""
    kinds = {type(part) for part in parts} | ({ScoreLine} if cut is not None else set())
    if len(kinds) > 1:
        raise InputError(
            "The rules of a file are all of one kind: CONDITION -> CLASS, or CONDITION -> CLASS "
            "with 2 votes, or CONDITION -> 2 points."
        )
    if ScoreLine in kinds:
        if default is None or classes != 2:
            raise InputError("Points need two classes, and 'otherwise -> CLASS' as the last line.")
        total, above = (None, default) if cut is None else cut
        return _scorecard(parts, total, above, default)
    return (
        RuleVote(tuple(parts), default)
        if WeightedRule in kinds
        else RuleList(tuple(parts), default)
    )


def _scorecard(lines: Sequence[ScoreLine], cut: int | None, above: int, below: int) -> Scorecard:
    """Return a scorecard with the classes below and from a cut."""
    lowest = extreme_totals(lines)[0]
    if cut is None:
        return Scorecard(tuple(lines), (_band(lowest, below),))
    return Scorecard(tuple(lines), (_band(min(lowest, cut - 1), below), _band(cut, above)))


def _band(low: int, output: int) -> ScoreBand:
    return ScoreBand(Points(low), output, RISKS[output])


def _default(statement: str, classes: Sequence[object]) -> int | None:
    _, _, answer = statement.partition(ARROW)
    if answer.strip().lower() == NO_ANSWER:
        return None
    return _class_of(answer, classes)


def _class_of(text: str, classes: Sequence[object]) -> int:
    rule = parse_rule(f"always {ARROW} {text}", (), classes)
    assert rule.condition == AllOf()
    return rule.output


def _statements(text: str) -> Iterator[tuple[int, tuple[str, ...], str]]:
    """Yield the number of the line, the lines before it, and the text of each rule.

    The last one has no text, only the lines at the end.
    """
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise InputError(f"A rules file has at most {MAX_LINES:,} lines; this has {len(lines):,}.")
    before: list[str] = []
    parts: list[str] = []
    start = 0
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        is_note = not stripped or stripped.startswith(COMMENT)
        if parts and not is_note and line[:1].isspace():
            parts.append(stripped)
            continue
        if parts:
            yield start, tuple(before), " ".join(parts)
            before, parts = [], []
        if is_note:
            before.append(stripped)
        else:
            start, parts = number, [stripped]
    if parts:
        yield start, tuple(before), " ".join(parts)
        before = []
    yield len(lines), tuple(before), ""
