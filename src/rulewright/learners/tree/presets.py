"""The parts of a tree learner by name, and the presets of CART, C4.5 and ID3."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.criteria import CRITERIA
from rulewright.errors import InputError
from rulewright.families import Categories, Family, SpaceOptions, Thresholds, as_families
from rulewright.learners.base.parameters import read_positive
from rulewright.learners.tree.grown_tree import Scoring

IMPURITIES = ("gini", "entropy", "error")
CATEGORY_SPLITS = {"multiway": "multiway", "subsets": "subset", "categories": "single"}
RANGES = "ranges"
"""Name of splits of a numeric column into several ranges."""
MISSING = ("side", "fractional")
PRUNINGS = ("none", "bound", "cost-complexity", "pessimistic", "reduced-error")
SAME_CHOICE = {"normalised_gain": "entropy"}
"""Criteria that order the splits of a node as another does: the entropy of its classes is given."""
CRITERION_NAMES = (*IMPURITIES, "gain_ratio", *SAME_CHOICE)


@dataclass(frozen=True)
class Preset:
    """The parts of a well-known learner."""

    criterion: str
    splits: tuple[str, ...]
    missing: str
    pruning: str
    min_leaf: float = 1.0


PRESETS = {
    "cart": Preset("gini", ("thresholds", "subsets"), "side", "pessimistic"),
    "c4.5": Preset("gain_ratio", ("thresholds", "multiway"), "fractional", "pessimistic", 2.0),
    "id3": Preset("entropy", ("thresholds", "multiway"), "side", "none"),
}


Criterion = Callable[[Any, Any, Any, Any], Any]


def read_criterion(
    criterion: object, name: str = "criterion", usual: str = "gini"
) -> tuple[str, Scoring | None]:
    """Name of an impurity or "gain_ratio", and the function that scores branches instead, if any.

    ``usual`` stands for "auto".
    """
    if callable(criterion):
        return "error", _scoring(criterion)
    if isinstance(criterion, str) and criterion in CRITERIA and criterion not in IMPURITIES:
        return "error", _scoring(CRITERIA[criterion])
    if isinstance(criterion, str) and criterion in ("auto", *CRITERION_NAMES):
        named = usual if criterion == "auto" else criterion
        return SAME_CHOICE.get(named, named), None
    names = (*CRITERION_NAMES, *(known for known in CRITERIA if known not in IMPURITIES))
    known = ", ".join(map(repr, names))
    raise InputError(f"{name} must be a function, 'auto' or one of {known}, got {criterion!r}.")


def read_confidence(value: object, name: str) -> float:
    """Confidence factor of C4.5: above 0 and at most 0.5."""
    if read_positive(value, name) > 0.5:
        raise InputError(f"{name} must be above 0 and at most 0.5, got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _scoring(criterion: Criterion) -> Scoring:
    """Score of a branch: that of its best rule over all classes."""

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
    """What a tree may test: the families, and how categories are split.

    With ``ranges``, a numeric column may be split into several ranges at once; without ``cuts``,
    only so.
    """

    families: tuple[Family, ...]
    categories: str
    ranges: bool = False
    cuts: bool = True

    @property
    def names(self) -> set[str]:
        """The names of the families, and "ranges"."""
        return {family.name for family in self.families} | ({RANGES} if self.ranges else set())

    @property
    def has_cuts(self) -> bool:
        """Whether a numeric column may be tested against a cut."""
        return self.cuts and any(isinstance(family, Thresholds) for family in self.families)


def read_splits(splits: object, usual: tuple[str, ...], options: SpaceOptions) -> Splits:
    """Tests of a split, from names of families, families, "multiway", "ranges", or a list."""
    chosen = usual if isinstance(splits, str) and splits == "auto" else splits
    parts = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
    named = [CATEGORY_SPLITS[p] for p in parts if isinstance(p, str) and p in CATEGORY_SPLITS]
    if len(named) > 1:
        raise InputError(
            "family may have one of 'multiway', 'subsets' and 'categories', the ways to split a "
            f"categorical column, got {splits!r}."
        )
    ranges = any(isinstance(part, str) and part == RANGES for part in parts)
    families = [
        family
        for part in parts
        if not (isinstance(part, str) and part == RANGES)
        for family in ((Categories(),) if part == "multiway" else as_families(part, options))
    ]
    cuts = any(isinstance(family, Thresholds) for family in families)
    if ranges and not cuts:
        families.insert(0, Thresholds())  # the ends of ranges are cuts
    categories = named[0] if named else "none"
    return Splits(tuple(dict.fromkeys(families)), categories, ranges, cuts)
