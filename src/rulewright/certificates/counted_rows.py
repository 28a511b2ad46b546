"""Splits of rows that stay in an engine: candidates from counts, and their errors counted there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.evidence import counted_evidence
from rulewright.certificates.pools import CandidatePool, PoolMember, ScoredMember, make_pool
from rulewright.certificates.recipes import RecipeResult
from rulewright.certificates.splits import KeySplitter
from rulewright.data import LazyTable, Patterns
from rulewright.rules import Arrangement

Floats = NDArray[np.float64]

RUNNER = ("rulewright.selection", "run_recipe_lazily")


@dataclass(frozen=True, eq=False)
class CountedCandidates:
    """Candidates learnt from counts of the design rows.

    ``cuts`` of numeric columns and the columns ``categorical`` are all that their tests ask.
    """

    learners: Sequence[Sequence[PoolMember]]
    cuts: Mapping[str, Floats]
    categorical: Sequence[str]

    @property
    def result(self) -> RecipeResult:
        """The candidates without what their tests ask."""
        return RecipeResult(self.learners)


@dataclass(frozen=True, eq=False)
class SplitCounts:
    """The rows of a split as the tests of its candidates tell them apart.

    Attributes
    ----------
    whole, design : Patterns
        All rows, and the design rows.
    classes : int
        Number of classes.
    """

    whole: Patterns
    design: Patterns
    classes: int

    @classmethod
    def of(cls, table: LazyTable, design: LazyTable, candidates: CountedCandidates) -> SplitCounts:
        """Count all rows and the design rows of a table."""
        tests = candidates.cuts, candidates.categorical
        return cls(table.patterns(*tests), design.patterns(*tests), len(table.classes))

    @property
    def check_counts(self) -> list[int]:
        """Check rows of each class."""
        whole, design = (
            np.bincount(rows.labels, rows.rows, self.classes) for rows in (self.whole, self.design)
        )
        return [int(count) for count in (whole - design).tolist()]

    def wrong(self, body: Arrangement) -> tuple[Floats, Floats]:
        """Return the errors of a model by class, of all rows and of the check rows."""
        found = []
        for rows in (self.whole, self.design):
            wrong = body.classify(rows.table) != rows.labels
            sums = np.bincount(rows.labels[wrong], rows.rows[wrong], self.classes)
            found.append(sums.astype(np.float64))
        return found[0], found[0] - found[1]

    def evidence(self, body: Arrangement) -> Floats:
        """Return the rows of each class (columns) that each rule (rows) answers."""
        rows = self.whole
        return counted_evidence(body, rows.table, rows.labels, rows.rows, self.classes)

    def check_answers(self, body: Arrangement) -> NDArray[np.intp]:
        """Return the number of check rows that each rule answers."""
        whole, design = (
            np.bincount(body.answer(rows.table), rows.rows, len(body.outputs))
            for rows in (self.whole, self.design)
        )
        return (whole - design).astype(np.intp)

    def pool(self, candidates: CountedCandidates) -> CandidatePool:
        """Return the pool of the candidates, scored by their errors on the design rows."""

        def score(member: PoolMember) -> ScoredMember:
            everywhere, in_check = self.wrong(member.body)
            errors = int((everywhere - in_check).sum())
            return ScoredMember(member, errors, float(errors))

        return make_pool([[score(member) for member in group] for group in candidates.learners])


def design_table(table: LazyTable, splitter: KeySplitter, number: int) -> LazyTable:
    """Return the design rows of a split of a table with keys."""
    return table.with_hash_from(splitter.key_hash(number), splitter.least_design_hash)


def key_splitter(
    table: LazyTable, recipe: Any, seed: int | None, check_share: float | None
) -> KeySplitter:
    """Return the splits of a table with keys."""
    return KeySplitter.of(np.empty(0, np.int64), table.rows, recipe, seed, check_share)


def run_recipe_lazily(recipe: dict[str, Any], design: LazyTable) -> CountedCandidates:
    """Run a recipe on counts of the design rows; learners are above this package."""
    module, name = RUNNER
    run: Callable[..., CountedCandidates] = getattr(import_module(module), name)
    return run(recipe, design)
