"""Recipes: the settings of a learner as JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import numpy as np

from rulewright.errors import CertificateError, InputError
from rulewright.families import Family, family_from_json
from rulewright.learners.base.settings import Parameters, Settings, is_default, option_of

SomeParameters = TypeVar("SomeParameters", bound=Parameters)

CATEGORICAL = "categorical_features"
"""Columns that a user declared to be categories; they are never left out as keys."""


def recipe_of(settings: Parameters, categorical: Sequence[str] = ()) -> dict[str, Any]:
    """Return the settings as a recipe: learner, all parameters, and the version of the library."""
    other = "'compression'" if isinstance(settings, Settings) else "None"
    parameters = {
        one.name: _to_json(getattr(settings, one.name), one.name, other)
        for one in fields(settings)
        if option_of(one).in_recipe
        and not (_is_omitted(settings, one) and is_default(settings, one))
    }
    parameters[CATEGORICAL] = sorted(categorical)
    return {"learner": settings.learner, "parameters": parameters, "version": library_version()}


def _is_omitted(settings: Parameters, one: Field[Any]) -> bool:
    """Whether a recipe leaves an option out at its default."""
    return option_of(one).omit_default or one.name in settings.newer_parameters


def settings_of(
    recipe: Mapping[str, Any], known: Mapping[str, type[SomeParameters]]
) -> tuple[SomeParameters, tuple[str, ...]]:
    """Return the settings of a recipe, and the columns that were declared to be categories."""
    learner, parameters = recipe["learner"], dict(recipe["parameters"])
    categorical = tuple(parameters.pop(CATEGORICAL, ()))
    made_by = f"The certificate was made by version {recipe['version']}"
    if learner not in known:
        raise CertificateError(f"{made_by}. This version has no learner {learner!r}.")
    try:
        values = {name: _from_json(value) for name, value in parameters.items()}
        return known[learner](**{**known[learner].absent_values(values), **values}), categorical
    except (TypeError, ValueError) as error:
        raise CertificateError(f"{made_by}. This version cannot run its recipe: {error}") from error


def library_version() -> str:
    """Return the version of the library."""
    try:
        return version("rulewright")
    except PackageNotFoundError:
        return "unknown"


def _to_json(value: Any, name: str, other: str) -> Any:
    """Value of a parameter as JSON; ``other`` is the form of certificate that needs no recipe."""
    match value:
        case None | bool() | int() | str():
            return value
        case np.generic():
            return _to_json(value.item(), name, other)
        case float() if math.isfinite(value):
            return value
        case float():
            return {"number": repr(value)}
        case Family():
            return {"family": value.to_json()}
        case Mapping():
            pairs = [[_to_json(part, name, other) for part in pair] for pair in value.items()]
            return {"pairs": pairs}
        case list() | tuple():
            return [_to_json(part, name, other) for part in value]
    raise InputError(
        f"A certificate from splits is checked by running the learner again, so {name} must be a "
        f"value that a file can hold, got {value!r}. Use certificate={other} instead."
    )


def _from_json(value: Any) -> Any:
    match value:
        case {"number": str(number)}:
            return float(number)
        case {"family": family}:
            return family_from_json(family, {})
        case {"pairs": list(pairs)}:
            return {_key(_from_json(key)): _from_json(part) for key, part in pairs}
        case list():
            return [_from_json(part) for part in value]
    return value


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
