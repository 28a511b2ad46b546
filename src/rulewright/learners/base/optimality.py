"""Results of a search with a proof of optimality, and its settings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.errors import InputError
from rulewright.kernels import MAX_CODED_VALUES, CodedCells, SearchLimits
from rulewright.learners.base.binned_columns import BinnedColumn, coded_cells
from rulewright.learners.base.constraint_settings import ConstraintSettings
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.parameters import (
    is_whole,
    read_amount,
    read_count,
    read_positive,
)
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Parameters, option
from rulewright.learners.base.usefulness import MAX_WEIGHT, whole_weights
from rulewright.render import lower_percent_text, percent_text

OPTIMAL = "Optimal search"
SEARCHES = ("greedy", "optimal")
FAMILIES = {"thresholds", "categories", "missing"}
MEGABYTE = 2**20
MAX_CUTS = 1000
OPTIMALITY = """
optimality_ : Optimality
    With ``search="optimal"``: the objective, a lower bound for all models of this kind, and whether
    the model is proven optimal. A split certificate has none.
alternatives_ : list of PathEntry
    With ``n_alternatives``: other models whose objective is within ``max_excess``.
"""


def _read_max_cuts(value: object, name: str) -> int:
    if is_whole(value) and 1 <= value <= MAX_CUTS:
        return int(value)
    raise InputError(f"{name} must be a whole number from 1 to {MAX_CUTS}, got {value!r}.")


def _read_number(value: object, name: str) -> int:
    if is_whole(value) and value >= 0:
        return int(value)
    raise InputError(f"{name} must be a whole number of 0 or more, got {value!r}.")


assert MAX_CUTS < MAX_CODED_VALUES


@dataclass(frozen=True, kw_only=True)
class OptimalSettings(Parameters):
    """Settings of a learner that has a search with a proof of optimality."""

    not_optimal: ClassVar[tuple[str, ...]] = ()
    """Options that an optimal search does not have."""

    search: str = option(
        "greedy",
        "Search: greedy, or optimal, which proves that no model of its size is better in training.",
        choices=SEARCHES,
        omit_default=True,
        details='"optimal" is for small models; see ``optimality_``.',
    )
    max_cuts: int = option(
        32,
        "Maximum number of cuts of a column in an optimal search; quantiles of more values.",
        "int",
        read=_read_max_cuts,
        parse=int,
        group=OPTIMAL,
        omit_default=True,
        details="Of more categories than that, the most frequent ones are tested.",
    )
    max_subproblems: int | None = option(
        50_000,
        "Maximum number of subproblems of an optimal search; it then keeps the best model found.",
        "int or None",
        read=read_count,
        parse=int,
        group=OPTIMAL,
        omit_default=True,
        details="Unlike ``time_budget`` it gives the same model each time.",
    )
    max_memory: float = option(
        512,
        "Megabytes for solved subproblems; when they are used up, an optimal search is slower.",
        "float",
        read=read_positive,
        parse=float,
        group=OPTIMAL,
        omit_default=True,
    )
    n_alternatives: int = option(
        0,
        "Maximum number of other models, almost as good, that an optimal search lists.",
        "int",
        read=_read_number,
        parse=int,
        group=OPTIMAL,
        omit_default=True,
        details="See ``alternatives_``.",
    )
    max_excess: float = option(
        0.0,
        "Training error, or other objective, of an alternative above that of the model, at most.",
        "float",
        read=read_amount,
        parse=float,
        group=OPTIMAL,
        omit_default=True,
    )

    @property
    def optimal(self) -> bool:
        """Whether the search proves optimality."""
        return self.search == "optimal"

    def check_optimal(self) -> None:
        """Refuse options that the search does not have."""
        own = tuple(one.name for one in fields(self) if one.metadata["option"].group == OPTIMAL)
        refused = (*self.not_optimal, *ConstraintSettings.__annotations__) if self.optimal else own
        for one in fields(self):
            if one.name in refused and not _is(getattr(self, one.name), one.default):
                other = "greedy" if self.optimal else "optimal"
                raise InputError(
                    f"{one.name} has no effect with search={self.search!r}. Leave it at "
                    f"{one.default!r}, or set search={other!r}."
                )

    def check_optimal_families(self, names: Iterable[str], given: object) -> None:
        """Refuse families whose tests an optimal search does not have."""
        if self.optimal and not set(names) <= FAMILIES:
            raise InputError(
                "search='optimal' has the families 'thresholds', 'categories' and 'missing', got "
                f"{given!r}."
            )

    def limits(self, deadline: Deadline) -> SearchLimits:
        """Limits of an optimal search."""
        return SearchLimits(
            self.value("max_subproblems"), int(self.max_memory * MEGABYTE), deadline.left
        )


@dataclass(frozen=True, eq=False)
class OptimalSearch:
    """Search for the models with the fewest errors for each size.

    Attributes
    ----------
    sample : Sample
    worth : array
        Value of each example: its weight times the cost of misjudging it.
    max_cuts : int
        Maximum number of cuts or categories of a column.
    limits : SearchLimits
    """

    sample: Sample
    worth: NDArray[np.float64]
    max_cuts: int
    limits: SearchLimits

    @cached_property
    def weight(self) -> NDArray[np.int64]:
        """Values of the examples as whole numbers."""
        return whole_weights(self.worth, MAX_WEIGHT)

    @cached_property
    def total(self) -> int:
        """Value of all examples."""
        return int(self.weight.sum())

    def within(self, errors: int, max_excess: Fraction) -> int:
        """Largest number of errors that exceeds a number by at most a share of the value."""
        return errors + int(max_excess * self.total)

    @abstractmethod
    def binned_columns(self) -> Sequence[BinnedColumn]:
        """Return the columns that models may test."""

    @cached_property
    def columns(self) -> Sequence[BinnedColumn]:
        """The columns that models may test."""
        return self.binned_columns()

    @cached_property
    def cells(self) -> CodedCells:
        """The examples as the kernels search them."""
        return coded_cells(self.columns, self.sample.y, self.weight, len(self.sample.classes))


def stopped_by(stopped: bool, deadline: Deadline) -> str:
    """Name the option that ended a search; empty if it was complete."""
    deadline.missed = deadline.missed or (stopped and deadline.left == 0)
    if not stopped:
        return ""
    return "time_budget" if deadline.missed else "max_subproblems"


MAX_LISTED = 5
"""Maximum number of alternatives that a sentence lists."""


def alternatives_text(
    first: str,
    models: str,
    count: int,
    texts: Sequence[str],
    max_excess: Fraction,
    measure: str = "training error",
) -> str:
    """Name the first tests or rules of other models that are as good, or almost."""
    within = f"the same {measure}"
    if max_excess:
        within = f"a {measure} of at most {100 * float(max_excess):g} points more"
    if not count:
        return f"No other first {first} gives {models} with {within}."
    listed = texts[:MAX_LISTED]
    more = count - len(listed)
    shown = ", ".join(listed) + (f", and {more} more" if more else "")
    give = f"{first} gives" if count == 1 else f"{first}s give"
    return f"{count} other first {give} {models} with {within}: {shown}."


def _is(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


@dataclass(frozen=True)
class Optimality:
    """What an optimal search proved about the model.

    Attributes
    ----------
    objective : float
        Share of the training weight that the model misclassifies, costs included, plus the weighted
        impurity and the prices of its leaves.
    lower_bound : float
        No model of the same kind and size has a lower objective.
    subproblems : int
        Number of subproblems that were solved.
    models : str
        The models that were compared.
    measure : str
        The objective in words.
    stopped_by : str
        The limit that ended the search; empty if it was complete.
    n_alternatives : int or None
        Number of other models within ``max_excess``, as far as they were found; None if they were
        not asked for. See ``alternatives_``.
    """

    objective: float
    lower_bound: float
    subproblems: int
    models: str
    measure: str = "training error"
    stopped_by: str = ""
    n_alternatives: int | None = None

    @property
    def gap(self) -> float:
        """Difference between the objective and its lower bound."""
        return self.objective - self.lower_bound

    @property
    def proven(self) -> bool:
        """Whether the model is proven optimal."""
        return self.gap == 0

    @property
    def sentence(self) -> str:
        """Return the result in words."""
        if self.proven:
            return f"Optimal, with proof: no {self.models} has a lower {self.measure}."
        return (
            f"Not proven optimal: the search stopped at {self.stopped_by}. The {self.measure} is "
            f"{percent_text(self.objective)}; no {self.models} is below "
            f"{lower_percent_text(self.lower_bound)}."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        return known | {"gap": self.gap, "proven": self.proven}
