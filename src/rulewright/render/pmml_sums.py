"""Votes, totals and divided rows in PMML: derived fields that follow the levels of a query.

``ClassSums`` writes each step as expressions of SQL on earlier columns. Here every column becomes a
derived field, and NULL a missing value, so that both give the same sums in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from sqlglot import exp

from rulewright.render.pmml_conditions import PmmlConditions
from rulewright.render.pmml_elements import apply, constant, field_ref, missing_constant
from rulewright.render.programs import ArgmaxForm, Condition, ModelProgram, TotalsForm, TreeForm
from rulewright.render.sql_dialects import Sql, SqlDialect
from rulewright.render.sql_sums import ClassSums

FUNCTIONS = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.EQ: "equal",
    exp.NEQ: "notEqual",
    exp.LT: "lessThan",
    exp.GT: "greaterThan",
    exp.GTE: "greaterOrEqual",
    exp.And: "and",
    exp.Or: "or",
}
"""Functions of PMML by the operations of SQL."""
COMPARISONS = ("equal", "notEqual", "lessThan", "greaterThan", "greaterOrEqual")


class DerivedLevels:
    """Derived fields in the place of the levels of a query, and of its conditions."""

    def __init__(self, conditions: PmmlConditions) -> None:
        self._conditions = conditions
        self.fields: dict[str, str] = {}
        """Names of fields by the short names of columns."""
        self._flags: dict[Condition, str] = {}

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""
        return name in self.fields

    def column(self, name: str) -> Sql:
        """Return a column."""
        return exp.column(name, quoted=True)

    def add(self, columns: Mapping[str, Sql]) -> None:
        """Add columns that are computed from those that are there."""
        for name, tree in columns.items():
            self.fields[name] = self._conditions.add(f"step {name}", self.expression(tree))

    def condition(self, form: Condition) -> Sql:
        """Return the column of a condition, true or false on every row."""
        if form not in self._flags:
            name = f"holds{len(self._flags)}"
            expression = self._conditions.expression(form)
            self.fields[name] = self._conditions.add(f"step {name}", expression, "boolean")
            self._flags[form] = name
        return self.column(self._flags[form])

    def expression(self, tree: Sql) -> Element:
        """Return an expression of SQL as one of PMML; a comparison with NULL is false."""
        match tree:
            case exp.Paren() | exp.Cast():
                return self.expression(tree.this)
            case exp.Column():
                return field_ref(self.fields[tree.name])
            case exp.Literal():
                return constant(float(tree.this))
            case exp.Null():
                return missing_constant()
            case exp.Neg():
                if isinstance(tree.this, exp.Literal):
                    return constant(-float(tree.this.this))
                return apply("*", constant(-1.0), self.expression(tree.this))
            case exp.Floor():
                return apply("floor", self.expression(tree.this))
            case exp.Case():
                return self._case(tree)
            case exp.Coalesce():
                value = self.expression(tree.this)
                known = apply("isNotMissing", value)
                return apply("if", known, value, self.expression(tree.expressions[0]))
            case exp.Is():
                return apply("isMissing", self.expression(tree.this))
            case exp.Not():
                return apply("not", self.expression(tree.this))
            case _:
                function = FUNCTIONS[type(tree)]
                missing = False if function in COMPARISONS else None
                parts = (self.expression(tree.this), self.expression(tree.expression))
                return apply(function, *parts, if_missing=missing)

    def _case(self, tree: Sql) -> Element:
        """Return the result of the first true condition; a missing value where there is none."""
        default = tree.args.get("default")
        found = None if default is None or isinstance(default, exp.Null) else default
        result = None if found is None else self.expression(found)
        for branch in reversed(tree.args["ifs"]):
            parts = [self.expression(branch.this), self.expression(branch.args["true"])]
            result = apply("if", *parts, *([] if result is None else [result]))
        assert result is not None
        return result


def sums_by_class(
    program: ModelProgram,
    conditions: PmmlConditions,
    choice: ArgmaxForm | TotalsForm | TreeForm,
) -> tuple[str, list[str]]:
    """Add the fields of the rule and of the probabilities.

    Returns the field of the rule, and those of the probability of the answer and of each class.
    """
    levels = DerivedLevels(conditions)
    sums = ClassSums(program, SqlDialect("duckdb"), levels)
    match choice:
        case ArgmaxForm():
            rule = sums.of_votes(choice, levels)
        case TotalsForm():
            rule = sums.of_totals(choice, levels)
        case TreeForm():
            rule = sums.of_leaves(choice, levels)
    shares = [levels.fields[f"p{place}"] for place in range(len(program.answers))]
    found = levels.fields[rule.name]
    answer = conditions.add("step answer", _answer_share(program, found, shares))
    return found, [answer, *shares]


def _answer_share(program: ModelProgram, rule: str, shares: list[str]) -> Element:
    """Return the probability of the class of the rule; missing where it has none."""
    by_class: dict[int, list[Element]] = {}
    for number, output in enumerate(program.outputs, 1):
        if output >= 0:
            by_class.setdefault(output, []).append(constant(float(number)))
    found: list[Element] = []
    for output, numbers in by_class.items():
        function = "equal" if len(numbers) == 1 else "isIn"
        test = apply(function, field_ref(rule), *numbers, if_missing=False)
        found = [apply("if", test, field_ref(shares[output]), *found)]
    return found[0] if found else missing_constant()
