"""Recipes of scikit-learn estimators: the candidates of a grid, with their parameters as JSON.

A recipe must find the same candidates whenever it is run. So each random state in it is a whole
number.
"""

from __future__ import annotations

import math
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags

from rulewright.errors import InputError
from rulewright.learners import library_version

RANDOM_STATE = "random_state"
SEED = 0
"""Random state of a recipe whose estimator has none."""
NOT_IN_RECIPE = ("n_jobs", "verbose")
"""Parameters that do not change what is learnt."""
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True, eq=False)
class EstimatorGrid:
    """The candidates of a recipe.

    Attributes
    ----------
    candidates : tuple of estimators
        Unfitted, one for each point.
    points : tuple of dict
        The parameters of each that the grid sets.
    notices : tuple of str
        What was changed so that fits can be repeated.
    """

    candidates: tuple[Any, ...]
    points: tuple[dict[str, Any], ...]
    notices: tuple[str, ...]


def read_grid(estimator: Any, grid: Any) -> EstimatorGrid:
    """Return the candidates of an estimator and a grid.

    Parameters
    ----------
    estimator : scikit-learn classifier
    grid : dict, list of dicts or None
        As in ``sklearn.model_selection.ParameterGrid``; None for the estimator alone.
    """
    check_estimator_kind(estimator)
    points: list[dict[str, Any]] = (
        [{}] if grid is None else [dict(point) for point in ParameterGrid(grid)]
    )
    if not points:
        raise InputError("The grid is empty. Give at least one value for a parameter, or None.")
    found = [_settled(_at_point(estimator, point)) for point in points]
    candidates = tuple(candidate for candidate, _ in found)
    _refuse_repeated(candidates)
    names = sorted({name for _, settled in found for name in settled})
    return EstimatorGrid(candidates, tuple(points), (_seed_notice(names),) if names else ())


def check_estimator_kind(estimator: Any) -> None:
    """Refuse what is not a classifier whose rows can be chosen."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise InputError(f"estimator must be an instance, got the class {name}. Write {name}().")
    if not (hasattr(estimator, "get_params") and is_classifier(estimator)):
        raise InputError(
            f"estimator must be a scikit-learn classifier, or a pipeline that ends in one, got "
            f"{type(estimator).__name__}."
        )
    if get_tags(estimator).input_tags.pairwise:
        raise InputError(
            f"{type(estimator).__name__} takes a precomputed matrix, whose columns stand for the "
            "training rows, so it cannot learn from some of the rows. Use a kernel or a metric "
            "that is computed from columns."
        )


def _at_point(estimator: Any, point: Mapping[str, Any]) -> Any:
    return clone(estimator).set_params(**{n: clone(v, safe=False) for n, v in point.items()})


def _settled(estimator: Any) -> tuple[Any, list[str]]:
    """An estimator with a number for each random state, and the parameters that had none."""
    changed = []
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if name.rpartition("__")[2] == RANDOM_STATE:
            if _read_random_state(value, name) is None:
                estimator.set_params(**{name: SEED})
                changed.append(name)
        elif hasattr(value, RANDOM_STATE) and not hasattr(value, "get_params"):  # a splitter
            inner = f"{name}.{RANDOM_STATE}"
            if _read_random_state(value.random_state, inner) is None:
                value.random_state = SEED
                changed.append(inner)
    return estimator, changed


def _read_random_state(value: Any, name: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    raise InputError(
        f"{name} must be a whole number or None, got {type(value).__name__}. The certificate is "
        "checked by fitting again, so each fit must start from the same state."
    )


def _seed_notice(names: Sequence[str]) -> str:
    verb = "was" if len(names) == 1 else "were"
    return (
        f"{', '.join(names)} {verb} None and counts as {SEED}, so that fitting again gives the "
        "same answers. Another number is another recipe: choose it before you see the bound."
    )


def _refuse_repeated(candidates: Sequence[Any]) -> None:
    seen: list[Any] = []
    for number, candidate in enumerate(candidates, 1):
        parameters = parameter_json(candidate)
        if parameters in seen:
            raise InputError(
                f"Points {seen.index(parameters) + 1} and {number} of the grid are the same: "
                "functions count as equal if they have the same name. Drop one of them, or use "
                "named functions."
            )
        seen.append(parameters)


# JSON.


def parameter_json(value: Any) -> Any:
    """Return a parameter as a JSON value: of an estimator its class and all its parameters.

    Functions are given by name, and arrays by a hash. Other values that JSON cannot hold are given
    by their ``repr``, without addresses in memory.

    Examples
    --------
    >>> parameter_json([1, float("inf"), math.sqrt, slice(3)])
    [1, {'number': 'inf'}, {'name': 'math.sqrt'}, {'repr': 'slice(None, 3, None)'}]
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"number": repr(value)}
        case list() | tuple():
            return [parameter_json(part) for part in value]
        case Mapping():
            return {"pairs": [[parameter_json(k), parameter_json(v)] for k, v in value.items()]}
        case np.ndarray():
            return _array_json(value)
        case np.generic() if not isinstance(value.item(), np.generic):
            return parameter_json(value.item())
        case partial():
            return {
                "partial": [parameter_json(p) for p in (value.func, value.args, value.keywords)]
            }
    return _object_json(value)


