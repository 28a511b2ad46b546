"""Splits of rows that stay in an engine: candidates from counts, and their errors counted there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.counted_tests import tests_of
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
from rulewright.data import LazyTable, Patterns, TooManyPatternsError
from rulewright.rules import Arrangement

Floats = NDArray[np.float64]

RUNNER = ("rulewright.selection", "run_recipe_lazily")


@dataclass(frozen=True, eq=False)
class CountedRows:
    """All rows and the design rows of a split, as the tests of some models tell them apart."""

    whole: Patterns
    design: Patterns

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
        for rows in self.rows(body).both:
            wrong = body.classify(rows.table) != rows.labels
            sums = np.bincount(rows.labels[wrong], rows.rows[wrong], self.classes)
            found.append(sums.astype(np.float64))
        return found[0], found[0] - found[1]

    def evidence(self, body: Arrangement) -> Floats:
        """Return the rows of each class (columns) that each rule (rows) answers."""
        rows = self.rows(body).whole
        return counted_evidence(body, rows.table, rows.labels, rows.rows, self.classes)

    def check_answers(self, body: Arrangement) -> NDArray[np.intp]:
        """Return the number of check rows that each rule answers."""
        whole, design = (
            np.bincount(body.answer(rows.table), rows.rows, len(body.outputs))
            for rows in self.rows(body).both
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
