"""Conditions of a program as predicates and expressions of PMML.

A predicate that compares a missing value is unknown in PMML, and a tree takes unknown for false.
Negations are carried inwards to the comparisons, so that this is right for every predicate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from rulewright.data import moment_text
from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import MAX_TERMS
from rulewright.render.pmml_elements import apply, constant, derived, element, field_ref
from rulewright.render.programs import (
    NEGATED,
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
)

OPERATORS = {
    "<": "lessThan",
    "<=": "lessOrEqual",
    ">": "greaterThan",
    ">=": "greaterOrEqual",
    "==": "equal",
    "!=": "notEqual",
}
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""The days of the years 1 and 9999, since 1970."""
DAY = 86_400_000_000
"""Microseconds of a day."""


class PmmlConditions:
    """Conditions on the fields of a document.

    Parameters
    ----------
    program : ModelProgram
    taken : set of str
        Names of fields that are there already; the names of derived fields are added.
    """

    def __init__(self, program: ModelProgram, taken: set[str]) -> None:
        self.program = program
        self.derived: list[Element] = []
        self._taken = taken
        self._known: dict[object, str] = {}

    def new_name(self, name: str) -> str:
        """Return a name that no field has."""
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def add(self, name: str, expression: Element, data_type: str = "double") -> str:
        """Add a derived field, and return its name."""
        name = self.new_name(name)
        self.derived.append(derived(name, expression, data_type))
        return name

    def predicate(self, form: Condition, negated: bool = False) -> Element:
        """Return a condition, or its negation, as a predicate."""
        match form:
            case TruthForm(truth):
                return element("True" if truth != negated else "False")
            case ComparisonForm(comparator, number, border, if_undefined):
                return self._comparison(comparator, number, border, if_undefined, negated)
            case UndefinedForm(number):
                return _missing(self.number_field(number), negated)
            case UnknownForm(place):
                return _missing(self.field(place), negated)
            case MemberForm(place, texts):
                return self._member(place, texts, negated)
            case AndForm(parts):
                return _compound("or" if negated else "and", self._predicates(parts, negated))
            case OrForm(parts):
                return _compound("and" if negated else "or", self._predicates(parts, negated))
            case NotForm(part):
                return self.predicate(part, not negated)
            case AtLeastForm(count, parts):
                total = self._count(form)
                return _simple(total, "<" if negated else ">=", repr(float(count)))

    def _predicates(self, parts: Sequence[Condition], negated: bool) -> list[Element]:
        return [self.predicate(part, negated) for part in parts]

    def _comparison(
        self, comparator: str, number: NumberForm, border: float, if_undefined: bool, negated: bool
    ) -> Element:
        name = self.number_field(number)
        if negated:
            comparator = NEGATED.get(comparator) or "!="
        moment = None
        if isinstance(number, ValueForm):
            moment = self.program.inputs[number.place].moment
        if moment is None:
            test = _number_test(name, comparator, border)
        else:
            test = _moment_test(name, comparator, border, moment)
        return _compound("or", [test, _missing(name)]) if if_undefined != negated else test

    def _member(self, place: int, texts: Sequence[str], negated: bool) -> Element:
        name, values = self.field(place), self._values(place, texts)
        tests = [_simple(name, "!=" if negated else "==", value) for value in values]
        if negated:
            others = _compound("and", tests) if tests else element("True")
            return _compound("or", [others, _missing(name)])
        return _compound("or", tests) if tests else element("False")

    def _values(self, place: int, texts: Sequence[str]) -> list[str]:
        if self.program.inputs[place].kind != "boolean":
            return list(texts)
        return [text.lower() for text in texts if text in ("True", "False")]

    def _count(self, form: AtLeastForm) -> str:
        """Return the field with the number of true conditions."""
        if form not in self._known:
            counts = [self.flag(part, 1.0) for part in form.parts]
            self._known[form] = self.add("count", added(counts))
        return self._known[form]

    def flag(self, form: Condition, points: float) -> Element:
        """Return some points where a condition holds, otherwise 0."""
        return apply("if", self.expression(form), constant(points), constant(0.0))

    def expression(self, form: Condition) -> Element:
        """Return a condition as an expression, true or false on every row."""
        match form:
            case TruthForm(truth):
                return constant(truth)
            case ComparisonForm():
                return self._compared(form)
            case UndefinedForm(number):
                return apply("isMissing", field_ref(self.number_field(number)))
            case UnknownForm(place):
                return apply("isMissing", field_ref(self.field(place)))
            case MemberForm(place, texts):
                return self._among(place, texts)
            case AndForm(parts):
                return self._joined("and", parts)
            case OrForm(parts):
                return self._joined("or", parts)
            case NotForm(part):
                return apply("not", self.expression(part))
            case AtLeastForm(count):
                return apply("greaterOrEqual", field_ref(self._count(form)), constant(float(count)))

    def _joined(self, function: str, parts: Sequence[Condition]) -> Element:
        expressions = [self.expression(part) for part in parts]
        return expressions[0] if len(expressions) == 1 else apply(function, *expressions)

    def _compared(self, form: ComparisonForm) -> Element:
        name, missing = self.number_field(form.number), form.if_undefined
        if isinstance(form.number, ValueForm):
            moment = self.program.inputs[form.number.place].moment
            if moment is not None:
                return self._moment_expression(form, name, moment)
        return apply(
            OPERATORS[form.comparator],
            field_ref(name),
            constant(_signed_zero(form.comparator, form.constant)),
            if_missing=missing,
        )

    def _moment_expression(self, form: ComparisonForm, name: str, moment: str) -> Element:
        border = moment_border(form.comparator, form.constant, moment)
        if isinstance(border, bool):
            known = apply("isNotMissing", field_ref(name))
            if border:
                return constant(True) if form.if_undefined else known
            return apply("not", known) if form.if_undefined else constant(False)
        value = element("Constant", border, dataType=DATA_TYPES[moment])
        return apply(
            OPERATORS[form.comparator], field_ref(name), value, if_missing=form.if_undefined
        )

    def _among(self, place: int, texts: Sequence[str]) -> Element:
        values: list[str | bool] = list(self._values(place, texts))
        if self.program.inputs[place].kind == "boolean":
            values = [value == "true" for value in values]
        if not values:
            return constant(False)
        function = "equal" if len(values) == 1 else "isIn"
        name = field_ref(self.field(place))
        return apply(function, name, *map(constant, values), if_missing=False)

    def field(self, place: int) -> str:
        """Return the name of the field of an input."""
        return self.program.inputs[place].name

    def number_field(self, form: NumberForm) -> str:
        """Return the field of a number, which is derived where it is not an input."""
        if isinstance(form, ValueForm):
            return self.field(form.place)
        if form not in self._known:
            if isinstance(form, RankForm):
                expression = _rank(form, self.number_field(form.part))
            elif isinstance(form, FilledForm):  # JPMML reads it as text, and the field as a number
                expression = field_ref(self.field(form.part.place), if_missing=form.number)
            else:
                expression = self._number(form)
            self._known[form] = self.add("number", expression)
        return self._known[form]

    def _number(self, form: NumberForm) -> Element:
        match form:
            case ValueForm(place):
                return field_ref(self.field(place))
            case ConstantForm(number):
                return constant(number)
            case AbsoluteForm(part):
                return self._absolute(self.number_field(part))
            case RankForm() | FilledForm():
                return field_ref(self.number_field(form))
            case ExponentialForm():
                raise UnrenderableError(
                    "The model compares rows by an RBF kernel. Its exponential has no exact equal "
                    "in pmml. Export the model to python or c, or train with another kernel."
                )
            case ArithmeticForm(operator, left, right):
                _check_terms(form)
                return apply(operator, self._number(left), self._number(right))

    def _absolute(self, name: str) -> Element:
        """Return a number without its sign; the function abs may refuse a missing value."""
        negative = apply("lessThan", field_ref(name), constant(0.0), if_missing=False)
        return apply("if", negative, apply("*", constant(-1.0), field_ref(name)), field_ref(name))


