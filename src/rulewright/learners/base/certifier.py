"""A model with its evidence and its certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import Certificate, Code, PathEntry, certify, counted_evidence
from rulewright.data import Table
from rulewright.families import Family
from rulewright.learners.base.baseline import Costs, loses_more
from rulewright.learners.base.sample import Sample
from rulewright.models import Model
from rulewright.rules import Arrangement, Predicate, RuleList, RuleVote

Mask = NDArray[np.bool_]
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
    _evaluated: dict[Predicate, Mask] = field(default_factory=dict, repr=False)

    @cached_property
    def _code(self) -> Code:
        classes = len(self.sample.classes)
        return Code(self.families, classes, self.settings, self.implied, self.combinations)

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        counts = np.bincount(self.sample.y, minlength=len(self.sample.classes))
        return tuple(counts.tolist())

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
        answers = self._answers(body) if answers is None else answers
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
        )
        size = len(outputs) if size is None else size
        return PathEntry(size, model, int((~right).sum()), certificate, useful)

    def _answers(self, body: Arrangement) -> Answers:
        """Rules that answer the examples; conditions of earlier models are not evaluated again."""
        table = self.sample.table
        if isinstance(body, RuleList):
            known = tuple(replace(rule, condition=self._known(rule)) for rule in body.listed)
            return replace(body, listed=known).answer(table)
        if isinstance(body, RuleVote):
            voters = tuple(replace(rule, condition=self._known(rule)) for rule in body.voters)
            return replace(body, voters=voters).answer(table)
        return body.answer(table)

    def _known(self, rule: Any) -> Any:
        mask = self._evaluated.get(rule.condition)
        if mask is None:
            mask = self._evaluated[rule.condition] = rule.condition.holds(self.sample.table)
        return _Evaluated(mask)

    def _evidence(self, body: Arrangement, answers: Answers) -> tuple[tuple[float, ...], ...]:
        sample = self.sample
        sums = counted_evidence(
            body, sample.table, sample.y, sample.weight, len(sample.classes), answers
        )
        return tuple(tuple(row) for row in sums.tolist())


@dataclass(frozen=True, eq=False)
class _Evaluated:
    """A condition whose truth on every example is known."""

    mask: Mask

    def holds(self, table: Table) -> Mask:
        return self.mask


def certified_cost(certificate: Certificate, costs: Sequence[Fraction] | None) -> float:
    """Bound on the error, or on the expected cost where classes have costs."""
    if costs is None:
        return certificate.bound
    return certificate.cost_bound([float(cost) for cost in costs])
