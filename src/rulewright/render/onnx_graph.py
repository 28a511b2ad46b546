"""Graphs of ONNX: named nodes and constants, each written once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError, UnrenderableError

ML_DOMAIN = "ai.onnx.ml"
NEUTRAL_IN_SINGLE_PRECISION = 1e-7
"""Difference from 0 or 1 that single precision may not distinguish."""


def onnx_package() -> Any:
    """Return the package onnx; it is not among the required packages."""
    try:
        import onnx  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "The form 'onnx' needs the package onnx. Install it with: pip install rulewright[onnx]"
        ) from error
    return onnx


def utf8(text: str) -> bytes:
    """Return a text as its bytes; half of a surrogate pair has none."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnrenderableError(
            f"The text {text!r:.80} holds half of a surrogate pair, which a file of ONNX cannot "
            "hold. Rename the column or the category."
        ) from error


class OnnxGraph:
    """Nodes and constants of a graph; equal nodes and constants share one value.

    Parameters
    ----------
    reserved : collection of str
        Names of inputs and outputs, which no other value may have.
    """

    def __init__(self, reserved: Collection[str]) -> None:
        self.onnx = onnx_package()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._names = (name for name in map("v{}".format, count()) if name not in reserved)
        self._known: dict[Any, str] = {}

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add a node with one output, and return the name of the output."""
        node = self.onnx.helper.make_node(operator, inputs, [], domain=domain, **attributes)
        key = node.SerializeToString(deterministic=True)
        if key not in self._known:
            self._known[key] = next(self._names)
            node.output.append(self._known[key])
            self.nodes.append(node)
        return self._known[key]

    def output(self, value: str, name: str) -> None:
        """Add an output that has the value of a node."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))

    def constant(self, array: NDArray[Any]) -> str:
        """Return the name of a constant."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = next(self._names)
            self.constants.append(self.tensor(array, self._known[key]))
        return self._known[key]

    def texts(self, texts: Sequence[str]) -> str:
        """Return the name of a constant list of texts."""
        key = tuple(map(utf8, texts))
        if key not in self._known:
            name, kind = next(self._names), self.onnx.TensorProto.STRING
            self.constants.append(self.onnx.helper.make_tensor(name, kind, [len(key)], key))
            self._known[key] = name
        return self._known[key]

    def tensor(self, array: NDArray[Any], name: str | None = None) -> Any:
        """Return an array as a tensor of ONNX."""
        return self.onnx.numpy_helper.from_array(array, name)

    def number(self, number: float) -> str:
        """Return the name of a constant double."""
        return self.constant(np.array(number, np.float64))

    def whole(self, number: int) -> str:
        """Return the name of a constant integer of 64 bits."""
        return self.constant(np.array(number, np.int64))

    def with_constant(self, operator: str, value: str, number: float) -> str:
        """Return the result of an operator on a value and a finite constant.

        onnxruntime compares constants in single precision with 0 or 1, and removes a sum with 1e-50
        or a product with 1 + 1e-9. A constant that depends on the value is not removed.
        """
        constant = self.number(number)
        neutral = 0.0 if operator in ("Add", "Sub") else 1.0
        if number != neutral and abs(number - neutral) < NEUTRAL_IN_SINGLE_PRECISION:
            constant = self.node("Where", self.node("IsNaN", value), value, constant)
        return self.node(operator, value, constant)

    def as_double(self, value: str) -> str:
        """Return a value as doubles."""
        return self.node("Cast", value, to=self.onnx.TensorProto.DOUBLE)

    def as_whole(self, value: str) -> str:
        """Return a value as integers of 64 bits."""
        return self.node("Cast", value, to=self.onnx.TensorProto.INT64)

    def column(self, value: str) -> str:
        """Return a list of values as a matrix of one column."""
        return self.node("Unsqueeze", value, self.constant(np.array([1])))

    def columns(self, values: Sequence[str]) -> str:
        """Return lists of values as the columns of a matrix."""
        return self.node("Concat", *map(self.column, values), axis=1)

    def chain(self, operator: str, values: Sequence[str]) -> str:
        """Return the result of an operator of two values, from the first value to the last."""
        first, *others = values
        for other in others:
            first = self.node(operator, first, other)
        return first

    def first_largest(self, matrix: str) -> str:
        """Return the number of the first of the largest values in each row."""
        return self.node("ArgMax", matrix, axis=1, keepdims=0)

    def row_largest(self, matrix: str) -> str:
        """Return the largest value of each row, as a matrix of one column."""
        return self.node("ReduceMax", matrix, self.constant(np.array([1])), keepdims=1)