DATA_TYPES = {"date": "date", "datetime": "dateTime"}
"""Types of PMML by the kind of a moment."""


def added(terms: Sequence[Element]) -> Element:
    """Return the sum of terms, from the first to the last."""
    total = terms[0]
    for term in terms[1:]:
        total = apply("+", total, term)
    return total


def _check_terms(form: NumberForm) -> None:
    terms = 0
    while isinstance(form, ArithmeticForm):
        form, terms = form.left, terms + 1
    if terms > MAX_TERMS:
        raise UnrenderableError(
            f"A ball, half-space or half-plane of the model adds {terms} terms, more than the "
            f"{MAX_TERMS} that one expression in pmml can hold. Train on fewer columns."
        )


def _simple(name: str, comparator: str, value: str) -> Element:
    return element("SimplePredicate", field=name, operator=OPERATORS[comparator], value=value)


def _missing(name: str, negated: bool = False) -> Element:
    operator = "isNotMissing" if negated else "isMissing"
    return element("SimplePredicate", field=name, operator=operator)


def _compound(operator: str, parts: Sequence[Element]) -> Element:
    if len(parts) == 1:
        return parts[0]
    return element("CompoundPredicate", *parts, booleanOperator=operator)


def _signed_zero(comparator: str, border: float) -> float:
    """Return a border; a zero gets the sign that is right where -0 is below 0, as in Java."""
    if border == 0:
        return -0.0 if comparator in (">=", "<") else 0.0
    return border


