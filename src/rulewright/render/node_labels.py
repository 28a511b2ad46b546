"""Labels of the nodes of a tree: tests, branches, answers and training rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.render.branch_tests import branch_tests
from rulewright.render.column_tests import NAME_LINES, category_labels
from rulewright.render.formatting import class_text, name_text, number_text, rounded_text
from rulewright.render.predicates import predicate_text
from rulewright.render.registry import predicate_renderer
from rulewright.render.text_metrics import shorten
from rulewright.rules import SHARES, Category, Leaf, Predicate, Split, Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """Label of a node: its answer and the training rows that reach it.

    Attributes
    ----------
    text : str
        Answer of a leaf; empty for a split.
    note : str
        Short line about the rows.
    weight : float
        Weight of the rows.
    bar : tuple of (int, float)
        Parts of its bar: the number of a colour, and a share of the length.
    colour : int or None
        Number of the colour of a leaf.
    details : tuple of str
        Lines shown where there is room.
    """

    text: str
    note: str
    weight: float
    bar: tuple[tuple[int, float], ...]
    colour: int | None
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """Labels of the nodes of a tree: ``of`` returns the label of a node by its number.

    ``key`` has the names of the colours, by their numbers. ``caption`` explains the bars.
    """

    of: Callable[[int], NodeLabel]
    key: tuple[str, ...]
    caption: str


def class_node_labels(
    tree: Tree, classes: Sequence[object], evidence: Sequence[Sequence[float]]
) -> NodeLabels:
    """Return labels with the class weights of the training rows that reach each node.

    ``evidence`` has, for each leaf in the order of the nodes, the weight of each class.
    """
    names = tuple(class_text(label) for label in classes)
    known = np.asarray(evidence, np.float64)
    _check_evidence(tree, known, len(names), f"a number for each of the {len(names)} classes")
    weights = _added_up(tree, known)
    whole = _are_whole(known)

    def label(number: int) -> NodeLabel:
        node, row = tree.nodes[number], weights[number].tolist()
        output = node.output if isinstance(node, Leaf) else None
        return _class_label(names, row, output, whole)

    return NodeLabels(label, names, "Bars show the classes of the training rows that reach a box.")


def _class_label(
    names: Sequence[str], row: Sequence[float], output: int | None, whole: bool
) -> NodeLabel:
    total = sum(row)
    note = _weight_text(total, whole)
    if output is not None and total > 0:
        note += f", {100 * row[output] / total:.1f} % right"
    parts = [(number, weight) for number, weight in enumerate(row) if weight > 0]
    return NodeLabel(
        text=names[output] if output is not None else "",
        note=note,
        weight=total,
        bar=tuple((number, weight / total) for number, weight in parts),
        colour=output,
        details=tuple(
            f"{names[number]}: {_number(weight, whole)} ({100 * weight / total:.1f} %)"
            for number, weight in parts
        ),
    )


def value_node_labels(
    tree: Tree, values: Sequence[float], evidence: Sequence[Sequence[float]]
) -> NodeLabels:
    """Return labels with the value of each leaf, and the weighted mean below each split.

    ``evidence`` has, for each leaf in the order of the nodes, the training weight that it answers
    and the spread of the target there. The output of a leaf is the index of its value.
    """
    known = np.asarray(evidence, np.float64)
    _check_evidence(tree, known, 2, "its weight and its spread")
    leaves = np.asarray([values[output] for output in tree.outputs], np.float64)
    weights = _added_up(tree, known[:, :1])[:, 0]
    means = _means(tree, leaves, weights)
    low, high = float(leaves.min()), float(leaves.max())
    whole = _are_whole(known[:, :1])
    spreads = dict(zip(_leaves(tree), known[:, 1].tolist(), strict=True))

    def label(number: int) -> NodeLabel:
        weight, value = float(weights[number]), float(means[number])
        value_text = rounded_text(value)
        bar = ((0, _place_between(low, value, high)),)
        if number in spreads:
            note = f"{_weight_text(weight, whole)}, spread {_number(spreads[number], False)}"
            return NodeLabel(value_text, note, weight, bar, 0, (f"value: {number_text(value)}",))
        note = _weight_text(weight, whole)
        if weight > 0:
            return NodeLabel("", f"{note}, mean {value_text}", weight, bar, None, ())
        return NodeLabel("", note, weight, (), None, ())

    return NodeLabels(label, (), _value_caption(low, high))


def _value_caption(low: float, high: float) -> str:
    text = (
        "A leaf shows its value, other boxes the weighted mean of their leaves' values, with six "
        "digits."
    )
    if low == high:
        return text
    lowest, highest = rounded_text(low), rounded_text(high)
    return (
        f"{text} Bars show its place between the lowest leaf, {lowest}, and the highest, {highest}."
    )


def _means(tree: Tree, leaves: Floats, weights: Floats) -> Floats:
    """Return the value of each leaf and the mean below each split; 0 without weight."""
    means = np.zeros(len(tree.nodes))
    means[_leaves(tree)] = leaves
    for number in reversed(range(len(tree.nodes))):
        node = tree.nodes[number]
        if isinstance(node, Split) and weights[number] > 0:
            below = [child for child in node.branches if weights[child] > 0]
            parts = means[below]
            shared = (weights[below] / weights[number]) * parts  # no sum can overflow by much
            with np.errstate(over="ignore"):
                means[number] = np.clip(shared.sum(), parts.min(), parts.max())
    return means


def _place_between(low: float, value: float, high: float) -> float:
    """Return the place of a value between low and high, from 0 to 1; 1 if they are equal."""
    if low == high:
        return 1.0
    small = 0.25 if max(-low, high) > 1e300 else 1.0  # the way may be longer than any number
    way = small * high - small * low
    return min(max((small * value - small * low) / way, 0.0), 1.0)


def _check_evidence(tree: Tree, known: Floats, width: int, needed: str) -> None:
    leaves = len(tree.outputs)
    if known.shape != (leaves, width):
        raise InputError(
            f"The evidence needs a row for each of the {leaves} leaves with {needed}; found shape "
            f"{known.shape}."
        )


def _leaves(tree: Tree) -> list[int]:
    return [number for number, node in enumerate(tree.nodes) if isinstance(node, Leaf)]


def _added_up(tree: Tree, known: Floats) -> Floats:
    """Return for each node the sum of the rows of its leaves."""
    sums = np.zeros((len(tree.nodes), known.shape[1]))
    sums[_leaves(tree)] = known
    for number in reversed(range(len(tree.nodes))):
        node = tree.nodes[number]
        if isinstance(node, Split):
            sums[number] = sums[list(node.branches)].sum(axis=0)
    return sums


def _are_whole(weights: Floats) -> bool:
    return bool((weights == np.floor(weights)).all())


def _number(weight: float, whole: bool) -> str:
    if whole or not weight:
        return number_text(weight)
    return f"{weight:.3g}" if weight < 100 else rounded_text(round(weight, 1))


def _weight_text(weight: float, whole: bool) -> str:
    number = _number(weight, whole)
    return f"{number} row{'' if weight == 1 else 's'}" if whole else f"weight {number}"


def split_text(split: Split, width: float, size: float) -> str:
    """Return the test of a split, shortened to a few lines of a width."""
    if len(split.tests) == 1:
        return _label(split.tests[0], width, size)
    if len(split.columns) == 1:
        return shorten(name_text(split.columns[0]), NAME_LINES * width, size)
    return "the first that holds"


def split_full_text(split: Split) -> str:
    """Return the tests of a split in full."""
    return "; ".join(map(predicate_text, branch_tests(split)))


def branch_text(split: Split, place: int, width: float, size: float) -> str:
    """Return the answer that leads to a branch, shortened to a few lines of a width."""
    if len(split.tests) == 1:
        return "no" if place else "yes"
    if place == len(split.tests):
        return "otherwise"
    test = branch_tests(split)[place]
    if _lists_values(split):
        return ", ".join(category_labels(test.values, width, size))  # type: ignore[attr-defined]
    return _label(test, width, size)


def branch_full_text(split: Split, place: int) -> str:
    """Return the answer that leads to a branch, in full."""
    if place == len(split.tests):
        return "otherwise"
    return predicate_text(branch_tests(split)[place])


def _lists_values(split: Split) -> bool:
    """Whether every branch except the last is for some categories of one column."""
    return len(split.columns) == 1 and all(
        isinstance(test, Category) and test.among and not test.if_missing for test in split.tests
    )


def missing_notes(split: Split, missing: Collection[str] | None) -> list[str]:
    """Return a note for each branch that rows with a missing value take, unless its test has it.

    ``missing`` are the columns in which values can be missing, where they are known.
    """
    if split.shares and (missing is None or not set(missing).isdisjoint(split.columns)):
        return [f"missing: {share}/{SHARES}" if share else "" for share in split.shares]
    last = not split.shares and _takes_missing(split, missing or ())
    return [*[""] * len(split.tests), "or missing" if last else ""]


def _takes_missing(split: Split, missing: Collection[str]) -> bool:
    return (
        len(split.columns) == 1
        and split.columns[0] in missing
        and all(_fails_on_missing(test) for test in split.tests)
    )


def _fails_on_missing(test: Predicate) -> bool:
    return getattr(test, "if_missing", None) is False


def only_column_tests(splits: Collection[Split]) -> bool:
    """Whether every test looks at one value, and its text covers a missing value."""
    return all(
        hasattr(test, "column")  # a test of several columns has ``on``
        for split in splits
        for test in split.tests
    )


def _label(test: Predicate, width: float, size: float) -> str:
    return predicate_renderer(test).label(test, width, size)
