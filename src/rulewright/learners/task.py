"""What a greedy search is given, and the entries of its path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.families import Family, Search, Training, prepare
from rulewright.learners.sample import Sample
from rulewright.models import Model, PathEntry, certify
from rulewright.rules import Arrangement

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Task:
    """The examples, what predicates are made of, and what holds for all machines of a search.

    ``consistent`` machines classify all examples that rebuild them correctly. ``most`` limits the
    prototypes or pairs that are tried, drawn with ``seed``; "auto" does so for large data only.
    """

    sample: Sample
    families: tuple[Family, ...]
    delta: float = 0.05
    consistent: bool = False
    threads: int = 1
    most: int | str | None = "auto"
    seed: int = 0

    @cached_property
    def measured(self) -> tuple[Family, ...]:
        """The families, with the scales that they measured."""
        table = self.sample.table
        return tuple(f.measured(table, f.aside(table.rows)) for f in self.families)

    @cached_property
    def training(self) -> Training:
        """What the families make predicates from."""
        sample = self.sample
        return Training(sample.table, sample.y, sample.rows, self.threads, self.most, self.seed)

    @cached_property
    def search(self) -> Search:
        """All families, prepared once."""
        return prepare(self.measured, self.training)

    def notices(self) -> list[str]:
        """Say where not all candidates are tried."""
        found = (family.notice(self.training) for family in self.measured)
        return [notice for notice in found if notice]

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        return tuple(np.bincount(self.sample.y, minlength=self.classes).tolist())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.sample.classes)

    def entry(
        self,
        body: Arrangement,
        answers: NDArray[np.intp],
        *,
        size: int,
        useful: float,
        kinds: int = 1,
    ) -> PathEntry:
        """Certify a machine; ``answers`` says which of its rules answers each example."""
        sample = self.sample
        rules = body.rules
        outputs = np.array([rule.output for rule in rules], np.int32)
        right = outputs[answers] == sample.y
        certificate = certify(
            body,
            sample.table.fields,
            families=self.measured,
            y=sample.y,
            right=right,
            classes=self.classes,
            kinds=kinds,
            implied=self.consistent,
            delta=self.delta,
            counts=self._counts,
        )
        model = Model(
            columns=sample.table.fields,
            classes=sample.classes,
            body=body,
            evidence=_evidence(answers, sample, len(rules), self.classes),
            target=sample.target,
            named=sample.table.named,
            certificate=certificate,
        )
        return PathEntry(size, model, int((~right).sum()), certificate, useful)


def _evidence(
    answers: NDArray[np.intp], sample: Sample, rules: int, classes: int
) -> tuple[tuple[float, ...], ...]:
    """Sum the weights of each class among the examples that each rule answers."""
    sums = np.bincount(
        answers * classes + sample.y, weights=sample.weight, minlength=rules * classes
    )
    return tuple(tuple(row) for row in sums.reshape(rules, classes).tolist())


def best_path(paths: Sequence[list[PathEntry]]) -> list[PathEntry]:
    """Keep the path that ends in the best certificate, then in fewer errors, then the first."""
    return min(paths, key=lambda path: (path[-1].certificate.bound, path[-1].errors))


def majority(sample: Sample, rows: Mask, classes: int) -> int:
    """Give the class of the most weight among some examples, or among all where there are none."""
    rows = rows if rows.any() else np.ones_like(rows)
    return int(np.bincount(sample.y[rows], weights=sample.weight[rows], minlength=classes).argmax())
