"""Models of rows that were counted: what they answer, and the entries of a path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import CountedCandidates, PathEntry, PoolMember, counted_evidence
from rulewright.data import Counts, Field, Patterns
from rulewright.errors import InputError
from rulewright.learners.base.baseline import admissible
from rulewright.learners.base.sample import Sample
from rulewright.models import Model, counted_profile
from rulewright.render import predicate_text
from rulewright.rules import (
    Arrangement,
    Category,
    Interval,
    Missing,
    Predicate,
    Threshold,
    literals_of,
    without_anchors,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountedMachine:
    """A machine with one rule more; ``idle``: its last rule answers as the default does."""

    body: Arrangement
    idle: bool = False


def tests_of(
    bodies: Iterable[Arrangement], categorical: Iterable[str]
) -> tuple[dict[str, Floats], list[str]]:
    """Cuts of numeric columns, and names of the others, that models test.

    ``categorical`` are the names of all other columns.
    """
    return asked_by((one for body in bodies for one in literals_of(body)), categorical)


def asked_by(
    literals: Iterable[Predicate], categorical: Iterable[str]
) -> tuple[dict[str, Floats], list[str]]:
    """Cuts of numeric columns, and names of the others, that tests ask."""
    known, cuts, others = set(categorical), dict[str, set[float]](), set[str]()
    for literal in literals:
        match literal:
            case Threshold(name, _, cut):
                cuts.setdefault(name, set()).add(_before(cut) if literal.cut_above else cut)
            case Interval(name, low, high):
                ends = {low if literal.low_open else _before(low)}
                ends.add(_before(high) if literal.high_open else high)
                cuts.setdefault(name, set()).update(ends)
            case Category(name) | Missing(name) if name in known:
                others.add(name)
            case Missing(name):
                cuts.setdefault(name, set())
            case _:
                raise InputError(
                    f"A test such as '{predicate_text(literal)}' cannot be counted where the rows "
                    "are, so there is no split certificate. Set certificate=None, or use tests of "
                    "single columns."
                )
    return {name: np.array(sorted(mine)) for name, mine in sorted(cuts.items())}, sorted(others)


def _before(value: float) -> float:
    """Largest number below a value."""
    return math.nextafter(value, -math.inf)


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
    model = Model(
        columns=columns,
        classes=sample.classes,
        body=body,
        evidence=tuple(map(tuple, evidence.tolist())),
        target=sample.target,
        named=True,
        certificate=None,
        profile=counted_profile(rules),
    )
    errors = int(patterns.rows[wrong].sum())
    size = len(body.outputs) if size is None else size
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


def counted_candidates(
    machines: Iterable[CountedMachine], sample: Sample, origin: str
) -> CountedCandidates:
    """Return machines as candidates of a split certificate."""
    bodies = [without_anchors(machine.body) for machine in machines if not machine.idle]
    tests = tests_of(bodies, [column.name for column in sample.table.categorical])
    return CountedCandidates([[PoolMember(body, origin) for body in bodies]], *tests)
