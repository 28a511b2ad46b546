"""The program of a model: a dozen forms that every exported language can write.

A node of a model is lowered to these forms once (``lowering``); a language writes each form. A
number is a double, NaN where it is missing. Every truth form is true or false on every row: a
comparison with NaN is false, or true with ``if_undefined``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rulewright.data import Field

Comparator = Literal["<", "<=", ">", ">=", "=="]
Arithmetic = Literal["+", "-", "*", "/"]

NEGATED: dict[str, Comparator] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
"""The comparison that holds for the other numbers."""


@dataclass(frozen=True, slots=True)
class ValueForm:
    """The number in an input, by its place among the inputs."""

    place: int


@dataclass(frozen=True, slots=True)
class ConstantForm:
    """A finite number."""

    number: float


@dataclass(frozen=True, slots=True)
class FilledForm:
    """The number of an input, or a finite number where the input is missing."""

    part: ValueForm
    number: float


@dataclass(frozen=True, slots=True)
class ArithmeticForm:
    """One operation on doubles, rounded once."""

    operator: Arithmetic
    left: NumberForm
    right: NumberForm


@dataclass(frozen=True, slots=True)
class AbsoluteForm:
    """The number without its sign."""

    part: NumberForm


@dataclass(frozen=True, slots=True)
class RankForm:
    """The place of a number among ``knots``, which are distinct and in increasing order.

    It is ``between[i]`` where i knots are below the number and none is equal to it, and ``at[i]``
    where the number is knot i. NaN stays NaN.
    """

    part: NumberForm
    knots: tuple[float, ...]
    between: tuple[float, ...]
    at: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ExponentialForm:
    """The exponential of the C library, which other languages do not have to the last bit."""

    part: NumberForm


NumberForm = (
    ValueForm
    | ConstantForm
    | FilledForm
    | ArithmeticForm
    | AbsoluteForm
    | RankForm
    | ExponentialForm
)


@dataclass(frozen=True, slots=True)
class TruthForm:
    """True, or false, on every row."""

    truth: bool


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """A number against a finite constant; ``if_undefined`` is its truth where the number is NaN."""

    comparator: Comparator
    number: NumberForm
    constant: float
    if_undefined: bool = False


@dataclass(frozen=True, slots=True)
class UndefinedForm:
    """The number is NaN."""

    number: NumberForm


@dataclass(frozen=True, slots=True)
class UnknownForm:
    """The category in an input is missing."""

    place: int


@dataclass(frozen=True, slots=True)
class MemberForm:
    """The category in an input is one of some texts; false where it is missing."""

    place: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AndForm:
    """All parts are true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class OrForm:
    """At least one part is true."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NotForm:
    """The part is false."""

    part: Condition


@dataclass(frozen=True, slots=True)
class AtLeastForm:
    """At least ``count`` parts are true."""

    count: int
    parts: tuple[Condition, ...]


Condition = (
    TruthForm
    | ComparisonForm
    | UndefinedForm
    | UnknownForm
    | MemberForm
    | AndForm
    | OrForm
    | NotForm
    | AtLeastForm
)


@dataclass(frozen=True, slots=True)
class FirstTrueForm:
    """The number of the first true condition; their count where none is true."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class ArgmaxForm:
    """The class with the largest sum of weights over the conditions that hold.

    Sums are made in the order of the conditions and clipped to finite numbers. A class without a
    true condition has no sum. Ties go to the lower class. The answer is the number of the first of
    the heaviest conditions that hold and vote for this class; the count of the conditions where
    none holds. The probability of a class is proportional to ``exp(2 sum)``.
    """

    conditions: tuple[Condition, ...]
    classes: tuple[int, ...]
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BranchForm:
    """A node of a tree: the first true test selects its branch, otherwise the last branch.

    A branch is the number of a node, or the complement of the number of a leaf. With ``shares``,
    sixteenths of the row go to the branches where ``divided`` is true.
    """

    tests: tuple[Condition, ...]
    branches: tuple[int, ...]
    divided: Condition | None = None
    shares: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeForm:
    """The number of the leaf that a row reaches from the first branching.

    A row that is divided gets the class with the largest sum of shares over the leaves that it
    reaches, in the order of the branches, and of these leaves the one with the largest share. Ties
    go to the lower number. Its probabilities are the sum of those of its leaves times their shares.
    """

    nodes: tuple[BranchForm, ...]

    @property
    def is_divided(self) -> bool:
        """Whether a row can reach several leaves."""
        return any(node.shares for node in self.nodes)

    @property
    def binary_tests(self) -> list[tuple[Condition, int, int]]:
        """Each test, with its branch where it holds and where it does not.

        A branch is the number of a test in this list, or the complement of the number of a leaf.
        """
        firsts, count = [], 0
        for node in self.nodes:
            firsts.append(count)
            count += len(node.tests)
        found: list[tuple[Condition, int, int]] = []
        for node in self.nodes:
            *branches, last = [firsts[b] if b >= 0 else b for b in node.branches]
            following = [*range(len(found) + 1, len(found) + len(node.tests)), last]
            found += zip(node.tests, branches, following, strict=True)
        return found

    @property
    def max_waiting(self) -> int:
        """Maximum number of branches that wait for their turn while a row is divided."""
        most = 1
        waiting = {0: 0}
        for number, node in enumerate(self.nodes):
            here = waiting.get(number, 0)
            parts = [b for b, s in zip(node.branches, node.shares, strict=False) if s]
            most = max(most, here + len(parts))
            for place, branch in enumerate(parts or node.branches):
                after = here + (len(parts) - place - 1 if parts else 0)
                waiting[branch] = max(waiting.get(branch, 0), after)
            for branch in node.branches:
                waiting.setdefault(branch, here)
        return most


