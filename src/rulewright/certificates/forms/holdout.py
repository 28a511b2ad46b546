"""The hold-out form: the errors on rows that the model was learnt without."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import BEFORE
from rulewright.certificates.certificate import Certificate, renumbered_rows
from rulewright.certificates.checks import check_sizes, check_wrong, class_counts, has_message
from rulewright.certificates.evidence import check_evidence
from rulewright.certificates.model_cautions import cautions, held_out_caution
from rulewright.certificates.provenance import check_provenance
from rulewright.certificates.training_data import Rows, TrainingData
from rulewright.errors import CertificateError
from rulewright.families import Examples, ExpertTests
from rulewright.models import Model
from rulewright.render import count_text, holdout_text
from rulewright.rules import Arrangement

COUNTED_ON_ALL_ROWS = (
    "The cases that each rule answers were counted on all rows, also on those held out. The bound "
    "does not depend on that, but the supports and probabilities of the rules do."
)


@dataclass(frozen=True, repr=False, kw_only=True)
class HoldoutCertificate(Certificate):
    """Certificate from rows that were held out. ``counts`` and ``wrong`` are of these rows.

    The message is the choice of the model among those that the rows held out were compared with;
    ``settings`` is the number of these. ``families`` are tests that experts wrote.

    Attributes
    ----------
    held : tuple of int
        The rows held out.
    seed : int or None
        Seed that these rows were drawn with (``held_rows``).
    """

    form: ClassVar[str] = "holdout"
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        **Certificate.parsers,
        "held": parsing.counts,
        "seed": parsing.seed_or_none,
    }

    held: tuple[int, ...] = ()
    seed: int | None = None

    @classmethod
    def own_schema(cls) -> dict[str, Any]:
        return {
            "held": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "seed": {"type": ["integer", "null"]},
        }

    @property
    def sentence(self) -> str:
        return holdout_text(
            bound=self.bound,
            delta=self.delta,
            held=self.m,
            errors=self.errors,
            models=round(math.exp(self.message_nats)),
            guess=self.majority_error,
            abstains=self.abstains,
        )

    def checks_text(self, data: str) -> str:
        return (
            f"the {len(self.held)} rows of {data} that were held out are those that seed "
            f"{self.seed} draws, every test of the model is made from the other rows, the errors "
            "on them were counted again"
        )

    def form_assumptions(self) -> Iterator[str]:
        rows = count_text(len(self.held), "row")
        yield f"The model was learnt without the {rows} held out: no file can show that."
        yield (
            f"The seed {self.seed} and the number of rows held out were chosen {BEFORE}: no other "
            "seed and no other share was tried."
        )
        models = count_text(self.settings, "model")
        yield f"The rows held out were compared with {models}, and with no others."

    def check_numbers(self) -> None:
        if len(self.held) != self.m:
            raise CertificateError(
                f"the certificate names {len(self.held)} rows as held out, but counts {self.m}."
            )
        self._check_message()

    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        learnt = self._check_held_rows(model, data)
        self._check_message()
        self._check_no_compression()
        self._check_provenance(model, data, learnt)
        weighted = self._check_evidence(model, data, learnt)
        wrong = model.body.classify(data.table) != data.y
        return (
            *cautions(model, data.table.take(data.kept).observed(), data.y[data.kept]),
            *weighted,
            *held_out_caution(wrong[learnt], wrong[list(self.held)], self.settings),
        )

    def _check_held_rows(self, model: Model, data: TrainingData) -> Rows:
        """Draw the rows held out again, and count the errors on them; return the other rows."""
        training, rows = data.ordered(data.kept, canonical=self.canonical)
        drawn = rows[:0] if self.seed is None else held_rows(rows.size, len(self.held), self.seed)
        held = tuple(sorted(rows[drawn].tolist()))
        if not 0 < len(self.held) < rows.size or self.held != held:
            raise CertificateError(
                f"The rows that the certificate names as held out are not those that seed "
                f"{self.seed} draws from {rows.size} rows. Give the table that the model was "
                "trained on, with the same labels and sample_weight."
            )
        anchored = sorted(set(self.held) & set(model.body.anchors))
        if anchored:
            raise CertificateError(
                f"A rule is anchored on row {anchored[0]}, which the certificate says was held out."
            )
        y = data.y[rows[drawn]]
        check_sizes(self, model, y)
        check_wrong(self, model.body.classify(training.take(drawn)) != y, y, drawn.size)
        return np.setdiff1d(rows, held)

    def _check_message(self) -> None:
        if not has_message(self, holdout_message(self.settings)):
            raise CertificateError(
                f"The certificate pays {self.message_nats:.6f} nats for the choice among "
                f"{self.settings} models; it should be {math.log(self.settings):.6f}."
            )

    def _check_no_compression(self) -> None:
        offered = any(not isinstance(family, ExpertTests) for family in self.families)
        if self.roles or any(self.aside) or offered or self.printed_bound is not None:
            raise CertificateError(
                "A certificate from rows held out rebuilds nothing: it has no roles, no families "
                "and no formula of the papers."
            )

    def _check_provenance(self, model: Model, data: TrainingData, learnt: Rows) -> None:
        """Check that every test is made from the rows that were not held out."""
        training, rows = data.ordered(learnt, canonical=self.canonical)
        written = [family for family in self.families if isinstance(family, ExpertTests)]
        check_provenance(model.body, Examples(training, data.y[rows], rows, rows), written)

    def _check_evidence(self, model: Model, data: TrainingData, learnt: Rows) -> list[str]:
        """Count the cases that each rule answers on the rows that were not held out."""

        def check(rows: Rows) -> list[str]:
            table, y, weight = data.table.take(rows), data.y[rows], data.weight[:, rows]
            return check_evidence(model, model.body, table, y, weight, self.families)

        try:
            return check(learnt)
        except CertificateError as error:
            try:
                return [COUNTED_ON_ALL_ROWS, *check(data.kept)]
            except CertificateError:
                raise error from None

    def share_message(self, model: Model, body: Arrangement) -> bool:
        return not set(self.held) & set(body.anchors)

    def renumbered(self, rows: NDArray[np.intp]) -> HoldoutCertificate:
        return replace(self, held=renumbered_rows(self.held, rows))


def held_rows(rows: int, held: int, seed: int) -> NDArray[np.intp]:
    """Draw the rows to hold out; the same seed draws the same rows.

    The draw is not stratified: the errors on the rows held out would not be binomial.
    """
    order = np.random.RandomState(seed).permutation(rows)  # its stream never changes
    return np.sort(order[:held])


def holdout_message(models: int) -> Message:
    """Return the message: which of the models it is."""
    return ((f"which of the {models} models tried", math.log(models)),) if models > 1 else ()


def certify_held_out(
    wrong: NDArray[np.bool_],
    y: NDArray[np.int32],
    rows: NDArray[np.intp],
    *,
    seed: int,
    classes: int,
    models: int = 1,
    delta: float = 0.05,
    abstains: bool = False,
    written: Sequence[ExpertTests] = (),
) -> HoldoutCertificate:
    """Return the certificate from rows that the model was learnt without.

    Parameters
    ----------
    wrong, y : arrays
        Which of the rows held out are misclassified, and their class numbers.
    rows : array of int
        Their row numbers.
    seed : int
        Seed that they were drawn with.
    models : int
        Number of models that were compared on these rows.
    abstains : bool
        Whether the model may leave rows unanswered; those count as wrong.
    written : sequence of ExpertTests
        Tests that experts wrote, which a check takes on trust.
    """
    certificate = HoldoutCertificate(
        bound=1.0,
        delta=delta,
        counts=class_counts(y, classes),
        wrong=class_counts(y[wrong], classes),
        message=holdout_message(models),
        families=tuple(written),
        settings=models,
        held=tuple(sorted(rows.tolist())),
        seed=seed,
        abstains=abstains,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
