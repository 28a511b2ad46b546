"""The set covering machine's search: BuildSCM.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, section 2. In the paper's words: a conjunction covers N and spares P, a
disjunction covers P and spares N; Q are the examples of the class to cover that a feature gets
right, R those of the other class that it gets wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.families import Question
from rulewright.learners.consistency import MOST_ORDINARY, Demands
from rulewright.learners.parameters import Kind
from rulewright.learners.progress import report
from rulewright.learners.task import Mask, Task, majority
from rulewright.learners.usefulness import MOST, Penalty, signed_weights, usefulness
from rulewright.models import PathEntry
from rulewright.rules import Conjunction, Disjunction, Predicate


@dataclass(frozen=True, eq=False)
class Step:
    """One feature, and the examples that it settled."""

    predicate: Predicate
    settled: Mask


def build_scm(task: Task, kind: Kind, p: Penalty, max_rules: float) -> Iterator[Step]:
    """Cover one class feature by feature, the most useful first."""
    # A disjunction covers where the feature is true, a conjunction where it is false.
    disjunction = kind == "disjunction"
    to_cover = task.sample.y == (1 if disjunction else 0)
    most = MOST_ORDINARY if task.consistent else MOST
    weight = signed_weights(to_cover, task.sample.weight, p, most)
    remaining = np.ones(to_cover.size, np.bool_)
    rebuilding = np.zeros(to_cover.size, np.bool_)
    size = 0
    while size < max_rules and (remaining & to_cover).any():
        question = Question(weight, int(disjunction), disjunction)
        demands = Demands(np.zeros_like(remaining), rebuilding & ~to_cover)
        if task.consistent:
            question = Question(
                demands.weigh(weight),
                int(disjunction),
                disjunction,
                open=to_cover | remaining,
                implied=True,
                covered=to_cover & ~remaining,
            )
        best = task.search.heaviest(question)
        if best is None:
            return
        fires = best.predicate.holds(task.sample.table) == disjunction
        settled = remaining & fires
        if not (settled & to_cover).any():
            return  # Q is empty: nothing covers what remains
        if task.consistent and not demands.met_by(fires):
            return  # every feature would misjudge an example that rebuilds the machine
        yield Step(best.predicate, settled)
        weight[settled] = 0
        remaining &= ~settled
        rebuilding[list(best.predicate.anchors)] = True
        size += 1
        report(f"{kind}, p = {float(p):g}, rules", size, int(min(max_rules, 10**6)))


def covering_paths(
    task: Task, kinds: Sequence[Kind], p: Penalty, max_rules: float
) -> list[list[PathEntry]]:
    """Search all sizes of each kind, each in one greedy run."""
    return [
        _path(task, kind, p, list(build_scm(task, kind, p, max_rules)), len(kinds))
        for kind in kinds
    ]


def _path(task: Task, kind: Kind, p: Penalty, steps: Sequence[Step], kinds: int) -> list[PathEntry]:
    answers: NDArray[np.intp] = np.zeros(task.sample.y.size, np.intp)
    if not steps:
        return [_constant(task, answers, kinds)]
    arrange = Conjunction if kind == "conjunction" else Disjunction
    unsettled = np.ones(answers.size, np.bool_)
    path = []
    for size, step in enumerate(steps, 1):
        answers[step.settled] = size - 1
        unsettled &= ~step.settled
        answers[unsettled] = size  # what no feature settled is left to the other answer
        body = arrange(tuple(s.predicate for s in steps[:size]), then=1, otherwise=0)
        useful = _useful(task, kind, p, step)
        path.append(task.entry(body, answers, size=size, useful=useful, kinds=kinds))
    return path


def _useful(task: Task, kind: Kind, p: Penalty, step: Step) -> float:
    to_cover = task.sample.y == (0 if kind == "conjunction" else 1)
    weight = task.sample.weight
    covers = float(weight[step.settled & to_cover].sum())
    return usefulness(covers, float(weight[step.settled & ~to_cover].sum()), p)


def _constant(task: Task, answers: NDArray[np.intp], kinds: int) -> PathEntry:
    """Predict the majority where no feature covers anything."""
    always = majority(task.sample, np.ones(answers.size, np.bool_), 2)
    body = Conjunction((), then=always, otherwise=1 - always)
    return task.entry(body, answers, size=0, useful=0.0, kinds=kinds)
