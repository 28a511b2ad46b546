"""The decision list machine's search: BuildDLM.

M. Sokolova, M. Marchand, N. Japkowicz and J. Shawe-Taylor (2003), The Decision List Machine,
section 2, with rules for any number of classes: a rule (feature, class c) is worth what it covers
of class c less the penalties of what it covers of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import PathEntry
from rulewright.families import Found, Question
from rulewright.learners.base.consistency import MAX_ORDINARY, Demands
from rulewright.learners.base.greedy_task import GreedyTask, Grown, Mask, Stage
from rulewright.learners.base.progress import report
from rulewright.learners.base.usefulness import MAX_WEIGHT, Penalty, class_weights, usefulness
from rulewright.rules import Predicate, Rule, RuleList

COVERAGE, LATER_CLASS = "coverage", "class"
"""Of equally useful rules for different classes, take the one that covers more, or the later class.

The later of two classes is the positive one: BuildDLM (Figure 1) then appends (h, 1).
"""


@dataclass(frozen=True, eq=False)
class ListStep:
    """One rule, the examples that it settled, and the answer where no rule so far fires."""

    predicate: Predicate
    output: int
    settled: Mask
    default: int


@dataclass(frozen=True, eq=False)
class ListState:
    """Examples that no rule has answered yet, those that rebuild the list so far, and its tests."""

    remaining: Mask
    rebuilding: Mask
    default: int | None = None
    parts: tuple[Predicate, ...] = ()


def build_dlm(
    task: GreedyTask, penalties: Sequence[Penalty], max_rules: float, ties: str = COVERAGE
) -> Iterator[ListStep]:
    """Append rules, the most useful first, for the examples that no earlier rule answers."""
    y = task.sample.y
    max_weight = MAX_ORDINARY if task.consistent else MAX_WEIGHT
    gain, loss = class_weights(y, task.weight, penalties, max_weight)
    state = ListState(np.ones(y.size, np.bool_), np.zeros(y.size, np.bool_))
    size = 0
    while size < max_rules and np.unique(y[state.remaining]).size > 1:
        if task.deadline.over:
            return
        step = _best_step(task, gain, loss, state, ties)
        if step is None:
            return  # the most useful rule covers nothing new of its own class
        yield step
        rebuilding = state.rebuilding.copy()
        rebuilding[list(step.predicate.anchors)] = True
        parts = (*state.parts, step.predicate)
        state = ListState(state.remaining & ~step.settled, rebuilding, step.default, parts)
        size += 1
        report("list, rules", size, int(min(max_rules, 10**6)))


def _best_step(
    task: GreedyTask, gain: NDArray[np.int64], loss: NDArray[np.int64], state: ListState, ties: str
) -> ListStep | None:
    """Take the heaviest rule over all classes; further ties go to the later class."""
    y, remaining = task.sample.y, state.remaining
    best: _Weighed | None = None
    for output in reversed(range(task.n_classes)):
        own = y == output
        if not (own & remaining).any():
            continue
        weight = np.where(remaining, np.where(own, gain, -loss), 0)
        found = _best_of_class(task, weight, state, output)
        if found is not None and (best is None or found.rank(ties) > best.rank(ties)):
            best = found
    if best is None or best.covered == 0:
        return None
    step = best.step
    if task.consistent:
        return step
    return replace(step, default=_default(task, step.output, remaining & ~step.settled))


@dataclass(frozen=True, eq=False)
class _Weighed:
    """A step, its total weight, and the weight that it covers of its own class."""

    step: ListStep
    total: int
    covered: int

    def rank(self, ties: str) -> tuple[int, int]:
        return rule_rank(self.total, self.covered, ties)


def rule_rank(total: int, covered: int, ties: str) -> tuple[int, int]:
    """Rank of a rule among those for other classes, the best one having the highest."""
    return total, covered if ties == COVERAGE else min(covered, 1)


def _best_of_class(
    task: GreedyTask, weight: NDArray[np.int64], state: ListState, output: int
) -> _Weighed | None:
    """Take the heaviest rule for a class, and of those the one that covers more."""
    y, remaining = task.sample.y, state.remaining
    best: _Weighed | None = None
    for default in _defaults(task, state, output):
        found = _ask(task, weight, state, output, default)
        if found is None:
            continue
        fires = found.predicate.holds(task.sample.table) & remaining
        step = ListStep(found.predicate, output, fires, default)
        covered = int(weight[fires & (y == output)].sum())
        weighed = _Weighed(step, int(weight[fires].sum()), covered)
        if best is None or weighed.rank(COVERAGE) > best.rank(COVERAGE):
            best = weighed
    return best


def _ask(
    task: GreedyTask, weight: NDArray[np.int64], state: ListState, output: int, default: int
) -> Found | None:
    y, remaining = task.sample.y, state.remaining
    search = task.search_for(state.parts, together=False)
    if not task.consistent:
        return search.heaviest(Question(weight, output, open=remaining))
    waiting = state.rebuilding & remaining
    demands = Demands(waiting & (y == output), waiting & (y != output))
    open_rows = remaining & ((y == output) | (y == default))
    question = Question(demands.weigh(weight), output, open=open_rows, implied=True)
    found = search.heaviest(question)
    if found is None or not demands.met_by(found.predicate.holds(task.sample.table)):
        return None
    return found


def _defaults(task: GreedyTask, state: ListState, output: int) -> list[int]:
    """Classes that a consistent list may answer where no rule fires.

    All examples that rebuild the list and that no rule answers must be of that class.
    """
    if not task.consistent:
        return [-1]
    others = [c for c in range(task.n_classes) if c != output]
    if state.default is not None and state.default != output:
        waiting = state.rebuilding & state.remaining
        if waiting.any():
            return [state.default]
    there = [c for c in others if (state.remaining & (task.sample.y == c)).any()]
    return there or others[:1]


def _default(task: GreedyTask, output: int, remaining: Mask) -> int:
    """Answer of the remaining examples: their majority, or of two classes the other one."""
    if task.n_classes == 2:
        return 1 - output
    return task.majority(remaining)


def listing_stages(
    task: GreedyTask, penalties: Sequence[Penalty], max_rules: float, ties: str = COVERAGE
) -> Iterator[Stage]:
    """Search all sizes in one greedy run, and certify each."""
    return task.stages(grow_list(task, penalties, max_rules, ties), _always(task))


def listing_path(
    task: GreedyTask, penalties: Sequence[Penalty], max_rules: float, ties: str = COVERAGE
) -> list[PathEntry]:
    """Search the lists of all sizes, up to the last that loses no more than a constant answer.

    Penalties other than 1 ask for other answers than the likeliest: then all sizes are kept.
    """
    stages = listing_stages(task, penalties, max_rules, ties)
    if any(penalty != 1 for penalty in penalties):
        return [stage.entry for stage in stages]
    return task.path(stages, _always(task))


def _always(task: GreedyTask) -> RuleList:
    return RuleList((), task.majority(np.ones(task.sample.y.size, np.bool_)))


def grow_list(
    task: GreedyTask, penalties: Sequence[Penalty], max_rules: float, ties: str = COVERAGE
) -> Iterator[Grown]:
    """Lists of all sizes, without certificates."""
    rules: list[Rule] = []
    for step in build_dlm(task, penalties, max_rules, ties):
        rules.append(Rule(step.predicate, step.output))
        body = RuleList(tuple(rules), step.default)
        idle = step.default == step.output
        yield Grown(body, step.settled, _useful(task, step, penalties), idle)


def _useful(task: GreedyTask, step: ListStep, penalties: Sequence[Penalty]) -> float:
    y, weight = task.sample.y, task.weight
    lost = [
        usefulness(0.0, float(weight[step.settled & (y == c)].sum()), penalties[c])
        for c in range(task.n_classes)
        if c != step.output
    ]
    return float(weight[step.settled & (y == step.output)].sum()) + sum(lost)
