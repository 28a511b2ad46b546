"""The machine with the best certificate, over penalties, kinds and sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.learners.covering import covering_paths
from rulewright.learners.listing import listing_path
from rulewright.learners.parameters import Kind
from rulewright.learners.task import Task
from rulewright.learners.usefulness import Penalty
from rulewright.models import PathEntry

PENALTIES: tuple[Penalty, ...] = (
    Fraction(1, 2),
    Fraction(1),
    Fraction(2),
    Fraction(5),
    Fraction(10),
    math.inf,
)
KINDS: tuple[Kind, ...] = ("conjunction", "disjunction")


@dataclass(frozen=True)
class Candidate:
    """One machine that was tried."""

    kind: str
    p: float
    entry: PathEntry


@dataclass(frozen=True)
class Selection:
    """The machine that was chosen, the path it lies on, and all that were tried."""

    chosen: Candidate
    path: list[PathEntry]
    tried: list[Candidate]


def select_by_certificate(
    task: Task,
    *,
    penalties: Sequence[Penalty] = PENALTIES,
    max_rules: float = 10,
) -> Selection:
    """Try every penalty, all sizes and, for two classes, both kinds; keep the smallest bound.

    Two classes: set covering machines; more: decision lists. Ties go to the smaller machine, then
    to fewer training errors, then to what was tried first.
    """
    tried: list[tuple[Candidate, list[PathEntry]]] = []
    for kind, p, path in _paths(task, penalties, max_rules):
        tried += [(Candidate(kind, float(p), entry), path) for entry in path]
    chosen, path = min(tried, key=lambda pair: _worth(pair[0].entry))
    return Selection(chosen, path, [candidate for candidate, _ in tried])


def _paths(
    task: Task, penalties: Sequence[Penalty], max_rules: float
) -> Iterator[tuple[str, Penalty, list[PathEntry]]]:
    for p in penalties:
        if task.classes > 2:
            yield "list", p, listing_path(task, [p] * task.classes, max_rules)
            continue
        paths = covering_paths(task, KINDS, p, max_rules)
        for kind, path in zip(KINDS, paths, strict=True):
            yield kind, p, path


def _worth(entry: PathEntry) -> tuple[float, int, int]:
    return entry.certificate.bound, entry.size, entry.errors
