"""The leaves of a tree as a tree ensemble of ONNX."""

from __future__ import annotations

import math

from rulewright.errors import UnrenderableError
from rulewright.render.onnx_conditions import OnnxConditions
from rulewright.render.onnx_trees import TreeNodes
from rulewright.render.programs import (
    ComparisonForm,
    Condition,
    MemberForm,
    NotForm,
    OrForm,
    TreeForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
)

MAX_DEPTH = 1000
"""Maximum depth of a tree: onnxruntime reads one by recursion, and crashed at a depth of 20,000."""


def leaf_of(tree: TreeForm, conditions: OnnxConditions) -> str:
    """Return the number of the leaf of each row, of a tree that divides no row."""
    graph = conditions.graph
    if not tree.nodes:
        return conditions.everywhere(graph.whole(0))
    if _depth(tree) > MAX_DEPTH:
        raise UnrenderableError(
            f"The tree has a path of {_depth(tree)} tests, and onnxruntime may crash on a tree of "
            f"more than {MAX_DEPTH}. Train with a max_depth, or export the model to python or c."
        )
    nodes, matrix = TreeNodes(), FeatureMatrix(conditions)
    for test, then, otherwise in tree.binary_tests:
        _add_test(nodes, matrix, test, (then, otherwise))
    leaves = sum(branch < 0 for node in tree.nodes for branch in node.branches)
    return graph.as_whole(nodes.write(graph, graph.columns(matrix.columns), range(leaves)))


def _depth(tree: TreeForm) -> int:
    """Maximum number of tests on the way to a leaf."""
    tests = tree.binary_tests
    depths = [1] * len(tests)
    for number, (_, *branches) in enumerate(tests):
        for branch in branches:
            if branch >= 0:
                depths[branch] = depths[number] + 1
    return max(depths)


class FeatureMatrix:
    """The columns of doubles that the nodes of a tree ensemble test."""

    def __init__(self, conditions: OnnxConditions) -> None:
        self.conditions = conditions
        self.columns: list[str] = []

    def place(self, value: str) -> int:
        """Return the place of a column."""
        if value not in self.columns:
            self.columns.append(value)
        return self.columns.index(value)

    def codes(self, place: int) -> int:
        """Return the place of the codes of a column of categories."""
        conditions = self.conditions
        return self.place(conditions.graph.as_double(conditions.coded(place)))

    def truth(self, condition: Condition) -> int:
        """Return the place of the truth of a condition, 1 or 0."""
        conditions = self.conditions
        return self.place(conditions.graph.as_double(conditions.condition(condition)))


def _add_test(
    nodes: TreeNodes, matrix: FeatureMatrix, test: Condition, branches: tuple[int, int]
) -> None:
    """Add a node for a test; one that no node can express is a column of truths."""
    conditions = matrix.conditions
    match test:
        case NotForm(part):
            _add_test(nodes, matrix, part, (branches[1], branches[0]))
        case ComparisonForm(comparator, ValueForm() as value, constant, if_undefined):
            place = matrix.place(conditions.number(value))
            nodes.add(place, comparator, constant, branches, if_undefined)
        case UndefinedForm(ValueForm() as value):
            place = matrix.place(conditions.number(value))
            nodes.add(place, "<", -math.inf, branches, if_missing=True)
        case MemberForm(place, texts) if not conditions.is_flag(place):
            by_text, _ = conditions.codes(place)
            nodes.add_set(matrix.codes(place), [by_text[text] for text in texts], branches)
        case OrForm((MemberForm(place, texts), UnknownForm(other))) if (
            place == other and not conditions.is_flag(place)
        ):
            by_text, missing = conditions.codes(place)
            codes = [*(by_text[text] for text in texts), missing]
            nodes.add_set(matrix.codes(place), codes, branches)
        case _:
            nodes.add(matrix.truth(test), "==", 1.0, branches)
