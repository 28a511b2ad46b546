"""Trees as fitted objects of scikit-learn, which run without this package.

A tree of scikit-learn compares ``float32(x) <= threshold``, and would answer otherwise for a number
that rounding moves over a cut. With ``precision="double"`` a first step therefore replaces each
number by the count of the cuts below it. It is ``numpy.interp`` with steps between neighbouring
doubles: no value of a column lies on a slope, and NaN stays NaN.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.programs import (
    ComparisonForm,
    Condition,
    ModelProgram,
    NotForm,
    TreeForm,
    UndefinedForm,
    ValueForm,
)
from rulewright.render.renderer_models import RenderedModel
from rulewright.render.text import summary_text

PRECISIONS = ("double", "single")


class SupportedModel(ExportedModel, RenderedModel, Protocol):
    """A model with the training weight of each rule."""


class BinaryNode(NamedTuple):
    """A test ``x <= cut`` of an input, and where a row goes if it holds, and if it does not.

    A branch is the number of a node, or the complement of the number of a leaf.
    """

    feature: int
    cut: float
    left: int
    right: int
    missing_left: bool


def sklearn_export(model: SupportedModel, *, precision: str = "double") -> Any:
    """Return a tree as a fitted object of scikit-learn.

    Parameters
    ----------
    model : SupportedModel
        A classification or regression tree of numeric thresholds.
    precision : str, default="double"
        With "double", a pipeline that gives the model's answer for every number. With "single", a
        bare tree, which gives the model's answer for numbers that single precision can hold;
        scikit-learn rounds others before it compares them.
    """
    if precision not in PRECISIONS:
        raise InputError(f"precision must be 'double' or 'single', got {precision!r:.80}.")
    program = program_of(model, reasons=False)
    _refuse(model, program)
    assert isinstance(program.choice, TreeForm)
    nodes = [_binary_node(*each) for each in program.choice.binary_tests]
    names = np.array([field.name for field in program.inputs], object)
    weights = [weight for weight, _ in model.rule_support] or [0.0] * len(program.outputs)
    if precision == "single":
        found = _estimator(nodes, program, weights)
        found.feature_names_in_ = names
    else:
        cuts = _cuts(nodes, len(names))
        coded = [_coded(node, cuts) for node in nodes]
        found = _pipeline(cuts, names, _estimator(coded, program, weights))
    found.description_ = "\n".join([*program.head, check_line("sklearn")])
    return found


def object_file(found: Any) -> bytes:
    """Return the content of a file from which joblib loads an object."""
    import joblib  # noqa: PLC0415

    content = io.BytesIO()
    joblib.dump(found, content)
    return content.getvalue()


def _refuse(model: SupportedModel, program: ModelProgram) -> None:
    """Refuse a model that no tree of scikit-learn can answer for."""
    instead = "Export it to onnx or python"
    tree = program.choice
    if not isinstance(tree, TreeForm):
        raise UnrenderableError(
            f"The model is a {summary_text(model.body)}, and scikit-learn has no such object. "
            f"{instead}, or train a TreeClassifier."
        )
    if tree.is_divided:
        raise UnrenderableError(
            "The tree divides rows with missing values among its branches, and a tree of "
            f"scikit-learn cannot. {instead}, or train with missing='learn'."
        )
    if not program.inputs or not tree.nodes:
        raise UnrenderableError(
            "The tree reads no column, and a tree of scikit-learn needs one. Its answer is always "
            "the same."
        )
    for field in program.inputs:
        if field.kind != "numeric":
            raise UnrenderableError(
                f"The tree tests column {field.name!r:.80}, which holds {_content(field)}, and a "
                f"tree of scikit-learn compares numbers only. {instead}."
            )
    for output, row in zip(program.outputs, program.probabilities, strict=False):
        if output < 0 or row.index(max(row)) != output:
            raise UnrenderableError(
                "A leaf of the tree does not answer with its most probable class, as every leaf "
                f"of scikit-learn does. {instead}."
            )


def _content(field: Field) -> str:
    return "categories" if field.moment is None else "dates, times or durations"


def _binary_node(test: Condition, then: int, otherwise: int) -> BinaryNode:
    match test:
        case NotForm(part):
            return _binary_node(part, otherwise, then)
        case UndefinedForm(ValueForm(place)):
            return BinaryNode(place, math.inf, otherwise, then, False)
        case ComparisonForm("<=" | "<" as comparator, ValueForm(place), cut, if_undefined):
            cut = cut if comparator == "<=" else math.nextafter(cut, -math.inf)
            return BinaryNode(place, cut, then, otherwise, if_undefined)
        case ComparisonForm(">=" | ">" as comparator, ValueForm(place), cut, if_undefined):
            cut = cut if comparator == ">" else math.nextafter(cut, -math.inf)
            return BinaryNode(place, cut, otherwise, then, not if_undefined)
    raise UnrenderableError(
        "The tree has a test that is not a threshold of one column, such as an interval, a ball or "
        "a weighted sum, and a tree of scikit-learn cannot hold it. Export it to onnx or python."
    )


def _cuts(nodes: Sequence[BinaryNode], columns: int) -> list[list[float]]:
    """Return the distinct cuts of each column in increasing order."""
    return [
        sorted({node.cut for node in nodes if node.feature == place and node.cut < math.inf})
        for place in range(columns)
    ]


def _coded(node: BinaryNode, cuts: Sequence[Sequence[float]]) -> BinaryNode:
    """Return a node that tests the count of the cuts below a number."""
    if node.cut == math.inf:
        return node
    return node._replace(cut=cuts[node.feature].index(node.cut) + 0.5)


def _pipeline(cuts: Sequence[Sequence[float]], names: Any, tree: Any) -> Any:
    """Return a pipeline that counts the cuts below each number, and then follows a tree."""
    from sklearn.compose import ColumnTransformer  # noqa: PLC0415
    from sklearn.pipeline import Pipeline  # noqa: PLC0415
    from sklearn.preprocessing import FunctionTransformer  # noqa: PLC0415

    counts = [
        (
            f"column{place}",
            FunctionTransformer(np.interp, kw_args=_steps(column), feature_names_out="one-to-one"),
            [place],
        )
        for place, column in enumerate(cuts)
    ]
    transformer = ColumnTransformer(counts).fit(np.zeros((1, len(cuts))))
    transformer.feature_names_in_ = names  # columns of a dataframe are found by name
    return Pipeline([("cuts", transformer), ("tree", tree)])


def _steps(cuts: Sequence[float]) -> dict[str, list[float]]:
    """Return the points of a function that counts the cuts below a number."""
    points = {} if cuts else {0.0: 0.0, 1.0: 0.0}  # of one point, interp loses NaN
    for count, cut in enumerate(cuts):
        points[cut] = float(count)
        points[math.nextafter(cut, math.inf)] = count + 1.0
    return {"xp": list(points), "fp": list(points.values())}


def _estimator(nodes: Sequence[BinaryNode], program: ModelProgram, weights: Sequence[float]) -> Any:
    """Return a fitted tree: first the nodes, then the leaves in the order of the rules."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor  # noqa: PLC0415

    estimator = DecisionTreeClassifier() if program.is_classifier else DecisionTreeRegressor()
    small = type(estimator)().fit([[0.0], [1.0]], [0, 1]).tree_  # for its classes of arrays
    rows = np.array(program.probabilities if program.is_classifier else program.answers)
    rows = rows.reshape(len(program.outputs), -1)
    table, values, depth = _arrays(nodes, rows, weights, small.__getstate__()["nodes"].dtype)
    width, columns = rows.shape[1], len(program.inputs)
    tree = type(small)(columns, np.array([width], np.intp), 1)
    tree.__setstate__(
        {"max_depth": depth, "node_count": len(table), "nodes": table, "values": values}
    )
    estimator.n_features_in_ = estimator.max_features_ = columns
    estimator.n_outputs_ = 1
    if program.is_classifier:
        estimator.classes_ = np.array(program.answers)
        estimator.n_classes_ = width
    estimator.tree_ = tree
    return estimator


