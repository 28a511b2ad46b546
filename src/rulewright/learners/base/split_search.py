"""Learning with a split certificate: pools from design rows, and the choice among all of them.

With probability at least 1 - delta the bounds of all candidates of all splits hold at once. So the
model may be chosen by looking at all rows, also by the bounds themselves.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import bounded_loss_bound, compression_tail, cost_tail, split_bound
from rulewright.certificates import (
    TAIL_PARTS,
    CandidatePool,
    Code,
    CompressionCertificate,
    DesignRows,
    PathEntry,
    PoolMember,
    RecipeResult,
    RowSplitter,
    SplitCertificate,
    certify,
    certify_split,
    class_counts,
    counted_evidence,
    group_losses,
    make_splitter,
    mean_group_loss,
    scored_pool,
    split_message,
)
from rulewright.data import key_columns
from rulewright.errors import CertificateError, InputError
from rulewright.families import Spatial
from rulewright.learners.base.delivery import NOT_FOUND_AGAIN, found_again
from rulewright.learners.base.notices import warn
from rulewright.learners.base.preparation import add_cautions, in_search_order, restricted
from rulewright.learners.base.progress import report
from rulewright.learners.base.recipes import recipe_of
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.learners.polishing import polished_members
from rulewright.models import Model, answer_profile, normalised_weight
from rulewright.rules import (
    Arrangement,
    ClassScorecard,
    Evaluation,
    RuleList,
    Scorecard,
    reanchored,
    without_anchors,
)

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

KINDS = 5
"""Conjunctions, disjunctions, lists, votes and trees: the message names which it is."""
MIN_ROWS = 4
"""Fewer rows cannot be divided into design rows and check rows of use."""


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn and counted: rows, groups of rows, or rows in the order of time.

    ``groups``, ``times`` and ``keys`` have a value for each row of the sample; at most one of them
    is given. ``column`` is its name, where it has one.
    """

    groups: NDArray[Any] | None = None
    times: NDArray[Any] | None = None
    keys: NDArray[Any] | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        if sum(given is not None for given in (self.groups, self.times, self.keys)) > 1:
            raise InputError("Splits are by group, by time or by key: give one of them.")

    @property
    def kind(self) -> str:
        """Name of the unit in a certificate."""
        given = {"group": self.groups, "time": self.times, "key": self.keys}
        return next((kind for kind, values in given.items() if values is not None), "row")

    def groups_of(self, rows: Rows) -> NDArray[Any] | None:
        """Groups of some rows."""
        return None if self.groups is None else self.groups[rows]

    def take(self, rows: Rows) -> Units:
        """Units of some rows."""
        times = None if self.times is None else self.times[rows]
        keys = None if self.keys is None else self.keys[rows]
        return Units(self.groups_of(rows), times, keys, self.column)


ROWS = Units()


@dataclass(frozen=True, eq=False)
class CheckedPool:
    """The pool of a split with the results of its candidates on the check rows.

    ``n_design`` and ``n_check`` are the numbers of rows; ``design`` and ``check`` are the rows,
    where these are in memory. ``wrong`` are the candidates' errors by class. ``total_loss`` and
    ``check_loss`` are their losses on all rows and on the check rows, an error at the mean cost
    being 1. ``loss`` is the mean loss over the check groups, if rows form groups, on a scale from 0
    to 1. ``stored`` are the candidates as JSON, if they are kept.
    """

    number: int
    pool: CandidatePool
    n_design: int
    n_check: int
    wrong: NDArray[np.intp]
    total_loss: Sequence[float]
    check_loss: Sequence[float]
    loss: Sequence[tuple[float, int]] = ()
    stored: dict[str, Any] | None = None
    design: Rows = field(default_factory=lambda: np.empty(0, np.intp))
    check: Rows = field(default_factory=lambda: np.empty(0, np.intp))


