"""Choices of a program as nodes of ONNX: the number of the rule, and probabilities of its own."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulewright.render.onnx_conditions import OnnxConditions
from rulewright.render.onnx_graph import OnnxGraph
from rulewright.render.onnx_leaves import leaf_of
from rulewright.render.programs import (
    ArgmaxForm,
    BandForm,
    BranchForm,
    Condition,
    FirstTrueForm,
    ModelProgram,
    TotalsForm,
    TreeForm,
)
from rulewright.rules import (
    EXPONENTIAL_COEFFICIENTS,
    EXPONENTIAL_LOWEST,
    INVERSE_LOG_2,
    LOG_2_HIGH,
    LOG_2_LOW,
)

SIXTEENTHS = 16.0
LARGEST = sys.float_info.max
EXACT_POWERS = 1000
"""Exponents of 2 up to which a product with a number of about 1 is no denormal number."""


class RuleAndShares(NamedTuple):
    """Names of the number of the rule of each row, from 0, and of the probabilities.

    ``shares`` is None where a row has the probabilities of its rule.
    """

    rule: str
    shares: str | None = None


class OnnxChoice:
    """Writer of the choice of a program into the graph of its conditions."""

    def __init__(self, program: ModelProgram, conditions: OnnxConditions) -> None:
        self.program = program
        self.conditions = conditions
        self.graph = conditions.graph

    def choice(self) -> RuleAndShares:
        """Write the choice."""
        match self.program.choice:
            case FirstTrueForm(conditions):
                return RuleAndShares(self._first(self._truths(conditions)))
            case ArgmaxForm() as vote:
                return self._vote(vote)
            case TreeForm() as tree if tree.is_divided:
                return self._divided(tree)
            case TreeForm() as tree:
                return RuleAndShares(leaf_of(tree, self.conditions))
            case BandForm(conditions, points, lows):
                return RuleAndShares(self._band(self._truths(conditions), points, lows))
            case TotalsForm() as totals:
                return self._totals(totals)

    def _truths(self, conditions: Sequence[Condition]) -> list[str]:
        return list(map(self.conditions.condition, conditions))

    def _whole(self, number: int) -> str:
        return self.conditions.everywhere(self.graph.whole(number))

    def _first(self, truths: Sequence[str], numbers: Sequence[int] | None = None) -> str:
        """Return the number of the first true value; their count where none is true."""
        found = self._whole(len(truths))
        numbers = range(len(truths)) if numbers is None else numbers
        for truth, number in reversed(list(zip(truths, numbers, strict=True))):
            found = self.graph.node("Where", truth, self.graph.whole(number), found)
        return found

    def _sum(self, truths: Sequence[str], rows: NDArray[Any], start: NDArray[Any]) -> str:
        """Return the sums of the rows of a matrix whose conditions are true, one by one."""
        graph, none = self.graph, np.zeros((), rows.dtype)
        total = graph.constant(start)
        for truth, row in zip(truths, rows, strict=True):
            added = graph.node(
                "Where", graph.column(truth), graph.constant(row), graph.constant(none)
            )
            total = graph.node("Add", total, added)
        return total

    def _vote(self, vote: ArgmaxForm) -> RuleAndShares:
        graph, size = self.graph, len(self.program.answers)
        truths = self._truths(vote.conditions)
        if not truths:
            return RuleAndShares(self._whole(0))
        votes = [self._votes(vote, truths, output) for output in range(size)]
        lowest = self.conditions.everywhere(graph.number(-math.inf))
        cast = [
            graph.node("Where", held, total, lowest) if held else lowest for held, total in votes
        ]
        winner = graph.first_largest(graph.columns(cast))
        order = sorted(range(len(truths)), key=lambda number: (-vote.weights[number], number))
        speaks = [
            graph.node("And", truths[n], graph.node("Equal", winner, graph.whole(vote.classes[n])))
            for n in order
        ]
        known = graph.columns([total for _, total in votes])
        below = graph.node("Sub", known, graph.row_largest(known))
        odds = exponential(graph, graph.with_constant("Mul", below, 2.0))
        answered = graph.chain("Or", truths)
        shares = graph.node(
            "Where",
            graph.column(answered),
            self._shares(odds, size, winner),
            graph.constant(np.array(self.program.probabilities[-1])),
        )
        return RuleAndShares(self._first(speaks, order), shares)

    def _votes(self, vote: ArgmaxForm, truths: Sequence[str], output: int) -> tuple[str, str]:
        """Return whether a class has a vote (no name for never), and the sum of its votes."""
        graph = self.graph
        voters = [n for n, voted in enumerate(vote.classes) if voted == output]
        total = self.conditions.everywhere(graph.number(0.0))
        may_overflow = sum(abs(vote.weights[n]) for n in voters) >= LARGEST
        for number in voters:
            weight = graph.number(vote.weights[number])
            added = graph.node("Where", truths[number], weight, graph.number(0.0))
            total = graph.node("Add", total, added)
            if may_overflow:
                total = graph.node("Clip", total, graph.number(-LARGEST), graph.number(LARGEST))
        return (graph.chain("Or", [truths[n] for n in voters]) if voters else "", total)

    def _shares(self, weights: str, size: int, winner: str) -> str:
        """Return probabilities from weights; the class that is answered has the largest."""
        graph = self.graph
        number = graph.column(winner)
        first = graph.column(graph.first_largest(weights))
        raised = graph.node(
            "And",
            graph.node("Equal", graph.constant(np.arange(size)), number),
            graph.node("Not", graph.node("Equal", first, number)),
        )
        more = graph.with_constant("Mul", graph.row_largest(weights), 1 + 1e-9)
        weights = graph.node("Where", raised, more, weights)
        parts = [
            graph.node("Gather", weights, graph.constant(np.array([place])), axis=1)
            for place in range(size)
        ]
        return graph.node("Div", weights, graph.chain("Add", parts))

    def _band(self, truths: Sequence[str], points: Sequence[int], lows: Sequence[int]) -> str:
        graph = self.graph
        total = self._whole(0)
        for truth, value in zip(truths, points, strict=True):
            added = graph.node("Where", truth, graph.whole(value), graph.whole(0))
            total = graph.node("Add", total, added)
        band = self._whole(0)
        for low in lows:
            reached = graph.node("GreaterOrEqual", total, graph.whole(low))
            band = graph.node("Add", band, graph.as_whole(reached))
        return band

    def _totals(self, totals: TotalsForm) -> RuleAndShares:
        graph, size = self.graph, len(totals.start)
        start = self._whole(0)
        points = np.array(totals.points, np.int64).reshape(-1, size)
        total = self._sum(self._truths(totals.conditions), points, np.array(totals.start, np.int64))
        total = graph.node("Add", graph.column(start), total)  # a row for each case
        winner = graph.first_largest(total)
        below = graph.as_double(graph.node("Sub", total, graph.row_largest(total)))
        odds = exponential(graph, graph.with_constant("Mul", below, totals.slope))
        shares = self._shares(odds, size, winner)
        absent = len(self.program.answers) - size
        if absent:
            zeros = graph.constant(np.zeros(absent))
            matrix = graph.node("Add", graph.as_double(graph.column(start)), zeros)
            shares = graph.node("Concat", shares, matrix, axis=1)
        return RuleAndShares(winner, shares)

    def _divided(self, tree: TreeForm) -> RuleAndShares:
        """Return the leaf and probabilities of rows of which shares go to several branches."""
        graph, outputs = self.graph, self.program.outputs
        weights = dict(self._leaf_weights(tree))
        none = self.conditions.everywhere(graph.number(0.0))
        totals = [
            graph.chain("Add", [none, *(w for leaf, w in weights.items() if outputs[leaf] == c)])
            for c in range(len(self.program.answers))
        ]
        winner = graph.first_largest(graph.columns(totals))
        mixture = graph.column(none)
        for leaf, weight in weights.items():
            row = graph.constant(np.array(self.program.probabilities[leaf]))
            mixture = graph.node("Add", mixture, graph.node("Mul", graph.column(weight), row))
        by_leaf = graph.columns([weights[leaf] for leaf in range(len(outputs))])
        own = graph.node("Equal", graph.constant(np.array(outputs)), graph.column(winner))
        rule = graph.first_largest(graph.node("Where", own, by_leaf, graph.number(-1.0)))
        whole = graph.node("Equal", graph.row_largest(by_leaf), graph.number(1.0))
        table = graph.constant(np.array(self.program.probabilities))
        shares = graph.node(
            "Where",
            whole,
            graph.node("Gather", table, rule),
            self._shares(mixture, len(self.program.answers), winner),
        )
        return RuleAndShares(rule, shares)

    def _leaf_weights(self, tree: TreeForm) -> list[tuple[int, str]]:
        """Return each leaf and its share of every row, in the order of the branches."""
        one = self.conditions.everywhere(self.graph.number(1.0))
        found, waiting = [], [(0, one)]
        while waiting:
            branch, weight = waiting.pop()
            if branch < 0:
                found.append((~branch, weight))
            else:
                node = tree.nodes[branch]
                parts = self._branch_weights(node, weight)
                waiting += reversed(list(zip(node.branches, parts, strict=True)))
        return found

    def _branch_weights(self, node: BranchForm, weight: str) -> list[str]:
        """Return the shares of the branches of a node, of the share that reaches the node."""
        graph, none = self.graph, self.graph.number(0.0)
        weights, rest = [], weight
        for test in node.tests:
            truth = self.conditions.condition(test)
            weights.append(graph.node("Where", truth, rest, none))
            rest = graph.node("Where", truth, none, rest)
        weights.append(rest)
        if node.divided is None:
            return weights
        divided = self.conditions.condition(node.divided)
        return [
            graph.node(
                "Where",
                divided,
                graph.node("Mul", weight, graph.number(share / SIXTEENTHS)),
                whole,
            )
            for share, whole in zip(node.shares, weights, strict=True)
        ]


def exponential(graph: OnnxGraph, x: str) -> str:
    """Return the exponential of numbers of 0 or less, by the operations of the model."""

    def times(left: str, right: str) -> str:
        return graph.node("Mul", left, right)

    def plus(left: str, right: str) -> str:
        return graph.node("Add", left, right)

    def minus(left: str, right: str) -> str:
        return graph.node("Sub", left, right)

    number = graph.number
    known = graph.node("Max", x, number(EXPONENTIAL_LOWEST))
    k = graph.node("Floor", minus(number(0.5), times(known, number(INVERSE_LOG_2))))
    high = plus(known, times(k, number(LOG_2_HIGH)))
    low = graph.node("Neg", times(k, number(LOG_2_LOW)))
    r = minus(high, low)
    t = times(r, r)
    *others, series = map(number, EXPONENTIAL_COEFFICIENTS)
    for coefficient in reversed(others):
        series = plus(coefficient, times(t, series))
    c = minus(r, times(t, series))
    quotient = graph.node("Div", times(r, c), minus(number(2.0), c))
    y = minus(number(1.0), minus(minus(low, quotient), high))
    found = times(times(y, _power(graph, k, 0)), _power(graph, k, EXACT_POWERS))
    below = graph.node("Less", x, number(EXPONENTIAL_LOWEST))
    return graph.node("Where", below, number(0.0), found)


def _power(graph: OnnxGraph, k: str, start: int) -> str:
    """Return ``2**-k`` for the part of k between a start and the next ``EXACT_POWERS``."""
    beyond = graph.node("Sub", graph.as_whole(k), graph.whole(start))
    within = graph.node("Max", beyond, graph.whole(0))
    within = graph.node("Min", within, graph.whole(EXACT_POWERS))
    table = graph.constant(np.ldexp(1.0, -np.arange(EXACT_POWERS + 1)))
    return graph.node("Gather", table, within)