def _arrays(
    nodes: Sequence[BinaryNode], rows: Any, weights: Sequence[float], kind: Any
) -> tuple[Any, Any, int]:
    """Return the nodes of a tree of scikit-learn, their values, and the depth.

    A node above leaves has the mean of their values by training weight. Impurities are not known.
    """
    inner, size = len(nodes), len(nodes) + len(rows)
    table = np.zeros(size, kind)
    table["left_child"] = table["right_child"] = -1
    table["feature"] = table["threshold"] = -2
    table["impurity"] = math.nan
    values = np.zeros((size, 1, rows.shape[1]))
    values[inner:, 0] = rows
    weight = np.array([0.0] * inner + list(weights))
    depths = np.zeros(size, int)
    for number, (feature, cut, left, right, missing_left) in enumerate(nodes):
        left, right = (inner + ~b if b < 0 else b for b in (left, right))
        entry = table[number]
        entry["left_child"], entry["right_child"] = left, right
        entry["feature"], entry["threshold"] = feature, cut
        entry["missing_go_to_left"] = missing_left
        depths[[left, right]] = depths[number] + 1
    for number in reversed(range(inner)):
        below = table["left_child"][number], table["right_child"][number]
        weight[number] = weight[list(below)].sum()
        for child in below if weight[number] else ():
            values[number] += values[child] * (weight[child] / weight[number])
    table["weighted_n_node_samples"] = weight
    table["n_node_samples"] = np.rint(weight)
    return table, values, int(depths.max())
