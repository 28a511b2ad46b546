"""Models as a file of ONNX: a graph of exact operators on doubles and texts.

A tree is one ``TreeEnsemble`` of ai.onnx.ml 5 with doubles and sets of codes. Lists, votes,
scorecards and trees that divide rows are graphs of comparisons, sums and selections of ai.onnx 21,
each of which is exact or rounds once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.render.c_export import UNITS
from rulewright.render.code_writing import comment_text
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.onnx_choices import OnnxChoice
from rulewright.render.onnx_conditions import OnnxConditions
from rulewright.render.onnx_graph import ML_DOMAIN, OnnxGraph, onnx_package, utf8
from rulewright.render.programs import ModelProgram

OPERATOR_SETS = {"": 21, ML_DOMAIN: 5}
FORMAT_VERSION = 10
"""The version of the format of files that belongs to these operator sets."""

MISSING_TEXT = "\uffff"
"""The text of a missing category: a code point that Unicode keeps free of characters."""

SIZE_INPUT = "rows"
"""The input of a model that reads no column: the number of rows."""


def onnx_export(
    model: ExportedModel, *, reasons: bool = True, missing: str = MISSING_TEXT
) -> bytes:
    """Write a model as a file of ONNX.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the metadata hold the text of each rule.
    missing : str, default=U+FFFF
        The text that stands for a missing value in columns of categories.
    """
    onnx = onnx_package()
    program = program_of(model, reasons=reasons)
    names = [utf8(field.name).decode() for field in program.inputs]
    if "" in names:
        raise UnrenderableError(
            "A column has no name, and an input of ONNX needs one. Rename the column, and train "
            "the model again."
        )
    outputs = _output_names(program, names)
    graph = OnnxGraph({*names, *outputs, SIZE_INPUT})
    size = graph.node("Shape", names[0]) if names else SIZE_INPUT
    _write(program, OnnxConditions(program, graph, size, missing), outputs)
    helper = onnx.helper
    made = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "model",
            _inputs(onnx, program.inputs, missing),
            _outputs(onnx, program, outputs),
            initializer=graph.constants,
        ),
        opset_imports=[helper.make_opsetid(*each) for each in OPERATOR_SETS.items()],
        ir_version=FORMAT_VERSION,
        producer_name="Rulewright",
        doc_string="\n".join(map(comment_text, [*program.head, check_line("onnx")])),
    )
    helper.set_model_props(made, _metadata(program, missing))
    content: bytes = made.SerializeToString(deterministic=True)
    return content


def _output_names(program: ModelProgram, taken: Sequence[str]) -> list[str]:
    """Return the names of the outputs; one that a column has gets an underscore."""
    wished = ["label", "rule", "probabilities"] if program.is_classifier else ["value", "rule"]
    names = []
    for name in wished:
        while name in taken or name in names:
            name += "_"
        names.append(name)
    return names


def _write(program: ModelProgram, conditions: OnnxConditions, names: Sequence[str]) -> None:
    """Write the nodes of all outputs."""
    graph = conditions.graph
    rule, shares = OnnxChoice(program, conditions).choice()
    places = np.array(program.outputs, np.int64) % len(program.labels)  # -1 is the last label
    place = graph.node("Gather", graph.constant(places), rule)
    labels = _labels(program)
    table = graph.texts(labels.tolist()) if labels.dtype.kind == "U" else graph.constant(labels)
    graph.output(graph.node("Gather", table, place), names[0])
    graph.output(graph.node("Add", rule, graph.whole(1)), names[1])
    if program.is_classifier:
        if shares is None:
            chances = graph.constant(np.array(program.probabilities))
            shares = graph.node("Gather", chances, rule)
        graph.output(shares, names[2])


def _labels(program: ModelProgram) -> NDArray[Any]:
    """Return the labels as an array of texts, Booleans, whole numbers or doubles."""
    labels = program.labels
    kinds = {type(label) for label in labels}
    if kinds in ({str}, {bool}, {float}):
        return np.array(labels)
    if kinds == {bool, str} and labels[-1] == program.abstain_label:  # no Boolean abstains
        return np.array(list(map(str, labels)))
    if kinds == {int} and all(-(2**63) <= label < 2**63 for label in labels):
        return np.array(labels, np.int64)
    if kinds == {int, float} and all(float(label) == label for label in labels):
        return np.array(labels, np.float64)
    raise UnrenderableError(
        "The classes must all be texts, Booleans, whole numbers of 64 bits or doubles, because "
        "a tensor of ONNX holds one type. Train with such labels."
    )


def _inputs(onnx: Any, fields: Sequence[Field], missing: str) -> list[Any]:
    kinds, describe = onnx.TensorProto, onnx.helper.make_tensor_value_info
    if not fields:
        return [describe(SIZE_INPUT, kinds.INT64, [1], "number of rows")]
    return [
        describe(
            field.name,
            kinds.DOUBLE if field.is_numeric or field.kind == "boolean" else kinds.STRING,
            ["rows"],
            _input_text(field, missing),
        )
        for field in fields
    ]


def _input_text(field: Field, missing: str) -> str:
    if field.is_numeric:
        return f"{UNITS.get(field.kind, 'number')}; NaN if missing"
    if field.kind == "boolean":
        return "1 for true, 0 for false; NaN if missing"
    return f"text; {json.dumps(missing)} if missing"


def _outputs(onnx: Any, program: ModelProgram, names: Sequence[str]) -> list[Any]:
    kinds, describe = onnx.TensorProto, onnx.helper.make_tensor_value_info
    types = {"U": kinds.STRING, "b": kinds.BOOL, "i": kinds.INT64, "f": kinds.DOUBLE}
    label = "class" if program.is_classifier else "number that the model answers"
    found = [
        describe(names[0], types[_labels(program).dtype.kind], ["rows"], label),
        describe(names[1], kinds.INT64, ["rows"], "number of the rule that answers, from 1"),
    ]
    if program.is_classifier:
        text = "probability of each class, in the order of the metadata"
        found.append(describe(names[2], kinds.DOUBLE, ["rows", len(program.answers)], text))
    return found


def _metadata(program: ModelProgram, missing: str) -> dict[str, str]:
    """Return what a program that runs the model can read about it."""
    found = {"about": "\n".join(map(comment_text, program.head))}
    if program.is_classifier:
        found["classes"] = json.dumps(program.answers)
    found["missing_text"] = json.dumps(missing)
    if program.reasons:
        found["rules"] = json.dumps(program.reasons)
    return found
