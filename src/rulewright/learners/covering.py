"""The set covering machine's search: BuildSCM.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, section 2. In the paper's words: a conjunction covers N and spares P, a
disjunction covers P and spares N; Q are the examples of the class to cover that a feature gets
right, R those of the other class that it gets wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rulewright.families import Family, Search
from rulewright.learners.parameters import Kind
from rulewright.learners.progress import report
from rulewright.learners.sample import Sample
from rulewright.learners.usefulness import signed_weights, usefulness
from rulewright.models import Model, PathEntry, certify
from rulewright.rules import Conjunction, Disjunction, Predicate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """What a covering search is given: the examples, and what holds for all of its machines."""

    sample: Sample
    families: tuple[Family, ...]
    delta: float = 0.05


@dataclass(frozen=True)
class Step:
    """One feature, and the class counts and weights of the examples that it settled."""

    predicate: Predicate
    counts: NDArray[np.int64]
    weights: Floats


def build_scm(
    task: Task, kind: Kind, p: Fraction | float, max_rules: float, search: Search
) -> Iterator[Step]:
    """Cover one class feature by feature, the most useful first."""
    disjunction = kind == "disjunction"
    to_cover = task.sample.y == (1 if disjunction else 0)
    weight = signed_weights(to_cover, task.sample.weight, p)
    remaining = np.ones(to_cover.size, np.bool_)
    size = 0
    while size < max_rules and (remaining & to_cover).any():
        # A disjunction covers where the feature is true, a conjunction where it is false.
        best = search.heaviest(weight, side=disjunction)
        if best is None or best.gathered == 0:
            return  # Q is empty: nothing covers what remains
        settled = remaining & (best.predicate.holds(task.sample.table) == disjunction)
        yield Step(best.predicate, *_class_sums(task.sample, settled))
        weight[settled] = 0
        remaining &= ~settled
        size += 1
        report(f"{kind}, p = {float(p):g}, rules", size, int(min(max_rules, 10**6)))


def _class_sums(sample: Sample, rows: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats]:
    each = [rows & (sample.y == code) for code in (0, 1)]
    counts = np.array([there.sum() for there in each], np.int64)
    return counts, np.array([sample.weight[there].sum() for there in each])


def covering_paths(
    task: Task, kinds: Sequence[Kind], p: Fraction | float, max_rules: float, search: Search
) -> list[list[PathEntry]]:
    """Search all sizes of each kind, each in one greedy run."""
    paths = []
    for kind in kinds:
        steps = list(build_scm(task, kind, p, max_rules, search))
        paths.append(_path(task, kind, p, steps, len(kinds)))
    return paths


def best_path(paths: Sequence[list[PathEntry]]) -> list[PathEntry]:
    """Keep the path that ends in the best certificate, then in fewer errors, then the first."""
    return min(paths, key=lambda path: (path[-1].certificate.bound, path[-1].errors))


def _path(
    task: Task, kind: Kind, p: Fraction | float, steps: Sequence[Step], kinds: int
) -> list[PathEntry]:
    everything = _class_sums(task.sample, np.ones(task.sample.y.size, np.bool_))
    if not steps:
        return [_constant(task, everything, kinds)]
    return [
        _entry(task, kind, p, steps[:size], everything, kinds) for size in range(1, len(steps) + 1)
    ]


def _entry(
    task: Task,
    kind: Kind,
    p: Fraction | float,
    steps: Sequence[Step],
    everything: tuple[NDArray[np.int64], Floats],
    kinds: int,
) -> PathEntry:
    """Put the first features together. What no feature settled is left to the other answer."""
    parts = tuple(step.predicate for step in steps)
    arrange = Conjunction if kind == "conjunction" else Disjunction
    body = arrange(parts, then=1, otherwise=0)
    settled: NDArray[np.int64] = np.sum([step.counts for step in steps], axis=0)
    left_counts = everything[0] - settled
    left_weights = everything[1] - np.sum([step.weights for step in steps], axis=0)
    spared = 1 if kind == "conjunction" else 0
    wrong = np.zeros(2, np.int64)
    wrong[spared] = settled[spared]  # R of all features
    wrong[1 - spared] = left_counts[1 - spared]  # what was to be covered and is not
    useful = usefulness(steps[-1].weights[1 - spared], steps[-1].weights[spared], p)
    evidence = (*(step.weights for step in steps), left_weights)
    return _certified(task, body, evidence, wrong, kinds, len(steps), useful)


def _constant(task: Task, everything: tuple[NDArray[np.int64], Floats], kinds: int) -> PathEntry:
    """Predict the majority where no feature covers anything."""
    majority = int(everything[1].argmax())
    body = Conjunction((), then=majority, otherwise=1 - majority)
    wrong = everything[0].copy()
    wrong[majority] = 0
    return _certified(task, body, (everything[1],), wrong, kinds, 0, 0.0)


def _certified(
    task: Task,
    body: Conjunction | Disjunction,
    evidence: Sequence[Floats],
    wrong: NDArray[np.int64],
    kinds: int,
    size: int,
    useful: float,
) -> PathEntry:
    sample = task.sample
    anchors = np.array(body.anchors, np.intp)
    labels = sample.y[anchors]
    here = sample.table.select(body.columns).take(anchors)
    misjudged = labels[body.classify(here) != labels]
    outside = wrong - np.bincount(misjudged, minlength=2)
    certificate = certify(
        body,
        sample.table.fields,
        families=task.families,
        kinds=kinds,
        anchor_labels=labels,
        m=sample.y.size,
        positives=int(sample.y.sum()),
        misses=int(outside[1]),
        false_alarms=int(outside[0]),
        delta=task.delta,
    )
    model = Model(
        columns=sample.table.fields,
        classes=sample.classes,
        body=body,
        # What was left is a difference: rounding may have taken it below nothing.
        evidence=tuple(tuple(max(float(w), 0.0) for w in weights) for weights in evidence),
        target=sample.target,
        named=sample.table.named,
        certificate=certificate,
    )
    return PathEntry(size, model, int(wrong.sum()), certificate, useful)
