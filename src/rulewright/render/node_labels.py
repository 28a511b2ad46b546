"""What the nodes of a tree show: what is asked, where each answer leads, what the leaves say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.render.formatting import about_text, class_text, name_text, number_text, value_text
from rulewright.render.predicates import headline_text, predicate_text
from rulewright.render.text_metrics import ELLIPSIS, TIE, shortened, text_width
from rulewright.rules import (
    SHARES,
    Category,
    Given,
    Interval,
    Leaf,
    Missing,
    Predicate,
    Split,
    Threshold,
    Tree,
)

Floats = NDArray[np.float64]

NAME_LINES, LIST_LINES = 1.8, 2.2
"""So many lines a name may fill, and so many a list of categories."""


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """What a node shows of the training rows that reach it.

    Attributes
    ----------
    says : str
        What it answers, if it is a leaf.
    note : str
        A short line on the rows.
    weight : float
        Of the rows.
    bar : tuple of (int, float)
        The parts of its bar: the number of a colour, and a share of the length.
    colour : int or None
        The number of the colour that a leaf has.
    details : tuple of str
        What is said where there is room.
    """

    says: str
    note: str
    weight: float
    bar: tuple[tuple[int, float], ...]
    colour: int | None
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """What a tree shows besides its tests: ``of`` gives the face of a node by its number.

    ``key`` names the colours, by their numbers; ``caption`` says what the bars show.
    """

    of: Callable[[int], NodeLabel]
    key: tuple[str, ...]
    caption: str


def class_faces(
    tree: Tree, classes: Sequence[object], evidence: Sequence[Sequence[float]]
) -> NodeLabels:
    """Show classes: each node has the training weight of its leaves.

    ``evidence`` has, for each leaf in the order of the nodes, the weight of each class.
    """
    names = tuple(class_text(label) for label in classes)
    known = np.asarray(evidence, np.float64)
    _check_evidence(tree, known, len(names), f"a number for each of the {len(names)} classes")
    weights = _added_up(tree, known)
    whole = _are_whole(known)

    def face(number: int) -> NodeLabel:
        node, row = tree.nodes[number], weights[number].tolist()
        output = node.output if isinstance(node, Leaf) else None
        return _class_face(names, row, output, whole)

    return NodeLabels(face, names, "Bars show the classes of the training rows that reach a box.")


def _class_face(
    names: Sequence[str], row: Sequence[float], output: int | None, whole: bool
) -> NodeLabel:
    total = sum(row)
    note = _weight_text(total, whole)
    if output is not None and total > 0:
        note += f", {100 * row[output] / total:.1f} % right"
    parts = [(number, weight) for number, weight in enumerate(row) if weight > 0]
    return NodeLabel(
        says=names[output] if output is not None else "",
        note=note,
        weight=total,
        bar=tuple((number, weight / total) for number, weight in parts),
        colour=output,
        details=tuple(
            f"{names[number]}: {_number(weight, whole)} ({100 * weight / total:.1f} %)"
            for number, weight in parts
        ),
    )


def value_faces(
    tree: Tree, values: Sequence[float], evidence: Sequence[Sequence[float]]
) -> NodeLabels:
    """Show values: a leaf has its own, a split the mean of its leaves by their weights.

    ``evidence`` has, for each leaf in the order of the nodes, the training weight that it answers
    and the spread of the target there; the output of a leaf is the place of its value.
    """
    known = np.asarray(evidence, np.float64)
    _check_evidence(tree, known, 2, "its weight and its spread")
    leaves = np.asarray([values[output] for output in tree.outputs], np.float64)
    weights = _added_up(tree, known[:, :1])[:, 0]
    means = _means(tree, leaves, weights)
    low, high = float(leaves.min()), float(leaves.max())
    whole = _are_whole(known[:, :1])
    spreads = dict(zip(_leaves(tree), known[:, 1].tolist(), strict=True))

    def face(number: int) -> NodeLabel:
        weight, value = float(weights[number]), float(means[number])
        said = about_text(value)
        bar = ((0, _place_between(low, value, high)),)
        if number in spreads:
            note = f"{_weight_text(weight, whole)}, spread {_number(spreads[number], False)}"
            return NodeLabel(said, note, weight, bar, 0, (f"value: {number_text(value)}",))
        note = _weight_text(weight, whole)
        if weight > 0:
            return NodeLabel("", f"{note}, mean {said}", weight, bar, None, ())
        return NodeLabel("", note, weight, (), None, ())

    return NodeLabels(face, (), _value_caption(low, high))


def _value_caption(low: float, high: float) -> str:
    said = (
        "A leaf says its value, other boxes the mean of their leaves' values by training weight, "
        "with six digits."
    )
    if low == high:
        return said
    least, greatest = about_text(low), about_text(high)
    return f"{said} Bars show where it lies from the least leaf's, {least}, to the greatest's, " + (
        f"{greatest}."
    )


def _means(tree: Tree, leaves: Floats, weights: Floats) -> Floats:
    """Give each leaf its value, and each split the mean of its branches; 0 where nothing is."""
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
    """Say which share of the way from low to high a value is; of no way, all of it."""
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
    """Give each node the sum of the rows of its leaves."""
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
    return f"{weight:.3g}" if weight < 100 else about_text(round(weight, 1))


def _weight_text(weight: float, whole: bool) -> str:
    number = _number(weight, whole)
    return f"{number} row{'' if weight == 1 else 's'}" if whole else f"weight {number}"


def asked_text(split: Split, width: float, size: float) -> str:
    """Write what a split asks, shortened to a few lines of some width."""
    if len(split.tests) == 1:
        return _short(split.tests[0], width, size)
    if len(split.columns) == 1:
        return shortened(name_text(split.columns[0]), NAME_LINES * width, size)
    return "the first that holds"


def asked_in_full(split: Split) -> str:
    """Write the tests of a split in full."""
    return "; ".join(map(predicate_text, split.tests))


def branch_text(split: Split, place: int, width: float, size: float) -> str:
    """Write which answer leads to a branch, shortened to a few lines of some width."""
    if len(split.tests) == 1:
        return "no" if place else "yes"
    if place == len(split.tests):
        return "otherwise"
    test = split.tests[place]
    if _lists_values(split):
        return ", ".join(_listed(test.values, width, size))  # type: ignore[attr-defined]
    return _short(test, width, size)


def branch_in_full(split: Split, place: int) -> str:
    """Write in full which answer leads to a branch."""
    if place == len(split.tests):
        return "otherwise"
    return predicate_text(split.tests[place])


def _lists_values(split: Split) -> bool:
    """Whether every branch but the last is for some categories of one column."""
    return len(split.columns) == 1 and all(
        isinstance(test, Category) and test.among and not test.if_missing for test in split.tests
    )


def missing_notes(split: Split, missing: Collection[str] | None) -> list[str]:
    """Say for each branch whether rows that lack the value take it, where no test says so itself.

    ``missing`` are the columns in which values can be missing, where that is known.
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
    return isinstance(test, Threshold | Interval | Category | Given) and not test.if_missing