@dataclass(frozen=True, eq=False)
class CheckedCandidate:
    """A candidate of a pool with its certified error or cost.

    ``tail`` is its certificate in the compression form, where that is the better one.
    """

    checked: CheckedPool
    place: int
    worth: float
    tail: CompressionCertificate | None = None

    @property
    def member(self) -> PoolMember:
        """The candidate and how it was found."""
        return self.checked.pool.candidates[self.place - 1]

    @property
    def body(self) -> Arrangement:
        """Its model."""
        return self.member.body

    @property
    def lines(self) -> int:
        """Number of rules, of leaves but one, or of lines with points: what a reader reads."""
        body = self.body
        if isinstance(body, Scorecard | ClassScorecard):
            return len(body.lines)
        return len(body.outputs) - 1

    @property
    def total_loss(self) -> float:
        """Its loss on all rows, design rows and check rows; without costs its errors."""
        return self.checked.total_loss[self.place - 1]

    @property
    def check_loss(self) -> float:
        """Its mean loss on the check rows of its split; without costs its share of errors."""
        checked = self.checked
        return checked.check_loss[self.place - 1] / checked.n_check

    @property
    def standard_error(self) -> float:
        """Standard error of the certified error, as a share of the check rows or groups."""
        count = self.checked.loss[0][1] if self.checked.loss else self.checked.n_check
        share = min(self.worth, 1.0)
        return math.sqrt(share * (1 - share) / max(count, 1))

    @property
    def order(self) -> tuple[float, int, int, int]:
        """Best certificate first; of equals the smaller model, the earlier split and place."""
        return self.worth, self.body.literals, self.checked.number, self.place


@dataclass(frozen=True, eq=False)
class SplitSearch:
    """All candidates of all splits of a sample, and what their certificates need."""

    settings: Settings
    sample: Sample
    units: Units
    splitter: RowSplitter
    recipe: dict[str, Any]
    costs: tuple[Fraction, ...] | None
    pools: Sequence[CheckedPool]

    @property
    def n_splits(self) -> int:
        """Number of splits that the search may choose from."""
        return self.splitter.n_splits(self.settings.n_splits)

    def candidates(self) -> list[CheckedCandidate]:
        """All candidates with their certified errors or costs, the best first."""
        found = [
            CheckedCandidate(checked, place, self._worth(checked, place))
            for checked in self.pools
            for place in range(1, checked.pool.size + 1)
        ]
        if self.costs is None and self.units.kind == "row":
            found = self._with_tails(found)
        return sorted(found, key=lambda candidate: candidate.order)

    def kept(self, candidates: list[CheckedCandidate]) -> list[CheckedCandidate]:
        """The candidates that have all that the user asked for; all of them if none has."""
        learners = self.settings.learners()
        kept = [c for c in candidates if learners[c.member.learner].keeps(c.body, self.sample)]
        return kept or candidates

    def path(
        self,
        candidates: list[CheckedCandidate],
        eligible: list[CheckedCandidate],
        more: str = "",
        notices: tuple[str, ...] = (),
    ) -> Path:
        """The best candidate of each size, and the chosen one among those that are eligible."""
        chosen = self.settings.choose(eligible)
        front = {each.lines: each for each in reversed(candidates)} | {chosen.lines: chosen}
        best = [front[lines] for lines in sorted(front)]
        entries = [self.entry(candidate) for candidate in best]
        splits = "1 split" if len(self.pools) == 1 else f"{len(self.pools)} splits"
        how = f"{chosen.member.origin}, one of {len(candidates)} candidates of {splits}{more}"
        return Path(entries, best.index(chosen), how, self.costs, notices)

    def _worth(self, checked: CheckedPool, place: int) -> float:
        pool, wrong, delta = checked.pool, checked.wrong[place - 1], self.settings.delta
        message = split_message(
            checked.number, self.n_splits, place, pool.size, float(pool.log_prior[place - 1])
        )
        nats = math.fsum(part for _, part in message)
        scale = 1.0 if self.costs is None else float(max(self.costs))
        if checked.loss:
            return scale * bounded_loss_bound(*checked.loss[place - 1], -nats, 0.0, delta)
        if self.costs is None:
            return split_bound(int(wrong.sum()), checked.n_check, -nats, 0.0, delta)
        costs = [float(cost) for cost in self.costs]
        return cost_tail(checked.n_check, [], wrong.tolist(), costs, nats, delta)

    def _with_tails(self, found: list[CheckedCandidate]) -> list[CheckedCandidate]:
        """The candidates, with the compression form where it gives a bound below all others.

        A compression set of the size of the model's anchors, without its message, shows cheaply
        that the compression form cannot be better.
        """
        best = min((candidate.worth for candidate in found), default=0.0)
        tails = TailCertifier(self.settings, self.sample)
        for place, candidate in enumerate(found):
            if tails.least(candidate.body) >= best:
                continue
            tail = tails.certificate(candidate.body)
            if tail is not None and tail.bound < candidate.worth:
                found[place] = replace(candidate, worth=tail.bound, tail=tail)
        return found

    def entry(self, candidate: CheckedCandidate) -> PathEntry:
        """The model of a candidate with its certificate; its evidence is that of all rows."""
        sample, checked = self.sample, candidate.checked
        body = candidate.body
        if self.units.kind == "key":  # rows have keys instead of numbers
            body = without_anchors(body)
        answers = body.answer(sample.table)
        wrong = np.array(body.outputs, np.int32)[answers] != sample.y
        evidence = counted_evidence(
            body, sample.table, sample.y, sample.weight, len(sample.classes), answers
        )
        y, wrong_checks = sample.y[checked.check], wrong[checked.check]
        groups, classes = self.units.groups_of(checked.check), len(sample.classes)
        losses = () if groups is None else group_losses(wrong_checks, y, groups, classes)
        certificate = self.certificate(candidate, class_counts(y, classes), losses)
        model = Model(
            columns=sample.table.fields,
            classes=sample.classes,
            body=body,
            evidence=tuple(map(tuple, evidence.tolist())),
            target=sample.target,
            named=sample.table.named,
            certificate=certificate,
            profile=answer_profile(answers[checked.check], len(body.outputs)),
        )
        return PathEntry(candidate.lines, model, int(wrong.sum()), certificate, 0.0)

    def certificate(
        self,
        candidate: CheckedCandidate,
        counts: Sequence[int],
        losses: tuple[tuple[float, int], ...] = (),
    ) -> SplitCertificate:
        """Certificate of a candidate; ``counts`` are the check rows of each class."""
        checked, settings = candidate.checked, self.settings
        return certify_split(
            counts,
            checked.wrong[candidate.place - 1].tolist(),
            split=checked.number,
            n_splits=self.n_splits,
            pool=checked.pool,
            place=candidate.place,
            design=checked.n_design,
            recipe=self.recipe,
            key=self.splitter.key.hex(),
            seed=settings.split_seed,
            check_share=settings.check_share,
            delta=settings.delta,
            unit=self.units.kind,
            unit_column=self.units.column,
            losses=losses,
            stored_pool=checked.stored,
            tail=candidate.tail,
        )


