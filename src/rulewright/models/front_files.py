"""Models of other sizes in a model file: the member ``front``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rulewright.errors import ModelFileError
from rulewright.models.files import (
    FRONT,
    SHARED,
    CertificateReader,
    errors_of_file,
    model_from_json,
    read_data,
)
from rulewright.models.model import Model

MAX_SIZE = 2**53
OWN = ("size", "errors", "usefulness")
"""Members that a model in a file of its own does not have."""


@dataclass(frozen=True)
class FrontModel:
    """A model of another size, as a file holds it; see ``SizedModel``."""

    size: int
    model: Model
    errors: int
    usefulness: float


def read_front(
    path: str | os.PathLike[str],
    read_certificate: CertificateReader,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> list[FrontModel]:
    """Return the models of other sizes in a file, the smallest first; none where it has none."""
    with errors_of_file(path):
        data = read_data(path)
        if not isinstance(data, dict):
            raise ModelFileError("this is not a model file of this library.")
        listed = data.get(FRONT, [])
        if not isinstance(listed, list):
            raise ModelFileError("'front' must be a list.")
        shared = {name: data[name] for name in SHARED if name in data}
        found = [_read(entry, shared, read_certificate, functions or {}) for entry in listed]
        if len({entry.size for entry in found}) < len(found):
            raise ModelFileError("'front' has two models of one size.")
        return sorted(found, key=lambda entry: entry.size)


def _read(
    data: Any,
    shared: Mapping[str, Any],
    read_certificate: CertificateReader,
    functions: Mapping[str, Callable[..., Any]],
) -> FrontModel:
    match data:
        case {"size": int(size), "errors": int(errors), "usefulness": usefulness, **members} if (
            _is_count(size) and _is_count(errors) and _is_score(usefulness)
        ):
            model = model_from_json({**members, **shared}, read_certificate, _no_regression)
            if not isinstance(model, Model) or model.certificate is None:
                raise ModelFileError("'front' must hold classifiers with certificates.")
            score = math.nan if usefulness is None else float(usefulness)
            return FrontModel(size, model.bound_to(functions), errors, score)
    raise ModelFileError("'front' must hold objects with size, errors and usefulness.")


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < MAX_SIZE


def _is_score(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) < 2.0**1000)


def _no_regression(data: Any) -> Any:
    raise ModelFileError("'front' must hold classifiers with certificates.")
