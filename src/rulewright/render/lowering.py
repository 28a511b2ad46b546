"""Lowering: the nodes of a model as the forms of a program.

``register_lowering`` adds a kind of node: a function of the node and of the columns by name. A node
that no form can express is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.render.programs import (
    AndForm,
    ArgmaxForm,
    AtLeastForm,
    BranchForm,
    Choice,
    ComparisonForm,
    Condition,
    FirstTrueForm,
    MemberForm,
    NotForm,
    OrForm,
    TreeForm,
    TruthForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
)
from rulewright.rules import (
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Category,
    Conjunction,
    Disjunction,
    Function,
    Given,
    Interval,
    Leaf,
    Missing,
    Node,
    Not,
    Predicate,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
)


class Inputs:
    """The columns that a program reads, by name."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields = tuple(fields.values())
        self._places = {name: place for place, name in enumerate(fields)}

    def is_numeric(self, name: str) -> bool:
        """Whether a column holds numbers, dates, datetimes or durations."""
        return self.fields[self._places[name]].is_numeric

    def value(self, name: str) -> ValueForm:
        """Return the number in a column; a column of categories is refused."""
        self._need(name, numeric=True)
        return ValueForm(self._places[name])

    def category(self, name: str) -> int:
        """Return the place of a column of categories; a column of numbers is refused."""
        self._need(name, numeric=False)
        return self._places[name]

    def missing(self, name: str) -> Condition:
        """Return the condition that the value of a column is missing."""
        if self.is_numeric(name):
            return UndefinedForm(self.value(name))
        return UnknownForm(self._places[name])

    def _need(self, name: str, *, numeric: bool) -> None:
        if self.is_numeric(name) != numeric:
            raise UnrenderableError(
                f"A test of {'numbers' if numeric else 'categories'} uses column {name!r:.80}, "
                f"which holds {'categories' if numeric else 'numbers'}."
            )


SomeNode = TypeVar("SomeNode", bound=Node)
LOWERINGS: dict[type[Node], Callable[[Any, Inputs], Any]] = {}
"""Functions that lower a node, by its class."""


def register_lowering(
    kind: type[SomeNode],
) -> Callable[[Callable[[SomeNode, Inputs], Any]], Callable[[SomeNode, Inputs], Any]]:
    """Register the function that lowers a kind of predicate or arrangement."""

    def register(function: Callable[[SomeNode, Inputs], Any]) -> Callable[[SomeNode, Inputs], Any]:
        LOWERINGS[kind] = function
        return function

    return register


def lowered_condition(node: Predicate, inputs: Inputs) -> Condition:
    """Return a predicate as forms."""
    condition: Condition = _lowering(node)(node, inputs)
    return condition


def lowered_choice(body: Arrangement, inputs: Inputs) -> Choice:
    """Return an arrangement as forms."""
    choice: Choice = _lowering(body)(body, inputs)
    return choice


def _lowering(node: Node) -> Callable[[Any, Inputs], Any]:
    for kind in type(node).__mro__:
        if kind in LOWERINGS:
            return LOWERINGS[kind]
    raise UnrenderableError(
        f"{type(node).__name__} cannot be exported as a program. Register it with "
        "register_lowering, or export the model as text."
    )


def or_missing(condition: Condition, missing: Condition, if_missing: bool) -> Condition:
    """Return a condition that is false where a value is missing, or true if so wished."""
    return OrForm((condition, missing)) if if_missing else condition


@register_lowering(Threshold)
def _threshold(node: Threshold, inputs: Inputs) -> Condition:
    if node.above:
        return ComparisonForm(
            ">=" if node.cut_above else ">", inputs.value(node.column), node.cut, node.if_missing
        )
    return ComparisonForm(
        "<" if node.cut_above else "<=", inputs.value(node.column), node.cut, node.if_missing
    )


@register_lowering(Interval)
def _interval(node: Interval, inputs: Inputs) -> Condition:
    x, missing = inputs.value(node.column), inputs.missing(node.column)
    if node.inside:
        found: Condition = AndForm(
            (
                ComparisonForm(">" if node.low_open else ">=", x, node.low),
                ComparisonForm("<" if node.high_open else "<=", x, node.high),
            )
        )
    else:
        found = OrForm(
            (
                ComparisonForm("<=" if node.low_open else "<", x, node.low),
                ComparisonForm(">=" if node.high_open else ">", x, node.high),
            )
        )
    return or_missing(found, missing, node.if_missing)


