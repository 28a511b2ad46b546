"""Constraints on which columns occur in a model, and together in a rule."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.kernels import ColumnLimits
from rulewright.learners.base.parameters import known_columns, read_columns

Mask = NDArray[np.bool_]

TOGETHER = {"no_interactions": 1, "pairwise": 2}
"""Names of constraints, with the maximum number of columns of a rule."""


def read_interactions(value: object, name: str) -> str | list[list[str]] | None:
    """Groups of columns that may occur together, "pairwise", "no_interactions", or None."""
    if value is None or (isinstance(value, str) and value in TOGETHER):
        return value
    known = isinstance(value, list | tuple) and all(
        isinstance(group, list | tuple | set | frozenset)
        and all(isinstance(column, str) for column in group)
        for group in value
    )
    if not known:
        raise InputError(
            f"{name} must be a list of lists of column names, 'pairwise', 'no_interactions' or "
            f"None, got {value!r}."
        )
    return [list(group) for group in value]  # type: ignore[attr-defined]


def read_force(force: object, table: Table, allowed: Mask) -> tuple[int, ...]:
    """Places of the columns that a model must test; none may be left out."""
    numbers = tuple(known_columns(read_columns(force, "force") or (), "force", table.names))
    strange = [table.names[number] for number in numbers if not allowed[number].any()]
    if strange:
        raise InputError(
            f"force has {strange[0]!r}, but this column is left out: by keep, by forbid, or as a "
            "key of the rows."
        )
    return numbers


@dataclass(frozen=True, eq=False)
class ColumnConstraints:
    """The columns that may be tested, given those that the rule and the model test already.

    Columns are numbered as in ``names``. A model tests at most ``max_columns``, and a rule at most
    ``max_together``. ``groups`` has a row of marks for each set of columns; all columns of a rule
    are in one set. None for no constraint.
    """

    names: tuple[str, ...]
    max_columns: float = math.inf
    max_together: float = math.inf
    groups: Mask | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        max_columns: float = math.inf,
        interactions: str | Sequence[Collection[str]] | None = None,
        known: Collection[str] = (),
    ) -> ColumnConstraints:
        """Read the constraints on a table; ``known`` are the columns besides, which may be named.

        As in scikit-learn, columns that no group names form a group of their own.
        """
        if interactions is None:
            return cls(tuple(names), max_columns)
        if isinstance(interactions, str):
            return cls(tuple(names), max_columns, TOGETHER[interactions])
        for column in (column for group in interactions for column in group):
            if column not in names and column not in known:
                raise InputError(
                    f"interactions has {column!r}, which is not a column. The columns are "
                    f"{', '.join(map(repr, names))}."
                )
        named = {column for group in interactions for column in group}
        rest = [name for name in names if name not in named]
        groups = [set(group) for group in interactions] + ([set(rest)] if rest else [])
        marks = np.array([[name in group for name in names] for group in groups], np.bool_)
        return cls(tuple(names), max_columns, groups=marks.reshape(len(groups), len(names)))

    @property
    def is_free(self) -> bool:
        """Whether there are no constraints."""
        return self.is_unlimited and math.isinf(self.max_together) and self.groups is None

    @property
    def is_unlimited(self) -> bool:
        """Whether a model may test any number of columns."""
        return math.isinf(self.max_columns)

    @cached_property
    def _everything(self) -> Mask:
        return np.ones(len(self.names), np.bool_)

    def allowed(self, model: Collection[int], rule: Collection[int] = ()) -> Mask:
        """Which columns a rule may test further: ``model`` and ``rule`` are what they test now."""
        allowed = self._everything
        model, rule = {*model, *rule}, {*rule}
        if len(model) >= self.max_columns:
            allowed = allowed & self._marks(model)
        if len(rule) >= self.max_together:
            allowed = allowed & self._marks(rule)
        if self.groups is not None:
            fitting = self.groups[self.groups[:, sorted(rule)].all(axis=1)]
            allowed = allowed & fitting.any(axis=0)
        return allowed

    def _marks(self, columns: Collection[int]) -> Mask:
        marks = np.zeros(len(self.names), np.bool_)
        marks[sorted(columns)] = True
        return marks

    def limits(self, columns: Sequence[str], used: Collection[str] = ()) -> ColumnLimits:
        """Constraints on a tree with columns in this order, some of them in use already."""
        places = [self.names.index(column) for column in columns]
        in_use = np.array([column in used for column in columns], np.bool_)
        return ColumnLimits(
            self.max_columns,
            self.max_together,
            None if self.groups is None else self.groups[:, places],
            in_use,
        )


class ColumnUse:
    """Columns that the rules of a model use so far, under constraints."""

    def __init__(self, constraints: ColumnConstraints) -> None:
        self.constraints = constraints
        self._used: set[int] = set()

    def allowed(self, rule: Collection[int]) -> Mask:
        """Which columns a rule may test further."""
        return self.constraints.allowed(self._used, rule)

    def add(self, columns: Iterable[int]) -> None:
        """Put the columns of a rule into use."""
        self._used.update(columns)
