"""Predicates given by the user: Boolean columns, and functions of the columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.data import CategoricalColumn, Column, Field, NumericColumn, Table
from rulewright.errors import InputError, preview
from rulewright.families.family import (
    UNSTATED_DEFAULT,
    Choices,
    Examples,
    Family,
    Found,
    Question,
    Search,
    Site,
    Training,
    total_and_gathered,
)
from rulewright.kernels import weigh_categories
from rulewright.rules import (
    NOT_SERIALIZED,
    Columns,
    Function,
    Given,
    Predicate,
    RowFunction,
    evaluate_function,
)

Codes = NDArray[np.int32]
NamedFunction = tuple[str, RowFunction | None]
"""A function by its name; None until the user of a loaded model supplies it."""


@dataclass(frozen=True)
class GivenPredicates(Family):
    """Boolean columns, and Boolean functions of the rows, each as true or as false.

    Neither holds where a column is missing. Candidates are ordered by column, then the functions by
    name; true comes before false. They have no anchors.

    Parameters
    ----------
    columns : sequence of str, optional
        Columns of Booleans, or of the numbers 0 and 1. The default is all columns of Booleans, or
        no column if there are functions.
    functions : dict of name to function, optional
        A function takes a mapping of column names to arrays, and returns an array of Booleans.
    negation : bool
        Whether a column or function may also be tested for being false.

    Examples
    --------
    >>> GivenPredicates(functions={"tall": lambda columns: columns["height"] > 190}).extra_options()
    2
    """

    name: ClassVar[str] = "given"

    columns: tuple[str, ...] | None = None
    functions: Mapping[str, RowFunction] | tuple[NamedFunction, ...] | None = None
    negation: bool = field(default=True, metadata=UNSTATED_DEFAULT)
    looked_at: tuple[tuple[str, tuple[str, ...]], ...] = field(
        default=(), repr=False, compare=False, metadata=NOT_SERIALIZED
    )

    def __post_init__(self) -> None:
        columns = None if self.columns is None else _names(self.columns)
        functions = _pairs(self.functions)
        names = [*(columns or ()), *(name for name, _ in functions)]
        _refuse_twice(names)
        if columns is not None and not names:
            raise InputError("columns is empty. Name a column, or use None for all.")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "functions", functions or None)

    @property
    def named(self) -> dict[str, RowFunction | None]:
        """The functions by name, in the order of their names."""
        return dict(self.functions or ())

    def prepare(self, training: Training) -> Search:
        return _GivenSearch(self, training.table)

    def options(self, column: Field) -> int:
        if self.columns is not None:
            return len(self.forms) if column.name in self.columns else 0
        return len(self.forms) if column.kind == "boolean" and not self.functions else 0

    def extra_options(self) -> int:
        return len(self.forms) * len(self.named)

    @property
    def forms(self) -> tuple[bool, ...]:
        """Truth values that a column or function is tested for, in the order of their numbers."""
        return (False, True) if self.negation else (True,)

    def choices(self, column: Column | None, *, strict: bool = False) -> Choices:
        if column is None:
            return Choices(product(["function"], self.named, self.forms))
        return Choices([(truth,) for truth in self.forms] if self.options(column.field) else ())

    def site(
        self, predicate: Predicate, *, implied: bool = False, side: bool = True
    ) -> Site | None:
        match predicate:
            case Given(column, truth, if_missing=False) if truth or self.negation:
                every = self.columns is None and not self.functions
                return Site(column, (truth,)) if every or column in (self.columns or ()) else None
            case Function(name=name, truth=truth) if name in self.named and truth in self.forms:
                return Site(None, ("function", name, truth))
        return None

    def build(self, site: Site, examples: Examples, chosen: Sequence[int]) -> Predicate | None:
        if site.column is not None:
            usable = site.column in self.usable(examples.table)
            return Given(site.column, *site.option) if usable else None
        _, name, truth = site.option
        if name not in self.named:
            return None
        return replace(self.function(name, examples.table), truth=truth)

    def function(self, name: str, table: Table) -> Function:
        """Predicate of a function, on the columns that it reads in training."""
        on = dict(self.looked_at).get(name)
        if on is None:
            on = _look(name, self.named[name], table)
        return Function(name, on, function=self.named[name])

    def usable(self, table: Table) -> list[str]:
        """Names of the usable columns of a table, in order."""
        return [c.name for c in table.columns if self.options(c.field) and _is_boolean(c)]

    def check(self, table: Table) -> None:
        """Raise an error if a named column is not there, or not Boolean."""
        for name in self.columns or ():
            column = table.column(name)
            if not _is_boolean(column):
                found = sorted({str(cell) for cell in column.cells() if cell is not None})
                raise InputError(
                    f"Column {name!r} cannot be a given predicate: it holds {preview(found)}. It "
                    "must hold Booleans, or the numbers 0 and 1. Leave it out of columns, or use "
                    "a function of it that returns True or False."
                )

    def measured(self, table: Table, scaling_rows: NDArray[np.intp]) -> Family:
        # A model read from a file receives only the functions that it calls.
        there = ((name, function) for name, function in self.named.items() if function is not None)
        looked = tuple((name, _look(name, function, table)) for name, function in there)
        return replace(self, looked_at=looked)

    @property
    def named_functions(self) -> dict[str, Callable[..., Any]]:
        return {name: function for name, function in self.named.items() if function is not None}

    def bound_to(self, functions: Mapping[str, Callable[..., Any]]) -> Family:
        bound = tuple((name, functions.get(name, known)) for name, known in self.named.items())
        return replace(self, functions=bound, looked_at=())

    def to_json(self) -> str | dict[str, Any]:
        said: dict[str, Any] = {}
        if self.columns is not None:
            said["columns"] = list(self.columns)
        if self.functions:
            said["functions"] = list(self.named)
        if not self.negation:
            said["negation"] = False
        return {"name": self.name, **said} if said else self.name


def given_tests(family: GivenPredicates, table: Table) -> list[tuple[Given | Function, Codes]]:
    """Predicate of every column and function, with its values 1, 0, or -1 where missing."""
    family.check(table)
    tests: list[tuple[Given | Function, Codes]] = []
    for name in family.usable(table):
        given = Given(name)
        answers = np.where(table.missing(name), -1, given.holds(table)).astype(np.int32)
        tests.append((given, answers))
    for name in family.named:
        function = family.function(name, table)
        tests.append((function, function.holds(table).astype(np.int32)))
    return tests


class _GivenSearch(Search):
    """Every column and function as a predicate with its values."""

    def __init__(self, family: GivenPredicates, table: Table) -> None:
        self._tests = given_tests(family, table)
        self._forms = family.forms[::-1]

    def heaviest(self, question: Question) -> Found | None:
        weight = question.weight
        everything = total_and_gathered(weight)
        best: Found | None = None
        for predicate, answers in self._tests:
            positive, negative = weigh_categories(answers, weight, 2)
            for truth in self._forms:
                totals = int((positive + negative)[int(truth)]), int(positive[int(truth)])
                if not question.side:  # all others, and missing values
                    totals = everything[0] - totals[0], everything[1] - totals[1]
                if best is None or totals > best[1:]:
                    best = Found(replace(predicate, truth=truth), *totals)
        return best


def _look(name: str, function: RowFunction | None, table: Table) -> tuple[str, ...]:
    """Call a function, to find the columns that it reads."""
    columns = Columns(table)
    evaluate_function(name, function, columns)
    return tuple(columns.looked_at)


def _is_boolean(column: NumericColumn | CategoricalColumn) -> bool:
    if isinstance(column, NumericColumn):
        return bool(np.isin(column.values[~column.missing], (0.0, 1.0)).all())
    return column.kind == "boolean"


def _names(columns: Any) -> tuple[str, ...]:
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise InputError(f"columns must be a list of column names, got {columns!r}.")
    for name in columns:
        if not isinstance(name, str):
            raise InputError(f"columns must be a list of column names, but contains {name!r}.")
    return tuple(columns)


def _pairs(functions: Any) -> tuple[NamedFunction, ...]:
    """Functions sorted by name; a model file has only their names."""
    if isinstance(functions, Mapping):
        pairs = [_called(name, function) for name, function in functions.items()]
    elif isinstance(functions, tuple | list | None):
        pairs = [_pair(part) for part in functions or ()]
    else:
        raise InputError(f"functions must be a dict of names to functions, got {functions!r}.")
    return tuple(sorted(pairs, key=lambda pair: pair[0]))


def _pair(part: Any) -> NamedFunction:
    match part:
        case str(name) | (str(name), None):
            return name, None
        case (name, function):
            return _called(name, function)
    raise InputError(f"functions must be a dict of names to functions, but contains {part!r}.")


def _called(name: Any, function: Any) -> NamedFunction:
    if not isinstance(name, str) or not name:
        raise InputError(f"The name of a function must be a text, got {name!r}.")
    if not isinstance(function, Hashable) or not callable(function):
        raise InputError(
            f"functions[{name!r}] must be a function that takes the columns by name and returns "
            f"True or False for every row, got {function!r}."
        )
    return name, function


def _refuse_twice(names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            "Given predicates must have different names, but these occur more than once: "
            f"{preview(twice)}. Rename the function, or leave the repeated column out."
        )
