"""The split form: a pool learnt from the design rows, errors counted on the check rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message, bounded_loss_bound, split_interval
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import keys_text, seed_text
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.check_row_statements import CheckRowStatements
from rulewright.certificates.checks import (
    TOLERANCE,
    check_sizes,
    check_wrong,
    has_message,
)
from rulewright.certificates.evidence import check_evidence
from rulewright.certificates.forms.compression import CompressionCertificate
from rulewright.certificates.forms.reading import read_form
from rulewright.certificates.model_cautions import cautions
from rulewright.certificates.pool_record import PoolRecord
from rulewright.certificates.pools import (
    CandidatePool,
    PoolMember,
    ScoredMember,
    identity,
    make_pool,
)
from rulewright.certificates.recipes import (
    DesignRows,
    RecipeResult,
    check_agreement,
    check_recipe,
    run_recipe,
)
from rulewright.certificates.splits import RowSplit, RowSplitter, make_splitter, usual_splits
from rulewright.certificates.training_data import TrainingData
from rulewright.data import checked_keys
from rulewright.errors import CertificateError, InputError
from rulewright.models import Model
from rulewright.render import count_text, split_text
from rulewright.rules import Arrangement, Evaluation

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TAIL_PARTS = 16
"""One part in 16 of delta is kept for the compression form, the others for the splits."""
LOG_SPLIT_PART = math.log(TAIL_PARTS / (TAIL_PARTS - 1))


@dataclass(frozen=True, repr=False, kw_only=True)
class SplitCertificate(CheckRowStatements, PoolRecord, Certificate):
    """Certificate from check rows, which had no part in learning the candidates.

    A recipe learns a pool of candidates from the design rows. The model is one of them, chosen with
    the help of all rows. The message names the split and the place in the pool, priced by the
    prior. ``counts`` and ``wrong`` are of the check rows.

    Attributes
    ----------
    unit : str
        What is drawn and counted: "row", "group", "time" for rows in the order of time, or "key"
        for rows that a hash of their keys divides.
    unit_column : str or None
        Name of the column of groups, times or keys, where it has one.
    group_losses : tuple of (float, int)
        For groups, the mean share of misclassified rows over the check groups and the number of
        these groups: for all rows, then for the rows of each class. Empty for rows.
    pool : dict or None
        All candidates, where they are kept: later versions may find others.
    tail : CompressionCertificate or None
        The model's certificate in the compression form, with a sixteenth of delta. The bound is the
        smaller of the two.
    """

    form: ClassVar[str] = "split"
    takes_weights_on_trust: ClassVar[bool] = False
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        **Certificate.parsers,
        **PoolRecord.record_parsers,
        "unit": parsing.unit,
        "unit_column": parsing.text_or_none,
        "group_losses": parsing.group_losses,
        "pool": parsing.pool_or_none,
        "tail": lambda value, _: (
            None if value is None else read_form(CompressionCertificate, value)
        ),
    }

    unit: str = "row"
    unit_column: str | None = None
    group_losses: tuple[tuple[float, int], ...] = ()
    pool: dict[str, Any] | None = field(default=None, compare=False)
    tail: CompressionCertificate | None = field(default=None)

    @classmethod
    def own_schema(cls) -> dict[str, Any]:
        return {
            **cls.record_schema,
            "unit": {"enum": list(parsing.UNITS)},
            "unit_column": {"type": ["string", "null"]},
            "group_losses": {"type": "array"},
            "pool": {"type": ["object", "null"], "required": ["learners", "costs"]},
            "tail": {"type": ["object", "null"]},
        }

    # The bound.

    def recomputed_bound(self) -> float:
        """Return the bound that the counts give: the smaller one of both forms."""
        split = self.split_bound
        return split if self.tail is None else min(split, self.tail.recomputed_bound())

    @property
    def split_bound(self) -> float:
        """The bound from the check rows alone."""
        if self.unit == "group":
            return self._group_bound(0, self.delta)
        return super().recomputed_bound()

    def _group_bound(self, place: int, delta: float) -> float:
        """Bound from the mean loss of groups: of all rows (0), or of the rows of a class."""
        mean, groups = self.group_losses[place]
        return bounded_loss_bound(mean, groups, -self.message_nats, 0.0, delta)

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound on the error rate, both at once with the same confidence.

        Each end has half of delta, so the upper one is above ``split_bound``, unless the
        compression form gives a smaller one: its part of delta is paid already.
        """
        if self.unit == "group":
            mean, groups = self.group_losses[0]
            parts = (-self.message_nats, 0.0, self.delta / 2)
            low = 1 - bounded_loss_bound(1 - mean, groups, *parts)
            return low, bounded_loss_bound(mean, groups, *parts)
        low, high = split_interval(self.errors, self.m, -self.message_nats, 0.0, self.delta)
        return low, high if self.tail is None else min(high, self.tail.recomputed_bound())

    @cached_property
    def class_bounds(self) -> tuple[float, ...]:
        """Bounds on the share of each class that is misclassified, valid all at once."""
        if self.unit == "group":
            classes = len(self.counts)
            delta = self.delta / classes
            return tuple(self._group_bound(1 + number, delta) for number in range(classes))
        bounds = super().class_bounds
        if self.tail is None:
            return bounds
        return tuple(map(min, bounds, self.tail.class_bounds))

    def cost_bound(self, costs: Sequence[Any], prior: Sequence[float] | None = None) -> float:
        if self.unit == "group" and prior is None:
            raise InputError(
                "A bound on the cost of new cases from groups needs a prior, the share of each "
                "class among new cases: give prior."
            )
        return super().cost_bound(costs, prior)

    # What is printed.

    @property
    def sentence(self) -> str:
        return split_text(
            bound=self.bound,
            delta=self.delta,
            errors=self.errors,
            check=self.m,
            guess=self.majority_error,
            abstains=self.abstains,
            groups=self.group_losses[0][1] if self.unit == "group" else None,
            later=self.unit == "time",
        )

    @property
    def check_count(self) -> int:
        return self.m

    @property
    def source_text(self) -> str:
        if self.unit == "group":
            return (
                "The groups are independent draws from one source, and new groups come from the "
                "same source."
            )
        if self.unit == "time":
            return (
                "The latest rows, on which the model was checked, are independent draws from one "
                "source, and new cases come from the same source."
            )
        return super().source_text

    def form_assumptions(self) -> Iterator[str]:
        recipe = count_text(self.settings, "recipe")
        yield f"The search tried {recipe}, and no other recipe was tried on these rows."
        if self.unit == "key":
            yield keys_text(self.unit_column)
        if self.unit in ("row", "group") or (self.unit == "key" and self.seed is not None):
            yield seed_text(self.seed)

    # Checks.

    def check_numbers(self) -> None:
        check_recipe(self.recipe)
        self._check_parameters()
        self.check_possible()
        expected = split_message(
            self.split, self.n_splits, self.place, self.pool_size, self.log_prior, self.settings
        )
        given = math.fsum(nats for _, nats in expected)
        if abs(given - self.message_nats) > TOLERANCE:
            raise CertificateError(
                f"the certificate pays {self.message_nats:.6f} nats for the choice of split and "
                f"model; it should be {given:.6f}."
            )
        losses = 1 + len(self.counts) if self.unit == "group" else 0
        if len(self.group_losses) != losses:
            raise CertificateError(f"the certificate must have {losses} losses of groups.")
        if not has_message(self, expected):
            names = ", ".join(name for name, _ in expected)
            raise CertificateError(f"The parts of the message must be: {names}.")
        if self.tail is not None and not math.isclose(self.tail.delta, self.delta / TAIL_PARTS):
            raise CertificateError("the compression form must have a sixteenth of delta.")

    def _check_parameters(self) -> None:
        wanted = self.recipe["parameters"].get("n_splits")
        usual = wanted is None and self._has_usual_splits()
        check_agreement(
            self.recipe,
            delta=self.delta,
            n_splits=wanted if usual or self.unit == "time" else self.n_splits,
            check_share=self.check_share,
            random_state=self.seed,
        )
        if self.roles or self.role_counts or any(self.aside):
            raise CertificateError("A certificate from splits has no compression set of its own.")

    def _has_usual_splits(self) -> bool:
        """Whether the number of splits is the usual one; of groups, only the data can show it."""
        if self.unit == "group":
            return True
        return self.n_splits == (1 if self.unit == "time" else usual_splits(self.design + self.m))

    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        self.check_numbers()
        split = self.split_again(model, data)
        pool, evaluation, stored = self._pool_again(model, data, split)
        self.check_place(model, pool)
        check = data.kept[split.check]
        y = data.y[check]
        check_sizes(self, model, y)
        wrong = evaluation.classify(model.body) != data.y[data.kept]
        check_wrong(self, wrong[split.check], y, check.size)
        self._check_groups(data, split, wrong)
        rows = data.kept
        table = data.table.take(rows).observed()
        weighted = check_evidence(
            model, model.body, table, data.y[rows], data.weight[:, rows], self.families
        )
        if self.tail is not None:
            self.tail.check_training(replace(model, certificate=self.tail), data)
        return (*cautions(model, table, data.y[rows]), *weighted, *stored)

    def split_again(self, model: Model, data: TrainingData) -> RowSplit:
        self._check_units(data)
        splitter = splitter_of(model, data, self.recipe, self.seed, self.check_share)
        return self.drawn_again(splitter)

    def _check_units(self, data: TrainingData) -> None:
        for name, given in (("group", data.groups), ("time", data.times), ("key", data.keys)):
            column = "" if self.unit_column is None else f" (column {self.unit_column!r})"
            if self.unit == name and given is None:
                raise CertificateError(f"The splits were made by {name}{column}: give {name}s.")
            if self.unit != name and given is not None:
                raise CertificateError(f"The splits were not made by {name}: leave out {name}s.")

    def _check_groups(self, data: TrainingData, split: RowSplit, wrong: Mask) -> None:
        if self.unit != "group":
            return
        assert data.groups is not None
        y = data.y[data.kept][split.check]
        found = group_losses(wrong[split.check], y, data.groups[split.check], len(self.counts))
        same = len(found) == len(self.group_losses) and all(
            groups == own_groups and abs(mean - own) <= TOLERANCE
            for (mean, groups), (own, own_groups) in zip(found, self.group_losses, strict=True)
        )
        if not same:
            raise CertificateError(
                f"The certificate counts the losses {list(self.group_losses)} of the check groups; "
                f"counting again gives {list(found)}."
            )

    def _pool_again(
        self, model: Model, data: TrainingData, split: RowSplit
    ) -> tuple[CandidatePool, Evaluation, tuple[str, ...]]:
        """Return the candidates, learnt again or else from the file, with a caution."""
        rows = data.kept[split.design]
        keys = None if data.keys is None else checked_keys(data.keys)[split.design]
        design = DesignRows(
            data.table.take(rows), data.y[rows], data.weight[0, rows], model.classes, rows, keys
        )
        evaluation = Evaluation(data.table.take(data.kept))
        y = data.y[data.kept]
        found = run_recipe(self.recipe, design)
        pool = scored_pool(found, evaluation, y, split.design)
        if self.pool is not None and pool.digest != self.pool_digest:
            stored = RecipeResult.from_json(self.pool)
            pool = scored_pool(stored, evaluation, y, split.design)
            return pool, evaluation, (self._stored_caution,)
        return pool, evaluation, ()

    @property
    def _stored_caution(self) -> str:
        return (
            f"This version of the library finds other candidates than version "
            f"{self.recipe['version']}, which made the certificate. It was checked with the "
            "candidates in the file: that these were learnt without the check rows is taken on "
            "trust."
        )

    def check_place(self, model: Model, pool: CandidatePool) -> None:
        """Check that the model has its place in the pool, and its prior probability."""
        self.check_pool(pool.size, pool.digest)
        found = pool.candidates[self.place - 1]
        if found.identity != identity(model.body):
            raise CertificateError(
                f"The model is not candidate {self.place} of the pool. A rule was changed."
            )
        self.check_prior(float(pool.log_prior[self.place - 1]))

    def share_message(self, model: Model, body: Arrangement) -> bool:
        return identity(model.body) == identity(body)

    def renumbered(self, rows: NDArray[np.intp]) -> SplitCertificate:
        if self.tail is None:
            return self
        return replace(self, tail=self.tail.renumbered(rows))


