"""Certificates: a bound on a model's error, with all that is needed to check it again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    Message,
    class_tails,
    compression_closed,
    compression_tail,
    cost_bound,
    cost_tail,
)
from rulewright.data import Table, canonical_columns, canonical_rows, canonical_table
from rulewright.errors import CertificateError, InputError
from rulewright.families import Examples, ExpertTests, Family
from rulewright.models.assumptions import (
    absent_rows,
    assumptions_of,
    seen_columns,
    table_assumptions,
)
from rulewright.models.cautions import cautions, expert_caution, held_out_caution
from rulewright.models.checking import (
    alike,
    by_class,
    check_abstaining,
    check_bound,
    check_columns,
    check_errors,
    check_evidence,
    check_examples,
    check_file,
    check_held,
    check_in_training,
    check_message,
    check_printed,
    check_rebuilding,
    check_sizes,
    holdout_message,
    measured_families,
    test_rows,
)
from rulewright.models.costs import read_costs
from rulewright.models.evidence import counted_evidence
from rulewright.models.model_code import Code
from rulewright.models.printed import printed_bound
from rulewright.models.provenance import check_provenance
from rulewright.models.reading import read_certificate
from rulewright.models.sample_weight import normalised_weight
from rulewright.models.verification import Verification
from rulewright.render import certificate_text, console_text, holdout_text
from rulewright.rules import Arrangement, functions_of
from rulewright.rules.spaces import NOT_CODED

if TYPE_CHECKING:
    from rulewright.models.model import Model

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

UNVERIFIED = (
    "Not verified against data: the bound follows from the counts in the file, and only the "
    "training data can show whether these are true (rulewright certify)."
)
COUNTED_ALL = (
    "The cases that each rule answers were counted on all rows, also on those held out. The bound "
    "does not depend on that, but the supports and probabilities of the rules do."
)


@dataclass(frozen=True, repr=False)
class Certificate:
    """What is promised about a model's error on new cases, and from what it follows.

    With probability at least ``1 - delta`` over the drawing of the training sample, a new case
    drawn from the same source is misjudged with probability at most ``bound``.

    Attributes
    ----------
    bound : float
        The promise: the error rate is at most this.
    delta : float
        The probability that the promise fails.
    counts : tuple of int
        Training examples of each class.
    wrong : tuple of int
        Examples of each class that are misjudged, outside those that rebuild the model.
    roles : dict of str to tuple of int
        Training rows that rebuild the model, by the role they play, numbered from 0.
    role_counts : dict of str to tuple of int
        How many of these are of each class.
    aside : tuple of int
        Examples of each class that were set aside to measure the columns' scales, and play no role.
    message : tuple of (str, float)
        What must be said besides, each with its price in nats.
    families : tuple of Family
        Kinds of predicates the search could choose from.
    settings : int
        How many settings the search could choose from that a reconstruction depends on.
    implied : bool
        Whether borders follow from the examples, so that the message need not name them.
    combinations : tuple of str or None
        What conditions may be made of besides single literals, where the model is told by its
        structure; None for machines of single literals, which have a shorter code.
    form : str
        "tail": from the training sample itself; "holdout": from rows that were held out.
    held : tuple of int
        The rows that were held out; ``counts`` and ``wrong`` are then of these.
    seed : int or None
        What these rows were drawn with (``held_rows``).
    printed_bound : float or None
        The papers' own formula, for the machines that they have one for. It does not hold, and is
        here for comparison only: see ``rulewright.bounds.printed``.
    cautions : tuple of str
        What a reader should know before relying on it. Said to people, and not checked.
    abstains : bool
        Whether the model may leave cases unanswered. These count as misjudged.
    unverified : bool
        Whether it was read from a file, and not made from data.
    canonical : bool
        Whether rows were set aside or held out, and columns compared, in canonical order
        (``rulewright.data.canonical``); where not, in the order of the training table.
    """

    bound: float
    delta: float
    counts: tuple[int, ...]
    wrong: tuple[int, ...]
    roles: dict[str, tuple[int, ...]]
    role_counts: dict[str, tuple[int, ...]]
    aside: tuple[int, ...]
    message: Message
    families: tuple[Family, ...]
    settings: int = 1
    implied: bool = False
    combinations: tuple[str, ...] | None = None
    form: str = "tail"
    held: tuple[int, ...] = ()
    seed: int | None = None
    printed_bound: float | None = None
    cautions: tuple[str, ...] = field(default=(), compare=False)
    abstains: bool = False
    canonical: bool = False
    unverified: bool = field(default=False, compare=False, repr=False, metadata=NOT_CODED)

    @property
    def m(self) -> int:
        """Examples that the certificate counts: of training, or held out."""
        return sum(self.counts)

    @property
    def errors(self) -> int:
        """Training examples misjudged, outside those that rebuild the model."""
        return sum(self.wrong)

    @property
    def others(self) -> int:
        """Training examples that the model was tested on: those that it does not depend on."""
        return self.m - len(self.examples) - sum(self.aside)

    @property
    def examples(self) -> tuple[int, ...]:
        """Training rows that rebuild the model, in increasing order."""
        return tuple(sorted(row for rows in self.roles.values() for row in rows))

    @property
    def message_nats(self) -> float:
        """Length of the message that, with the examples, rebuilds the model."""
        return math.fsum(nats for _, nats in self.message)

    @property
    def miss_rate_bound(self) -> float | None:
        """Bound on the share of positives that are misjudged, together with the false alarms.

        The positives are the second class; None where there are more than two.
        """
        return self.class_bounds[1] if len(self.counts) == 2 else None

    @property
    def false_alarm_bound(self) -> float | None:
        """Bound on the share of negatives that are misjudged, together with the misses."""
        return self.class_bounds[0] if len(self.counts) == 2 else None

    @cached_property
    def class_bounds(self) -> tuple[float, ...]:
        """Bounds on the share of each class that is misjudged, all at once."""
        return class_tails(
            counts=self.counts,
            roles=list(self.role_counts.values()),
            wrong=self.wrong,
            log_message=self.message_nats,
            delta=self.delta,
            aside=self.aside,
        )

    def cost_bound(self, costs: Sequence[Any], prior: Sequence[float] | None = None) -> float:
        """Bound the expected cost of a new case, with the same confidence.

        Parameters
        ----------
        costs : sequence of numbers, or square matrix
            What misjudging a case of each class costs, in the order of the classes; or for each
            class (rows) the cost of each answer (columns).
        prior : sequence of float, optional
            The share of each class among new cases. Without it, these are taken to come in the
            same proportions as the training examples were drawn, which need not be known.

        Examples
        --------
        A missed positive costs five times a false alarm, and one case in ten is positive::

            certificate.cost_bound([1, 5], prior=[0.9, 0.1])
        """
        base, price = read_costs(costs, len(self.counts))
        if prior is not None:
            always = cost_bound([1.0] * len(base), base, prior)
            return always + cost_bound(self.class_bounds, price, prior)
        if any(base):
            raise InputError("Right answers that cost something need a prior: give one.")
        return cost_tail(
            m=self.m,
            roles=[len(rows) for rows in self.roles.values()],
            wrong=self.wrong,
            costs=price,
            log_message=self.message_nats,
            delta=self.delta,
            aside=sum(self.aside),
        )

    @property
    def closed_bound(self) -> float:
        """The closed form, which is valid and weaker: it pays for the set of errors too."""
        return compression_closed(
            m=self.m,
            roles=[len(rows) for rows in self.roles.values()],
            k=self.errors,
            log_message=self.message_nats,
            delta=self.delta,
            aside=sum(self.aside),
        )

    def recomputed_bound(self) -> float:
        """Compute the bound again from the counts."""
        return compression_tail(
            m=self.m,
            roles=[len(rows) for rows in self.roles.values()],
            k=self.errors,
            log_message=self.message_nats,
            delta=self.delta,
            aside=sum(self.aside),
        )

    @property
    def sentence(self) -> str:
        """What is promised, in words, and an honest word where that is nothing."""
        guess = 1 - max(self.counts) / self.m if self.m else 0.0
        if self.form == "holdout":
            return holdout_text(
                bound=self.bound,
                delta=self.delta,
                held=self.m,
                errors=self.errors,
                models=round(math.exp(self.message_nats)),
                guess=guess,
                abstains=self.abstains,
            )
        return certificate_text(
            bound=self.bound,
            delta=self.delta,
            examples=len(self.examples),
            bits=self.message_nats / math.log(2),
            others=self.others,
            errors=self.errors,
            guess=guess,
            abstains=self.abstains,
        )

    @property
    def told_cautions(self) -> tuple[str, ...]:
        """The cautions, and that it was not compared with data where it was read from a file."""
        return (*self.cautions, *((UNVERIFIED,) if self.unverified else ()))

    def __str__(self) -> str:
        said = (f"Caution: {console_text(each)}" for each in self.told_cautions)
        return "\n".join([self.sentence, *said])

    def __repr__(self) -> str:
        return (
            f"Certificate(bound={self.bound:.4g}, delta={self.delta:g}, errors={self.errors} of "
            f"{self.others}, form={self.form!r})"
        )

    def _repr_html_(self) -> str:
        cautions = "".join(f"<li>Caution: {escape(each)}</li>" for each in self.told_cautions)
        return f"<p><i>{escape(self.sentence)}</i></p>" + (cautions and f"<ul>{cautions}</ul>")

    def assumptions(self, model: Model) -> list[str]:
        """List what it takes on trust, one sentence each, as far as the file shows it."""
        return assumptions_of(self, model)

    def check(self, model: Model, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Check the certificate as ``verify`` does, and return also that it does not hold."""
        try:
            return self.verify(model, X, y, sample_weight)
        except CertificateError as error:
            return Verification(self, holds=False, reason=str(error))

    def verify(self, model: Model, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Check the certificate against the model and the training data, without fitting again.

        Every rule must be one that the families make from the rows it is anchored on; the errors
        and the cases that each rule answers are counted again, and the message and the bound are
        computed again. Of a certificate from rows held out, every test must be made from the other
        rows. What was offered to the learner (columns, families, settings) is taken from the model
        and the certificate.

        Parameters
        ----------
        model : Model
        X, y : the training data with all its columns, its rows in the same order
            Rows that were held out are among them. The columns may have another order.
        sample_weight : array
            The weights that the fit was given, if any: rows of weight zero count as absent, and
            the canonical order of equal rows is by their weights.

        Returns
        -------
        Verification
            What is taken on trust, and what speaks against that.

        Raises
        ------
        CertificateError
            With the reason, if anything does not agree.
        """
        check_abstaining(self, model)
        table = model.table(X, every=True)
        codes = model.codes(y)
        if codes.size != table.rows:
            raise CertificateError(f"There are {table.rows} rows but {codes.size} labels.")
        kept = kept_rows(sample_weight, table.rows)
        given = np.ones(codes.size) if sample_weight is None else np.asarray(sample_weight, float)
        weight = np.stack([given, given])  # relative, and as given
        weight[0, kept] = normalised_weight(given[kept])
        check = self._check_held_out if self.form == "holdout" else self._check_rebuilding
        found = check(model, table, codes, kept, weight)
        check_bound(self)
        names, kinds = seen_columns(X, model.columns)
        assumptions = (
            *assumptions_of(self, model),
            *table_assumptions(names, kinds, model.columns),
            *absent_rows(table.rows, kept.size),
        )
        return Verification(
            self, True, "", assumptions, (*found, *expert_caution(self, model.body))
        )

    def _check_rebuilding(
        self, model: Model, table: Table, codes: Codes, kept: Rows, weight: Floats
    ) -> tuple[str, ...]:
        """Rebuild the model from its examples, and count again; return cautions."""
        check_in_training(self)
        given = table.take(kept).observed()
        training, order = self._ordered(given, codes[kept], weight[0, kept])
        kept_codes, kept = codes[kept], kept[order]
        codes, weight = codes[kept], weight[:, kept]
        check_sizes(self, model, codes)
        check_columns(model, training)
        body = check_examples(self, model, kept)
        families = measured_families(self, training, functions_of(model.body))
        code = Code(families, len(self.counts), self.settings, self.implied, self.combinations)
        compression = check_rebuilding(
            self, body, Examples(training, codes, np.arange(kept.size), kept), code
        )
        check_errors(self, body, training, codes, families, compression)
        check_message(self, compression)
        check_printed(self, compression.said, codes)
        weighted = self._check_evidence(model, body, training, codes, weight)
        certified = replace(model, certificate=self)
        found = cautions(certified, given, kept_codes, order=order, places=compression.places)
        return (*found, *weighted)

    def _ordered(self, table: Table, codes: Codes, weight: Floats) -> tuple[Table, Rows]:
        """Put training rows in the order of the search, and return that order, too."""
        if not self.canonical:
            return table, np.arange(table.rows)
        table = canonical_table(table)
        order = canonical_rows(table, codes, weight)
        return table.take(order), order

    def _check_held_out(
        self, model: Model, table: Table, codes: Codes, kept: Rows, weight: Floats
    ) -> tuple[str, ...]:
        """Count again on the rows held out, and on the others; return cautions."""
        training, order = self._ordered(table.take(kept).observed(), codes[kept], weight[0, kept])
        learnt = check_held(self, model, training, codes[kept[order]], kept[order])
        self._check_provenance(model, table.take(learnt), codes[learnt], learnt, weight[0, learnt])
        weighted = self._check_learnt(model, table, codes, weight, learnt, kept)
        wrong = model.body.classify(table) != codes
        return (
            *cautions(model, table.take(kept).observed(), codes[kept]),
            *weighted,
            *held_out_caution(wrong[learnt], wrong[list(self.held)], self.settings),
        )

    def _check_provenance(
        self, model: Model, table: Table, codes: Codes, learnt: Rows, weight: Floats
    ) -> None:
        """Check that every test is made from the rows that were not held out."""
        training, order = self._ordered(table.observed(), codes, weight)
        rows = learnt[order]
        written = [family for family in self.families if isinstance(family, ExpertTests)]
        check_provenance(model.body, Examples(training, codes[order], rows, rows), written)

    def _check_learnt(
        self, model: Model, table: Table, codes: Codes, weight: Floats, learnt: Rows, kept: Rows
    ) -> list[str]:
        """Count the cases that each rule answers on the rows that were not held out."""

        def check(rows: Rows) -> list[str]:
            some = table.take(rows)
            return self._check_evidence(model, model.body, some, codes[rows], weight[:, rows])

        try:
            return check(learnt)
        except CertificateError as error:
            try:
                return [COUNTED_ALL, *check(kept)]
            except CertificateError:
                raise error from None

    def _check_evidence(
        self, model: Model, body: Arrangement, table: Table, codes: Codes, weight: Floats
    ) -> list[str]:
        """Count the cases that each rule answers; return cautions.

        ``weight`` has the relative weights and those that were given, which earlier files count by.
        """
        relative, given = (
            counted_evidence(body, table, codes, each, len(self.counts)) for each in weight
        )
        if alike(np.array(model.evidence, np.float64), given):
            return []
        return check_evidence(self, model, relative)

    def share_message(self, model: Model, body: Arrangement) -> bool:
        """Whether it holds for another body that answers every row as the model's does."""
        if self.form == "holdout":
            return not set(self.held) & set(body.anchors)
        if not set(self.examples) <= set(body.anchors):
            return False
        code = Code(self.families, len(self.counts), self.settings, self.implied, self.combinations)
        columns = canonical_columns(model.columns, named=self.canonical and model.named)
        return code.share_message(model.body, body, columns)

    def to_json(self) -> dict[str, Any]:
        """Make a JSON object of it."""
        data = {name: getattr(self, name) for name in _members()}
        for name in ("counts", "wrong", "aside", "held", "cautions"):
            data[name] = list(data[name])
        for name in ("roles", "role_counts"):
            data[name] = {role: list(numbers) for role, numbers in data[name].items()}
        data["message"] = [[what, nats] for what, nats in self.message]
        data["families"] = [family.to_json() for family in self.families]
        data["combinations"] = self.combinations and list(self.combinations)
        return data

    @classmethod
    def from_json(cls, data: Any) -> Certificate:
        """Make a certificate of a JSON object, or say what is wrong with it.

        The bound must be the one that the counts of the file give.
        """
        certificate = cls(**read_certificate(data, set(_members())), unverified=True)
        check_file(certificate)
        return certificate


def _members() -> list[str]:
    """Name what a file holds of a certificate."""
    return [f.name for f in fields(Certificate) if f.metadata.get("coded", True)]


def kept_rows(sample_weight: Any, rows: int) -> NDArray[np.intp]:
    """Rows that a fit with these weights learns from: all but those of weight zero."""
    if sample_weight is None:
        return np.arange(rows)
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (rows,):
        raise InputError(f"{rows} rows need as many weights; found shape {weight.shape}.")
    return np.flatnonzero(weight > 0)


def certify(
    body: Arrangement,
    training: Table,
    y: NDArray[np.int32],
    code: Code,
    *,
    right: NDArray[np.bool_] | None = None,
    delta: float = 0.05,
    counts: tuple[int, ...] | None = None,
) -> Certificate:
    """Make the certificate of a model from its training examples.

    Any arrangement of rules has one: ``Code(families, classes)`` tells set covering machines and
    lists of single literals; with ``combinations`` it tells all others, votes and trees among them.

    Parameters
    ----------
    body : Arrangement
        The model. Its anchors are numbers of training rows.
    training, y : the training examples and their class numbers
    code : Code
        What was settled before looking at them: families, and what conditions may be made of.
    right : array of bool, optional
        Which examples the model gets right, where that is known already. No answer is not right.
    delta : float
        The certificate fails with at most this probability.
    counts : tuple of int, optional
        The examples of each class, where these are counted already.
    """
    compression = code.compression(body, training, y)
    right = body.classify(training) == y if right is None else right
    aside, tested = test_rows(code.families, compression.places, y.size)
    counts = counts or by_class(y, code.classes)
    wrong = by_class(y[tested & ~right], code.classes)
    role_counts = {
        role: by_class(y[np.array(rows, np.intp)], code.classes)
        for role, rows in compression.roles.items()
    }
    certificate = Certificate(
        bound=1.0,
        delta=delta,
        counts=counts,
        wrong=wrong,
        roles=compression.roles,
        role_counts=role_counts,
        aside=by_class(y[aside], code.classes),
        message=compression.message,
        families=code.families,
        settings=code.settings,
        implied=code.implied,
        combinations=code.combinations,
        printed_bound=printed_bound(compression.said, code.families, y, counts, wrong, delta),
        abstains=body.abstains,
    )
    return replace(certificate, bound=certificate.recomputed_bound())


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
) -> Certificate:
    """Make a certificate from rows that the model was made without.

    Parameters
    ----------
    wrong, y : arrays
        Which of the rows held out are misjudged, and their labels.
    rows : array of int
        Their numbers.
    seed : int
        What they were drawn with.
    models : int
        How many models these same rows chose among.
    abstains : bool
        Whether the model may leave rows unanswered; those count as wrong.
    written : sequence of ExpertTests
        Tests that experts wrote, which a check takes on trust.
    """
    certificate = Certificate(
        bound=1.0,
        delta=delta,
        counts=by_class(y, classes),
        wrong=by_class(y[wrong], classes),
        roles={},
        role_counts={},
        aside=(0,) * classes,
        message=holdout_message(models),
        families=tuple(written),
        settings=models,
        form="holdout",
        held=tuple(sorted(rows.tolist())),
        seed=seed,
        abstains=abstains,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