def _object_json(value: Any) -> Any:
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return {"name": f"{value.__module__}.{value.__qualname__}"}
    if not hasattr(value, "get_params"):
        return {"repr": ADDRESS.sub("", repr(value))}
    parameters = sorted(value.get_params(deep=False).items())
    return {
        "estimator": estimator_name(value),
        "parameters": {n: parameter_json(v) for n, v in parameters if n not in NOT_IN_RECIPE},
    }


def _array_json(values: np.ndarray[Any, Any]) -> Any:
    if values.dtype.hasobject:
        return {"array": parameter_json(values.tolist())}
    content = np.ascontiguousarray(values).tobytes()
    return {"array": [str(values.dtype), *values.shape], "sha256": sha256(content).hexdigest()}


def estimator_name(estimator: Any) -> str:
    """Return the package and the class of an estimator.

    Modules between the two change from version to version.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> estimator_name(LogisticRegression())
    'sklearn.LogisticRegression'
    """
    return f"{_package(estimator)}.{type(estimator).__qualname__}"


# Recipes.


def make_recipe(
    candidates: Sequence[Any], *, delta: float, n_splits: int, check_share: float | None
) -> dict[str, Any]:
    """Return the recipe of a certificate, a JSON object."""
    parameters = {
        "candidates": [parameter_json(candidate) for candidate in candidates],
        "delta": delta,
        "n_splits": n_splits,
        "check_share": check_share,
        "versions": versions_of(candidates),
    }
    names = dict.fromkeys(estimator_name(candidate) for candidate in candidates)
    return {"learner": ", ".join(names), "parameters": parameters, "version": library_version()}


def without_versions(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the recipe without the versions of other libraries, which draw no other splits."""
    parameters = {n: v for n, v in recipe["parameters"].items() if n != "versions"}
    return {**recipe, "parameters": parameters}


def versions_of(candidates: Sequence[Any]) -> dict[str, str]:
    """Return the versions of the libraries that the candidates need."""
    found = {
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    for package in sorted({_package(part) for each in candidates for part in _parts(each)}):
        version = getattr(sys.modules.get(package), "__version__", None)
        if package not in ("sklearn", "rulewright") and version is not None:
            found.setdefault(package, str(version))
    return found


def versions_text(versions: Mapping[str, str]) -> str:
    """Return names and versions of libraries in a line.

    Examples
    --------
    >>> versions_text({"scikit-learn": "1.7.0", "numpy": "2.1.0"})
    'scikit-learn 1.7.0, numpy 2.1.0'
    """
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def changes_text(made: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return which versions differ from those that a certificate was made with.

    Examples
    --------
    >>> changes_text({"scikit-learn": "1.7.0", "numpy": "2.1.0"}, {"scikit-learn": "1.8.0"})
    'made with scikit-learn 1.7.0, this is 1.8.0; made with numpy 2.1.0, which is not here'
    """
    return "; ".join(
        f"made with {name} {version}, "
        + (f"this is {now[name]}" if name in now else "which is not here")
        for name, version in made.items()
        if now.get(name) != version
    )


def _package(value: Any) -> str:
    return str(type(value).__module__).partition(".")[0]


def _parts(estimator: Any) -> Iterator[Any]:
    yield estimator
    for value in estimator.get_params(deep=True).values():
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield value