def splitter_of(
    model: Model,
    data: TrainingData,
    recipe: Any,
    seed: int | None,
    check_share: float | None,
) -> RowSplitter:
    """Return the splits of the training data of a model."""
    rows = data.kept
    return make_splitter(
        data.table.take(rows),
        data.y[rows],
        data.weight[0, rows],
        model.classes,
        recipe=recipe,
        seed=seed,
        check_share=check_share,
        groups=data.groups,
        times=data.times,
        keys=data.keys,
    )


def group_losses(
    wrong: Mask, y: NDArray[np.int32], groups: NDArray[Any], classes: int
) -> tuple[tuple[float, int], ...]:
    """Return the mean share of wrong rows over groups, and the number of groups.

    First for all rows, then for the rows of each class, over the groups that have any.
    """
    codes = np.unique(groups, return_inverse=True)[1]
    parts = [np.ones(y.size, np.bool_), *(y == number for number in range(classes))]
    return tuple(mean_group_loss(wrong[rows].astype(float), codes[rows]) for rows in parts)


def mean_group_loss(loss: Floats, codes: NDArray[np.intp]) -> tuple[float, int]:
    """Return the mean over groups of the mean loss in each group, and the number of groups."""
    rows = np.bincount(codes)
    sums = np.bincount(codes, loss)[rows > 0]
    shares = sums / rows[rows > 0]
    return (math.fsum(shares.tolist()) / shares.size if shares.size else 0.0), int(shares.size)


