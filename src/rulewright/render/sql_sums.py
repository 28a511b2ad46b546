"""Votes, totals and divided rows in SQL: sums by class, the rule that answers, probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlglot import exp

from rulewright.errors import UnrenderableError
from rulewright.render.programs import ArgmaxForm, ModelProgram, TotalsForm, TreeForm
from rulewright.render.sql_conditions import ConditionSource, summed
from rulewright.render.sql_dialects import Sql, SqlDialect, case_of
from rulewright.render.sql_levels import ColumnLevels
from rulewright.rules import (
    EXPONENTIAL_COEFFICIENTS,
    EXPONENTIAL_LOWEST,
    INVERSE_LOG_2,
    LOG_2_HIGH,
    LOG_2_LOW,
    SHARES,
)

MAX_FORKS = 13
"""Maximum number of times that a row is divided: shares are exact doubles up to there."""


class ClassSums:
    """Levels of a query that add up votes, points or shares by class."""

    def __init__(self, program: ModelProgram, dialect: SqlDialect, levels: ColumnLevels) -> None:
        self.program = program
        self.dialect = dialect
        self.levels = levels
        self.size = len(program.answers)

    def of_votes(self, choice: ArgmaxForm, conditions: ConditionSource) -> Sql:
        """Add the levels of a vote, and return the column of the rule."""
        if not math.isfinite(sum(map(abs, choice.weights))):
            raise UnrenderableError(
                "The votes of the model overflow, which SQL does not do in the same way. Train "
                "with smaller weights."
            )
        levels, column = self.levels, self.levels.column
        tests = map(conditions.condition, choice.conditions)
        levels.add({f"h{n}": case_of([(test, _one())], _zero()) for n, test in enumerate(tests)})
        by_class: list[list[int]] = [[] for _ in range(self.size)]
        for number, output in enumerate(choice.classes):
            by_class[output].append(number)
        votes = {}
        for output, numbers in enumerate(by_class):
            if numbers:
                weights = [(n, choice.weights[n]) for n in numbers]
                votes[f"t{output}"] = self._vote(weights)
        levels.add(votes)
        voted = [f"t{output}" for output in range(self.size) if by_class[output]]
        levels.add({"w": self._first_largest(voted)})
        branches = []
        for output, numbers in enumerate(by_class):
            for number in sorted(numbers, key=lambda n: (-choice.weights[n], n)):
                own = exp.EQ(this=column("w"), expression=exp.Literal.number(output))
                branches.append(
                    (exp.and_(own, _holds(column(f"h{number}"))), exp.Literal.number(number + 1))
                )
        nobody = exp.Literal.number(len(choice.conditions) + 1)
        levels.add({"r": case_of(branches, nobody) if branches else nobody})
        zero = self.dialect.number(0.0)
        known = {
            f"o{output}": exp.Coalesce(this=column(f"t{output}"), expressions=[zero.copy()])
            if by_class[output]
            else zero.copy()
            for output in range(self.size)
        }
        levels.add(known)
        levels.add({"m": self._largest([f"o{output}" for output in range(self.size)])})
        self._exponentials(2.0)
        silent = exp.Is(this=column("w"), expression=exp.null())
        self._shares("e", silent, [self.program.probabilities[-1]], None)
        return column("r")

    def _vote(self, weights: Sequence[tuple[int, float]]) -> Sql:
        """Return the sum of the weights of the rules that hold; NULL where none does."""
        column, number = self.levels.column, self.dialect.number
        total = summed(
            [
                case_of([(_holds(column(f"h{n}")), number(weight))], number(0.0))
                for n, weight in weights
            ]
        )
        holding = exp.Paren(this=summed([column(f"h{n}") for n, _ in weights]))
        return case_of([(exp.GT(this=holding, expression=_zero()), total)], None)

    def of_totals(self, choice: TotalsForm, conditions: ConditionSource) -> Sql:
        """Add the levels of the totals of classes, and return the column of the rule."""
        columns = list(zip(choice.start, *choice.points, strict=True))
        span = max(sum(map(abs, points)) for points in columns)
        if not math.isfinite(2 * choice.slope * span):
            raise UnrenderableError(
                "The totals of the model times its slope overflow, which SQL does not do in the "
                "same way."
            )
        levels, column, number = self.levels, self.levels.column, self.dialect.number
        tests = map(conditions.condition, choice.conditions)
        levels.add({f"h{n}": case_of([(test, _one())], _zero()) for n, test in enumerate(tests)})
        totals = {}
        for place, (start, *points) in enumerate(columns):
            terms = [
                case_of([(_holds(column(f"h{n}")), number(float(amount)))], number(0.0))
                for n, amount in enumerate(points)
                if amount
            ]
            totals[f"o{place}"] = summed([number(float(start)), *terms])
        levels.add(totals)
        levels.add({"m": self._largest(list(totals)), "w": self._first_largest(list(totals))})
        levels.add({"r": exp.Add(this=column("w"), expression=_one())})
        every, self.size = self.size, len(columns)
        self._exponentials(choice.slope)
        self._shares("e", None, [], None)
        levels.add({f"p{place}": number(0.0) for place in range(len(columns), every)})
        self.size = every
        return column("r")

    def _exponentials(self, factor: float) -> None:
        """Add e0, e1, ...: the exponential of a factor times the votes less the largest votes."""
        levels, column, number = self.levels, self.levels.column, self.dialect.number
        places = range(self.size)
        lowest = number(EXPONENTIAL_LOWEST)
        differences = {}
        for place in places:
            less = exp.Paren(this=exp.Sub(this=column(f"o{place}"), expression=column("m")))
            differences[f"d{place}"] = exp.Mul(this=number(factor), expression=less)
        levels.add(differences)
        levels.add(
            {
                f"g{place}": case_of(
                    [(exp.LT(this=column(f"d{place}"), expression=lowest.copy()), lowest.copy())],
                    column(f"d{place}"),
                )
                for place in places
            }
        )
        half = number(0.5)
        levels.add(
            {
                f"q{place}": self._floor(
                    exp.Sub(
                        this=half.copy(),
                        expression=exp.Paren(
                            this=exp.Mul(this=column(f"g{place}"), expression=number(INVERSE_LOG_2))
                        ),
                    )
                )
                for place in places
            }
        )
        rounded: dict[str, Sql] = {}
        for place in places:
            high = _paren(exp.Add, column(f"g{place}"), self._scaled(place, LOG_2_HIGH))
            low = exp.Neg(this=exp.Paren(this=self._scaled(place, LOG_2_LOW)))
            rounded |= {f"a{place}": high, f"b{place}": low}
        levels.add(rounded)
        levels.add({f"f{p}": _paren(exp.Sub, column(f"a{p}"), column(f"b{p}")) for p in places})
        levels.add({f"u{p}": _paren(exp.Mul, column(f"f{p}"), column(f"f{p}")) for p in places})
        levels.add({f"c{place}": self._polynomial(place) for place in places})
        levels.add({f"y{place}": self._rational(place) for place in places})
        levels.add({f"e{place}": self._halved(place) for place in places})

    def _scaled(self, place: int, factor: float) -> Sql:
        product = exp.Mul(
            this=self.levels.column(f"q{place}"), expression=self.dialect.number(factor)
        )
        return exp.Paren(this=product)

    def _floor(self, value: Sql) -> Sql:
        """Return the largest whole number below a number of 0 or more, as a double."""
        if self.dialect.name == "sqlite":
            return exp.cast(exp.cast(value, "BIGINT"), "DOUBLE")
        return exp.cast(exp.Floor(this=value), "DOUBLE")

    def _polynomial(self, place: int) -> Sql:
        column, number = self.levels.column, self.dialect.number
        first, *rest = reversed(EXPONENTIAL_COEFFICIENTS)
        inner = number(first)
        for coefficient in rest:
            product = _paren(exp.Mul, column(f"u{place}"), inner)
            inner = _paren(exp.Add, number(coefficient), product)
        product = _paren(exp.Mul, column(f"u{place}"), inner)
        return exp.Sub(this=column(f"f{place}"), expression=product)

    def _rational(self, place: int) -> Sql:
        column, number = self.levels.column, self.dialect.number
        top = _paren(exp.Mul, column(f"f{place}"), column(f"c{place}"))
        bottom = _paren(exp.Sub, number(2.0), column(f"c{place}"))
        quotient = _paren(exp.Div, top, bottom)
        inner = _paren(exp.Sub, column(f"b{place}"), quotient)
        outer = _paren(exp.Sub, inner, column(f"a{place}"))
        return exp.Sub(this=number(1.0), expression=outer)

    def _halved(self, place: int) -> Sql:
        """Return y divided by 2 to the power q, bit by bit; 0 below the lowest number."""
        column, number = self.levels.column, self.dialect.number
        product: Sql = column(f"y{place}")
        for bit in range(11):
            low, high = (
                self._floor(
                    exp.Div(this=column(f"q{place}"), expression=number(float(2 ** (bit + more))))
                )
                for more in (0, 1)
            )
            digit = exp.Sub(this=low, expression=_paren(exp.Mul, number(2.0), high))
            is_set = exp.EQ(this=exp.Paren(this=digit), expression=number(1.0))
            factor = case_of([(is_set, number(2.0 ** -(2**bit)))], number(1.0))
            product = exp.Mul(this=product, expression=factor)
        below = exp.LT(this=column(f"d{place}"), expression=number(EXPONENTIAL_LOWEST))
        return case_of([(below, number(0.0))], product)

    def of_leaves(self, tree: TreeForm, conditions: ConditionSource) -> Sql:
        """Add the levels of a tree that divides rows, and return the column of the leaf."""
        levels, column = self.levels, self.levels.column
        order = self._weights(tree, conditions)
        leaves = sorted(order)
        by_class: dict[int, list[int]] = {}
        for leaf in leaves:
            by_class.setdefault(self.program.outputs[leaf], []).append(leaf)
        sums, best = {}, {}
        for output, some in by_class.items():
            sums[f"t{output}"] = summed([column(f"l{leaf}") for leaf in some])
            best[f"m{output}"] = self._largest([f"l{leaf}" for leaf in some])
        mixture = {
            f"e{place}": summed(
                [
                    _paren(
                        exp.Mul,
                        column(f"l{leaf}"),
                        self.dialect.number(self.program.probabilities[leaf][place]),
                    )
                    for leaf in order
                ]
            )
            for place in range(self.size)
        }
        levels.add(sums | best | mixture)
        levels.add({"w": self._first_largest([f"t{output}" for output in sorted(by_class)])})
        branches = []
        for output, some in by_class.items():
            for leaf in some:
                own = exp.EQ(this=column("w"), expression=exp.Literal.number(output))
                most = exp.EQ(this=column(f"l{leaf}"), expression=column(f"m{output}"))
                branches.append((exp.and_(own, most), exp.Literal.number(leaf + 1)))
        levels.add({"r": case_of(branches[:-1], branches[-1][1])})
        whole = [
            exp.EQ(this=column(f"m{output}"), expression=self.dialect.number(1.0))
            for output in by_class
        ]
        undivided = exp.or_(*whole)
        self._shares("e", undivided, self.program.probabilities, column("r"))
        return column("r")

    def _weights(self, tree: TreeForm, conditions: ConditionSource) -> list[int]:
        """Add l0, l1, ...: the share of each leaf; return the leaves in the order of branches."""
        depth, forks = {0: 0}, {0: 0}
        for number, node in enumerate(tree.nodes):
            for branch in node.branches:
                depth[branch] = depth[number] + 1
                forks[branch] = forks[number] + bool(node.shares)
        if max(forks.values()) > MAX_FORKS:
            raise UnrenderableError(
                f"The tree divides a row up to {max(forks.values())} times, and an export to SQL "
                f"at most {MAX_FORKS} times. Prune the tree, or export it to another form."
            )
        for level in range(max(depth.values())):
            weights = {}
            for number, node in enumerate(tree.nodes):
                if depth[number] == level:
                    for place, branch in enumerate(node.branches):
                        name = f"l{~branch}" if branch < 0 else f"z{branch}"
                        weights[name] = self._part(tree, number, place, conditions)
            self.levels.add(weights)
        order, waiting = [], [0]
        while waiting:
            node_number = waiting.pop()
            if node_number < 0:
                order.append(~node_number)
            else:
                waiting += reversed(tree.nodes[node_number].branches)
        return order

    def _part(self, tree: TreeForm, number: int, place: int, conditions: ConditionSource) -> Sql:
        """Return the share of the row that takes a branch."""
        node = tree.nodes[number]
        whole = self.levels.column(f"z{number}") if number else self.dialect.number(1.0)
        zero = self.dialect.number(0.0)
        branches: list[tuple[Sql, Sql]] = []
        if node.divided is not None:
            share = self.dialect.number(node.shares[place] / SHARES)
            divided = exp.Mul(this=whole.copy(), expression=share)
            branches.append((conditions.condition(node.divided), divided))
        for earlier, test in enumerate(node.tests[: place + 1]):
            result = whole if earlier == place else zero
            branches.append((conditions.condition(test), result.copy()))
        return case_of(branches, whole if place == len(node.tests) else zero)

    def _first_largest(self, names: Sequence[str]) -> Sql:
        """Return the number of the first class with the largest sum; NULL where all are NULL."""
        column = self.levels.column
        branches = []
        for name in names:
            others = [
                exp.or_(
                    exp.Is(this=column(other), expression=exp.null()),
                    exp.GTE(this=column(name), expression=column(other)),
                )
                for other in names
                if other != name
            ]
            there = exp.Not(this=exp.Is(this=column(name), expression=exp.null()))
            branches.append((exp.and_(there, *others), exp.Literal.number(int(name[1:]))))
        return case_of(branches, None) if branches else exp.cast(exp.null(), "INT")

    def _largest(self, names: Sequence[str]) -> Sql:
        """Return the largest of some columns, none of which is NULL."""
        column = self.levels.column
        if len(names) == 1:
            return column(names[0])
        branches = []
        for name in names[:-1]:
            others = [
                exp.GTE(this=column(name), expression=column(other))
                for other in names
                if other != name
            ]
            branches.append((exp.and_(*others), column(name)))
        return case_of(branches, column(names[-1]))

    def _shares(
        self,
        start: str,
        fixed: Sql | None,
        rows: Sequence[Sequence[float]],
        rule: Sql | None,
    ) -> None:
        """Add p0, p1, ...: probabilities from weights; where ``fixed`` holds, those of a rule.

        The class that is answered has the largest.
        """
        levels, column, number = self.levels, self.levels.column, self.dialect.number
        names = [f"{start}{place}" for place in range(self.size)]
        levels.add({"j": self._first_largest(names), "i": self._largest(names)})
        raised = {}
        for place, name in enumerate(names):
            own = exp.EQ(this=column("w"), expression=exp.Literal.number(place))
            other = exp.NEQ(this=column("j"), expression=exp.Literal.number(place))
            more = exp.Mul(this=column("i"), expression=number(1 + 1e-9))
            raised[f"s{place}"] = case_of([(exp.and_(own, other), more)], column(name))
        levels.add(raised)
        levels.add({"total": summed([column(f"s{place}") for place in range(self.size)])})
        shares = {}
        for place in range(self.size):
            share = exp.Div(this=column(f"s{place}"), expression=column("total"))
            if fixed is None:
                shares[f"p{place}"] = share
                continue
            constants = [number(row[place]) for row in rows]
            constant = constants[0]
            if rule is not None:
                branches = [
                    (exp.EQ(this=rule.copy(), expression=exp.Literal.number(n + 1)), each)
                    for n, each in enumerate(constants)
                ]
                constant = case_of(branches, None)
            shares[f"p{place}"] = case_of([(fixed.copy(), constant)], share)
        levels.add(shares)


def _holds(column: Sql) -> Sql:
    return exp.EQ(this=column, expression=_one())


def _one() -> Sql:
    return exp.Literal.number(1)


def _zero() -> Sql:
    return exp.Literal.number(0)


def _paren(operation: Sql, left: Sql, right: Sql) -> Sql:
    return exp.Paren(this=operation(this=left, expression=right))
