"""Regression trees from settings and rows: growing, pruning, and the values of leaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates import (
    RegressionCandidates,
    RegressionMember,
    RegressionRows,
    regression_evidence,
)
from rulewright.data import Table, canonical_rows, canonical_table, key_columns
from rulewright.errors import InputError
from rulewright.families import Family, Spatial
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.preparation import restricted
from rulewright.learners.base.sample import Sample, taken
from rulewright.learners.tree.certified_sizes import size_grid
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.pruning import cost_path
from rulewright.learners.tree.regressor_settings import CRITERIA, TreeRegressorSettings
from rulewright.learners.tree.tree_builder import Cutting
from rulewright.models import RegressionModel, normalised_weight
from rulewright.rules import Leaf, Tree, reanchored

Floats = NDArray[np.float64]

MAX_TREES = 60
"""Maximum number of candidates of a pool, besides the constant."""


@dataclass(frozen=True, eq=False)
class RegressionSample:
    """Rows with numbers to predict, as a tree grows from them: in canonical order.

    ``weight`` is on the scale of ``normalised_weight``. ``rows``, ``names`` and ``left_out`` are
    those of ``Sample``.
    """

    table: Table
    target: Floats
    weight: Floats
    rows: NDArray[np.intp]
    names: tuple[str, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(
        cls, given: RegressionRows, families: Sequence[Family], left_out: Sequence[str]
    ) -> RegressionSample:
        """Put rows in canonical order, unless the columns stand for the rows."""
        names, table = tuple(given.table.names), given.table.observed()
        weight = normalised_weight(given.weight)
        if is_precomputed(families):
            return cls(table, given.target, weight, given.rows, names, tuple(left_out))
        table = canonical_table(table)
        order = canonical_rows(table, given.target, weight)
        return cls(
            taken(table, order),
            given.target[order],
            weight[order],
            given.rows[order],
            names,
            tuple(left_out),
        )


def is_precomputed(families: Sequence[Family]) -> bool:
    """Whether the columns are distances or kernels of the training rows."""
    return any(isinstance(family, Spatial) and family.precomputed for family in families)


def grown_regression(
    settings: TreeRegressorSettings, sample: RegressionSample, deadline: Deadline, threads: int
) -> GrownTree:
    """Grow a tree."""
    criterion = CRITERIA[settings.criterion]
    target, weight = sample.target, sample.weight
    halves = (target > np.median(target)).astype(np.int32)
    examples = Sample(
        sample.table,
        halves,
        weight,
        (0, 1),
        sample.rows,
        names=sample.names,
        left_out=sample.left_out,
    )
    examples = restricted(examples, settings)
    setup = settings.prepared_setup(examples, threads, criterion=criterion, missing="side")
    options = setup.plan.options
    sided = options.intervals or options.categories in ("single", "multiway")
    sided = sided or bool(setup.tree_columns.ranges)
    if criterion == "absolute" and sided:
        raise InputError(
            "By absolute error a tree splits by thresholds and subsets; ranges, intervals, "
            "multiway and categories need criterion='variance'."
        )
    # Sums of differences from a central number keep their digits.
    everywhere = np.zeros(target.size, np.int32)
    centred = target - _medians(everywhere, target, weight, 1)
    return GrownTree.of(setup.tree_columns, setup.plan, centred, weight, 1, deadline=deadline)


def pruned_regression(settings: TreeRegressorSettings, grown_tree: GrownTree) -> Tree:
    """Tree that is left after pruning by ``ccp_alpha``."""
    alpha = _usual_alpha(settings)
    if alpha < 0:
        return _subtree(grown_tree, np.zeros(grown_tree.grown.value.size, np.bool_))
    return _subtree(grown_tree, cost_path(grown_tree).removed_at <= alpha)


def regression_candidates(
    settings: TreeRegressorSettings,
    design: RegressionRows,
    categorical: Sequence[str],
    threads: int = 1,
) -> RegressionCandidates:
    """Candidates for a split certificate, learnt from the design rows only; no choice is made.

    They are the subtrees of cost-complexity pruning: the constant, all small ones and ever fewer
    large ones. Without pruning there are the constant and the whole tree. Their anchors are numbers
    of ``design.rows``.
    """
    left_out = key_columns(design.table.observed(), categorical)
    sample = RegressionSample.of(design, settings.families(), tuple(left_out))
    grown_tree = grown_regression(settings, sample, Deadline(None), threads)
    path = cost_path(grown_tree)
    alphas = _candidate_alphas(settings, path.alphas)
    members = []
    for place in size_grid(len(alphas))[: MAX_TREES + 1].tolist():
        body = _subtree(grown_tree, path.removed_at <= alphas[place])
        values = _leaf_values(body, body.answer(sample.table), sample, settings.by_median)
        members.append(RegressionMember(reanchored(body, sample.rows), tuple(values.tolist())))
    return RegressionCandidates(members, settings.by_median)


def regression_model(
    settings: TreeRegressorSettings, body: Tree, sample: RegressionSample, target: str | None
) -> RegressionModel:
    """Model of a tree with the values of the sample; ``target`` is the name of their column."""
    answers = body.answer(sample.table)
    values = _leaf_values(body, answers, sample, settings.by_median)
    evidence = regression_evidence(
        answers, sample.target, sample.weight, values, settings.by_median
    )
    return RegressionModel(
        columns=sample.table.select(list(sample.names)).fields,
        body=reanchored(body, sample.rows),
        values=tuple(values.tolist()),
        evidence=tuple(map(tuple, evidence.tolist())),
        target=target,
        named=sample.table.named,
    )


def _leaf_values(
    body: Tree, answers: NDArray[np.int32], sample: RegressionSample, by_median: bool
) -> Floats:
    """Answer of each leaf: the mean of its rows, or their median."""
    of_leaves = _medians if by_median else _means
    found = of_leaves(answers, sample.target, sample.weight, len(body.outputs))
    return found + 0.0  # -0.0 is 0.0


def _usual_alpha(settings: TreeRegressorSettings) -> float:
    """Price of a leaf in pruning; below 0 where nothing is removed."""
    return settings.ccp_alpha if settings.pruning != "none" and settings.ccp_alpha > 0 else -1.0


def _candidate_alphas(settings: TreeRegressorSettings, alphas: Floats) -> list[float]:
    """Prices of a leaf that give different trees, the smallest tree first, from all prices."""
    usual = _usual_alpha(settings)
    if settings.pruning == "none":
        return [math.inf, usual]
    above = np.unique(alphas[alphas > max(usual, 0.0)])
    return [math.inf, *above[-2::-1].tolist(), usual]  # the largest leaves the constant


def _subtree(grown_tree: GrownTree, removed: NDArray[np.bool_]) -> Tree:
    """Tree without some splits, its leaves numbered in the order of the nodes."""
    numbers = np.arange(removed.size, dtype=np.int32)
    return _renumbered(grown_tree.tree(Cutting.to(grown_tree.grown.tree, numbers, removed)))


def _renumbered(body: Tree) -> Tree:
    """Tree whose leaves are numbered in the order of the nodes."""
    numbers = iter(range(len(body.outputs)))
    nodes = (Leaf(next(numbers)) if isinstance(node, Leaf) else node for node in body.nodes)
    return Tree(tuple(nodes))


def _means(answers: NDArray[np.int32], target: Floats, weight: Floats, leaves: int) -> Floats:
    """Mean of each leaf, computed about one of its numbers: equal numbers stay as they are."""
    first = np.zeros(leaves)
    first[answers[::-1]] = target[::-1]
    apart = np.bincount(answers, weight * (target - first[answers]), leaves)
    means: Floats = first + apart / np.bincount(answers, weight, leaves)
    return means


def _medians(answers: NDArray[np.int32], target: Floats, weight: Floats, leaves: int) -> Floats:
    """Lower weighted median of each leaf."""
    order = np.lexsort((target, answers))
    upto = np.cumsum(weight[order])
    ends = np.searchsorted(answers[order], np.arange(leaves), side="right")
    before = np.append(0.0, upto[ends[:-1] - 1])
    half = before + (upto[ends - 1] - before) / 2
    places = [
        int(np.searchsorted(upto[start:end], middle)) + start
        for start, end, middle in zip(np.append(0, ends[:-1]), ends, half, strict=True)
    ]
    medians: Floats = target[order][np.minimum(places, ends - 1)]
    return medians
