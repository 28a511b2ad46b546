"""The set covering machine's search: BuildSCM.

M. Marchand, M. Shah, J. Shawe-Taylor and M. Sokolova (2003), The Set Covering Machine with
Data-Dependent Half-Spaces, section 2. In the paper's words: a conjunction covers N and spares P, a
disjunction covers P and spares N; Q are the examples of the class to cover that a feature gets
right, R those of the other class that it gets wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rulewright.certificates import PathEntry
from rulewright.families import Question
from rulewright.learners.base.consistency import MAX_ORDINARY, Demands
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Mask, Stage
from rulewright.learners.base.progress import report
from rulewright.learners.base.usefulness import (
    MAX_WEIGHT,
    Penalty,
    prefer_fewer_losses,
    signed_weights,
    usefulness,
)
from rulewright.rules import Conjunction, Disjunction, Predicate

COVERAGE, LOSSES = "coverage", "losses"
"""Of predicates that are equally useful, take the one that covers more, or that loses less."""


@dataclass(frozen=True, eq=False)
class CoveringStep:
    """One feature, and the examples that it settled."""

    predicate: Predicate
    settled: Mask


def build_scm(
    task: GreedyTask, kind: str, p: Penalty, max_rules: float, ties: str = COVERAGE
) -> Iterator[CoveringStep]:
    """Cover one class feature by feature, the most useful first."""
    # A disjunction covers where the feature is true, a conjunction where it is false.
    disjunction = kind == "disjunction"
    to_cover = task.sample.y == (1 if disjunction else 0)
    max_weight = MAX_ORDINARY if task.consistent else MAX_WEIGHT
    weight = signed_weights(to_cover, task.weight, p, max_weight)
    if ties == LOSSES:
        weight = prefer_fewer_losses(weight, max_weight)
    remaining = np.ones(to_cover.size, np.bool_)
    rebuilding = np.zeros(to_cover.size, np.bool_)
    parts: list[Predicate] = []
    while len(parts) < max_rules and (remaining & to_cover).any() and not task.deadline.over:
        question = Question(weight, int(disjunction), disjunction)
        if task.consistent:
            demands = Demands(np.zeros_like(remaining), rebuilding & ~to_cover)
            question = Question(
                demands.weigh(weight),
                int(disjunction),
                disjunction,
                open=to_cover | remaining,
                implied=True,
                covered=to_cover & ~remaining,
            )
        best = task.search_for(parts, together=not disjunction).heaviest(question)
        if best is None:
            return
        fires = best.predicate.holds(task.sample.table) == disjunction
        settled = remaining & fires
        if not (settled & to_cover).any():
            return  # Q is empty: nothing covers what remains
        if task.consistent and not demands.met_by(fires):
            return  # every feature would misjudge an example that rebuilds the machine
        yield CoveringStep(best.predicate, settled)
        weight[settled] = 0
        remaining &= ~settled
        rebuilding[list(best.predicate.anchors)] = True
        parts.append(best.predicate)
        report(f"{kind}, p = {float(p):.15g}, rules", len(parts), int(min(max_rules, 10**6)))


def covering_stages(
    task: GreedyTask, kind: str, p: Penalty, max_rules: float, ties: str = COVERAGE
) -> Iterator[Stage]:
    """Search all sizes of a kind in one greedy run, and certify each."""
    return task.stages(grow_machine(task, kind, p, max_rules, ties), _always(task))


def covering_path(
    task: GreedyTask, kind: str, p: Penalty, max_rules: float, ties: str = COVERAGE
) -> list[PathEntry]:
    """Search the machines of all sizes, up to the last that loses no more than a constant answer.

    A penalty other than 1 asks for other answers than the likeliest: then all sizes are kept.
    """
    stages = covering_stages(task, kind, p, max_rules, ties)
    return [stage.entry for stage in stages] if p != 1 else task.path(stages, _always(task))


def _always(task: GreedyTask) -> Conjunction:
    always = task.majority(np.ones(task.sample.y.size, np.bool_))
    return Conjunction((), then=always, otherwise=1 - always)


def grow_machine(
    task: GreedyTask, kind: str, p: Penalty, max_rules: float, ties: str = COVERAGE
) -> Iterator[Grown]:
    """Machines of all sizes, without certificates."""
    arrange = Conjunction if kind == "conjunction" else Disjunction
    to_cover = task.sample.y == (0 if kind == "conjunction" else 1)
    parts: list[Predicate] = []
    for step in build_scm(task, kind, p, max_rules, ties):
        parts.append(step.predicate)
        covers = float(task.weight[step.settled & to_cover].sum())
        loses = float(task.weight[step.settled & ~to_cover].sum())
        body = arrange(tuple(parts), then=1, otherwise=0)
        yield Grown(body, step.settled, usefulness(covers, loses, p))
