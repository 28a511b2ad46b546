"""Models of rows that were counted: what they answer, and the entries of a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry, counted_evidence, tests_of
from rulewright.data import Counts, Field, Patterns
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.sample import Sample
from rulewright.models import Model, counted_profile
from rulewright.rules import Arrangement, without_anchors

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountedMachine:
    """A machine with one rule more; ``idle``: its last rule answers as the default does."""

    body: Arrangement
    idle: bool = False


def counted_entry(
    body: Arrangement,
    patterns: Patterns,
    sample: Sample,
    columns: tuple[Field, ...],
    size: int | None = None,
    useful: float = 0.0,
) -> PathEntry:
    """Count the rows that the rules of a model answer.

    ``columns`` are the fields of the model. ``size`` is the number of its answers by default, and
    ``useful`` the score of its last rule.
    """
    answers = body.answer(patterns.table)
    evidence = counted_evidence(
        body, patterns.table, patterns.labels, patterns.rows, len(sample.classes), answers
    )
    wrong = np.array(body.outputs, np.int32)[answers] != patterns.labels
    rules = np.bincount(answers, patterns.rows, len(body.outputs)).astype(np.intp)
    errors = int(patterns.rows[wrong].sum())
    size = len(body.outputs) if size is None else size
    return _entry(_model(body, evidence, rules, sample, columns), size, errors, useful)


def entry_of(
    body: Arrangement, evidence: Floats, sample: Sample, columns: tuple[Field, ...], size: int
) -> PathEntry:
    """Entry of a model from the rows of each class (columns) that each rule (rows) answers."""
    outputs = np.array(body.outputs, np.intp)
    right = float(evidence[np.arange(outputs.size), outputs].sum())
    model = _model(body, evidence, evidence.sum(axis=1).astype(np.intp), sample, columns)
    return _entry(model, size, int(evidence.sum() - right))


def _model(
    body: Arrangement,
    evidence: Floats,
    rules: NDArray[np.intp],
    sample: Sample,
    columns: tuple[Field, ...],
) -> Model:
    """Model without a certificate; ``rules`` are the numbers of rows that each rule answers."""
    return Model(
        columns=columns,
        classes=sample.classes,
        body=body,
        evidence=tuple(map(tuple, evidence.tolist())),
        target=sample.target,
        named=True,
        certificate=None,
        profile=counted_profile(rules),
    )


def _entry(model: Model, size: int, errors: int, useful: float = 0.0) -> PathEntry:
    return PathEntry(size, model, errors, None, useful)  # type: ignore[arg-type]


def counted_path(
    machines: Sequence[CountedMachine],
    always: Arrangement,
    counts: Counts,
    sample: Sample,
    *,
    keep_all: bool,
) -> list[PathEntry]:
    """Entries of the machines of a run, up to the last that loses no more than a constant answer.

    ``always`` is the constant answer; it is the whole path if all machines lose more. With
    ``keep_all`` the path has all machines.
    """
    bodies = [without_anchors(machine.body) for machine in machines]
    categorical = [column.name for column in sample.table.categorical]
    patterns = counts.patterns(*tests_of(bodies[-1:], categorical))
    entries = [
        counted_entry(body, patterns, sample, counts.fields, size)
        for size, (body, machine) in enumerate(zip(bodies, machines, strict=True), 1)
        if not machine.idle
    ]
    if not keep_all:
        good = admissible(entries)
        entries = entries[: good[-1] + 1] if good else []
    return entries or [counted_entry(always, patterns, sample, counts.fields, 0)]
