"""The compression form: a few training examples and a message rebuild the model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import parsing
from rulewright.certificates.assumptions import BEFORE, family_text
from rulewright.certificates.certificate import Certificate
from rulewright.certificates.checks import (
    aside_and_tested_rows,
    check_columns,
    check_sizes,
    class_counts,
)
from rulewright.certificates.codes import COMBINATIONS, Code
from rulewright.certificates.evidence import check_evidence
from rulewright.certificates.forms.compression_checks import (
    check_anchors,
    check_errors,
    check_message,
    check_printed,
    check_rebuilding,
    measured_families,
)
from rulewright.certificates.model_cautions import cautions
from rulewright.certificates.printed_theorems import printed_bound
from rulewright.certificates.training_data import TrainingData
from rulewright.data import Table, canonical_columns
from rulewright.families import Examples, ExpertTests
from rulewright.models import Model
from rulewright.render import certificate_text, count_text, predicate_renderer
from rulewright.rules import Arrangement, HalfSpace, functions_of, literals_of

SUBSETS: dict[type, dict[str, str]] = {HalfSpace: {"towards": "a", "against": "b", "border": "c"}}
"""Names of the papers for what an example is to a predicate; otherwise its plural."""
LAST_TYPES = ("borders", "c")
MAX_ROWS_SHOWN = 20
"""Maximum number of rows that a sentence names."""


@dataclass(frozen=True, repr=False, kw_only=True)
class CompressionCertificate(Certificate):
    """Certificate from the training sample itself: sample compression.

    The compression set and the message rebuild the model. The errors on the other training examples
    bound its error.

    Attributes
    ----------
    implied : bool
        Whether borders follow from the examples, so that the message does not name them.
    combinations : tuple of str or None
        Allowed combinations of literals, where the model is encoded by its structure. None for
        machines of single literals, which have a shorter code.
    """

    form: ClassVar[str] = "compression"
    earlier_names: ClassVar[tuple[str, ...]] = ("tail",)
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        **Certificate.parsers,
        "implied": parsing.boolean,
        "combinations": parsing.combinations_or_none,
    }

    implied: bool = False
    combinations: tuple[str, ...] | None = None

    @classmethod
    def own_schema(cls) -> dict[str, Any]:
        names = {"type": "array", "items": {"enum": list(COMBINATIONS.values())}}
        return {
            "implied": {"type": "boolean"},
            "combinations": {"oneOf": [{"type": "null"}, names]},
        }

    @property
    def sentence(self) -> str:
        return certificate_text(
            bound=self.bound,
            delta=self.delta,
            examples=len(self.examples),
            bits=self.message_nats / math.log(2),
            others=self.others,
            errors=self.errors,
            guess=self.majority_error,
            abstains=self.abstains,
        )

    def checks_text(self, data: str) -> str:
        rows = "row" if len(self.examples) == 1 else "rows"
        shown = ", ".join(map(str, self.examples[:MAX_ROWS_SHOWN])) or "(none)"
        left = len(self.examples) - MAX_ROWS_SHOWN
        named = f"{shown} and {left:,} more" if left > 0 else shown
        return f"the model was rebuilt from {rows} {named} of {data}, its errors were counted again"

    def form_assumptions(self) -> Iterator[str]:
        for family in self.families:
            if not isinstance(family, ExpertTests):
                yield f"The family {family_text(family)} was offered to the learner {BEFORE}."
        yield "No other family was offered."
        if self.combinations:
            combined = ", ".join(map(repr, self.combinations))
            yield f"Tests could be combined by {combined}, and that was settled {BEFORE}."
        if self.implied:
            yield f"That borders follow from the examples was settled {BEFORE}."
        choices = count_text(self.settings, "setting")
        yield f"The learner chose among {choices}, and no others were tried."

    def check_numbers(self) -> None:
        """Nothing to check: counts and compression set agree in every file that is read."""

    def check_training(self, model: Model, data: TrainingData) -> tuple[str, ...]:
        training, rows = data.ordered(data.kept, canonical=self.canonical)
        y = data.y[rows]
        check_sizes(self, model, y)
        check_columns(model, training)
        body = check_anchors(self, model, rows)
        families = measured_families(self, training, functions_of(model.body))
        code = replace(self.code, families=families)
        examples = Examples(training, y, np.arange(rows.size), rows)
        compression = check_rebuilding(self, body, examples, code)
        check_errors(self, body, training, y, families, compression)
        check_message(self, compression)
        check_printed(self, compression.machine, y)
        weighted = check_evidence(model, body, training, y, data.weight[:, rows], self.families)
        found = cautions(
            replace(model, certificate=self),
            data.table.take(data.kept).observed(),
            data.y[data.kept],
            order=np.searchsorted(data.kept, rows),
            places=compression.places,
        )
        return (*found, *weighted)

    def typed_subsets(self, model: Model) -> dict[str, tuple[int, ...]]:
        """Return the rows of the compression set by their types, each row once.

        For balls these are ``centres`` and ``borders``; for half-spaces the papers' ``a`` (toward),
        ``b`` (away from) and ``c`` (border); for thresholds ``cuts``. A row that a prototype and a
        border share counts as a prototype. ``role_counts`` has the classes of the rows by role.
        Rows that the message needs and no predicate names are ``others``.
        """
        found: dict[str, set[int]] = {}
        for literal in literals_of(model.body):
            types = SUBSETS.get(type(literal), {})
            parts = predicate_renderer(literal).anchor_roles
            for part, row in zip(parts, getattr(literal, "anchored_on", ()), strict=False):
                found.setdefault(types.get(part, f"{part}s"), set()).add(row)
        left = set(self.examples)
        typed: dict[str, tuple[int, ...]] = {}
        for name in sorted(found, key=lambda name: (name in LAST_TYPES, name)):
            typed[name] = tuple(sorted(found[name] & left))
            left -= found[name]
        return {**typed, "others": tuple(sorted(left))} if left else typed

    @property
    def code(self) -> Code:
        """The code of the message."""
        return Code(self.families, len(self.counts), self.settings, self.implied, self.combinations)

    def share_message(self, model: Model, body: Arrangement) -> bool:
        if not set(self.examples) <= set(body.anchors):
            return False
        columns = canonical_columns(model.columns, named=self.canonical and model.named)
        return self.code.share_message(model.body, body, columns)


def certify(
    body: Arrangement,
    training: Table,
    y: NDArray[np.int32],
    code: Code,
    *,
    right: NDArray[np.bool_] | None = None,
    delta: float = 0.05,
    counts: tuple[int, ...] | None = None,
) -> CompressionCertificate:
    """Return the certificate of a model from its training examples.

    Any arrangement of rules has one: ``Code(families, classes)`` encodes set covering machines and
    lists of single literals; with ``combinations`` it encodes all others, votes and trees too.

    Parameters
    ----------
    body : Arrangement
        The model. Its anchors are numbers of training rows.
    training, y : the training examples and their class numbers
    code : Code
        What was fixed before looking at them: families, and allowed combinations.
    right : array of bool, optional
        Examples that the model gets right, where that is known. No answer is not right.
    delta : float
        The certificate fails with at most this probability.
    counts : tuple of int, optional
        The examples of each class, where these are counted already.
    """
    compression = code.compression(body, training, y)
    right = body.classify(training) == y if right is None else right
    aside, tested = aside_and_tested_rows(code.families, compression.places, y.size)
    counts = counts or class_counts(y, code.classes)
    wrong = class_counts(y[tested & ~right], code.classes)
    role_counts = {
        role: class_counts(y[np.array(rows, np.intp)], code.classes)
        for role, rows in compression.roles.items()
    }
    certificate = CompressionCertificate(
        bound=1.0,
        delta=delta,
        counts=counts,
        wrong=wrong,
        roles=compression.roles,
        role_counts=role_counts,
        aside=class_counts(y[aside], code.classes),
        message=compression.message,
        families=code.families,
        settings=code.settings,
        implied=code.implied,
        combinations=code.combinations,
        printed_bound=printed_bound(compression.machine, code.families, y, counts, wrong, delta),
        abstains=body.abstains,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
