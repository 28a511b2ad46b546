"""Forms of a program as expressions of SQL: every condition is true or false, never NULL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from sqlglot import exp

from rulewright.errors import UnrenderableError
from rulewright.render.programs import (
    AbsoluteForm,
    AndForm,
    ArithmeticForm,
    AtLeastForm,
    Comparator,
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
from rulewright.render.sql_dialects import (
    MAX_EXACT_INTEGER,
    Sql,
    SqlDialect,
    case_of,
    compared,
    member_of,
)

OPERATIONS: dict[str, Sql] = {
    "+": exp.Add,
    "-": exp.Sub,
    "*": exp.Mul,
    "/": exp.Div,
}
MAX_TERMS = 100
"""Maximum number of operations in one number: engines limit the depth of an expression."""


class ConditionSource(Protocol):
    """Something that writes conditions in SQL."""

    def condition(self, form: Condition) -> Sql:
        """Return a condition; NULL where it is not true means false."""


class SqlConditions:
    """Conditions on the inputs of a program.

    Parameters
    ----------
    program : ModelProgram
    dialect : SqlDialect
    value, code : functions of the place of an input
        Return the column or expression of an input, and of a code as a number.
    computed : function of a number form
        Returns the column of a number that was computed before; None where there is none.
    """

    def __init__(
        self,
        program: ModelProgram,
        dialect: SqlDialect,
        value: Callable[[int], Sql],
        code: Callable[[int], Sql],
        computed: Callable[[NumberForm], Sql | None],
    ) -> None:
        self.program = program
        self.dialect = dialect
        self._value = value
        self._code = code
        self._computed = computed

    def condition(self, form: Condition, *, negated: bool = False) -> Sql:
        """Return a condition; NULL where it is not true means false.

        A condition that is ``negated`` must be false and not NULL.
        """
        match form:
            case TruthForm(truth):
                return _always(truth)
            case ComparisonForm(comparator, number, constant, if_undefined):
                return self._comparison(comparator, number, constant, if_undefined, negated)
            case UndefinedForm(number):
                return _is_null(self.known(number))
            case UnknownForm(place):
                return _is_null(self._value(place))
            case MemberForm(place, texts):
                return self._member(place, texts, negated)
            case AndForm(parts):
                return _all([self.condition(part, negated=negated) for part in parts])
            case OrForm(parts):
                return _any([self.condition(part, negated=negated) for part in parts])
            case NotForm(part):
                return _not(self.condition(part, negated=True))
            case AtLeastForm(count, parts):
                one, zero = exp.Literal.number(1), exp.Literal.number(0)
                counts = [
                    case_of([(self.condition(part), one.copy())], zero.copy()) for part in parts
                ]
                total = summed(counts)
                return exp.GTE(this=exp.Paren(this=total), expression=exp.Literal.number(count))

    def _comparison(
        self,
        comparator: Comparator,
        number: NumberForm,
        constant: float,
        if_undefined: bool,
        negated: bool,
    ) -> Sql:
        left = self.known(number)
        test: Sql | bool
        moment = None
        if isinstance(number, ValueForm):
            moment = self.program.inputs[number.place].moment
        if moment is None:
            test = compared(comparator, left, self.dialect.number(constant))
        else:
            test = self.dialect.moment_test(left, moment, comparator, constant)
        null = _is_null(left.copy())
        if isinstance(test, bool):
            test, negated = _always(test), True
        if if_undefined:
            return _any([null, test])
        return _all([_not(null), test]) if negated else test

    def _member(self, place: int, texts: Sequence[str], negated: bool) -> Sql:
        """Return the condition that a category is one of some texts."""
        value, literals = self._value(place), texts
        tests: list[Sql] = []
        if self.program.inputs[place].kind == "code":
            numbers = [float(text) for text in texts if _is_small(text)]
            literals = [text for text in texts if not _is_small(text)]
            if numbers:
                code = self._code(place)
                number = member_of(code, [self.dialect.number(x) for x in numbers])
                tests.append(_all([_not(_is_null(code.copy())), number]) if negated else number)
        if literals:
            texts_sql = [self.dialect.text(text) for text in literals]
            same = self.dialect.same_text(value, texts_sql)
            tests.append(_all([_not(_is_null(value.copy())), same]) if negated else same)
        return _any(tests)

    def known(self, form: NumberForm) -> Sql:
        """Return a number, NULL where it is NaN."""
        computed = self._computed(form)
        if computed is not None:
            return computed
        if isinstance(form, ValueForm):
            return self._value(form.place)
        return self.dialect.known(self.number(form))

    def number(self, form: NumberForm) -> Sql:
        """Return a number; operations are done in the order of the form."""
        match form:
            case ValueForm(place):
                return self._value(place)
            case ConstantForm(number):
                return self.dialect.number(number)
            case FilledForm(part, number):
                filling = self.dialect.number(number)
                return exp.Coalesce(this=self._value(part.place), expressions=[filling])
            case AbsoluteForm(part):
                return exp.Abs(this=self.number(part))
            case RankForm(part):
                computed = self._computed(form)
                if computed is not None:
                    return computed
                return self.rank(form, self.number(part))
            case ExponentialForm():
                raise UnrenderableError(
                    "The model compares rows by an RBF kernel. Its exponential has no exact equal "
                    "in SQL. Export the model to python or c, or train with another kernel."
                )
            case ArithmeticForm(operator, left, right):
                self._check_size(form)
                return exp.Paren(
                    this=OPERATIONS[operator](this=self.number(left), expression=self.number(right))
                )

    def _check_size(self, form: NumberForm) -> None:
        terms = 0
        while isinstance(form, ArithmeticForm):
            form, terms = form.left, terms + 1
        if terms > MAX_TERMS:
            raise UnrenderableError(
                f"A ball, half-space or half-plane of the model adds {terms} terms, more than the "
                f"{MAX_TERMS} that one expression in SQL can hold. Train on fewer columns."
            )

    def rank(self, form: RankForm, x: Sql) -> Sql:
        """Return the rank of a number."""
        return self._rank(form, x, 0, len(form.knots))

    def _rank(self, form: RankForm, x: Sql, low: int, high: int) -> Sql:
        """Return the rank of a number among the knots from low to high, by halves."""
        if low == high:
            return self.dialect.number(form.between[low])
        middle = (low + high) // 2
        knot = self.dialect.number(form.knots[middle])
        return case_of(
            [
                (_is_null(x.copy()), exp.null()),
                (exp.LT(this=x.copy(), expression=knot), self._rank(form, x, low, middle)),
                (
                    exp.EQ(this=x.copy(), expression=knot.copy()),
                    self.dialect.number(form.at[middle]),
                ),
            ],
            self._rank(form, x, middle + 1, high),
        )


def _is_small(text: str) -> bool:
    """Whether a code is a number that doubles distinguish from all others."""
    try:
        number = float(text)
    except ValueError:
        return False
    return abs(number) < MAX_EXACT_INTEGER


def _always(truth: bool) -> Sql:
    return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1 if truth else 0))


def _all(parts: Sequence[Sql]) -> Sql:
    return parts[0] if len(parts) == 1 else exp.Paren(this=exp.and_(*parts, wrap=False))


def _any(parts: Sequence[Sql]) -> Sql:
    return parts[0] if len(parts) == 1 else exp.Paren(this=exp.or_(*parts, wrap=False))


def _not(part: Sql) -> Sql:
    return exp.Not(this=part if isinstance(part, exp.Paren | exp.Is) else exp.Paren(this=part))


def _is_null(value: Sql) -> Sql:
    return exp.Is(this=value, expression=exp.null())


def summed(terms: Sequence[Sql]) -> Sql:
    """Return the sum of terms, from the first to the last."""
    total = terms[0]
    for term in terms[1:]:
        total = exp.Add(this=total, expression=term)
    return total
