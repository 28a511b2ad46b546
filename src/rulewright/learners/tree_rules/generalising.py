"""Generalised paths: conditions that a rule does not need for its accuracy are dropped.

J. R. Quinlan (1987), Generating production rules from decision trees, IJCAI; (1993), C4.5: Programs
for Machine Learning, section 5.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rulewright.kernels import drop_conditions, pessimistic_errors
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.progress import report
from rulewright.learners.tree_rules.paths import Paths
from rulewright.learners.tree_rules.weighted_examples import Candidate, WeightedExamples
from rulewright.rules import Predicate

TINY = 1e-300
AT_ONCE = 256
"""Number of paths that are generalised between two checks of the deadline."""


def generalised(
    examples: WeightedExamples,
    paths: Paths,
    confidence: float,
    deadline: Deadline,
    threads: int = 1,
) -> list[Candidate]:
    """Different rules from paths, each more accurate than its class is frequent.

    If half of the time is up, only the heaviest leaves have rules; the first ones always have.
    """
    soon = deadline.half()
    found: dict[tuple[frozenset[Predicate], int], Candidate] = {}
    for start in range(0, len(paths.conditions), AT_ONCE):
        report("paths made general", start, len(paths.conditions))
        if start and soon.over:
            break
        for rule in _some(examples, paths.take(start, start + AT_ONCE), confidence, threads):
            found.setdefault((frozenset(rule.terms), rule.output), rule)
    return simplest(found.values())


def _some(
    examples: WeightedExamples, paths: Paths, confidence: float, threads: int
) -> Iterator[Candidate]:
    left = drop_conditions(
        examples.bits(paths.tests),
        examples.own,
        examples.weight,
        examples.table.rows,
        paths.conditions,
        paths.outputs,
        confidence=confidence,
        threads=threads,
    )
    total = left.right + left.wrong
    rate = pessimistic_errors(total, left.wrong, confidence) / np.maximum(total, TINY)
    prior = examples.by_class / examples.by_class.sum()
    good = (left.right > 0) & (rate < 1 - prior[list(paths.outputs)])
    for number in np.flatnonzero(good).tolist():
        terms = tuple(paths.tests[test] for test in left.conditions[number])
        if terms:
            yield Candidate(
                terms,
                paths.outputs[number],
                examples.covered(terms),
                float(left.right[number]),
                float(left.wrong[number]),
                float(rate[number]),
            )


def simplest(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Keep the shortest of the rules that cover the same examples; ties go to the first."""
    best: dict[tuple[int, bytes], Candidate] = {}
    for candidate in candidates:
        key = candidate.output, candidate.rows.tobytes()
        if key not in best or len(candidate.terms) < len(best[key].terms):
            best[key] = candidate
    return list(best.values())
