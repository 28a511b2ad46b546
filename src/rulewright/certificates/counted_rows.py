"""Splits of rows that stay in an engine: candidates from counts, and their errors counted there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.counted_tests import counted_condition, tests_of
from rulewright.certificates.evidence import counted_evidence
from rulewright.certificates.pools import (
    CandidatePool,
    PoolMember,
    ScoredMember,
    identity,
    make_pool,
)
from rulewright.certificates.recipes import RecipeResult
from rulewright.certificates.splits import KeySplitter
from rulewright.data import (
    MAX_QUERY_TESTS,
    CategoricalColumn,
    DepthCounts,
    LazyTable,
    Patterns,
    RowPart,
    Table,
    TooManyPatternsError,
)
from rulewright.rules import Arrangement, Category, Predicate, RuleList

Floats = NDArray[np.float64]

RUNNER = ("rulewright.selection", "run_recipe_lazily")


@dataclass(frozen=True, eq=False)
class CountedRows:
    """All rows and the design rows of a split, as the tests of some models tell them apart.

    ``stand_ins`` are tests that stand for the conditions of rules, if rows are grouped by the
    rules that cover them.
    """

    whole: Patterns
    design: Patterns
    stand_ins: Mapping[Predicate, Predicate] = field(default_factory=dict)

    def asked(self, body: Arrangement) -> Arrangement:
        """Return the model that answers these rows as a model answers the rows of the table."""
        if not self.stand_ins or not isinstance(body, RuleList):
            return body
        rules = (replace(one, condition=self.stand_ins[one.condition]) for one in body.listed)
        return replace(body, listed=tuple(rules))

    @property
    def both(self) -> tuple[Patterns, Patterns]:
        """All rows, and the design rows."""
        return self.whole, self.design


@dataclass(frozen=True, eq=False)
class SplitCounts:
    """The rows of a split as the tests of its candidates tell them apart.

    Attributes
    ----------
    counted : dict of str to CountedRows
        Rows by the identity of a candidate; several candidates share them.
    classes : int
        Number of classes.
    """

    counted: Mapping[str, CountedRows]
    classes: int

    @classmethod
    def of(cls, table: LazyTable, design: LazyTable, candidates: RecipeResult) -> SplitCounts:
        """Count all rows and the design rows of a table.

        The tests of the candidates of a learner are counted in one query for each of the two, and
        in several if they tell too many rows apart together.
        """
        found: dict[str, CountedRows] = {}
        for members in candidates.learners:
            new = {m.identity: m.body for m in members if m.identity not in found}
            found |= _counted(table, design, new)
        return cls(found, len(table.classes))

    def rows(self, body: Arrangement) -> CountedRows:
        """Return the rows as the tests of a candidate, and of others, tell them apart."""
        return self.counted[identity(body)]

    @property
    def check_counts(self) -> list[int]:
        """Check rows of each class."""
        rows = next(iter(self.counted.values()))
        whole, design = (np.bincount(part.labels, part.rows, self.classes) for part in rows.both)
        return [int(count) for count in (whole - design).tolist()]

    def wrong(self, body: Arrangement) -> tuple[Floats, Floats]:
        """Return the errors of a model by class, of all rows and of the check rows."""
        found = []
        counted = self.rows(body)
        for rows in counted.both:
            wrong = counted.asked(body).classify(rows.table) != rows.labels
            sums = np.bincount(rows.labels[wrong], rows.rows[wrong], self.classes)
            found.append(sums.astype(np.float64))
        return found[0], found[0] - found[1]

    def evidence(self, body: Arrangement) -> Floats:
        """Return the rows of each class (columns) that each rule (rows) answers."""
        counted = self.rows(body)
        rows, asked = counted.whole, counted.asked(body)
        return counted_evidence(asked, rows.table, rows.labels, rows.rows, self.classes)

    def check_answers(self, body: Arrangement) -> NDArray[np.intp]:
        """Return the number of check rows that each rule answers."""
        counted = self.rows(body)
        asked = counted.asked(body)
        whole, design = (
            np.bincount(asked.answer(rows.table), rows.rows, len(body.outputs))
            for rows in counted.both
        )
        return (whole - design).astype(np.intp)

    def pool(self, candidates: RecipeResult) -> CandidatePool:
        """Return the pool of the candidates, scored by their errors on the design rows."""

        def score(member: PoolMember) -> ScoredMember:
            everywhere, in_check = self.wrong(member.body)
            errors = int((everywhere - in_check).sum())
            return ScoredMember(member, errors, float(errors))

        return make_pool([[score(member) for member in group] for group in candidates.learners])


def _counted(
    table: LazyTable, design: LazyTable, bodies: Mapping[str, Arrangement]
) -> dict[str, CountedRows]:
    """Count the rows that models tell apart: of all models, or of halves if these are too many."""
    if not bodies:
        return {}
    by_rule = _counted_by_rule(table, design, list(bodies.values()))
    if by_rule is not None:
        return dict.fromkeys(bodies, by_rule)
    tests = tests_of(bodies.values(), [column.name for column in design.table.categorical])
    try:
        rows = CountedRows(table.patterns(*tests), design.patterns(*tests))
    except TooManyPatternsError:
        if len(bodies) == 1:
            raise
        names = list(bodies)
        middle = len(names) // 2
        halves = (names[:middle], names[middle:])
        parts = [_counted(table, design, {n: bodies[n] for n in half}) for half in halves]
        return parts[0] | parts[1]
    return dict.fromkeys(bodies, rows)


def _counted_by_rule(
    table: LazyTable, design: LazyTable, bodies: Sequence[Arrangement]
) -> CountedRows | None:
    """Count the rows by the rules of lists that cover them; None if models are no such lists.

    Rules of several tests tell far fewer rows apart than their tests do.
    """
    if not all(type(body) is RuleList for body in bodies):
        return None
    rules = [rule.condition for body in bodies for rule in body.listed]  # type: ignore[attr-defined]
    known = {rule: counted_condition(rule) for rule in dict.fromkeys(rules)}
    conditions = [condition for condition in known.values() if condition is not None]
    sizes = [len(condition.parts) for condition in conditions]
    if len(conditions) < len(known) or max(sizes, default=0) < 2 or sum(sizes) > MAX_QUERY_TESTS:
        return None
    names = [f"rule {number}" for number in range(len(known))]
    asked = [[condition] for condition in conditions]
    whole, part = (_covered(rows.by_depth(RowPart(), asked), names) for rows in (table, design))
    stand_ins = {rule: Category(n, ("True",)) for rule, n in zip(known, names, strict=True)}
    return CountedRows(whole, part, stand_ins)


def _covered(found: DepthCounts, names: Sequence[str]) -> Patterns:
    """Rows with a Boolean column for each rule: whether it covers them."""
    line, label = np.nonzero(found.counts)
    columns = [
        CategoricalColumn(name, "boolean", covers[line].astype(np.int32), ("False", "True"))
        for name, covers in zip(names, found.depth.T, strict=True)
    ]
    return Patterns(Table(columns, line.size), label.astype(np.int32), found.counts[line, label])


def design_table(table: LazyTable, splitter: KeySplitter, number: int) -> LazyTable:
    """Return the design rows of a split of a table with keys."""
    return table.with_hash_from(splitter.key_hash(number), splitter.least_design_hash)


def key_splitter(
    table: LazyTable, recipe: Any, seed: int | None, check_share: float | None
) -> KeySplitter:
    """Return the splits of a table with keys."""
    return KeySplitter.of(np.empty(0, np.int64), table.rows, recipe, seed, check_share)


def run_recipe_lazily(recipe: dict[str, Any], design: LazyTable) -> RecipeResult:
    """Run a recipe on counts of the design rows; learners are above this package."""
    module, name = RUNNER
    run: Callable[..., RecipeResult] = getattr(import_module(module), name)
    return run(recipe, design)
