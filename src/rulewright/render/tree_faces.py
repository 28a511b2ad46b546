"""What the nodes of a tree show: what is asked, where each answer leads, what the leaves say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rulewright.errors import InputError
from rulewright.render.letters import ELLIPSIS, TIE, shortened, text_width
from rulewright.render.predicates import headline_text, predicate_text
from rulewright.render.words import about_text, class_text, name_text, number_text, value_text
from rulewright.rules import (
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

NAME_LINES, LIST_LINES = 1.8, 2.2
"""So many lines a name may fill, and so many a list of categories."""


@dataclass(frozen=True, slots=True)
class Face:
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
class Faces:
    """What a tree shows besides its tests: ``of`` gives the face of a node by its number.

    ``key`` names the colours, by their numbers; ``caption`` says what the bars show.
    """

    of: Callable[[int], Face]
    key: tuple[str, ...]
    caption: str


def class_faces(
    tree: Tree, classes: Sequence[object], evidence: Sequence[Sequence[float]]
) -> Faces:
    """Show classes: each node has the training weight of its leaves.

    ``evidence`` has, for each leaf in the order of the nodes, the weight of each class.
    """
    names = tuple(class_text(label) for label in classes)
    leaves = [number for number, node in enumerate(tree.nodes) if isinstance(node, Leaf)]
    known = np.asarray(evidence, np.float64)
    if known.shape != (len(leaves), len(names)):
        raise InputError(
            f"The evidence needs a row for each of the {len(leaves)} leaves and a number for each "
            f"of the {len(names)} classes; found shape {known.shape}."
        )
    weights = np.zeros((len(tree.nodes), len(names)))
    weights[leaves] = known
    for number in reversed(range(len(tree.nodes))):
        node = tree.nodes[number]
        if isinstance(node, Split):
            weights[number] = weights[list(node.branches)].sum(axis=0)
    whole = bool((known == np.floor(known)).all())

    def face(number: int) -> Face:
        node, row = tree.nodes[number], weights[number].tolist()
        output = node.output if isinstance(node, Leaf) else None
        return _class_face(names, row, output, whole)

    return Faces(face, names, "Bars show the classes of the training rows that reach a box.")


def _class_face(
    names: Sequence[str], row: Sequence[float], output: int | None, whole: bool
) -> Face:
    total = sum(row)
    note = _weight_text(total, whole)
    if output is not None and total > 0:
        note += f", {100 * row[output] / total:.1f} % right"
    parts = [(number, weight) for number, weight in enumerate(row) if weight > 0]
    return Face(
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


def takes_missing(split: Split, missing: Collection[str]) -> bool:
    """Whether rows that lack the value take the last branch, and no test says so itself."""
    return (
        len(split.columns) == 1
        and split.columns[0] in missing
        and all(_fails_on_missing(test) for test in split.tests)
    )


def _fails_on_missing(test: Predicate) -> bool:
    return isinstance(test, Threshold | Interval | Category | Given) and not test.if_missing


def asks_values(tree: Tree) -> bool:
    """Whether every test looks at one value, and says so where it holds if that is missing."""
    return all(
        isinstance(test, Threshold | Interval | Category | Given | Missing)
        for node in tree.nodes
        if isinstance(node, Split)
        for test in node.tests
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
