"""The split form: a pool learnt from the design rows, errors counted on the check rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message, split_interval
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import BEFORE
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import (
    TOLERANCE,
    check_sizes,
    check_wrong,
    class_counts,
    has_message,
)
from rulewright.certificates.evidence import check_evidence
from rulewright.certificates.forms.compression import CompressionCertificate
from rulewright.certificates.forms.reading import read_form
from rulewright.certificates.model_cautions import cautions
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
from rulewright.certificates.splits import SPLITS, RowSplit, RowSplitter, make_splitter
from rulewright.certificates.training_data import TrainingData
from rulewright.errors import CertificateError
from rulewright.models import Model
from rulewright.render import count_text, split_details_text, split_text
from rulewright.rules import Arrangement, Evaluation

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

TAIL_PARTS = 16
"""One part in 16 of delta is kept for the compression form, the others for the splits."""
LOG_SPLIT_PART = math.log(TAIL_PARTS / (TAIL_PARTS - 1))


@dataclass(frozen=True, repr=False, kw_only=True)
class SplitCertificate(Certificate):
    """Certificate from check rows, which had no part in learning the candidates.

    A recipe learns a pool of candidates from the design rows. The model is one of them, chosen with
    the help of all rows. The message names the split and the place in the pool, priced by the
    prior. ``counts`` and ``wrong`` are of the check rows.

    Attributes
    ----------
    recipe : dict
        The learner, its parameters, and the version of the library.
    n_splits, split : int
        Number of splits, and the number of the one that the model is from, from 1.
    design : int
        Number of design rows.
    seed : int or None
        Seed of the splits, settled beforehand; None where a hash of the data drew them.
    check_share : float or None
        Share of the rows that are check rows; None for the usual number.
    key : str
        Key of the draws, in hexadecimal digits.
    pool_size, place : int
        Number of candidates, and the place of the model among them, from 1.
    log_prior : float
        Logarithm of its prior probability.
    pool_digest : str
        SHA-256 of the pool.
    tail : CompressionCertificate or None
        The model's certificate in the compression form, with a sixteenth of delta. The bound is the
        smaller of the two.
    """

    form: ClassVar[str] = "split"
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        **Certificate.parsers,
        "recipe": parsing.recipe,
        "n_splits": parsing.settings,
        "split": parsing.settings,
        "design": parsing.settings,
        "seed": parsing.seed_or_none,
        "check_share": parsing.number_or_none,
        "key": parsing.text,
        "pool_size": parsing.settings,
        "place": parsing.settings,
        "log_prior": parsing.logarithm,
        "pool_digest": parsing.text,
        "tail": lambda value, _: (
            None if value is None else read_form(CompressionCertificate, value)
        ),
    }

    recipe: dict[str, Any]
    n_splits: int
    split: int
    design: int
    seed: int | None = None
    check_share: float | None = None
    key: str
    pool_size: int
    place: int
    log_prior: float
    pool_digest: str
    tail: CompressionCertificate | None = field(default=None)

    @classmethod
    def own_schema(cls) -> dict[str, Any]:
        whole = {"type": "integer", "minimum": 1}
        return {
            "recipe": {"type": "object", "required": ["learner", "parameters", "version"]},
            "n_splits": whole,
            "split": whole,
            "design": whole,
            "seed": {"type": ["integer", "null"]},
            "check_share": {"type": ["number", "null"]},
            "key": {"type": "string"},
            "pool_size": whole,
            "place": whole,
            "log_prior": {"type": "number", "maximum": 0},
            "pool_digest": {"type": "string"},
            "tail": {"type": ["object", "null"]},
        }

    # The bound.

    def recomputed_bound(self) -> float:
        """Return the bound that the counts give: the smaller one of both forms."""
        split = super().recomputed_bound()
        return split if self.tail is None else min(split, self.tail.recomputed_bound())

    @property
    def split_bound(self) -> float:
        """The bound from the check rows alone."""
        return super().recomputed_bound()

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound on the error rate, both at once with the same confidence."""
        return split_interval(self.errors, self.m, -self.message_nats, 0.0, self.delta)

    @cached_property
    def class_bounds(self) -> tuple[float, ...]:
        """Bounds on the share of each class that is misclassified, valid all at once."""
        bounds = super().class_bounds
        if self.tail is None:
            return bounds
        return tuple(map(min, bounds, self.tail.class_bounds))

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
        )

    @property
    def details(self) -> str:
        """The split, the place in the pool and their price, in a sentence."""
        return split_details_text(
            design=self.design,
            check=self.m,
            split=self.split,
            n_splits=self.n_splits,
            place=self.place,
            pool_size=self.pool_size,
            bits=-self.log_prior / math.log(2),
        )

    def checks_text(self, data: str) -> str:
        return (
            f"split {self.split} of {data} was drawn again, {self.recipe['learner']} was run again "
            f"on its {self.design:,} design rows, the model is number {self.place} of the "
            f"{self.pool_size} candidates found, its errors on the {self.m:,} check rows were "
            "counted again"
        )

    def form_assumptions(self) -> Iterator[str]:
        recipe = count_text(self.settings, "recipe")
        yield f"The search tried {recipe}, and no other recipe was tried on these rows."
        if self.seed is None:
            yield (
                "SHA-256 behaves like a random function: a hash of the data drew the splits, so "
                "nobody could choose them."
            )
        else:
            yield f"The seed {self.seed} was chosen {BEFORE}, and no other seed was tried."

    # Checks.

    def check_numbers(self) -> None:
        check_recipe(self.recipe)
        self._check_parameters()
        if not (self.split <= self.n_splits and self.place <= self.pool_size):
            raise CertificateError(
                f"split {self.split} of {self.n_splits} and place {self.place} of {self.pool_size} "
                "are not possible."
            )
        expected = split_message(
            self.split, self.n_splits, self.place, self.pool_size, self.log_prior, self.settings
        )
        given = math.fsum(nats for _, nats in expected)
        if abs(given - self.message_nats) > TOLERANCE:
            raise CertificateError(
                f"the certificate pays {self.message_nats:.6f} nats for the choice of split and "
                f"model; it should be {given:.6f}."
            )
        if not has_message(self, expected):
            names = ", ".join(name for name, _ in expected)
            raise CertificateError(f"The parts of the message must be: {names}.")
        if self.tail is not None and not math.isclose(self.tail.delta, self.delta / TAIL_PARTS):
            raise CertificateError("the compression form must have a sixteenth of delta.")

    def _check_parameters(self) -> None:
        usual = self.recipe["parameters"].get("n_splits") is None and self.n_splits == SPLITS
        check_agreement(
            self.recipe,
            delta=self.delta,
            n_splits=None if usual else self.n_splits,
            check_share=self.check_share,
            random_state=self.seed,
        )
        if self.roles or self.role_counts or any(self.aside):
            raise CertificateError("A certificate from splits has no compression set of its own.")

    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        self.check_numbers()
        split = self._split_again(model, data)
        pool, evaluation = self._pool_again(model, data, split)
        self._check_place(model, pool)
        check = data.kept[split.check]
        y = data.y[check]
        check_sizes(self, model, y)
        wrong = evaluation.classify(model.body) != data.y[data.kept]
        check_wrong(self, wrong[split.check], y, check.size)
        rows = data.kept
        table = data.table.take(rows).observed()
        weighted = check_evidence(
            model, model.body, table, data.y[rows], data.weight[:, rows], self.families
        )
        if self.tail is not None:
            self.tail.check_training(replace(model, certificate=self.tail), data)
        return (*cautions(model, table, data.y[rows]), *weighted)

    def _split_again(self, model: Model, data: TrainingData) -> RowSplit:
        splitter = splitter_of(model, data, self.recipe, self.seed, self.check_share)
        if splitter.key.hex() != self.key:
            raise CertificateError(
                "The data and the recipe do not give the key of the certificate. A value, a label "
                "or a weight differs from training, or the recipe was changed."
            )
        split = splitter.split(self.split)
        if split.design.size != self.design:
            raise CertificateError(
                f"Split {self.split} has {split.design.size} design rows; the certificate says "
                f"{self.design}."
            )
        return split

    def _pool_again(
        self, model: Model, data: TrainingData, split: RowSplit
    ) -> tuple[CandidatePool, Evaluation]:
        rows = data.kept[split.design]
        design = DesignRows(
            data.table.take(rows), data.y[rows], data.weight[1, rows], model.classes, rows
        )
        evaluation = Evaluation(data.table.take(data.kept))
        y = data.y[data.kept]
        found = run_recipe(self.recipe, design)
        return scored_pool(found, evaluation, y, split.design), evaluation

    def _check_place(self, model: Model, pool: CandidatePool) -> None:
        if pool.size != self.pool_size or pool.digest != self.pool_digest:
            raise CertificateError(
                f"The pool differs: the certificate was made by version {self.recipe['version']} "
                f"with {self.pool_size} candidates; this version finds {pool.size}. Either the "
                "file was changed, or the versions find different candidates: check it with the "
                "version that made it."
            )
        found = pool.candidates[self.place - 1]
        if identity(found.body) != identity(model.body):
            raise CertificateError(
                f"The model is not candidate {self.place} of the pool. A rule was changed."
            )
        log_prior = float(pool.log_prior[self.place - 1])
        if abs(log_prior - self.log_prior) > TOLERANCE * max(1.0, abs(log_prior)):
            raise CertificateError(
                f"The prior probability of the model has the logarithm {log_prior:.9f}; the "
                f"certificate says {self.log_prior:.9f}."
            )

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
    )


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
    wrong: Mask,
    y: NDArray[np.int32],
    *,
    classes: int,
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
    tail: CompressionCertificate | None = None,
) -> SplitCertificate:
    """Return the certificate of a candidate of a pool from the check rows.

    Parameters
    ----------
    wrong, y : arrays
        Which of the check rows are misclassified, and their class numbers.
    classes : int
        Number of classes.
    split, n_splits : int
        Number of the split, from 1, and how many there are.
    pool : CandidatePool
    place : int
        Place of the model in the pool, from 1.
    design : int
        Number of design rows.
    recipe, key, seed, check_share, settings, delta, tail
        As in ``SplitCertificate``.
    """
    log_prior = float(pool.log_prior[place - 1])
    certificate = SplitCertificate(
        bound=1.0,
        delta=float(delta),
        counts=class_counts(y, classes),
        wrong=class_counts(y[wrong], classes),
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
        tail=tail,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
