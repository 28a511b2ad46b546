"""A model with its evidence and its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import Certificate, Code, PathEntry, certify, counted_evidence
from rulewright.families import Family
from rulewright.kernels import code_counts
from rulewright.learners.base.baseline import Costs, loses_more
from rulewright.learners.base.sample import Sample
from rulewright.models import Model, answer_profile
from rulewright.rules import Arrangement, Evaluation

Answers = NDArray[np.signedinteger]


@dataclass(frozen=True, eq=False)
class Certifier:
    """What is needed to certify a model: the examples, and what was fixed before seeing them.

    Attributes
    ----------
    sample : Sample
    families : tuple of Family
        Families of predicates, with the scales that they measured.
    delta : float
    settings : int
        Number of settings among which the data choose, where a reconstruction depends on them.
    combinations : tuple of str or None
        Combinations of literals that conditions may be; None for single literals in the code of
        the set covering machine and the decision list machine.
    implied : bool
        Whether borders follow from the compression set, so that the message leaves them out.
    """

    sample: Sample
    families: tuple[Family, ...]
    delta: float
    settings: int = 1
    combinations: tuple[str, ...] | None = ()
    implied: bool = False

    @cached_property
    def _code(self) -> Code:
        classes = len(self.sample.classes)
        return Code(self.families, classes, self.settings, self.implied, self.combinations)

    @cached_property
    def _evaluation(self) -> Evaluation:
        return Evaluation(self.sample.table)

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        return tuple(code_counts(self.sample.y, len(self.sample.classes)).tolist())

    def better(
        self, body: Arrangement, constant: Arrangement, costs: Costs, size: int | None = None
    ) -> PathEntry:
        """Certify a model, or a constant answer where the model loses more on the examples."""
        entry = self.entry(body, size)
        if not loses_more(entry.model, costs):
            return entry
        return self.entry(constant, None if size is None else 0)

    def entry(
        self,
        body: Arrangement,
        size: int | None = None,
        useful: float = 0.0,
        answers: Answers | None = None,
    ) -> PathEntry:
        """Certify a model.

        ``size`` is the number of its answers by default. ``answers`` are the numbers of the rules
        that answer the examples, where the caller knows them.
        """
        sample = self.sample
        answers = self._evaluation.answer(body) if answers is None else answers
        outputs = np.array(body.outputs, np.int32)
        right = outputs[answers] == sample.y
        certificate = certify(
            body,
            sample.table,
            sample.y,
            self._code,
            right=right,
            delta=self.delta,
            counts=self._counts,
        )
        model = Model(
            columns=sample.table.fields,
            classes=sample.classes,
            body=body,
            evidence=self._evidence(body, answers),
            target=sample.target,
            named=sample.table.named,
            certificate=certificate,
            profile=answer_profile(answers, len(outputs)),
        )
        size = len(outputs) if size is None else size
        return PathEntry(size, model, int((~right).sum()), certificate, useful)

    def _evidence(self, body: Arrangement, answers: Answers) -> tuple[tuple[float, ...], ...]:
        sample = self.sample
        sums = counted_evidence(
            body, sample.table, sample.y, sample.weight, len(sample.classes), answers
        )
        return tuple(tuple(row) for row in sums.tolist())


def certified_cost(certificate: Certificate, costs: Sequence[Fraction | float] | None) -> float:
    """Bound on the error, or on the expected cost where classes have costs."""
    if costs is None:
        return certificate.bound
    return certificate.cost_bound([float(cost) for cost in costs])


def entry_worth(entry: PathEntry, costs: Sequence[Fraction | float] | None = None) -> float:
    """Bound on the error of an entry, or on its expected cost where classes have costs."""
    return certified_cost(entry.certificate, costs)
