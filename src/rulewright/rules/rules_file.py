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
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.rules.arrangements import Rule, RuleList
from rulewright.rules.combinations import AllOf
from rulewright.rules.conversion import as_rule_list
from rulewright.rules.parser import ARROW, parse_rule
from rulewright.rules.simplifying import simplified

COMMENT = "#"
OTHERWISE, NO_ANSWER = "otherwise", "no answer"
LAST_RULE = re.compile(rf"{OTHERWISE}\s*{ARROW}", re.IGNORECASE)
MAX_LINES = 100_000


@dataclass(frozen=True)
class RulesFile:
    """A list of rules with the comments in its file.

    Attributes
    ----------
    body : RuleList
    comments : tuple of tuple of str
        The comments and empty lines before each rule, before the last line, and at the end; or
        nothing where there are none.
    """

    body: RuleList
    comments: tuple[tuple[str, ...], ...] = ()

    def without(self, numbers: Collection[int]) -> RulesFile:
        """Return the file without the rules of these numbers, counted from 1."""
        count = len(self.body.listed)
        strange = sorted(number for number in numbers if not 1 <= number <= count)
        if strange:
            raise InputError(f"There is no rule {strange[0]}: the rules are numbered 1 to {count}.")
        kept = [place for place in range(count) if place + 1 not in numbers]
        listed = tuple(self.body.listed[place] for place in kept)
        places = (*kept, count, count + 1) if self.comments else ()
        comments = tuple(self.comments[place] for place in places)
        return RulesFile(RuleList(listed, self.body.default), comments)

    def simplified(self) -> RulesFile:
        """Return the file without tests and rules that change no answer.

        Comments are kept where no rule is left out.
        """
        body = as_rule_list(simplified(self.body))
        same = len(body.listed) == len(self.body.listed)
        return RulesFile(body, self.comments if same else ())


def parse_rules_file(text: str, columns: Sequence[Field], classes: Sequence[object]) -> RulesFile:
    r"""Read a rules file.

    Examples
    --------
    >>> text = "# from the handbook\nage > 40 -> good\notherwise -> bad\n"
    >>> file = parse_rules_file(text, [Field("age", "numeric")], ["bad", "good"])
    >>> file.body.listed[0].condition.cut, file.body.default, file.comments[0]
    (40.0, 0, ('# from the handbook',))
    """
    rules: list[Rule] = []
    comments: list[tuple[str, ...]] = []
    default: int | None = None
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
            else:
                rules.append(parse_rule(statement, columns, classes))
        except InputError as error:
            raise InputError(f"Line {line}: {error}") from error
    if not ended:
        raise InputError(
            f"The last line of a rules file must be 'otherwise {ARROW} CLASS', or 'otherwise "
            f"{ARROW} {NO_ANSWER}'."
        )
    return RulesFile(RuleList(tuple(rules), default), tuple(comments))


def _default(statement: str, classes: Sequence[object]) -> int | None:
    _, _, answer = statement.partition(ARROW)
    if answer.strip().lower() == NO_ANSWER:
        return None
    rule = parse_rule(f"always {ARROW} {answer}", (), classes)
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
