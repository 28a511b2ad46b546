"""Cells: the smallest pieces of an experiment that are computed and kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import rulewright
from rulewright.errors import InputError

CellFunction = Callable[[Mapping[str, Any], Any], dict[str, Any]]
"""A function of the parameters of a cell and of the context that all cells share."""

CELL_FUNCTIONS: dict[str, CellFunction] = {}
"""The functions of cells by their names, module and name."""


def cell_function(function: CellFunction) -> CellFunction:
    """Register a function of a module as the function of cells.

    It takes the parameters of the cell and the context, and returns a dict of JSON values without
    NaN. It must depend on nothing else.
    """
    CELL_FUNCTIONS[_name(function)] = function
    return function


LIBRARIES = ("numpy", "scipy", "scikit-learn", "c50py")
"""Packages whose version results depend on; c50py is optional."""


@cache
def code_key() -> str:
    """Hash of what results depend on beside their parameters: the code, and ``LIBRARIES``.

    The version of the package alone would not do: sources change between two versions.
    """
    folder = Path(rulewright.__file__).parent
    core = find_spec("rulewright.kernels._core")
    assert core is not None and core.origin is not None
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*.py")}
    return files_key({**files, "core": Path(core.origin)}, map(_version, LIBRARIES))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def files_key(files: Mapping[str, Path], facts: Iterable[str] = ()) -> str:
    """Hash of the contents of files and their names, and of some facts."""
    contents = {name: hashlib.sha256(files[name].read_bytes()).hexdigest() for name in files}
    text = json.dumps([contents, list(facts)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _name(function: CellFunction) -> str:
    return f"{function.__module__}.{function.__qualname__}"


@dataclass(frozen=True, eq=False)
class Cell:
    """A computation: the name of a registered function, and its parameters, which are JSON values.

    Examples
    --------
    >>> @cell_function
    ... def halved(parameters, context):
    ...     return {"half": parameters["number"] / 2}
    >>> cell = Cell.of(halved, number=3)
    >>> cell.run(None)
    {'half': 1.5}
    >>> cell.key("table one") == Cell.of(halved, number=3).key("table one")
    True
    >>> cell.key("table one") == cell.key("table two")
    False
    """

    function: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, function: CellFunction, /, **parameters: Any) -> Cell:
        """Cell of a registered function."""
        name = _name(function)
        if CELL_FUNCTIONS.get(name) is not function:
            raise InputError(f"{name} must be registered as a function of cells: @cell_function.")
        return cls(name, parameters)

    def key(self, context_key: str = "") -> str:
        """Hash of the code of the package, the function, its parameters, and the context."""
        known = [code_key(), self.function, dict(self.parameters), context_key]
        text = json.dumps(known, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def resolved(self) -> CellFunction:
        """The function; its module is imported if it must be."""
        if self.function not in CELL_FUNCTIONS:
            import_module(self.function.rpartition(".")[0])
        return CELL_FUNCTIONS[self.function]

    def run(self, context: Any) -> dict[str, Any]:
        """Compute the result."""
        return self.resolved()(self.parameters, context)


@dataclass(frozen=True, eq=False)
class Result:
    """What a cell returned, and the seconds that it took."""

    cell: Cell
    values: dict[str, Any]
    seconds: float
