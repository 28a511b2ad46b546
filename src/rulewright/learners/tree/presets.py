"""The parts of a tree learner by name, and what the famous ones are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import CRITERIA
from rulewright.data import NumericColumn, Table
from rulewright.errors import InputError, preview
from rulewright.families import Categories, Family, SpaceOptions, as_families
from rulewright.learners.base.parameters import is_whole
from rulewright.learners.tree.grown_tree import Scoring

IMPURITIES = ("gini", "entropy", "error")
CATEGORY_SPLITS = {"multiway": "multiway", "subsets": "subset", "categories": "single"}
MISSING = ("side", "fractional")
PRUNINGS = ("none", "bound", "cost-complexity", "pessimistic", "reduced-error")
CRITERION_NAMES = (*IMPURITIES, "gain_ratio")


@dataclass(frozen=True)
class Preset:
    """What a famous learner is made of."""

    criterion: str
    splits: tuple[str, ...]
    missing: str
    pruning: str
    min_leaf: float = 1.0


PRESETS = {
    "cart": Preset("gini", ("thresholds", "subsets"), "side", "cost-complexity"),
    "c4.5": Preset("gain_ratio", ("thresholds", "multiway"), "fractional", "pessimistic", 2.0),
    "id3": Preset("entropy", ("thresholds", "multiway"), "side", "none"),
}


def read_preset(preset: object) -> Preset:
    """Read preset: the name of a famous learner."""
    if isinstance(preset, str) and preset in PRESETS:
        return PRESETS[preset]
    raise InputError(f"preset must be one of {_listed(PRESETS)}; found {preset!r}.")


def read_choice(value: object, name: str, known: Sequence[str], usual: str) -> str:
    """Read one of some names, or "auto" for the preset's."""
    if isinstance(value, str) and value == "auto":
        return usual
    if isinstance(value, str) and value in known:
        return value
    raise InputError(f"{name} must be 'auto' or one of {_listed(known)}; found {value!r}.")


Criterion = Callable[[Any, Any, Any, Any], Any]


def read_criterion(criterion: object, usual: str) -> tuple[str, Scoring | None]:
    """Read criterion: the name of an impurity, or a function of ``rulewright.criteria``'s kind.

    Returns the name of an impurity or "gain_ratio", and how branches are scored in its stead.
    """
    if callable(criterion):
        return "error", _scoring(criterion)
    if isinstance(criterion, str) and criterion in CRITERIA and criterion not in IMPURITIES:
        return "error", _scoring(CRITERIA[criterion])
    names = (*CRITERION_NAMES, *(name for name in CRITERIA if name not in IMPURITIES))
    return read_choice(criterion, "criterion", names, usual), None


def _scoring(criterion: Criterion) -> Scoring:
    """Score what a branch covers as the best rule that it makes, of all classes."""

    def score(covered: NDArray[np.float64], everything: NDArray[np.float64]) -> NDArray[np.float64]:
        total, size = everything.sum(), covered.sum(axis=1)
        best = np.full(size.size, -np.inf)
        for c, of_class in enumerate(everything):
            p = covered[:, c]
            found = np.asarray(criterion(p, size - p, of_class, total - of_class), np.float64)
            best = np.fmax(best, np.broadcast_to(found, best.shape))
        return np.ascontiguousarray(best)

    return score


@dataclass(frozen=True)
class Splits:
    """What a tree may test: the families, and how categories are split."""

    families: tuple[Family, ...]
    categories: str

    @property
    def names(self) -> set[str]:
        """The names of the families."""
        return {family.name for family in self.families}


def read_splits(splits: object, usual: tuple[str, ...], options: SpaceOptions) -> Splits:
    """Read splits: names of families, families, "multiway", or a list of these."""
    chosen = usual if isinstance(splits, str) and splits == "auto" else splits
    parts = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
    named = [CATEGORY_SPLITS[p] for p in parts if isinstance(p, str) and p in CATEGORY_SPLITS]
    if len(named) > 1:
        raise InputError(
            "splits may name one of 'multiway', 'subsets' and 'categories', the ways to split a "
            f"categorical column; found {splits!r}."
        )
    families = [
        family
        for part in parts
        for family in ((Categories(),) if part == "multiway" else as_families(part, options))
    ]
    return Splits(tuple(dict.fromkeys(families)), named[0] if named else "none")


def read_count(value: object, name: str, *, least: int = 1) -> float:
    """Read a limit: a whole number, None or infinity for no limit."""
    if value is None or (isinstance(value, float) and value == math.inf):
        return math.inf
    if is_whole(value) and value >= least:
        return int(value)
    raise InputError(
        f"{name} must be a whole number of at least {least}, or None (no limit); found {value!r}."
    )


def read_amount(value: object, name: str, usual: float = 0.0, *, above: bool = False) -> float:
    """Read a number of 0 or more (``above``: more than 0), or "auto"."""
    if isinstance(value, str) and value == "auto":
        return usual
    number = isinstance(value, int | float | np.integer | np.floating)
    if number and not isinstance(value, bool) and math.isfinite(value):  # type: ignore[arg-type]
        amount = float(value)  # type: ignore[arg-type]
        if amount > 0 or (amount == 0 and not above):
            return amount
    raise InputError(
        f"{name} must be a number {'above 0' if above else 'of 0 or more'}; found {value!r}."
    )


def read_monotone(monotone: object, table: Table) -> dict[str, int]:
    """Read monotone: by column 1 (answers rise), -1 (they fall) or 0; a dict or one a column."""
    if monotone is None:
        return {}
    if isinstance(monotone, Mapping):
        given = dict(monotone)
    elif isinstance(monotone, list | tuple | np.ndarray) and len(monotone) == len(table.columns):
        given = dict(zip(table.names, monotone, strict=True))
    else:
        raise InputError(
            "monotone must be a dict of column names to 1, -1 or 0, or one of these for each of "
            f"the {len(table.columns)} columns; found {monotone!r}."
        )
    directions = {name: direction for name, direction in given.items() if direction != 0}
    for name, direction in directions.items():
        if direction not in (1, -1):
            raise InputError(f"monotone must be 1, -1 or 0; found {direction!r} for {name!r}.")
        if name not in table.names or not isinstance(table.column(name), NumericColumn):
            numeric = [column.name for column in table.numeric]
            raise InputError(
                f"monotone names {name!r}, which is no numeric column; these are: "
                f"{preview(numeric)}."
            )
    return {name: int(direction) for name, direction in directions.items()}


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