def split_message(
    split: int, n_splits: int, place: int, pool_size: int, log_prior: float, settings: int = 1
) -> Message:
    """Return the message: which split, which candidate, and which of several recipes."""
    parts = [
        (f"split {split} of {n_splits}", math.log(n_splits) + LOG_SPLIT_PART),
        (f"place {place} of {pool_size} in the pool", -log_prior),
    ]
    if settings > 1:
        parts.append((f"which of {settings} recipes", math.log(settings)))
    return tuple(parts)


def scored_pool(
    result: RecipeResult, evaluation: Evaluation, y: NDArray[np.int32], design: NDArray[np.intp]
) -> CandidatePool:
    """Return the pool of a recipe, scored by the errors on the design rows.

    Costs are relative: the mean cost of a design row counts as 1.
    """
    classes = int(y.max(initial=0)) + 1
    by_class = np.array(result.costs, np.float64) if result.costs else np.ones(classes)
    answers = y[design]
    unit = float(by_class[answers].mean()) if answers.size else 1.0

    def score(member: PoolMember) -> ScoredMember:
        wrong = evaluation.classify(member.body)[design] != answers
        lost = float(by_class[answers[wrong]].sum()) / unit
        return ScoredMember(member, int(wrong.sum()), lost)

    return make_pool([[score(member) for member in group] for group in result.learners])