def _number_test(name: str, comparator: str, border: float) -> Element:
    if border == 0 and comparator in ("==", "!="):
        low, high, join = (">=", "<=", "and") if comparator == "==" else ("<", ">", "or")
        return _compound(join, [_number_test(name, each, border) for each in (low, high)])
    return _simple(name, comparator, repr(float(_signed_zero(comparator, border))))


def moment_border(comparator: str, border: float, moment: str) -> str | bool:
    """Return the text of a border; True or False where all or no values pass the comparison.

    Values are whole days or microseconds, so that a border between two of them can be moved.
    """
    whole = math.floor(border) if comparator in (">", "<=") else math.ceil(border)
    if comparator in ("==", "!=") and whole != border:
        return comparator == "!="
    unit = 1 if moment == "date" else DAY
    if not FIRST_DAY * unit <= whole < (LAST_DAY + 1) * unit:
        return comparator == "!=" or (border < 0) == (comparator in (">", ">="))
    text = moment_text(whole, "date" if moment == "date" else "datetime")
    if moment == "date":
        return text
    day, _, clock = text.partition(" ")
    return f"{day}T{clock or '00:00'}{'' if clock.count(':') == 2 else ':00'}"


def _moment_test(name: str, comparator: str, border: float, moment: str) -> Element:
    found = moment_border(comparator, border, moment)
    if isinstance(found, bool):
        return _missing(name, negated=True) if found else element("False")
    return _simple(name, comparator, found)


def _rank(form: RankForm, name: str) -> Element:
    """Return the rank of a number: a bin at each knot, and one between two knots."""
    bins, last = [], None
    for knot, below, at in zip(form.knots, form.between, form.at, strict=False):
        low, high = repr(_signed_zero("<", knot)), repr(_signed_zero(">", knot))
        bins.append(_bin(below, "openOpen", last, low))
        bins.append(_bin(at, "closedClosed", low, high))
        last = high
    bins.append(_bin(form.between[-1], "openOpen", last, None))
    return element("Discretize", *bins, field=name, dataType="double")


def _bin(value: float, closure: str, low: str | None, high: str | None) -> Element:
    interval = element("Interval", closure=closure, leftMargin=low, rightMargin=high)
    return element("DiscretizeBin", interval, binValue=repr(float(value)))
