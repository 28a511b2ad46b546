"""The covering machine with the best certificate, over penalties, kinds and sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.families import prepare
from rulewright.learners.covering import Task, covering_paths
from rulewright.learners.parameters import Kind
from rulewright.models import PathEntry

PENALTIES: tuple[Fraction | float, ...] = (
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
    penalties: Sequence[Fraction | float] = PENALTIES,
    max_rules: float = 10,
    threads: int = 1,
) -> Selection:
    """Try every penalty and both kinds, all sizes, and keep the smallest bound.

    Ties go to the smaller machine, then to fewer training errors, then to what was tried first.
    """
    search = prepare(task.families, task.sample.table, threads)
    tried: list[tuple[Candidate, list[PathEntry]]] = []
    for p in penalties:
        for kind, path in zip(
            KINDS, covering_paths(task, KINDS, p, max_rules, search), strict=True
        ):
            tried += [(Candidate(kind, float(p), entry), path) for entry in path]
    chosen, path = min(tried, key=lambda pair: _worth(pair[0].entry))
    return Selection(chosen, path, [candidate for candidate, _ in tried])


def _worth(entry: PathEntry) -> tuple[float, int, int]:
    return entry.certificate.bound, entry.size, entry.errors