def certify_split(
    counts: Sequence[int],
    wrong: Sequence[int],
    *,
    split: int,
    n_splits: int,
    pool: CandidatePool,
    place: int,
    design: int,
    recipe: dict[str, Any],
    key: str,
    seed: int | None,
    check_share: float | None = None,
    settings: int = 1,
    delta: float = 0.05,
    unit: str = "row",
    unit_column: str | None = None,
    losses: tuple[tuple[float, int], ...] = (),
    stored_pool: dict[str, Any] | None = None,
    tail: CompressionCertificate | None = None,
) -> SplitCertificate:
    """Return the certificate of a candidate of a pool from the check rows.

    Parameters
    ----------
    counts, wrong : sequences of int
        Check rows of each class, and how many of them are misclassified.
    split, n_splits : int
        Number of the split, from 1, and how many there are.
    pool : CandidatePool
    place : int
        Place of the model in the pool, from 1.
    design : int
        Number of design rows.
    losses : tuple of (float, int)
        Losses of the check groups, where rows form groups; see ``group_losses``.
    stored_pool : dict, optional
        The candidates as JSON, to be kept in the certificate.
    recipe, key, seed, check_share, settings, delta, unit, unit_column, tail
        As in ``SplitCertificate``.
    """
    log_prior = float(pool.log_prior[place - 1])
    certificate = SplitCertificate(
        bound=1.0,
        delta=float(delta),
        counts=tuple(map(int, counts)),
        wrong=tuple(map(int, wrong)),
        message=split_message(split, n_splits, place, pool.size, log_prior, settings),
        settings=settings,
        abstains=pool.candidates[place - 1].body.abstains,
        recipe=recipe,
        n_splits=int(n_splits),
        split=split,
        design=design,
        seed=seed,
        check_share=None if check_share is None else float(check_share),
        key=key,
        pool_size=pool.size,
        place=place,
        log_prior=log_prior,
        pool_digest=pool.digest,
        unit=unit,
        unit_column=unit_column,
        group_losses=losses,
        pool=stored_pool,
        tail=tail,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
