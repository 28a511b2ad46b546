"""A model with its evidence and its certificate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rulewright.families import Family
from rulewright.learners.base.baseline import Costs, loses_more
from rulewright.learners.base.greedy_task import evidence_of
from rulewright.learners.base.sample import Sample
from rulewright.models import Code, Model, PathEntry, certify
from rulewright.rules import Arrangement


@dataclass(frozen=True, eq=False)
class Certifier:
    """What it takes to certify a model: the examples, and what was settled beforehand.

    ``combinations`` are what conditions may be made of besides single literals.
    """

    sample: Sample
    families: tuple[Family, ...]
    delta: float
    settings: int = 1
    combinations: tuple[str, ...] = ()

    def better(
        self, body: Arrangement, constant: Arrangement, costs: Costs, size: int | None = None
    ) -> PathEntry:
        """Certify a model, or a constant answer where the model loses more on the examples."""
        entry = self.entry(body, size)
        if not loses_more(entry.model, costs):
            return entry
        return self.entry(constant, None if size is None else 0)

    def entry(self, body: Arrangement, size: int | None = None, useful: float = 0.0) -> PathEntry:
        """Certify a model; its size is the number of its answers where nothing else is said."""
        sample = self.sample
        answers = body.answer(sample.table)
        outputs = np.array(body.outputs, np.int32)
        right = outputs[answers] == sample.y
        code = Code(
            self.families, len(sample.classes), self.settings, combinations=self.combinations
        )
        certificate = certify(body, sample.table, sample.y, code, right=right, delta=self.delta)
        answering = len(outputs)
        model = Model(
            columns=sample.table.fields,
            classes=sample.classes,
            body=body,
            evidence=evidence_of(body, answers, sample),
            target=sample.target,
            named=sample.table.named,
            certificate=certificate,
        )
        size = answering if size is None else size
        return PathEntry(size, model, int((~right).sum()), certificate, useful)
