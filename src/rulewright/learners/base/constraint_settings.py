"""Constraints on the tests of a model, which learners share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from rulewright.errors import InputError
from rulewright.families import (
    CUTS,
    Categories,
    CoarseThresholds,
    Family,
    GivenPredicates,
    HalfPlanes,
    Intervals,
    Midpoints,
    MissingValues,
    RoundedThresholds,
    Spatial,
    Thresholds,
)
from rulewright.learners.base.column_constraints import ColumnConstraints, read_interactions
from rulewright.learners.base.parameters import read_count, read_switch
from rulewright.learners.base.settings import CONSTRAINTS, Parameters, is_default, option

OTHER_CUTS = (Intervals, Midpoints, CoarseThresholds, Spatial, HalfPlanes)
"""Families with numbers of their own, which are neither rounded nor chosen."""


def monotonic_option(*, omit_default: bool) -> Any:
    """Option for the directions of columns."""
    return option(
        None,
        "Direction of a column: 1 where answers may only rise with it, -1 where they only fall.",
        "dict of column name to 1, -1 or 0, list, or None",
        repeatable=True,
        group=CONSTRAINTS,
        omit_default=omit_default,
        details="For numbers, or two classes: the answer rises from the first to the second.",
    )


NOT_KEPT_BY_POLISHING = ("round_cuts", "max_columns", "interactions", "monotonic_cst")
"""Constraints that a polished model may violate."""


@dataclass(frozen=True, kw_only=True)
class ConstraintSettings(Parameters):
    """Constraints on the tests of a model.

    They restrict the candidates of a search. Families have them as options, so that the message of
    a certificate describes what may be chosen.
    """

    round_cuts: bool = option(
        False,
        "Move each cut to the roundest value between the training values on either side of it.",
        "bool",
        read=read_switch,
        group=CONSTRAINTS,
        omit_default=True,
        details="No training row gets another answer. A certificate in the compression form names "
        "two rows for each cut.",
    )
    cuts: str = option(
        "all",
        "Values that may be cuts: all, whole numbers (integers), or the deciles of the column.",
        choices=CUTS,
        group=CONSTRAINTS,
        omit_default=True,
        details="The maximum of a column counts as its last decile. Each row counts once, whatever "
        "its weight.",
    )
    positive_tests: bool = option(
        False,
        "Only tests of what a row has: no 'is not', no 'not', no 'is not missing'.",
        "bool",
        read=read_switch,
        group=CONSTRAINTS,
        omit_default=True,
        details="Rules that a user wrote stay as they are.",
    )

    max_columns: int | None = option(
        None,
        "Maximum number of columns in the model; once as many are in use, only these are tested.",
        "int or None",
        read=read_count,
        parse=int,
        group=CONSTRAINTS,
        omit_default=True,
    )
    interactions: Any = option(
        None,
        "Columns that may occur together in a rule or on a path of a tree; also pairwise.",
        'list of lists of column names, "pairwise", "no_interactions" or None',
        read=read_interactions,
        repeatable=True,
        group=CONSTRAINTS,
        omit_default=True,
        details="All columns of a rule are in one of the groups. Columns that no group names form "
        'a group of their own. "no_interactions" allows one column in a rule, "pairwise" two.',
    )

    monotonic_cst: Any = monotonic_option(omit_default=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        unkept = [name for name in constraints_of(self) if name in NOT_KEPT_BY_POLISHING]
        if getattr(self, "polish", False) and unkept:
            raise InputError(
                f"polish=True does not keep to {', '.join(unkept)}. Set polish=False, or leave "
                f"{'it at its default' if len(unkept) == 1 else 'them at their defaults'}."
            )

    def column_constraints(self, names: Sequence[str], known: Sequence[str]) -> ColumnConstraints:
        """Constraints on the columns of a table; ``known`` are all columns of the user's table."""
        interactions = read_interactions(self.interactions, "interactions")
        return ColumnConstraints.of(names, self.value("max_columns"), interactions, known)

    def constrained(self, families: Iterable[Family]) -> tuple[Family, ...]:
        """Families that make only the tests that the constraints allow."""
        found = tuple(families)
        if self.max_columns is not None or self.interactions is not None:
            name = "interactions" if self.max_columns is None else "max_columns"
            _refuse_several_columns(found, name, (Spatial, HalfPlanes))
        if self.monotonic_cst is not None:
            _refuse_several_columns(found, "monotonic_cst", (Spatial,))
        if self.round_cuts or self.cuts != "all":
            self._refuse_other_cuts(found)
            found = tuple(self._with_cuts(family) for family in found)
        if self.positive_tests:
            found = tuple(
                replace(family, negation=False)
                if isinstance(family, Categories | MissingValues | GivenPredicates)
                else family
                for family in found
            )
        return tuple(dict.fromkeys(found))

    def _with_cuts(self, family: Family) -> Family:
        if not isinstance(family, Thresholds):
            return family
        cuts = family.cuts if self.cuts == "all" else self.cuts
        return RoundedThresholds(cuts) if self.round_cuts else replace(family, cuts=cuts)

    def _refuse_other_cuts(self, families: Iterable[Family]) -> None:
        name = "round_cuts" if self.round_cuts else "cuts"
        strange = [family.name for family in families if isinstance(family, OTHER_CUTS)]
        if strange:
            raise InputError(
                f"{name} applies to thresholds, not to the family {strange[0]!r}. Leave the family "
                f"out, or drop {name}."
            )
        if getattr(self, "consistent", False):
            raise InputError(
                f"{name} and consistent=True exclude each other: the cuts of a consistent machine "
                f"are values of examples that it answers correctly. Drop one of them."
            )


def _refuse_several_columns(
    families: Iterable[Family], name: str, kinds: tuple[type[Family], ...]
) -> None:
    for family in families:
        functions = isinstance(family, GivenPredicates) and family.functions
        if isinstance(family, kinds) or functions:
            raise InputError(
                f"{name} needs tests of single columns, but the family {family.name!r} tests "
                f"several at once. Leave the family out, or drop {name}."
            )


def constraints_of(settings: Parameters) -> dict[str, Any]:
    """Constraints that are not at their defaults, by name."""
    names = ConstraintSettings.__annotations__
    return {
        one.name: getattr(settings, one.name)
        for one in fields(settings)
        if one.name in names and not is_default(settings, one)
    }
