"""Parameters as users write them, checked and read once, at the start of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeGuard

import numpy as np

from rulewright.errors import InputError, preview, suggestion
from rulewright.models import read_penalty


def read_count(value: object, name: str) -> float:
    """Maximum number of something: a whole number of at least 1; infinite for None."""
    if value is None or (isinstance(value, float) and value == math.inf):
        return math.inf
    if is_whole(value) and value >= 1:
        return int(value)
    raise InputError(
        f"{name} must be a whole number of at least 1, or None for no limit, got {value!r}."
    )


def read_delta(delta: object, name: str = "delta") -> float:
    """Probability with which a certificate may fail."""
    if isinstance(delta, int | float | np.number) and 0 < delta < 1:
        return float(delta)
    raise InputError(f"{name} must be in (0, 1), got {delta!r}. 0.05 means 95 % confidence.")


def read_share(value: object, name: str) -> float:
    """Number between 0 and 1, both excluded."""
    if isinstance(value, int | float | np.number) and 0 < value < 1:
        return float(value)
    raise InputError(f"{name} must be in (0, 1), got {value!r}.")


def read_fraction(value: object, name: str) -> float:
    """Number from 0 to 0.5."""
    if _is_finite(value) and 0 <= value <= 0.5:
        return float(value)
    raise InputError(f"{name} must be in [0, 0.5], got {value!r}.")


def read_amount(value: object, name: str) -> float:
    """Finite number of 0 or more."""
    if _is_finite(value) and value >= 0:
        return float(value)
    raise InputError(f"{name} must be a number of 0 or more, got {value!r}.")


def read_positive(value: object, name: str) -> float:
    """Finite number above 0."""
    if _is_finite(value) and value > 0:
        return float(value)
    raise InputError(f"{name} must be a number above 0, got {value!r}.")


def _is_finite(value: object) -> TypeGuard[float]:
    number = isinstance(value, int | float | np.integer | np.floating)
    return number and not isinstance(value, bool) and math.isfinite(value)  # type: ignore[arg-type]


def read_columns(names: object, name: str) -> tuple[str, ...] | None:
    """Names of columns, each once; None where there is no list."""
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"{name} must be a list of column names, got {names!r}.")
    return tuple(dict.fromkeys(names))


def known_columns(names: Sequence[str], name: str, known: Sequence[str]) -> list[int]:
    """Places of named columns among those of the data."""
    strange = [column for column in names if column not in known]
    if strange:
        raise InputError(
            f"{name} has {strange[0]!r}, which is not a column of the data."
            f"{suggestion(strange[0], known)} The columns are "
            f"{preview(known, max_values=12)}."
        )
    return sorted(known.index(column) for column in names)


def read_penalties(penalties: object, classes: Sequence[object]) -> list[Fraction | float]:
    """Read penalties: one number, a pair (of positives, of negatives), or a number for each class.

    Examples
    --------
    >>> read_penalties((2, 0.5), ["no", "yes"])  # losing a "yes" costs 2, losing a "no" 1/2
    [Fraction(1, 2), Fraction(2, 1)]
    """
    if isinstance(penalties, Mapping):
        strange = [label for label in penalties if label not in classes]
        absent = [label for label in classes if label not in penalties]
        if strange or absent:
            raise InputError(
                f"penalty must have one number for each of the classes {preview(classes)}, got "
                f"{preview(list(penalties))}."
            )
        return [read_penalty(penalties[label]) for label in classes]
    if isinstance(penalties, list | tuple):
        if len(penalties) != 2 or len(classes) != 2:
            raise InputError(
                "penalty must be one number, a dict with one number a class, or for two classes a "
                f"pair (positives, negatives), got {penalties!r} for {len(classes)} classes."
            )
        positive, negative = (read_penalty(p) for p in penalties)
        return [negative, positive]
    return [read_penalty(penalties)] * len(classes)


def parse_penalties(text: str) -> float | tuple[float, ...]:
    """Penalty as it is written on the command line: a number, or two with a comma between.

    Examples
    --------
    >>> parse_penalties("1.5"), parse_penalties("2,0.5")
    (1.5, (2.0, 0.5))
    """
    numbers = tuple(map(float, text.split(",")))
    return numbers[0] if len(numbers) == 1 else numbers


def balanced_costs(classes: Sequence[object], weights: Sequence[float]) -> dict[object, float]:
    """Costs that make all classes weigh the same, from the training weight of each class.

    ``total / (classes * weight)`` as in scikit-learn, to six digits; 1 for a class without weight.

    Examples
    --------
    >>> balanced_costs(["ill", "well"], [20, 60])
    {'ill': 2.0, 'well': 0.666667}
    """
    even = math.fsum(weights) / sum(weight > 0 for weight in weights)
    return {
        label: float(f"{even / weight:.6g}") if weight > 0 else 1.0
        for label, weight in zip(classes, weights, strict=True)
    }


def read_class_weight(
    class_weight: object,
    classes: Sequence[object],
    weights: Sequence[float],
    name: str = "class_weight",
) -> dict[object, object]:
    """Read class_weight as class costs: a dict, or "balanced" for ``balanced_costs``.

    As in scikit-learn, labels that y does not have are ignored where every class has a weight.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        return dict(balanced_costs(classes, weights))
    if not isinstance(class_weight, Mapping):
        raise InputError(
            f"{name} must be a dict of label to number, 'balanced' or None, got {class_weight!r}."
        )
    strange = [label for label in class_weight if label not in classes]
    absent = [label for label in classes if label not in class_weight]
    if strange and absent:
        raise InputError(
            f"class_weight names {preview(strange)}, but the classes are {preview(classes)}."
        )
    return {label: class_weight[label] for label in classes if label in class_weight}


def read_max_candidates(value: object, name: str = "max_candidates") -> int | str | None:
    """Whole number of at least 1, None for no limit, or "auto"."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    if is_whole(value) and value >= 1:
        return int(value)
    raise InputError(f"{name} must be a whole number of at least 1, None or 'auto', got {value!r}.")


def read_switch(value: object, name: str) -> bool:
    """True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(f"{name} must be True or False, got {value!r}.")


def read_whole(minimum: int) -> Callable[[object, str], int]:
    """Return a reader of whole numbers that are no smaller than the minimum."""

    def read(value: object, name: str) -> int:
        if is_whole(value) and value >= minimum:
            return int(value)
        raise InputError(f"{name} must be a whole number of {minimum} or more, got {value!r}.")

    return read


def read_seed(random_state: object) -> int:
    """Read random_state: a whole number, a generator to draw one from, or None for 0."""
    if random_state is None:
        return 0
    if is_whole(random_state):
        if random_state >= 0:
            return int(random_state)
    elif isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    elif isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    raise InputError(
        f"random_state must be a whole number of 0 or more, a generator, or None; found "
        f"{random_state!r}."
    )


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, and no Boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