@dataclass(frozen=True, slots=True)
class BandForm:
    """The number of the band of a total: how many of ``lows`` are at most the total.

    The total is the sum of the points of the conditions that hold. ``lows`` never decrease.
    ``probabilities`` has a row for each band.
    """

    conditions: tuple[Condition, ...]
    points: tuple[int, ...]
    lows: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class TotalsForm:
    """The class with the largest total of points; ties go to the lower class.

    A total is ``start`` and the points of the conditions that hold, which have points for each
    class. The probability of a class is proportional to ``exp(slope total)``.
    """

    conditions: tuple[Condition, ...]
    points: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]
    slope: float


Choice = FirstTrueForm | ArgmaxForm | TreeForm | BandForm | TotalsForm


class ExportedAnswers(NamedTuple):
    """What a model answers: labels of classes, or the values of leaves.

    ``probabilities`` has a row for each rule, and none for a regression model. ``abstain_label`` is
    None if every row is answered.
    """

    answers: tuple[Any, ...]
    probabilities: tuple[tuple[float, ...], ...] = ()
    abstain_label: Any = None


@dataclass(frozen=True)
class ModelProgram:
    """A whole model as forms and tables.

    Attributes
    ----------
    inputs : tuple of Field
        The columns that are used, in the order of the training data.
    choice : Choice
        The number of the rule that answers.
    answers : tuple
        What the model answers: the labels of the classes, or the value of each leaf.
    outputs : tuple of int
        The place in ``answers`` of each rule's answer; -1 for no answer.
    probabilities : tuple of tuple of float
        For each rule, the probability of each class; empty for a regression model.
    reasons : tuple of str
        The condition of each rule as text.
    abstain_label : label or None
        The label of no answer; None if every row is answered.
    head : tuple of str
        Lines about the model for the comment at the start of an export.
    """

    inputs: tuple[Field, ...]
    choice: Choice
    answers: tuple[Any, ...]
    outputs: tuple[int, ...]
    probabilities: tuple[tuple[float, ...], ...]
    reasons: tuple[str, ...]
    abstain_label: Any
    head: tuple[str, ...]

    @property
    def is_classifier(self) -> bool:
        """Whether the answers are classes."""
        return bool(self.probabilities)

    @property
    def labels(self) -> tuple[Any, ...]:
        """The answers, and last the label of no answer where there is one."""
        return self.answers if self.abstain_label is None else (*self.answers, self.abstain_label)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions in the order in which they are numbered."""
        match self.choice:
            case TreeForm(nodes):
                return tuple(
                    each
                    for node in nodes
                    for each in (*node.tests, *([node.divided] if node.divided else []))
                )
            case _:
                return self.choice.conditions


def forms_in(conditions: Sequence[Condition]) -> Iterator[Condition | NumberForm]:
    """Yield every form in some conditions, each before its parts."""
    waiting: list[Any] = list(reversed(conditions))
    while waiting:
        form = waiting.pop()
        yield form
        match form:
            case AndForm(parts) | OrForm(parts) | AtLeastForm(_, parts):
                waiting += reversed(parts)
            case NotForm(part) | AbsoluteForm(part) | RankForm(part) | ExponentialForm(part):
                waiting.append(part)
            case FilledForm(part):
                waiting.append(part)
            case ComparisonForm(_, number) | UndefinedForm(number):
                waiting.append(number)
            case ArithmeticForm(_, left, right):
                waiting += [right, left]
