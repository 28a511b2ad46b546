"""Options of the families that compare rows by all numeric columns at once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from rulewright.families import (
    FILLINGS,
    Balls,
    Family,
    HalfPlanes,
    HalfSpaces,
    SpaceOptions,
    read_sum_columns,
)
from rulewright.learners.base.notices import warn
from rulewright.learners.base.parameters import read_max_candidates
from rulewright.learners.base.settings import Parameters, option

SPACES = "Balls and half-spaces"
SUMS = ("max_sum_columns",)
"""Options of half-planes."""


def warn_of_left_out(left_out: int, tried: int, rows: int) -> None:
    """Warn where not all candidates are tried."""
    if left_out:
        warn(
            f"{left_out} centres, pairs of examples or of columns are not tried; {tried} columns "
            f"for {rows} rows are. Set max_candidates to try more."
        )


def read_candidates(text: str) -> int | str | None:
    """Maximum number of candidates as the command line has it: a number, "auto" or "all"."""
    return None if text == "all" else text if text == "auto" else int(text)


@dataclass(frozen=True, kw_only=True)
class SpaceSettings(Parameters):
    """Settings of a learner that can use balls and half-spaces."""

    metric: Any = option(
        "l2",
        "Distance of balls: l1, l2, linf, kernel or precomputed.",
        "str or function",
        details='"kernel" is the distance in the kernel\'s space; with "precomputed", X holds the '
        "distances to the training rows. A function takes two points.",
        group=SPACES,
    )
    kernel: Any = option(
        "linear",
        "Kernel of half-spaces: linear, rbf, polynomial or precomputed.",
        "str or function",
        details='With "precomputed", X holds the similarities to the training rows, for balls '
        "followed by k(x, x) in a last column. A function takes two points.",
        group=SPACES,
    )
    gamma: float = option(
        1.0, "gamma of the rbf and polynomial kernels.", "float", parse=float, group=SPACES
    )
    degree: int = option(3, "Degree of the polynomial kernel.", "int", parse=int, group=SPACES)
    coef0: float = option(
        0.0, "Constant of the polynomial kernel.", "float", parse=float, group=SPACES
    )
    scale: str = option(
        "none",
        "Scale of the columns: none, standard or rank.",
        choices=("none", "standard", "rank"),
        details="A scale is measured on every tenth row, which then tests nothing.",
        group=SPACES,
    )
    impute: str = option(
        "none",
        "Number for missing values: none, mean, median or most_frequent.",
        choices=FILLINGS,
        details="By default, balls and half-spaces refuse missing values. The numbers are a part "
        "of the model. They are measured on every tenth row, which then tests nothing.",
        group=SPACES,
        omit_default=True,
    )
    max_candidates: Any = option(
        "auto",
        "Maximum number of centres of balls or pairs of examples; drawn at random from more.",
        'int, None or "auto"',
        read=read_max_candidates,
        parse=read_candidates,
        details='"auto" limits large data only: from 2,000 rows on to 2,000 centres and 100,000 '
        "pairs. None tries all.",
        group=SPACES,
    )

    max_sum_columns: int = option(
        2,
        "Maximum number of columns in the sum of a half-plane: 2, 3 or 4.",
        "int",
        read=read_sum_columns,
        parse=int,
        details="Sums of three columns are the ten best sums of two with one column more, and sums "
        "of four are made from those of three.",
        group=SPACES,
        omit_default=True,
    )

    def space_options(self) -> SpaceOptions:
        """Options of balls and half-spaces that are given by name."""
        names = [one.name for one in fields(SpaceOptions)]
        return SpaceOptions(**{n: getattr(self, n) for n in names if hasattr(self, n)})

    def warn_of_unused(self, families: tuple[Family, ...], family: Any) -> None:
        """Warn of options that were set although none of the families has them."""
        spaces = [one.name for one in fields(SpaceOptions) if one.name not in SUMS]
        for names, kinds, users in (
            (spaces, (Balls, HalfSpaces), "balls and half-spaces"),
            (SUMS, (HalfPlanes,), "half-planes"),
        ):
            changed = [
                one.name
                for one in fields(self)
                if one.name in names and getattr(self, one.name) != one.default
            ]
            if changed and not any(isinstance(one, kinds) for one in families):
                verb = "has no effect" if len(changed) == 1 else "have no effect"
                example = " or ".join(repr(kind.name) for kind in kinds)
                warn(
                    f"{', '.join(changed)} {verb} with family={family!r}. Only {users} use "
                    f"{'it' if len(changed) == 1 else 'them'}: set family={example}, or leave "
                    f"{'it at its default' if len(changed) == 1 else 'them at their defaults'}."
                )
