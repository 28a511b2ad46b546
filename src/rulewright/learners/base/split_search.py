"""Learning with a split certificate: pools from design rows, and the choice among all of them.

With probability at least 1 - delta the bounds of all candidates of all splits hold at once. So the
model may be chosen by looking at all rows, also by the bounds themselves.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import cost_tail, split_bound
from rulewright.certificates import (
    SPLITS,
    CandidatePool,
    DesignRows,
    PathEntry,
    PoolMember,
    RecipeResult,
    RowSplitter,
    SplitCertificate,
    certify_split,
    counted_evidence,
    make_splitter,
    scored_pool,
    split_message,
)
from rulewright.data import key_columns
from rulewright.errors import InputError
from rulewright.families import Spatial
from rulewright.learners.base.notices import warn
from rulewright.learners.base.preparation import add_cautions, in_search_order, restricted
from rulewright.learners.base.progress import report
from rulewright.learners.base.recipes import recipe_of
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.models import Model, normalised_weight
from rulewright.rules import Arrangement, Evaluation, RuleList, reanchored

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MIN_ROWS = 4
"""Fewer rows cannot be divided into design rows and check rows of use."""


@dataclass(frozen=True, eq=False)
class CheckedPool:
    """The pool of a split with the errors of its candidates on the check rows, by class."""

    number: int
    pool: CandidatePool
    design: Rows
    check: Rows
    wrong: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class CheckedCandidate:
    """A candidate of a pool with its certified error or cost."""

    checked: CheckedPool
    place: int
    worth: float

    @property
    def member(self) -> PoolMember:
        """The candidate."""
        return self.checked.pool.candidates[self.place - 1]

    @property
    def body(self) -> Arrangement:
        """Its model."""
        return self.member.body

    @property
    def lines(self) -> int:
        """Number of rules, or of leaves but one: the lines that a reader reads."""
        return len(self.body.outputs) - 1

    @property
    def order(self) -> tuple[float, int, int, int]:
        """Best certificate first; of equals the smaller model, the earlier split and place."""
        return self.worth, self.body.literals, self.checked.number, self.place


@dataclass(frozen=True, eq=False)
class SplitSearch:
    """All candidates of all splits of a sample, and what their certificates need."""

    settings: Settings
    sample: Sample
    splitter: RowSplitter
    recipe: dict[str, Any]
    costs: tuple[Fraction, ...] | None
    pools: Sequence[CheckedPool]

    @property
    def n_splits(self) -> int:
        """Number of splits that the search may choose from."""
        return 1 if self.splitter.by_time else self.settings.n_splits or SPLITS

    def choices(self) -> Iterator[CheckedCandidate]:
        """All candidates with their certified errors or costs."""
        for checked in self.pools:
            for place in range(1, checked.pool.size + 1):
                yield CheckedCandidate(checked, place, self._worth(checked, place))

    def _worth(self, checked: CheckedPool, place: int) -> float:
        pool, wrong = checked.pool, checked.wrong[place - 1]
        message = split_message(
            checked.number, self.n_splits, place, pool.size, float(pool.log_prior[place - 1])
        )
        nats = math.fsum(part for _, part in message)
        if self.costs is None:
            return split_bound(
                int(wrong.sum()), checked.check.size, -nats, 0.0, self.settings.delta
            )
        costs = [float(cost) for cost in self.costs]
        return cost_tail(checked.check.size, [], wrong.tolist(), costs, nats, self.settings.delta)

    def entry(self, choice: CheckedCandidate) -> PathEntry:
        """The model of a choice with its certificate."""
        sample, checked = self.sample, choice.checked
        body = choice.body
        answers = body.answer(sample.table)
        wrong = np.array(body.outputs, np.int32)[answers] != sample.y
        evidence = counted_evidence(
            body, sample.table, sample.y, sample.weight, len(sample.classes), answers
        )
        certificate = self._certificate(choice, wrong[checked.check])
        model = Model(
            columns=sample.table.fields,
            classes=sample.classes,
            body=body,
            evidence=tuple(map(tuple, evidence.tolist())),
            target=sample.target,
            named=sample.table.named,
            certificate=certificate,
        )
        return PathEntry(choice.lines, model, int(wrong.sum()), certificate, 0.0)

    def _certificate(self, choice: CheckedCandidate, wrong: NDArray[np.bool_]) -> SplitCertificate:
        checked, settings = choice.checked, self.settings
        return certify_split(
            wrong,
            self.sample.y[checked.check],
            classes=len(self.sample.classes),
            split=checked.number,
            n_splits=self.n_splits,
            pool=checked.pool,
            place=choice.place,
            design=checked.design.size,
            recipe=self.recipe,
            key=self.splitter.key.hex(),
            seed=settings.split_seed,
            check_share=settings.check_share,
            delta=settings.delta,
        )


def learn_with_splits(
    settings: Settings, sample: Sample, threads: int, further_cautions: tuple[str, ...] = ()
) -> Path:
    """Learn from the design rows of several splits, and choose with the help of all rows.

    The path has the best candidate of each size.
    """
    if not isinstance(settings.random_state, int | None):
        settings = replace(settings, random_state=settings.seed)
    search = search_splits(settings, sample, threads)
    choices = sorted(search.choices(), key=lambda choice: choice.order)
    chosen = settings.choose(choices)
    front = {choice.lines: choice for choice in reversed(choices)} | {chosen.lines: chosen}
    best = [front[lines] for lines in sorted(front)]
    entries = [search.entry(choice) for choice in best]
    how = f"{chosen.member.origin}, one of {len(choices)} candidates of {len(search.pools)} splits"
    path = Path(entries, best.index(chosen), how, search.costs)
    return add_cautions(path, sample, np.arange(sample.y.size), further_cautions)


def search_splits(settings: Settings, sample: Sample, threads: int) -> SplitSearch:
    """Learn a pool from the design rows of each split, and check it on the other rows.

    The rows of the candidates' anchors are numbered as in the sample.
    """
    _check_sample(settings, sample)
    recipe = recipe_of(settings, sample.categorical)
    splitter = make_splitter(
        sample.table,
        sample.y,
        sample.weight,
        sample.classes,
        recipe=recipe,
        seed=settings.split_seed,
        check_share=settings.check_share,
    )
    n_splits = 1 if splitter.by_time else settings.n_splits or SPLITS
    pools = [
        pool
        for pool in _in_parallel(
            lambda number: _checked_pool(settings, sample, splitter, number),
            range(1, n_splits + 1),
            threads,
        )
        if pool is not None
    ]
    if not pools:
        raise InputError(
            "A split certificate needs rows of every class among the design rows, but a class is "
            f"too rare: {_rarest(sample)}. Use certificate='compression', or leave the class out."
        )
    return SplitSearch(settings, sample, splitter, recipe, settings.costs(sample), pools)


def _check_sample(settings: Settings, sample: Sample) -> None:
    if sample.y.size < MIN_ROWS:
        raise InputError(
            f"A split certificate needs at least {MIN_ROWS} rows, got {sample.y.size}. Use "
            "certificate='compression'."
        )
    if any(isinstance(f, Spatial) and f.precomputed for f in settings.families()):
        raise InputError(
            "A split certificate cannot be made with precomputed distances or kernels, whose "
            "columns stand for the training rows. Use certificate='compression'."
        )


def _checked_pool(
    settings: Settings, sample: Sample, splitter: RowSplitter, number: int
) -> CheckedPool | None:
    """Pool of a split; None if a class has no design row."""
    split = splitter.split(number)
    if np.unique(sample.y[split.design]).size < len(sample.classes):
        return None
    design = DesignRows(
        sample.table.take(split.design),
        sample.y[split.design],
        sample.weight[split.design],
        sample.classes,
        split.design,
    )
    result = run_settings(settings, design, sample.categorical)
    evaluation = Evaluation(sample.table)
    pool = scored_pool(result, evaluation, sample.y, split.design)
    y, classes = sample.y[split.check], len(sample.classes)
    wrong = np.array(
        [
            np.bincount(y[evaluation.classify(member.body)[split.check] != y], minlength=classes)
            for member in pool.candidates
        ],
        np.intp,
    )
    return CheckedPool(number, pool, split.design, split.check, wrong)


def run_settings(
    settings: Settings, design: DesignRows, categorical: Sequence[str]
) -> RecipeResult:
    """Candidates of all learners of the settings, learnt from the design rows only.

    Their anchors are numbers of ``design.rows``.
    """
    found = []
    for learner in settings.learners():
        sample = design_sample(learner, design, categorical)
        members = [*learner.candidates(sample), _constant(learner, sample)]
        found.append([PoolMember(reanchored(m.body, sample.rows), m.origin) for m in members])
    costs = settings.costs(design_sample(settings, design, categorical))
    return RecipeResult(found, () if costs is None else tuple(map(float, costs)))


def design_sample(settings: Settings, design: DesignRows, categorical: Sequence[str]) -> Sample:
    """The design rows as a search sees them: in canonical order, their own keys left out."""
    sample = Sample.of(
        design.table,
        design.y,
        design.classes,
        weight=normalised_weight(design.weight),
        rows=design.rows,
        left_out=tuple(key_columns(design.table.observed(), categorical)),
        categorical=tuple(categorical),
    )
    return in_search_order(restricted(sample, settings), settings.families())


def _constant(settings: Settings, sample: Sample) -> PoolMember:
    """The most frequent class, or the one of the least cost, as an answer for all rows."""
    everything = np.ones(sample.y.size, np.bool_)
    return PoolMember(
        RuleList((), sample.majority(everything, sample.priced(settings.costs(sample)))), "constant"
    )


def _rarest(sample: Sample) -> str:
    counts = np.bincount(sample.y, minlength=len(sample.classes))
    place = int(counts.argmin())
    return f"{sample.classes[place]!r} has {counts[place]} rows"


def _in_parallel(
    work: Callable[[int], CheckedPool | None], numbers: Iterable[int], threads: int
) -> list[CheckedPool | None]:
    """Results of all splits; warnings of the searches are shown once each."""
    numbers = list(numbers)
    found: list[CheckedPool | None] = []
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        with ThreadPoolExecutor(max(min(threads, len(numbers)), 1)) as executor:
            for done, result in enumerate(executor.map(work, numbers)):
                report("splits", done, len(numbers))
                found.append(result)
    for message in dict.fromkeys(str(one.message) for one in raised):
        warn(message)
    return found
