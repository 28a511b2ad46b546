"""The written form: the errors of rules that a person wrote or edited, on all rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import BEFORE
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import check_sizes, check_wrong, class_counts, has_message
from rulewright.certificates.codes import written_message
from rulewright.certificates.evidence import check_evidence
from rulewright.certificates.model_cautions import cautions
from rulewright.certificates.training_data import TrainingData
from rulewright.data import Table
from rulewright.errors import CertificateError
from rulewright.models import Model
from rulewright.render import written_text
from rulewright.rules import Arrangement, RuleList


@dataclass(frozen=True, repr=False, kw_only=True)
class WrittenCertificate(Certificate):
    """Certificate of rules that a person wrote or edited, from all rows.

    Rules that were settled before the rows were seen have no message: the bound is that of a test.
    Otherwise the message describes the rules in full, and the bound holds however they were chosen.

    Attributes
    ----------
    settled : bool
        Whether a person says that the rules were settled before the rows were seen.
    """

    form: ClassVar[str] = "written"
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        **Certificate.parsers,
        "settled": parsing.boolean,
    }

    settled: bool = False

    @classmethod
    def own_schema(cls) -> dict[str, Any]:
        return {"settled": {"type": "boolean"}}

    @property
    def sentence(self) -> str:
        return written_text(
            bound=self.bound,
            delta=self.delta,
            rows=self.m,
            errors=self.errors,
            guess=self.majority_error,
            bits=None if self.settled else self.message_nats / math.log(2),
            abstains=self.abstains,
        )

    def checks_text(self, data: str) -> str:
        described = "" if self.settled else ", the message that describes the rules was measured"
        return f"the errors of the rules on {data} were counted again{described}"

    def form_assumptions(self) -> Iterator[str]:
        if self.settled:
            yield (
                "The rules were settled before these rows were seen, and no other rules were tried "
                "on them: a person says so, and no file can show it."
            )
        else:
            yield f"The columns that rules may test were settled {BEFORE}."

    def check_numbers(self) -> None:
        if self.roles or any(self.aside) or self.families or self.printed_bound is not None:
            raise CertificateError(
                "A certificate of written rules rebuilds nothing: it has no roles, no families and "
                "no formula of the papers."
            )
        if self.settled == bool(self.message):
            raise CertificateError(
                "A certificate of written rules has a message, unless they were settled before."
            )

    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        self.check_numbers()
        rows = data.kept
        table, y = data.table.take(rows).observed(), data.y[rows]
        check_sizes(self, model, y)
        check_wrong(self, model.body.classify(table) != y, y, y.size)
        messages = () if self.settled else _messages(model.body, table, model)
        if messages and not any(has_message(self, message) for message in messages):
            raise CertificateError(
                f"The certificate pays {self.message_nats:.6f} nats for the rules, which is not "
                "the length of their message. The rules or the data were changed."
            )
        weighted = check_evidence(model, model.body, table, y, data.weight[:, rows], ())
        return (*cautions(replace(model, certificate=self), table, y), *weighted)

    def share_message(self, model: Model, body: Arrangement) -> bool:
        return self.settled


def _messages(body: Arrangement, table: Table, model: Model) -> list[Message]:
    """Return the message of the rules, and of a list also that of earlier versions.

    These wrote lists only, and did not say so in the message.
    """
    message = written_message(body, table, len(model.classes))
    return [message, message[1:]] if isinstance(body, RuleList) else [message]


def certify_written(
    model: Model,
    table: Table,
    y: NDArray[np.int32],
    *,
    settled: bool = False,
    delta: float = 0.05,
) -> WrittenCertificate:
    """Return the certificate of written rules from rows with their class numbers.

    Parameters
    ----------
    model : Model
        A list of rules, a vote or a scorecard.
    table, y : the rows with all columns of the model, and their class numbers
    settled : bool
        Whether the rules were settled before these rows were seen.
    delta : float
        The certificate fails with at most this probability.
    """
    classes = len(model.classes)
    certificate = WrittenCertificate(
        bound=1.0,
        delta=delta,
        counts=class_counts(y, classes),
        wrong=class_counts(y[model.body.classify(table) != y], classes),
        message=() if settled else _messages(model.body, table, model)[0],
        settled=settled,
        abstains=model.abstains,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
