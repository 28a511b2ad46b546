"""Lists of rules with a proof that no other list of their size has fewer errors in training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.data import CategoricalColumn, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.kernels import (
    HOLDS_ON_MISSING,
    MAX_LIST_TESTS,
    CodedCells,
    FirstRules,
    OptimalLists,
    RuleLiterals,
)
from rulewright.learners.base.binned_columns import (
    BinnedColumn,
    binned_categories,
    binned_numbers,
)
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.optimality import (
    Optimality,
    OptimalSearch,
    alternatives_text,
    stopped_by,
)
from rulewright.learners.base.settings import Path
from rulewright.render import count_text, predicate_text
from rulewright.rules import AllOf, Category, Missing, Predicate, Rule, RuleList, Threshold


@dataclass(frozen=True, eq=False)
class OptimalListSearch(OptimalSearch):
    """Search for the lists with the fewest errors for each number of rules.

    Attributes
    ----------
    table : Table
        The columns that rules may test.
    max_rules, max_terms : int
    """

    table: Table
    max_rules: int
    max_terms: int

    @cached_property
    def found(self) -> OptimalLists:
        """Best lists of all sizes, with lower bounds."""
        return self.cells.optimal_lists(self.max_rules, self.max_terms, self.limits)

    @cached_property
    def sizes(self) -> list[int]:
        """Numbers of rules with fewer errors than all smaller ones."""
        errors = self.found.errors
        return [0, *(np.flatnonzero(errors[1:] < errors[:-1]) + 1).tolist()]

    def lists(self) -> list[RuleList]:
        """Best list of each of the sizes."""
        return [self._list(self.found.lists[size]) for size in self.sizes]

    def first_rules(self, size: int, max_excess: Fraction) -> FirstRules:
        """Best lists of at most this size for all first rules within an excess."""
        most = self.within(int(self.found.errors[size]), max_excess)
        return self.cells.first_rules(most, size, self.max_terms, self.limits)

    def lists_of(self, choices: FirstRules, known: RuleList) -> list[RuleList]:
        """Lists with other first rules than that of a list."""
        lists = [self._list(rules) for rules in choices.lists]
        return [body for body in lists if body.listed[0].condition != known.listed[0].condition]

    def binned_columns(self) -> Sequence[BinnedColumn]:
        weight = self.sample.weight
        return [
            binned_categories(column.codes, len(column.categories), weight, self.max_cuts)
            if isinstance(column, CategoricalColumn)
            else binned_numbers(column.values, weight, self.max_cuts)
            for column in self.table.columns
        ]

    @cached_property
    def cells(self) -> CodedCells:
        """The examples as the kernels search them."""
        cells = super().cells
        if len(cells.tests) > MAX_LIST_TESTS:
            raise InputError(
                f"An optimal search for lists has at most {MAX_LIST_TESTS} tests, got "
                f"{len(cells.tests)}. Set max_cuts lower than {self.max_cuts}, or keep fewer "
                "columns."
            )
        return cells

    def _list(self, rules: Sequence[RuleLiterals]) -> RuleList:
        """List of rules; each answers with the class of the largest weight that is left."""
        left = np.ones(self.sample.y.size, np.bool_)
        made = []
        for literals in rules:
            parts = tuple(self._predicate(literal) for literal in literals)
            condition = parts[0] if len(parts) == 1 else AllOf(parts)
            covered = left & condition.holds(self.table)
            made.append(Rule(condition, self._answer(covered)))
            left &= ~covered
        return RuleList(tuple(made), self._answer(left))

    def _answer(self, rows: NDArray[np.bool_]) -> int:
        rows = rows if rows.any() else np.ones_like(rows)
        sums = np.zeros(len(self.sample.classes), np.int64)
        np.add.at(sums, self.sample.y[rows], self.weight[rows])
        return int(sums.argmax())

    def _predicate(self, literal: int) -> Predicate:
        """Predicate of a literal: a test, or with an odd number its other side."""
        test, other = self.cells.tests[literal // 2], literal % 2 == 1
        column, binned = self.table.columns[test.column], self.columns[test.column]
        if test.kind == HOLDS_ON_MISSING:
            return Missing(column.name, not other)
        base = binned.bases[test.base]
        if isinstance(column, CategoricalColumn):
            return Category(column.name, (column.categories[int(base)],), not other)
        assert isinstance(column, NumericColumn)
        row = int(np.argmax(column.values == base))
        return Threshold(column.name, other, float(base), anchored_on=(row,))


@dataclass(frozen=True, eq=False)
class ListChoice:
    """How the list is chosen among the optimal lists of all sizes.

    ``worth`` is the value of a certificate, which chooses ``by_bound``. Alternatives are lists with
    another first rule whose training error is at most ``max_excess`` above that of the list.
    """

    by_bound: bool
    worth: Callable[[PathEntry], float]
    n_alternatives: int
    max_excess: Fraction


def optimal_list_path(
    search: OptimalListSearch,
    certifier: Certifier,
    choice: ListChoice,
    costs: tuple[Fraction, ...] | None,
    deadline: Deadline,
) -> Path:
    """Certify the best list of each size, and choose one of them.

    The list without rules is kept only if no other has fewer errors.
    """
    kept = slice(1 if len(search.sizes) > 1 else 0, None)
    bodies, sizes = search.lists()[kept], search.sizes[kept]
    entries = [certifier.entry(body, len(body.listed)) for body in bodies]
    chosen = len(entries) - 1
    if choice.by_bound:
        chosen = min(range(len(entries)), key=lambda place: choice.worth(entries[place]))
    size, body = sizes[chosen], bodies[chosen]
    alternatives: list[RuleList] | None = None
    if choice.n_alternatives and size:
        alternatives = search.lists_of(search.first_rules(size, choice.max_excess), body)
    optimality = _proof(search, size, choice, deadline, alternatives)
    statements = [optimality.sentence]
    listed = (alternatives or [])[: choice.n_alternatives]
    if alternatives is not None:
        first = [predicate_text(other.listed[0].condition) for other in listed]
        models = f"lists of at most {count_text(size, 'rule')}"
        count = len(alternatives)
        statements.append(alternatives_text("rule", models, count, first, choice.max_excess))
    best = f", the best certificate of {len(entries)}" if choice.by_bound else ""
    return Path(
        entries,
        chosen,
        f"optimal list{best}",
        costs,
        attributes={"optimality_": optimality},
        statements=tuple(statements),
        alternatives=[certifier.entry(other, len(other.listed)) for other in listed],
    )


def _proof(
    search: OptimalListSearch,
    size: int,
    choice: ListChoice,
    deadline: Deadline,
    alternatives: list[RuleList] | None,
) -> Optimality:
    """What the search proved about the list of a size."""
    found = search.found
    rules = size if choice.by_bound else search.max_rules
    errors, lower = int(found.errors[size]), int(found.lower[rules])
    return Optimality(
        objective=errors / search.total,
        lower_bound=lower / search.total,
        subproblems=found.subproblems,
        models=(
            f"list of at most {count_text(rules, 'rule')} with at most "
            f"{count_text(search.max_terms, 'term')}, and at most "
            f"{count_text(search.max_cuts, 'cut')} of a column,"
        ),
        stopped_by=stopped_by(found.stopped, deadline),
        n_alternatives=None if alternatives is None else len(alternatives),
    )