def _membership(place: int, texts: tuple[str, ...], among: bool, if_missing: bool) -> Condition:
    member, missing = MemberForm(place, texts), UnknownForm(place)
    if among:
        return or_missing(member, missing, if_missing)
    # A missing category is no member.
    return NotForm(member) if if_missing else NotForm(OrForm((member, missing)))


@register_lowering(Category)
def _category(node: Category, inputs: Inputs) -> Condition:
    return _membership(inputs.category(node.column), node.values, node.among, node.if_missing)


@register_lowering(Missing)
def _missing(node: Missing, inputs: Inputs) -> Condition:
    missing = inputs.missing(node.column)
    return missing if node.missing else NotForm(missing)


@register_lowering(Given)
def _given(node: Given, inputs: Inputs) -> Condition:
    if not inputs.is_numeric(node.column):
        return _membership(inputs.category(node.column), ("True",), node.truth, node.if_missing)
    x, missing = inputs.value(node.column), inputs.missing(node.column)
    if node.truth:
        return or_missing(ComparisonForm("==", x, 1.0), missing, node.if_missing)
    other = NotForm(ComparisonForm("==", x, 1.0))
    return other if node.if_missing else AndForm((other, NotForm(missing)))


@register_lowering(Function)
def _function(node: Function, inputs: Inputs) -> Condition:
    raise UnrenderableError(
        f"The model calls the function {node.name!r:.80} of its user, which cannot be exported. "
        "Compute the function into a column of the data and train with that column."
    )


def _parts(node: AllOf | AnyOf | AtLeast, inputs: Inputs) -> tuple[Condition, ...]:
    return tuple(lowered_condition(part, inputs) for part in node.parts)


@register_lowering(AllOf)
def _all_of(node: AllOf, inputs: Inputs) -> Condition:
    return AndForm(_parts(node, inputs)) if node.parts else TruthForm(True)


@register_lowering(AnyOf)
def _any_of(node: AnyOf, inputs: Inputs) -> Condition:
    return OrForm(_parts(node, inputs)) if node.parts else TruthForm(False)


@register_lowering(AtLeast)
def _at_least(node: AtLeast, inputs: Inputs) -> Condition:
    if not 0 < node.count <= len(node.parts):
        return TruthForm(node.count <= 0)
    return AtLeastForm(node.count, _parts(node, inputs))


@register_lowering(Not)
def _not(node: Not, inputs: Inputs) -> Condition:
    return NotForm(lowered_condition(node.part, inputs))


def _first_true(body: Arrangement, inputs: Inputs) -> Choice:
    return FirstTrueForm(
        tuple(lowered_condition(rule.condition, inputs) for rule in body.rules[:-1])
    )


for _kind in (Conjunction, Disjunction, RuleList):
    register_lowering(_kind)(_first_true)


@register_lowering(RuleVote)
def _vote(body: RuleVote, inputs: Inputs) -> Choice:
    return ArgmaxForm(
        tuple(lowered_condition(voter.condition, inputs) for voter in body.voters),
        tuple(voter.output for voter in body.voters),
        tuple(voter.weight for voter in body.voters),
    )


@register_lowering(Tree)
def _tree(body: Tree, inputs: Inputs) -> Choice:
    places: list[int] = []
    splits = leaves = 0
    for node in body.nodes:
        places.append(~leaves if isinstance(node, Leaf) else splits)
        leaves += isinstance(node, Leaf)
        splits += isinstance(node, Split)
    return TreeForm(
        tuple(_branch(node, places, inputs) for node in body.nodes if isinstance(node, Split))
    )


def _branch(split: Split, places: list[int], inputs: Inputs) -> BranchForm:
    tests = tuple(lowered_condition(test, inputs) for test in split.tests)
    branches = tuple(places[branch] for branch in split.branches)
    if not split.shares:
        return BranchForm(tests, branches)
    missing = tuple(inputs.missing(name) for name in split.columns)
    return BranchForm(tests, branches, OrForm(missing), split.shares)
