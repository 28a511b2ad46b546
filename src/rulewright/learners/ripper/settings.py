"""Settings of RIPPER, IREP* and IREP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PoolMember
from rulewright.data import Counts, LazyTable, Table
from rulewright.errors import InputError
from rulewright.families import (
    MAX_VALUES,
    Family,
    MissingValues,
    RuleGrower,
    Terms,
    Training,
    as_families,
)
from rulewright.learners.base.baseline import loses_more
from rulewright.learners.base.certifier import Certifier
from rulewright.learners.base.column_constraints import ColumnUse
from rulewright.learners.base.counted_search import COUNTED_FAMILIES, refuse_families
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.list_prefixes import list_prefixes
from rulewright.learners.base.missing_tests import MissingTestSettings
from rulewright.learners.base.monotonicity import (
    allowed_terms,
    read_monotonic_cst,
    tested_directions,
)
from rulewright.learners.base.needed_rules import needed_rules
from rulewright.learners.base.parameters import read_count, read_positive, read_switch, read_whole
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import ClassWeightSettings, Path, TimedSettings, option
from rulewright.learners.base.subsampling import Subsampler
from rulewright.learners.ripper.binary_problem import BinaryProblem, Draft
from rulewright.learners.ripper.counted_list import CountedList, counted_list, list_of_rows
from rulewright.learners.ripper.counted_problem import (
    CountedDraft,
    CountedProblem,
    CountedRuleSet,
    CountedRuleTerms,
    FetchedGrowth,
)
from rulewright.learners.ripper.key_division import KeyDraws, KeyedProblem
from rulewright.learners.ripper.search import Rules, RuleSetSearch
from rulewright.render import class_text
from rulewright.rules import Rule, RuleList

FAMILIES = ("thresholds", "categories")
NO_LIMIT = 2**31
USUAL_TESTS = 3
"""Number of tests of a rule, for an estimate."""
NEEDS_KEY = (
    "The learner 'ripper' divides the rows of a lazy table by a hash of their keys into those that "
    "rules are grown from and those that they are pruned on. Name a column of whole numbers that "
    "identify the rows (key, on the command line --key), collect the rows first, or learn from a "
    "sample: set sample_rows, for example to 100000, with a key."
)


@dataclass(frozen=True, kw_only=True)
class RipperSettings(MissingTestSettings, ClassWeightSettings, TimedSettings):
    """Settings of RIPPER."""

    learner: ClassVar[str] = "ripper"
    summary: ClassVar[str] = "RIPPER: rules grown, pruned and optimised class by class."
    first: ClassVar[str] = "k"
    absent_parameters: ClassVar[Mapping[str, Any]] = {"missing_tests": False}
    draws_by_key: ClassVar[bool] = True
    needs_rows: ClassVar[tuple[str, ...]] = (
        "class_costs",
        "class_weight",
        "polish",
        "round_cuts",
        "cuts",
    )
    rounds: ClassVar[tuple[str, str]] = ("rule", "")

    k: int = option(
        2,
        "Number of optimisation rounds; 0 is IREP*.",
        "int",
        read=read_whole(0),
        parse=int,
        details="In each round every rule may be replaced by one grown anew or grown further, and "
        "new rules cover what is left. RIPPER2 is 2.",
    )
    prune: bool = option(
        True,
        "Grow rules from two thirds of the cases and prune them on the others.",
        "bool",
        read=read_switch,
        details="Without pruning there is no optimisation either. If fit is given a key, a hash of "
        "the key divides the cases.",
    )
    algorithm: str = option(
        "ripper",
        "Algorithm: ripper, or the older irep.",
        choices=("ripper", "irep"),
        details="IREP prunes by accuracy, stops at the first rule that is more often wrong than "
        "right, and has no optimisation.",
    )
    min_covered: float = option(
        1.0,
        "Minimum weight of the growing cases that a rule covers.",
        "float",
        read=read_positive,
        parse=float,
    )
    max_growing: int | None = option(
        50_000,
        "Maximum number of cases of its class from which a rule is grown; more are subsampled.",
        "int or None",
        read=read_count,
        parse=int,
        details="As many cases of other classes are used. Rules are pruned, counted and optimised "
        "on all cases. None grows from all, as the paper does: on a million rows several times "
        "slower. Of a lazy table this number is taken into memory.",
    )

    def families(self) -> tuple[Family, ...]:
        return self.constrained(as_families(list(FAMILIES)))

    def find(self, sample: Sample, deadline: Deadline, threads: int) -> Path:
        costs = self.costs(sample)
        families, settings = self.tested_families(sample)
        certifier = Certifier(sample, families, self.delta, settings, combinations=("all",))
        body = self._lists(sample, deadline, threads)[-1]
        deadline.warn(f"the model has the {len(body.listed)} rules that were found by then.")
        constant = RuleList((), body.default)
        entry = certifier.better(body, constant, costs, len(body.listed))
        return Path([entry], 0, self.describe(), costs)

    def candidates(self, sample: Sample, threads: int = 1) -> list[PoolMember]:
        lists = self._lists(sample, Deadline(None), threads)
        worth = sample.priced(self.costs(sample))
        return [
            PoolMember(prefix, self.describe())
            for body in reversed(lists)
            for prefix in list_prefixes(body, sample, worth)
        ]

    def describe(self) -> str:
        """Name of the algorithm with these settings."""
        if self.algorithm == "irep":
            return "irep" if self.prune else "irep without pruning"
        if not self.prune:
            return "ripper without pruning"
        return f"ripper{self.k}" if self.k else "irep*"

    def _covering(self, deadline: Deadline) -> RuleSetSearch:
        by_error = self.algorithm == "irep"
        rounds = self.k if self.prune and not by_error else 0
        return RuleSetSearch(self.prune, by_error, rounds, deadline)

    def _lists(self, sample: Sample, deadline: Deadline, threads: int) -> list[RuleList]:
        """Lists after covering and after each round of optimisation.

        Rules are learnt class by class, the rarest first; the most frequent is the default.
        """
        worth, table = sample.priced(self.costs(sample)), sample.searched()
        training = Training(table, sample.y, sample.rows, threads)
        subsampler = Subsampler(sample, self.seed)
        grower = RuleGrower(Terms(self.tested_families(sample)[0], training), subsampler.rows)
        totals = np.bincount(sample.y, worth, minlength=len(sample.classes))
        order = _class_order(totals)
        weight = subsampler.each(worth)
        weighed = None if (weight == 1).all() else weight
        limits = self.min_covered, int(min(self.value("max_growing"), NO_LIMIT))
        y = sample.y[subsampler.rows]
        used, relations = self._constraints(sample)
        keys = None if sample.keys is None else sample.keys[subsampler.rows]
        draws = KeyDraws(self.seed)

        def problem_of(number: int, before: Rules | None) -> BinaryProblem:
            left = subsampler.places if before is None else before.uncovered
            parts = (grower, subsampler, left, y == number, weighed, *limits)
            if keys is None:
                return BinaryProblem(*parts, used, relations[number])
            return KeyedProblem(*parts, used, relations[number], keys=keys, draws=draws)

        names = [class_text(label) for label in sample.classes]
        rounds = self._covering(deadline).by_class(order, names, problem_of)
        return [_list_of(drafts, grower, subsampler, order[-1]) for drafts in rounds]

    def _constraints(self, sample: Sample) -> tuple[ColumnUse | None, list[NDArray[np.bool_]]]:
        """Columns in use, if they are constrained, and the tests that rules of each class allow."""
        table = sample.searched()
        constraints = self.column_constraints(table.names, sample.table.names)
        used = None if constraints.is_free else ColumnUse(constraints)
        directions = tested_directions(read_monotonic_cst(self.monotonic_cst, sample), table)
        return used, allowed_terms(table, len(sample.classes), directions=directions)

    def find_lazily(self, counts: Counts, sample: Sample, deadline: Deadline) -> Path:
        found = self._lists_lazily(counts, sample, deadline)[-1]()
        body = found.body
        deadline.warn(f"the model has the {len(body.listed)} rules that were found by then.")
        entry = found.entry(sample, counts.fields)
        if loses_more(entry.model, None):
            constant = CountedList(RuleList((), body.default), found.marks[:, :0], found.counts)
            entry = constant.entry(sample, counts.fields)
        return Path([entry], 0, self.describe())

    def candidates_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[PoolMember]:
        return [
            PoolMember(prefix, self.describe())
            for found in reversed(self._lists_lazily(counts, sample, deadline))
            for prefix in found().prefixes()
        ]

    def counted(self, table: LazyTable) -> RipperSettings:
        if table.key is None:
            raise InputError(NEEDS_KEY)
        if self.max_growing is None:
            raise InputError(
                "max_growing=None grows rules from all rows, which a lazy table does not support. "
                "Set max_growing, or collect the rows first."
            )
        return self

    def scans_per_round(self, table: LazyTable) -> int:
        """Estimate the scans of a table for a rule, and for its variants in all rounds.

        All columns are read to grow a rule, and those that it tests to prune and to count it.
        """
        variants = 2 * self._covering(Deadline(None)).rounds
        return (1 + variants) * (len(table.fields) + 2 * USUAL_TESTS)

    def _lists_lazily(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[Callable[[], CountedList]]:
        """Lists as ``_lists`` gives them, each counted when it is called."""
        families = self._counted_families(counts, sample)
        if self.fetches_all(counts):
            return self._lists_of_fetched(counts, sample, deadline)
        table, order = sample.searched(), _class_order(counts.class_counts)
        ends = counts.quantile_ends([column.name for column in table.numeric], MAX_VALUES)
        terms = CountedRuleTerms(families, Training(table, sample.y), counts, ends)
        used, relations = self._constraints(sample)
        growth = FetchedGrowth(
            terms, families, KeyDraws(self.seed), self.min_covered, int(self.max_growing or 1), used
        )
        before: list[CountedDraft] = []

        def problem_of(number: int, earlier: Rules | None) -> CountedProblem:
            left = counts.class_counts
            if isinstance(earlier, CountedRuleSet):
                left = earlier.problem.class_counts(earlier.uncovered)
                before.extend(earlier.drafts)
            return CountedProblem(growth, number, before, left, relations[number])

        names = [class_text(label) for label in sample.classes]
        rounds = self._covering(deadline).by_class(order, names, problem_of)
        return [partial(counted_list, drafts, terms, order[-1]) for drafts in rounds]

    def fetches_all(self, counts: Counts) -> bool:
        """Whether a table has no more rows than may be fetched to grow a rule."""
        return bool(counts.class_counts.sum() <= 2 * int(self.max_growing or 1))

    def _lists_of_fetched(
        self, counts: Counts, sample: Sample, deadline: Deadline
    ) -> list[Callable[[], CountedList]]:
        """Lists from all rows of a small table, which one query fetches."""
        rows, labels, keys = counts.keyed_rows()
        table = Table([rows.column(name) for name in sample.table.names], rows.rows)
        fetched = Sample.of(
            table,
            labels,
            sample.classes,
            target=sample.target,
            names=sample.names,
            left_out=sample.left_out,
            keys=keys,
        )
        lists = self._lists(fetched, deadline, threads=1)
        return [partial(list_of_rows, body, fetched) for body in lists]

    def _counted_families(self, counts: Counts, sample: Sample) -> tuple[Family, ...]:
        """Families of the tests, those for missing values if a column has some."""
        families = self.families()
        refuse_families(families, COUNTED_FAMILIES)
        if self.missing_tests and any(counts.missing[name] for name in sample.table.names):
            families = (*families, MissingValues(not self.positive_tests))
        return families


def _class_order(totals: NDArray[Any]) -> list[int]:
    """Classes that occur, the rarest first; of equally frequent ones the last."""
    order = sorted(range(totals.size), key=lambda number: (totals[number], -number))
    return [number for number in order if totals[number] > 0]


def _list_of(
    drafts: Sequence[tuple[Draft, int]], grower: RuleGrower, subsampler: Subsampler, default: int
) -> RuleList:
    """List of the rules that change an answer."""
    covered = [grower.covered(draft.terms, subsampler.places) for draft, _ in drafts]
    outputs = [output for _, output in drafts]
    needed = needed_rules(covered, outputs, default, subsampler.rows.size)
    chosen = (drafts[number] for number in needed)
    listed = (Rule(grower.condition(draft.terms), output) for draft, output in chosen)
    return RuleList(tuple(listed), default)
