"""Models as SQL: an expression, a query or a view, in the dialects of several engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlglot import exp

from rulewright.errors import InputError, UnrenderableError
from rulewright.render.programs import (
    ArgmaxForm,
    BandForm,
    ComparisonForm,
    FirstTrueForm,
    ModelProgram,
    NumberForm,
    RankForm,
    TotalsForm,
    TreeForm,
    UndefinedForm,
    ValueForm,
    forms_in,
)
from rulewright.render.sql_conditions import SqlConditions, summed
from rulewright.render.sql_dialects import Sql, SqlDialect, case_of
from rulewright.render.sql_form import RESULTS, What
from rulewright.render.sql_functions import function_statement
from rulewright.render.sql_levels import Levels
from rulewright.render.sql_sums import ClassSums

MAX_DEPTH = 10
"""Maximum depth of a tree in one expression: engines limit the depth of an expression."""

NO_TABLES = ("tsql", "clickhouse")
"""Dialects in which a query alone does not make a table."""


class SqlExport:
    """A program as one expression, or as a query with a level for each step."""

    def __init__(self, program: ModelProgram, dialect: str) -> None:
        self.program = program
        self.dialect = SqlDialect(dialect)

    def expression_text(self, what: What) -> str:
        """Return what a model answers as one expression of the columns."""
        return self._text(self.expression(what))

    def function_text(self, name: str, what: What) -> str:
        """Return the statement that creates a function of the columns in the model's order."""
        body = self.expression(what)
        statement = function_statement(self.program, self.dialect, name, what, body)
        return f"{self._text(statement)};"

    def query_text(
        self,
        table: str,
        schema: str,
        keep: Sequence[str],
        probabilities: bool,
        created: tuple[str, str] | None,
    ) -> str:
        """Return a query of a table, or the statement that creates a view or table of it.

        ``created`` is the kind and the name of what is created.
        """
        if created is not None and created[0] == "TABLE" and self.dialect.name in NO_TABLES:
            raise UnrenderableError(
                f"{self.dialect.name} needs more than a query to create a table. Use shape='view', "
                "or insert the query's rows into a table of yours."
            )
        tree = self.query(table, schema, keep, probabilities)
        if created is not None:
            named = exp.Table(this=self.dialect.identifier(created[1]))
            tree = exp.Create(this=named, kind=created[0], expression=tree)
        return f"{self._text(tree)};"

    def _text(self, tree: Sql) -> str:
        text: str = tree.sql(dialect=self.dialect.name, pretty=True)
        return text

    def expression(self, what: What) -> Sql:
        """Return what a model answers as one expression of the columns."""
        if what == "probability" and not self.program.is_classifier:
            raise InputError("A regression model has no probabilities.")
        conditions = SqlConditions(
            self.program, self.dialect, self._inline, self._inline_code, lambda form: None
        )
        results = self._results(what)
        return self._decision(conditions, results)

    def query(self, table: str, schema: str, keep: Sequence[str], probabilities: bool) -> Sql:
        """Return a query of a table."""
        results = list(RESULTS if self.program.is_classifier else ("prediction", "rule", "reason"))
        results = [name for name in results if name != "reason" or self.program.reasons]
        size = len(self.program.answers) if self.program.is_classifier and probabilities else 0
        numbered = [f"probability_{place + 1}" for place in range(size)]
        taken = {name.lower() for name in (*results, *numbered)}
        twice = [name for name in keep if name.lower() in taken]
        if twice or len(set(keep)) < len(keep):
            raise InputError(
                f"The query would have the column {(twice or list(keep))[0]!r} twice. Rename it in "
                "the table, or leave it out of keep."
            )
        levels = self._read_level(table, schema, keep)
        rule = self._rule_level(levels)
        outputs = [
            exp.alias_(levels.column(f"k{place}"), name, quoted=True)
            for place, name in enumerate(keep)
        ]
        for name in results:
            found = self._result(cast(What, name), rule, levels)
            outputs.append(exp.alias_(found, name, quoted=True))
        for place, name in enumerate(numbered):
            outputs.append(exp.alias_(self._share(place, rule, levels), name, quoted=True))
        return levels.final(outputs)

    def _column(self, place: int) -> Sql:
        return self.dialect.column(self.program.inputs[place].name)

    def _inline(self, place: int) -> Sql:
        """Return an input as the conditions need it."""
        field, column = self.program.inputs[place], self._column(place)
        if field.moment is not None:
            return self.dialect.moment(column, field)
        if field.is_numeric:
            return self.dialect.double(column)
        if field.kind == "boolean":
            return self.dialect.boolean(column)
        return self.dialect.category(column)

    def _inline_code(self, place: int) -> Sql:
        return self.dialect.code(self._column(place))

    def _read_level(self, table: str, schema: str, keep: Sequence[str]) -> Levels:
        """Return the level that reads the table: inputs x0, codes n0, kept columns k0."""
        source = exp.Table(
            this=self.dialect.identifier(table),
            db=self.dialect.identifier(schema) if schema else None,
        )
        columns: dict[str, Sql] = {}
        for place, field in enumerate(self.program.inputs):
            columns[f"x{place}"] = self._inline(place)
            if field.kind == "code":
                columns[f"n{place}"] = self._inline_code(place)
        for place, name in enumerate(keep):
            columns[f"k{place}"] = self.dialect.column(name)
        return Levels(self.dialect.name, source, columns)

    def _rule_level(self, levels: Levels) -> Sql:
        """Add the levels that find the rule, and return its column."""
        forms: dict[NumberForm, str] = {}
        for form in forms_in(self.program.conditions):
            if isinstance(form, RankForm):
                forms.setdefault(form, f"v{len(forms)}")
            if isinstance(form, ComparisonForm | UndefinedForm) and not isinstance(
                form.number, ValueForm
            ):
                forms.setdefault(form.number, f"v{len(forms)}")
        conditions = SqlConditions(
            self.program,
            self.dialect,
            lambda place: levels.column(f"x{place}"),
            lambda place: levels.column(f"n{place}"),
            lambda form: levels.column(forms[form]) if form in forms else None,
        )
        levels.add(
            {
                name: conditions.rank(form, conditions.number(form.part))
                for form, name in forms.items()
                if isinstance(form, RankForm)
            }
        )
        levels.add(
            {
                name: self.dialect.known(conditions.number(form))
                for form, name in forms.items()
                if not isinstance(form, RankForm)
            }
        )
        choice = self.program.choice
        if isinstance(choice, ArgmaxForm):
            return ClassSums(self.program, self.dialect, levels).of_votes(choice, conditions)
        if isinstance(choice, TotalsForm):
            return ClassSums(self.program, self.dialect, levels).of_totals(choice, conditions)
        if isinstance(choice, TreeForm) and choice.is_divided:
            return ClassSums(self.program, self.dialect, levels).of_leaves(choice, conditions)
        numbers = [exp.Literal.number(n + 1) for n, _ in enumerate(self.program.outputs)]
        if isinstance(choice, TreeForm) and max(depths := _depths(choice), default=0) >= MAX_DEPTH:
            self._walk_levels(choice, conditions, levels, depths)
        elif isinstance(choice, BandForm):
            levels.add({"t": self._total(choice, conditions)})
            levels.add({"r": self._band(choice, levels.column("t"), numbers)})
        else:
            levels.add({"r": self._decision(conditions, numbers)})
        return levels.column("r")

    def _walk_levels(
        self, tree: TreeForm, conditions: SqlConditions, levels: Levels, depths: Sequence[int]
    ) -> None:
        """Add the levels of a deep tree: each goes on from the nodes that the last one reached.

        A leaf is minus the number of its rule.
        """
        leaves = [_signed(-number - 1) for number, _ in enumerate(self.program.outputs)]
        last = None
        for step, first in enumerate(range(0, max(depths) + 1, MAX_DEPTH)):
            walks = [
                (number, self._walk(tree, conditions, leaves, number, MAX_DEPTH))
                for number, depth in enumerate(depths)
                if depth == first
            ]
            reached = walks[0][1]
            if last is not None:
                here = [(exp.EQ(this=last, expression=_signed(n)), walk) for n, walk in walks]
                reached = case_of(here, last)
            levels.add({f"z{step}": reached})
            last = levels.column(f"z{step}")
        levels.add({"r": exp.Neg(this=last)})

    def _total(self, choice: BandForm, conditions: SqlConditions) -> Sql:
        """Return the sum of the points of the conditions that hold, as a double."""
        number = self.dialect.number
        terms = [
            case_of([(conditions.condition(test), number(float(points)))], number(0.0))
            for test, points in zip(choice.conditions, choice.points, strict=True)
        ]
        return summed(terms or [number(0.0)])

    def _band(self, choice: BandForm, total: Sql, results: Sequence[Sql]) -> Sql:
        """Return the result of the band of a total; neighbours with the same result are one."""
        branches = [
            (exp.LT(this=total.copy(), expression=self.dialect.number(float(low))), result.copy())
            for low, result, after in zip(choice.lows, results[:-1], results[1:], strict=True)
            if result != after
        ]
        return case_of(branches, results[-1].copy()) if branches else results[-1].copy()

    def _decision(self, conditions: SqlConditions, results: Sequence[Sql]) -> Sql:
        """Return the result of the rule that answers."""
        match self.program.choice:
            case FirstTrueForm(tests):
                if not tests:
                    return results[-1].copy()
                branches = [
                    (conditions.condition(test), results[number].copy())
                    for number, test in enumerate(tests)
                ]
                return case_of(branches, results[-1].copy())
            case BandForm() as choice:
                return self._band(choice, exp.Paren(this=self._total(choice, conditions)), results)
            case TreeForm() as tree if not tree.is_divided:
                depth = max(_depths(tree), default=0) + 1
                if depth > MAX_DEPTH:
                    raise UnrenderableError(
                        f"The tree has a depth of {depth}, and an expression of SQL at most "
                        f"{MAX_DEPTH}. Use shape='select' or shape='view'."
                    )
                return self._walk(tree, conditions, results, 0 if tree.nodes else -1, MAX_DEPTH)
            case _:
                raise UnrenderableError(
                    "A vote, a scorecard of several classes, or a tree that divides rows with "
                    "missing values, cannot be one expression of SQL. Use shape='select' or "
                    "shape='view'."
                )

    def _walk(
        self,
        tree: TreeForm,
        conditions: SqlConditions,
        results: Sequence[Sql],
        number: int,
        steps: int,
    ) -> Sql:
        """Return the result of the leaf that is reached, or the node that is after some steps."""
        if number < 0:
            return results[~number].copy()
        if steps == 0:
            return _signed(number)
        node = tree.nodes[number]
        ends = [
            self._walk(tree, conditions, results, branch, steps - 1) for branch in node.branches
        ]
        tests = [conditions.condition(test) for test in node.tests]
        return case_of(list(zip(tests, ends[:-1], strict=True)), ends[-1])

    def _results(self, what: What) -> list[Sql]:
        """Return what the answer of each rule is."""
        program, outputs = self.program, self.program.outputs
        match what:
            case "prediction":
                return [self._label(program.labels[output]) for output in outputs]
            case "rule":
                return [exp.Literal.number(number + 1) for number, _ in enumerate(outputs)]
            case "reason":
                return [self.dialect.text(reason) for reason in program.reasons]
            case "probability":
                return [
                    exp.null() if output < 0 else self.dialect.number(shares[output])
                    for output, shares in zip(outputs, program.probabilities, strict=True)
                ]

    def _result(self, what: What, rule: Sql, levels: Levels) -> Sql:
        if what == "rule":
            return rule.copy()
        if what == "probability" and levels.has("p0"):
            outputs = self.program.outputs
            shares = [exp.null() if o < 0 else levels.column(f"p{o}") for o in outputs]
            return _by_rule(rule, shares)
        return _by_rule(rule, self._results(what))

    def _share(self, place: int, rule: Sql, levels: Levels) -> Sql:
        if levels.has("p0"):
            return levels.column(f"p{place}")
        shares = [self.dialect.number(row[place]) for row in self.program.probabilities]
        return _by_rule(rule, shares)

    def _label(self, label: Any) -> Sql:
        if isinstance(label, bool):
            number = exp.Literal.number(int(label))
            return number if self.dialect.name == "tsql" else exp.Boolean(this=label)
        if isinstance(label, str):
            return self.dialect.text(label)
        if isinstance(label, int):
            return _signed(label)
        return self.dialect.number(label)


def _by_rule(rule: Sql, results: Sequence[Sql]) -> Sql:
    """Return a result by the number of a rule; rules with the same result are together."""
    groups: dict[str, tuple[Sql, list[Sql]]] = {}
    for number, result in enumerate(results):
        group = groups.setdefault(result.sql(), (result, []))
        group[1].append(exp.Literal.number(number + 1))
    *first, (last, _) = groups.values()
    branches = [
        (exp.In(this=rule.copy(), expressions=numbers), result) for result, numbers in first
    ]
    return case_of(branches, last) if branches else last


def _signed(number: int) -> Sql:
    literal = exp.Literal.number(abs(number))
    return exp.Neg(this=literal) if number < 0 else literal


def _depths(tree: TreeForm) -> list[int]:
    """Return the depth of each node, 0 for the root."""
    depths = [0] * len(tree.nodes)
    for number, node in enumerate(tree.nodes):
        for branch in node.branches:
            if branch >= 0:
                depths[branch] = depths[number] + 1
    return depths
