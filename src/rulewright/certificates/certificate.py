"""Certificate: a bound on a model's error, with everything needed to check it again.

Each form of certificate is a subclass in ``certificates.forms``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import (
    Message,
    class_tails,
    compression_closed,
    compression_tail,
    cost_bound,
    cost_tail,
    log_multinomial,
    log_size_prior,
)
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import (
    SOURCE,
    absent_rows,
    assumptions_of,
    seen_columns,
    table_assumptions,
)
from rulewright.certificates.checks import check_abstention, check_bound
from rulewright.certificates.cost_matrix import parse_costs
from rulewright.certificates.counted_cautions import ORDER_OF_ROWS
from rulewright.certificates.lazy_verification import verify_lazily
from rulewright.certificates.model_cautions import expert_caution
from rulewright.certificates.printing import PrintedCertificate
from rulewright.certificates.training_data import TrainingData
from rulewright.certificates.verification import Verification
from rulewright.data import is_lazy
from rulewright.errors import CertificateError, InputError
from rulewright.families import Family
from rulewright.models import Model
from rulewright.render import ScaleMark, scale_svg
from rulewright.rules import NOT_SERIALIZED, Arrangement

SomeCertificate = TypeVar("SomeCertificate", bound="Certificate")


@dataclass(frozen=True, repr=False, kw_only=True)
class Certificate(PrintedCertificate):
    """A bound on a model's error on new cases, and the numbers that it follows from.

    With probability at least ``1 - delta`` over the drawing of the sample, a new case drawn from
    the same source is misclassified with probability at most ``bound``. It is a binomial tail bound
    on the ``m`` examples without the compression set and without those set aside. It pays for the
    choice of the compression set and for the length of the message.

    To add a form: subclass this in a new module of ``certificates.forms``, and enter the class in
    ``FORMS``. A form gives its own members, its check against data, its sentence and its
    assumptions.

    Attributes
    ----------
    form : str
        Name of the form, in ``FORMS`` and in model files.
    bound : float
        The error rate is at most this.
    delta : float
        Probability that the bound fails.
    counts : tuple of int
        Examples of each class that the certificate counts.
    wrong : tuple of int
        Misclassified examples of each class, outside the compression set and those set aside.
    roles : dict of str to tuple of int
        The compression set: training rows by role, numbered from 0. Empty in forms without one.
    role_counts : dict of str to tuple of int
        Examples of each class in each role.
    aside : tuple of int
        Examples of each class that were set aside to measure scales or cuts of columns.
    message : tuple of (str, float)
        Parts of the message, each with its length in nats.
    families : tuple of Family
        Kinds of predicates that the search could choose from.
    settings : int
        Number of settings that the search could choose from.
    printed_bound : float or None
        The papers' own formula, where they have one. It does not hold, and is here for comparison
        only: see ``rulewright.bounds.printed``.
    cautions : tuple of str
        Reasons not to rely on the certificate. They are printed, and not checked.
    abstains : bool
        Whether the model may leave cases unanswered. These count as misclassified.
    canonical : bool
        Whether rows were set aside or held out, and columns compared, in canonical order
        (``rulewright.data.canonical_order``), or else in the order of the training table.
    unverified : bool
        Whether it was read from a file, and not compared with data.
    """

    form: ClassVar[str]
    takes_weights_on_trust: ClassVar[bool] = True
    """Whether no check shows that a learner chose the weights of a vote."""
    earlier_names: ClassVar[tuple[str, ...]] = ()
    """Names of the form in files of earlier versions."""
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        "bound": parsing.probability,
        "delta": parsing.fraction,
        "counts": parsing.counts,
        "wrong": parsing.counts,
        "roles": parsing.row_lists,
        "role_counts": parsing.row_lists,
        "aside": parsing.counts,
        "message": parsing.message,
        "families": parsing.families,
        "settings": parsing.settings,
        "printed_bound": parsing.number_or_none,
        "cautions": parsing.texts,
        "abstains": parsing.boolean,
        "canonical": parsing.boolean,
    }
    """Parser of each member in JSON."""

    bound: float
    delta: float
    counts: tuple[int, ...]
    wrong: tuple[int, ...]
    roles: dict[str, tuple[int, ...]] = field(default_factory=dict)
    role_counts: dict[str, tuple[int, ...]] = field(default_factory=dict)
    aside: tuple[int, ...] = ()
    message: Message = ()
    families: tuple[Family, ...] = ()
    settings: int = 1
    printed_bound: float | None = None
    cautions: tuple[str, ...] = field(default=(), compare=False)
    abstains: bool = False
    canonical: bool = False
    unverified: bool = field(default=False, compare=False, repr=False, metadata=NOT_SERIALIZED)

    def __post_init__(self) -> None:
        if not self.aside:
            object.__setattr__(self, "aside", (0,) * len(self.counts))

    @property
    def source_text(self) -> str:
        """What is assumed about the source of the rows and of new cases."""
        return SOURCE

    # What each form defines.

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The bound and its grounds in words, and whether it is too weak to be of use."""

    @abstractmethod
    def checks_text(self, data: str) -> str:
        """Return what ``verify`` checked, with the name of the data."""

    @abstractmethod
    def form_assumptions(self) -> Iterator[str]:
        """Yield what this form takes on trust, one sentence each."""

    @abstractmethod
    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        """Check the certificate's numbers against the training data; return cautions.

        Raises
        ------
        CertificateError
            If anything does not agree.
        """

    @abstractmethod
    def share_message(self, model: Model, body: Arrangement) -> bool:
        """Whether it holds for another body that answers every row as the model's does."""

    @classmethod
    @abstractmethod
    def own_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of the members that only this form has."""

    @abstractmethod
    def check_numbers(self) -> None:
        """Check that the numbers agree with each other, the bound aside.

        Raises
        ------
        CertificateError
            If they do not.
        """

    # The bound.

    @property
    def m(self) -> int:
        """Number of examples that the certificate counts."""
        return sum(self.counts)

    @property
    def errors(self) -> int:
        """Number of misclassified examples, outside the compression set and those set aside."""
        return sum(self.wrong)

    def _repr_html_(self) -> str:
        counted = self.errors / self.others if self.others else 0.0
        marks = [
            ScaleMark("wrong on the cases counted", counted, "plain"),
            ScaleMark("certified: at most", self.bound, "bound"),
        ]
        chart = scale_svg(marks, label="Counted errors and certified bound on one scale")
        return (
            f'{super()._repr_html_()}<div style="max-width: 36rem; font-size: 13px">{chart}</div>'
        )

    @property
    def others(self) -> int:
        """Number of examples that the errors are counted on."""
        return self.m - len(self.examples) - sum(self.aside)

    @property
    def examples(self) -> tuple[int, ...]:
        """Training rows of the compression set, in increasing order."""
        return tuple(sorted(row for rows in self.roles.values() for row in rows))

    @property
    def message_nats(self) -> float:
        """Length of the message in nats."""
        return math.fsum(nats for _, nats in self.message)

    @property
    def model_nats(self) -> float:
        """Nats that name the model: its message, and the choice of its compression set."""
        roles = [len(rows) for rows in self.roles.values()]
        chosen = log_multinomial(self.m, roles) - math.fsum(map(log_size_prior, roles))
        return chosen + self.message_nats

    @property
    def rows_used(self) -> int:
        """Number of the counted examples that the model depends on: all but ``others``."""
        return self.m - self.others

    def recomputed_bound(self) -> float:
        """Return the bound that the counts give."""
        return compression_tail(**self._tail_arguments(), k=self.errors)

    @property
    def closed_bound(self) -> float:
        """The closed form, which is valid and weaker: it also pays for the set of errors."""
        return compression_closed(**self._tail_arguments(), k=self.errors)

    @cached_property
    def class_bounds(self) -> tuple[float, ...]:
        """Bounds on the share of each class that is misclassified, valid all at once."""
        return class_tails(
            counts=self.counts,
            roles=list(self.role_counts.values()),
            wrong=self.wrong,
            log_message=self.message_nats,
            delta=self.delta,
            aside=self.aside,
        )

    @property
    def miss_rate_bound(self) -> float | None:
        """Bound on the share of positives that are misclassified, valid with the false alarms.

        The positives are the second class. None with more than two classes.
        """
        return self.class_bounds[1] if len(self.counts) == 2 else None

    @property
    def false_alarm_bound(self) -> float | None:
        """Bound on the share of negatives that are misclassified, valid with the misses."""
        return self.class_bounds[0] if len(self.counts) == 2 else None

    def cost_bound(self, costs: Sequence[Any], prior: Sequence[float] | None = None) -> float:
        """Return a bound on the expected cost of a new case, with the same confidence.

        Parameters
        ----------
        costs : sequence of numbers, or square matrix
            Cost of misclassifying a case of each class, in the order of the classes; or for each
            class (rows) the cost of each answer (columns).
        prior : sequence of float, optional
            Share of each class among new cases. By default new cases have the same proportions as
            the source of the training examples, which need not be known.

        Examples
        --------
        A missed positive costs five times a false alarm, and one case in ten is positive::

            certificate.cost_bound([1, 5], prior=[0.9, 0.1])
        """
        base, extra = parse_costs(costs, len(self.counts))
        if prior is not None:
            always = cost_bound([1.0] * len(base), base, prior)
            return always + cost_bound(self.class_bounds, extra, prior)
        if any(base):
            raise InputError("A cost of right answers needs a prior: give prior.")
        return cost_tail(**self._tail_arguments(), wrong=self.wrong, costs=extra)

    def _tail_arguments(self) -> dict[str, Any]:
        return {
            "m": self.m,
            "roles": [len(rows) for rows in self.roles.values()],
            "log_message": self.message_nats,
            "delta": self.delta,
            "aside": sum(self.aside),
        }

    # What is printed.

    @property
    def majority_error(self) -> float:
        """Share of the counted examples that are not of the most frequent class."""
        return 1 - max(self.counts) / self.m if self.m else 0.0

    def __repr__(self) -> str:
        return (
            f"Certificate(bound={self.bound:.4g}, delta={self.delta:g}, errors={self.errors} of "
            f"{self.others}, form={self.form!r})"
        )

    def assumptions(self, model: Model) -> list[str]:
        """Return the assumptions, one sentence each, as far as the file shows them."""
        return assumptions_of(self, model)

    # Verification.

    def check(
        self, model: Model, X: Any, y: Any = None, sample_weight: Any = None, **by_row: Any
    ) -> Verification:
        """Check the certificate as ``verify`` does; return the reason if it does not hold."""
        try:
            return self.verify(model, X, y, sample_weight, **by_row)
        except CertificateError as error:
            return Verification(self, holds=False, reason=str(error))

    def verify(
        self,
        model: Model,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        times: Any = None,
        keys: Any = None,
        order_by: str | None = None,
    ) -> Verification:
        """Check the certificate against the model and the training data.

        The errors and the cases of each rule are counted again, and the bound is computed again.
        The form decides what else is checked (``check_training``): that the compression set and the
        message rebuild the model, that the seed draws the rows held out, or that the recipe finds
        the same candidates in the design rows. Only the last of these learns again. What was
        offered to the learner (columns, families, settings) is taken from the model and the
        certificate.

        Parameters
        ----------
        model : Model
        X, y : the training data with all its columns, its rows in the same order
            Rows that were held out are among them. The columns may have another order. A
            certificate whose splits are by key is also checked from a lazy frame with its labels
            and keys, without ``y``: the rows stay where they are.
        sample_weight : array
            The weights that the fit was given, if any: rows of weight zero count as absent, and
            the canonical order of equal rows is by their weights.
        groups, times, keys : array
            The groups, times or keys that the fit was given, if any.
        order_by : str
            Column of a lazy frame with numbers, dates or times, along which classes and errors may
            change: a caution says if they do. Rows in memory are examined in their order.

        Returns
        -------
        Verification
            What is taken on trust, and cautions.

        Raises
        ------
        CertificateError
            With the reason, if anything does not agree.
        """
        if is_lazy(X):
            if any(given is not None for given in (y, sample_weight, groups, times, keys)):
                raise InputError("A lazy frame holds its labels and keys: leave out all but X.")
            return verify_lazily(self, model, X, order_by)
        if order_by is not None:
            raise InputError(ORDER_OF_ROWS)
        check_abstention(self, model)
        data = TrainingData.of(model, X, y, sample_weight, groups, times, keys)
        cautions = self.check_training(model, data)
        check_bound(self)
        names, kinds = seen_columns(X, model.columns)
        assumptions = (
            *assumptions_of(self, model),
            *table_assumptions(names, kinds, model.columns),
            *absent_rows(data.table.rows, data.kept.size),
        )
        return Verification(
            self, True, "", assumptions, (*cautions, *expert_caution(self, model.body))
        )

    # Files and other row numbers.

    @classmethod
    def members(cls) -> list[str]:
        """Return the names of the members in JSON, without the form."""
        return [f.name for f in fields(cls) if f.metadata.get("serialized", True)]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object."""
        return {"form": self.form, **{name: _json(getattr(self, name)) for name in self.members()}}

    def renumbered(self: SomeCertificate, rows: NDArray[np.intp]) -> SomeCertificate:
        """Return the certificate with each row replaced by its number in another table."""
        roles = {role: renumbered_rows(part, rows) for role, part in self.roles.items()}
        return replace(self, roles=roles)


def renumbered_rows(part: Sequence[int], rows: NDArray[np.intp]) -> tuple[int, ...]:
    """Return the numbers of some rows in another table, in increasing order."""
    return tuple(sorted(rows[np.array(part, np.intp)].tolist()))


def _json(value: Any) -> Any:
    match value:
        case tuple():
            return [_json(part) for part in value]
        case dict():
            return {name: _json(part) for name, part in value.items()}
        case Family() | Certificate():
            return value.to_json()
    return value