def learn_with_splits(
    settings: Settings,
    sample: Sample,
    threads: int,
    further_cautions: tuple[str, ...] = (),
    units: Units = ROWS,
) -> Path:
    """Learn from the design rows of several splits, and choose with the help of all rows.

    The path has the best candidate of each size.
    """
    if not isinstance(settings.random_state, int | None):
        settings = replace(settings, random_state=settings.seed)
    search = search_splits(settings, sample, threads, units)
    candidates = search.candidates()
    kept = search.kept(candidates)
    eligible, notices = _eligible(settings, sample, kept)
    also = f", {len(eligible)} of them also learnt from all rows"
    path = search.path(candidates, eligible, also if len(eligible) < len(kept) else "", notices)
    return add_cautions(path, sample, np.arange(sample.y.size), further_cautions)


def _eligible(
    settings: Settings, sample: Sample, candidates: list[CheckedCandidate]
) -> tuple[list[CheckedCandidate], tuple[str, ...]]:
    """Candidates that may be delivered, and what the user should know about them."""
    if settings.deliver == "best":
        return candidates, ()
    result = run_settings(settings, _rows_of(sample), sample.categorical)
    eligible = found_again(candidates, (member for group in result.learners for member in group))
    return (eligible, ()) if eligible else (candidates, (NOT_FOUND_AGAIN,))


def _rows_of(sample: Sample) -> DesignRows:
    """All rows of a sample, to learn from."""
    rows = np.arange(sample.y.size)
    return DesignRows(sample.table, sample.y, sample.weight, sample.classes, rows, sample.keys)


def search_splits(
    settings: Settings, sample: Sample, threads: int, units: Units = ROWS
) -> SplitSearch:
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
        groups=units.groups,
        times=units.times,
        keys=units.keys,
    )
    costs = settings.costs(sample)

    def checked(number: int) -> CheckedPool | None:
        return _checked_pool(settings, sample, splitter, number, units, costs)

    numbers = range(1, splitter.n_splits(settings.n_splits) + 1)
    pools = [pool for pool in _in_parallel(checked, numbers, threads) if pool is not None]
    if not pools:
        raise InputError(
            "A split certificate needs rows of every class among the design rows, but a class is "
            f"too rare: {_rarest(sample)}. Use certificate='compression', or leave the class out."
        )
    return SplitSearch(settings, sample, units, splitter, recipe, costs, pools)


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
    settings: Settings,
    sample: Sample,
    splitter: RowSplitter,
    number: int,
    units: Units,
    costs: tuple[Fraction, ...] | None,
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
        splitter.keys_of(split.design),
    )
    result = run_settings(settings, design, sample.categorical)
    evaluation = Evaluation(sample.table)
    pool = scored_pool(result, evaluation, sample.y, split.design)
    check, classes = split.check, len(sample.classes)
    groups = units.groups_of(check)
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    price = _relative_costs(costs, classes)[sample.y]
    counts, totals, checks, loss = [], [], [], []
    for member in pool.candidates:
        wrong = evaluation.classify(member.body) != sample.y
        counts.append(np.bincount(sample.y[check][wrong[check]], minlength=classes))
        totals.append(float(price[wrong].sum() / price.mean()))
        checks.append(float(price[check][wrong[check]].sum() / price.mean()))
        if codes is not None:
            loss.append(mean_group_loss((wrong * price)[check], codes))
    stored = result.to_json() if settings.keep_pool else None
    wrong_by_class = np.array(counts, np.intp)
    return CheckedPool(
        number,
        pool,
        split.design.size,
        check.size,
        wrong_by_class,
        totals,
        checks,
        loss,
        stored,
        split.design,
        check,
    )