def asks_values(splits: Collection[Split]) -> bool:
    """Whether every test looks at one value, and says so where it holds if that is missing."""
    return all(
        isinstance(test, Threshold | Interval | Category | Given | Missing)
        for split in splits
        for test in split.tests
    )


def _short(test: Predicate, width: float, size: float) -> str:
    """Write a test with a long name or list shortened, its relation and its number in full."""
    match test:
        case Threshold(column) | Interval(column) | Missing(column) | Given(column):
            lines = 0.8 if isinstance(test, Interval) else NAME_LINES  # both ends must have room
            name = shortened(name_text(column), lines * width, size)
            return _tied(predicate_text(replace(test, column=name)))
        case Category(column, values, among):
            name = shortened(name_text(column), NAME_LINES * width, size)
            if len(values) == 1:
                value = shortened(value_text(values[0]), NAME_LINES * width, size)
                said = f"{name} {'=' if among else '!='} {value}"
            else:
                listed = ", ".join(_listed(values, width, size))
                said = f"{name} {'' if among else 'not '}in {{{listed}}}"
            return _tied(said + " or missing" * test.if_missing)
        case _:
            return headline_text(test)


def _tied(text: str) -> str:
    """Let no line end before a number, nor between words that belong together."""
    for mark in ("<=", ">=", "<", ">", "=", "!=", "in"):
        text = text.replace(f" {mark} ", f" {mark}{TIE}")
    return text.replace(" or missing", f" or{TIE}missing")


def _listed(values: Sequence[str], width: float, size: float) -> list[str]:
    """Write the first categories of a list, and how many more there are."""
    said: list[str] = []
    room = LIST_LINES * width
    for value in values:
        said.append(shortened(value_text(value), width, size))
        room -= text_width(f"{said[-1]}, ", size)
        if room < 0 and len(said) < len(values):
            kept = max(len(said) - 1, 1)
            return [*said[:kept], f"{ELLIPSIS}{TIE}{len(values) - kept}{TIE}more"]
    return said
