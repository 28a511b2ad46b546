"""Conditions and numbers of a program as nodes of ONNX, on lists with a value for each row.

Numbers are doubles, and NaN is missing; Booleans are 1, 0, or NaN. Categories are texts, which one
node for each column turns into codes: 0 for a text that no test knows, then the known texts, and
last the text for a missing value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import refuse_exponential
from rulewright.render.onnx_graph import ML_DOMAIN, OnnxGraph, utf8
from rulewright.render.onnx_trees import step_function
from rulewright.render.programs import (
    AbsoluteForm,
    AndForm,
    ArithmeticForm,
    AtLeastForm,
    ComparisonForm,
    Condition,
    ConstantForm,
    ExponentialForm,
    FilledForm,
    MemberForm,
    ModelProgram,
    NotForm,
    NumberForm,
    OrForm,
    RankForm,
    TruthForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
    forms_in,
)

OPERATORS = {
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "==": "Equal",
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
}


class Codes(NamedTuple):
    """The codes of a column of categories: of its texts, and of a missing value."""

    by_text: Mapping[str, int]
    missing: int


class OnnxConditions:
    """Writer of the conditions of a program into a graph.

    Parameters
    ----------
    program : ModelProgram
    graph : OnnxGraph
        Its inputs have the names of the columns.
    size : str
        Name of the value that holds the number of rows, in a list.
    missing : str
        The text of a missing category.
    """

    def __init__(self, program: ModelProgram, graph: OnnxGraph, size: str, missing: str) -> None:
        self.graph = graph
        self.size = size
        self._missing = missing
        self._fields = program.inputs
        texts: dict[int, dict[str, int]] = {}
        for form in forms_in(program.conditions):
            if isinstance(form, MemberForm):
                known = texts.setdefault(form.place, {})
                for text in form.texts:
                    known.setdefault(text, len(known) + 1)
        self._texts = texts
        self._refuse_missing()

    def _refuse_missing(self) -> None:
        for place, known in self._texts.items():
            if self._missing in known and not self.is_flag(place):
                raise UnrenderableError(
                    f"The model tests column {self._fields[place].name!r:.80} for the text "
                    f"{self._missing!r:.80}, which stands for a missing value in the export. "
                    "Choose another text with the option missing."
                )

    def is_flag(self, place: int) -> bool:
        """Whether an input holds Booleans."""
        return self._fields[place].kind == "boolean"

    def codes(self, place: int) -> Codes:
        """Return the codes of a column of categories."""
        known = self._texts.get(place, {})
        return Codes(known, len(known) + 1)

    def coded(self, place: int) -> str:
        """Return the codes of the categories in an input."""
        by_text, missing = self.codes(place)
        return self.graph.node(
            "LabelEncoder",
            self._fields[place].name,
            domain=ML_DOMAIN,
            keys_strings=[*map(utf8, by_text), utf8(self._missing)],
            values_int64s=[*by_text.values(), missing],
            default_int64=0,
        )

    def everywhere(self, constant: str) -> str:
        """Return a constant on every row."""
        return self.graph.node("Expand", constant, self.size)

    def condition(self, form: Condition) -> str:
        """Return the truth of a condition on every row."""
        graph = self.graph
        match form:
            case TruthForm(truth):
                return self.everywhere(graph.constant(np.array(truth)))
            case ComparisonForm(comparator, number, constant, if_undefined):
                x = self.number(number)
                found = graph.node(OPERATORS[comparator], x, graph.number(constant))
                return graph.node("Or", found, graph.node("IsNaN", x)) if if_undefined else found
            case UndefinedForm(number):
                return graph.node("IsNaN", self.number(number))
            case UnknownForm(place):
                return self._unknown(place)
            case MemberForm(place, texts):
                return self._member(place, texts)
            case AndForm(parts):
                return graph.chain("And", list(map(self.condition, parts)))
            case OrForm(parts):
                return graph.chain("Or", list(map(self.condition, parts)))
            case NotForm(part):
                return graph.node("Not", self.condition(part))
            case AtLeastForm(count, parts):
                total = graph.chain("Add", [graph.as_whole(self.condition(part)) for part in parts])
                return graph.node("GreaterOrEqual", total, graph.whole(count))

    def _unknown(self, place: int) -> str:
        if self.is_flag(place):
            return self.graph.node("IsNaN", self._fields[place].name)
        missing = self.graph.whole(self.codes(place).missing)
        return self.graph.node("Equal", self.coded(place), missing)

    def _member(self, place: int, texts: tuple[str, ...]) -> str:
        graph = self.graph
        if self.is_flag(place):
            tests = [
                graph.node("Equal", self._fields[place].name, graph.number(number))
                for text, number in (("True", 1.0), ("False", 0.0))
                if text in texts
            ]
            return graph.chain("Or", tests) if tests else self.condition(TruthForm(False))
        by_text, missing = self.codes(place)
        table = np.zeros(missing + 1, bool)
        table[[by_text[text] for text in texts]] = True
        return graph.node("Gather", graph.constant(table), self.coded(place))

    def number(self, form: NumberForm) -> str:
        """Return a number on every row; operations are done in the order of the form."""
        graph = self.graph
        match form:
            case ValueForm(place):
                return self._fields[place].name
            case ConstantForm(number):
                return self.everywhere(graph.number(number))
            case FilledForm(part, number):
                x = self.number(part)
                return graph.node("Where", graph.node("IsNaN", x), graph.number(number), x)
            case AbsoluteForm(part):
                return graph.node("Abs", self.number(part))
            case RankForm():
                return self._rank(form)
            case ExponentialForm():
                refuse_exponential("onnx")
            case ArithmeticForm():
                return self._arithmetic(form)

    def _arithmetic(self, form: ArithmeticForm) -> str:
        """Return a chain of operations, which can be longer than Python's recursion."""
        steps: list[ArithmeticForm] = []
        node: NumberForm = form
        while isinstance(node, ArithmeticForm):
            steps.append(node)
            node = node.left
        found: str | NumberForm = node
        for step in reversed(steps):
            found = self._operation(step.operator, found, step.right)
        return str(found)

    def _operation(self, operator: str, left: str | NumberForm, right: NumberForm) -> str:
        """Return one operation; a constant is written once, whatever the number of rows."""
        name = OPERATORS[operator]
        if isinstance(left, ConstantForm) and operator in "+*":  # the order changes nothing
            left, right = right, left
        first = left if isinstance(left, str) else self.number(left)
        if isinstance(right, ConstantForm):
            return self.graph.with_constant(name, first, right.number)
        return self.graph.node(name, first, self.number(right))

    def _rank(self, form: RankForm) -> str:
        x = self.number(form.part)
        cuts = [cut for knot in form.knots for cut in (math.nextafter(knot, -math.inf), knot)]
        pairs = zip(form.between, form.at, strict=False)
        values = [value for pair in pairs for value in pair] + [form.between[-1]]
        found = step_function(self.graph, x, cuts, values)
        return self.graph.node("Where", self.graph.node("IsNaN", x), x, found)
