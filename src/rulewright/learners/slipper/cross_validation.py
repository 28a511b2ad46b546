"""Number of boosting rounds by cross-validation, with all runs side by side.

All runs, the one on all examples and those that leave a fold out, make a round before the next
begins: when time is up, all have made the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.column_constraints import ColumnConstraints, ColumnUse
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.slipper.held_out_scores import HeldOutScores
from rulewright.learners.slipper.search import Booster, OneVsRestProblem, WeightedTerms

Classes = NDArray[np.int32]
Rows = NDArray[np.int32]

ALONE = 2_000
"""Number of examples up to which a round takes less time than starting threads."""


class BoostingRun(NamedTuple):
    """A run for one of the boosted classes, and the examples that it leaves out."""

    number: int
    problem: OneVsRestProblem
    booster: Booster
    held: Rows

    def step(self) -> tuple[WeightedTerms, Rows]:
        """Make a round; return its rule and the left-out examples that the rule covers."""
        weighted = self.booster.step()
        return weighted, self.problem.grower.covered(weighted.terms, self.held)


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Length of boosting: at most ``rounds``, chosen with ``folds``; 0 folds make all of them."""

    rounds: int
    folds: int
    threads: int
    deadline: Deadline
    constraints: ColumnConstraints | None = None

    def rules(
        self, problems: Sequence[OneVsRestProblem], subsampler: Subsampler, held_out: HeldOutScores
    ) -> list[list[WeightedTerms]]:
        """Boost each class, and keep the chosen number of rounds."""
        runs = self._runs(problems, subsampler, held_out.y)
        found: list[list[WeightedTerms]] = [[] for _ in problems]
        with ExitStack() as stack:
            each = self._each(stack, subsampler.places.size)
            for done in range(1, self.rounds + 1):
                for run, (weighted, places) in zip(runs, each(BoostingRun.step, runs), strict=True):
                    if run.held.size:
                        held_out.add(
                            run.number, places, weighted.rule_weight, always=not weighted.terms
                        )
                    else:
                        found[run.number].append(weighted)
                report("boosting, rounds", done, self.rounds)
                perfect = self.folds and held_out.evaluate() == 0  # no more rounds can do better
                if perfect or self.deadline.over:
                    break
        enough = held_out.rounds() if self.folds else (self.rounds,) * len(problems)
        return [some[:rounds] for some, rounds in zip(found, enough, strict=True)]

    def _runs(
        self, problems: Sequence[OneVsRestProblem], subsampler: Subsampler, y: Classes
    ) -> list[BoostingRun]:
        """Prepare for each class a run on all examples, and one for each fold."""
        parts = [(subsampler.places, subsampler.places[:0]), *left_out(y, subsampler, self.folds)]
        # The classes of a fold make one vote, whose columns are limited together.
        uses = [None if self.constraints is None else ColumnUse(self.constraints) for _ in parts]
        return [
            BoostingRun(
                number, problem, Booster(problem, kept, subsampler.another(fold), used), held
            )
            for number, problem in enumerate(problems)
            for fold, ((kept, held), used) in enumerate(zip(parts, uses, strict=True))
        ]

    def _each(self, stack: ExitStack, examples: int) -> Callable[..., Iterable[Any]]:
        in_order = self.constraints is not None and not self.constraints.is_unlimited
        if self.threads == 1 or examples <= ALONE or in_order:
            return map
        return stack.enter_context(ThreadPoolExecutor(self.threads)).map


def left_out(y: Classes, subsampler: Subsampler, folds: int) -> Iterator[tuple[Rows, Rows]]:
    """For each fold, the places of the examples to learn from and of those left out.

    Every class is divided evenly.
    """
    if not folds:
        return
    fold = np.zeros(y.size, np.intp)
    for number in np.unique(y):
        own = subsampler.places[y == number]
        fold[own] = subsampler.folds(own, folds)
    for number in np.unique(fold):
        out = fold == number
        if not out.all():
            yield subsampler.places[~out], subsampler.places[out]