def _relative_costs(costs: tuple[Fraction, ...] | None, classes: int) -> Floats:
    """Cost of each class as a share of the largest."""
    if costs is None:
        return np.ones(classes)
    return np.array([float(cost / max(costs)) for cost in costs])


class TailCertifier:
    """Certificates in the compression form, with the part of delta that is kept for it.

    The code is for single rules of all families of the learners, which are settled beforehand.
    """

    def __init__(self, settings: Settings, sample: Sample) -> None:
        families = [family for one in settings.learners() for family in one.families()]
        self._delta = settings.delta / TAIL_PARTS
        self._code = Code(
            tuple(dict.fromkeys(families)), len(sample.classes), KINDS, combinations=("all",)
        )
        self._sample = sample
        self._evaluation = Evaluation(sample.table)
        self._wrong: dict[Arrangement, int] = {}

    def least(self, body: Arrangement) -> float:
        """Lower limit of the bound: without a message, all anchors being errors.

        The message names one of five kinds, to which scorecards do not belong.
        """
        if isinstance(body, Scorecard | ClassScorecard):
            return 1.0
        m, anchors = self._sample.y.size, len(body.anchors)
        if body not in self._wrong:
            wrong = self._evaluation.classify(body) != self._sample.y
            self._wrong[body] = int(wrong.sum())
        errors = max(self._wrong[body] - anchors, 0)
        return compression_tail(m, [anchors], errors, 0.0, self._delta)

    def certificate(self, body: Arrangement) -> CompressionCertificate | None:
        """Certificate of a model; None if the code has no message for it."""
        ordered = self._ordered
        place_of = np.empty(ordered.y.size, np.intp)
        place_of[ordered.rows] = np.arange(ordered.y.size)
        try:
            found = certify(
                reanchored(body, place_of),
                ordered.table,
                ordered.y,
                self._code,
                delta=self._delta,
            )
        except CertificateError:
            return None
        return replace(found.renumbered(ordered.rows), canonical=True)

    @cached_property
    def _ordered(self) -> Sample:
        sample = replace(self._sample, rows=np.arange(self._sample.y.size))
        return sample.canonical()


def run_settings(
    settings: Settings, design: DesignRows, categorical: Sequence[str]
) -> RecipeResult:
    """Candidates of all learners of the settings, learnt from the design rows only.

    Their anchors are numbers of ``design.rows``.
    """
    if settings.sample_rows is not None:
        raise CertificateError(
            "The candidates were learnt from a sample of a lazy table. Check the certificate "
            "against the lazy table: certificate.verify(model, frame), or certify --out-of-core."
        )
    found = []
    for number, learner in enumerate(settings.learners()):
        sample = design_sample(learner, design, categorical)
        members = learner.candidates(sample)
        if learner.polish:
            members = polished_members(learner, members, sample)
        members = [*members, _constant(learner, sample)]
        found.append([pooled(member, sample.rows, number) for member in members])
    costs = settings.costs(design_sample(settings, design, categorical))
    return RecipeResult(found, () if costs is None else tuple(map(float, costs)))


def pooled(member: PoolMember, rows: Rows, learner: int) -> PoolMember:
    """Return a member with the user's row numbers; all constant models become the same list."""
    body = member.body
    if len(set(body.outputs)) == 1 and not body.abstains:
        return PoolMember(RuleList((), body.outputs[0]), "constant", learner)
    return PoolMember(reanchored(body, rows), member.origin, learner)


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
        keys=design.keys,
    )
    return in_search_order(restricted(sample, settings), settings.families())


def _constant(settings: Settings, sample: Sample) -> PoolMember:
    """The most frequent class, or the one of the least cost, as an answer for all rows."""
    worth = sample.priced(settings.costs(sample))
    return PoolMember(RuleList((), sample.majority(worth)), "constant")


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
