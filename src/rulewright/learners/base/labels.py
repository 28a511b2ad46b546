"""Labels as class numbers, for estimators and the command line alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import is_missing
from rulewright.errors import InputError, preview

Codes = NDArray[np.int32]


def code_labels(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Classes in sorted order, and the number of each label's class."""
    if (texts := _texts(labels)) is not None:
        number = {text: place for place, text in enumerate(texts)}
        codes = np.fromiter(map(number.__getitem__, labels.tolist()), np.int32, labels.size)
        return np.array(texts, object), codes
    _refuse_missing(labels)
    classes, places = np.unique(labels, return_inverse=True)
    return classes, places.astype(np.int32)


def _texts(labels: NDArray[Any]) -> list[str] | None:
    """Return the different texts in sorted order; None if there are other labels."""
    if labels.dtype.kind != "O" or labels.ndim != 1:
        return None
    try:
        different = set(labels.tolist())
    except TypeError:  # objects without a hash
        return None
    return sorted(different) if all(type(label) is str for label in different) else None


def check_classes(
    classes: NDArray[Any], codes: Codes, learner: str, maximum: int | None, way_out: str
) -> None:
    """Refuse labels of one class, and more classes than a learner supports.

    ``way_out`` is the advice of the message on too many classes.
    """
    present = classes[np.unique(codes)]
    if present.size < 2:
        raise InputError(
            f"{learner} needs at least two classes, but all rows of positive weight are of one "
            f"class: {preview(present.tolist())}."
        )
    if maximum is not None and classes.size > maximum:
        raise InputError(
            f"Only binary classification is supported by {learner}, but there are {classes.size} "
            f"classes: {preview(classes.tolist())}. {way_out}"
        )


def _refuse_missing(labels: NDArray[Any]) -> None:
    missing = labels != labels if labels.dtype.kind == "f" else np.zeros(labels.shape, np.bool_)
    if labels.dtype.kind == "O":
        missing = np.array([is_missing(v) for v in labels.tolist()], np.bool_)
    if missing.any():
        first = int(np.flatnonzero(missing)[0])
        raise InputError(
            f"Input y contains NaN: {int(missing.sum())} of {labels.size} labels are missing, the "
            f"first in row {first}. Leave these rows out of the fit."
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        raise InputError("Input y contains infinity. A label must be a class.")
