"""The learners of a comparison: those of this library, baselines, and any of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

import rulewright
from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.experiments.baselines import BASELINES, baseline
from rulewright.experiments.table_encoder import TableEncoder
from rulewright.selection import LEARNERS, BoundSearch

OURS: dict[str, tuple[str, dict[str, Any], dict[str, list[Any]]]] = {
    "auto": ("AutoClassifier", {}, {}),
    "scm": (
        "SetCoveringMachine",
        {},
        {"penalty": [0.5, 1, 2, 5, 10], "kind": ["conjunction", "disjunction"]},
    ),
    "dlm": ("DecisionListMachine", {}, {"penalty": [0.5, 1, 2, 5, 10]}),
    "tree": ("TreeClassifier", {"preset": "c4.5"}, {}),
    "rule-list": ("RuleListClassifier", {}, {}),
    "rule-vote": ("RuleVoteClassifier", {}, {}),
    "ripper": ("RipperClassifier", {}, {}),
    "slipper": ("SlipperClassifier", {}, {}),
    "tree-rules": ("TreeRulesClassifier", {}, {}),
    "scorecard": ("ScorecardClassifier", {}, {}),
}
"""Estimators of this library: class, parameters, and a grid to choose from by certificate."""

SLOW = ("mlp", "svm", "bagging", "extra-trees")
"""Baselines that a quick comparison leaves out."""


def known_names() -> list[str]:
    """Names of all learners that a comparison can be asked for."""
    return [*OURS, *BASELINES]


def descriptions_of(given: Any, made: Mapping[str, Any]) -> dict[str, str]:
    """What the learners are that were asked for by name."""
    names = (
        made if given is None else [one for one in _named(given).values() if isinstance(one, str)]
    )
    titles = {name: BASELINES[name].title for name in BASELINES}
    summaries = {name: LEARNERS[name].summary for name in OURS}
    return {name: summaries.get(name) or f"{titles[name]} (scikit-learn)" for name in names}


def estimators_of(
    given: Any,
    table: Table,
    *,
    quick: bool = False,
    seed: int = 0,
    class_costs: Mapping[Any, float] | None = None,
    categorical_features: Any = None,
) -> dict[str, Any]:
    """Estimators by name, from names, estimators, or both; None for all."""
    if given is None:
        given = [name for name in known_names() if not quick or name not in SLOW]
    found: dict[str, Any] = {}
    for name, one in _named(given).items():
        if isinstance(one, str):
            found[name] = _by_name(one, not quick, seed, categorical_features)
        elif isinstance(one, type) or not hasattr(one, "fit") or not is_classifier(one):
            raise InputError(
                f"Only classifiers can be compared; {name!r} is {one!r}. Give estimators such as "
                f"LogisticRegression(), or names: {', '.join(known_names())}."
            )
        else:
            found[name] = _prepared(clone(one), table, categorical_features)
    if len(found) < 1:
        raise InputError("There is nothing to compare. Give at least one estimator or name.")
    return {name: with_costs(one, class_costs) for name, one in found.items()}


def _named(given: Any) -> dict[str, Any]:
    """Names of the estimators; those in a list are named after their classes."""
    if isinstance(given, Mapping):
        return {str(name): one for name, one in given.items()}
    if isinstance(given, str | BaseEstimator):
        given = [given]
    found: dict[str, Any] = {}
    for one in given:
        name = one if isinstance(one, str) else type(one).__name__
        if name in found and isinstance(one, str):
            continue
        number = 2
        while name in found:
            name, number = f"{type(one).__name__} {number}", number + 1
        found[name] = one
    return found


def _by_name(name: str, tuned: bool, seed: int, categorical_features: Any) -> Any:
    if name in BASELINES:
        return baseline(name, seed=seed, tuned=tuned, categorical_features=categorical_features)
    if name not in OURS:
        raise InputError(
            f"There is no learner {name!r}. Choose some of: {', '.join(known_names())}."
        )
    kind, parameters, grid = OURS[name]
    kinds = {} if categorical_features is None else {"categorical_features": categorical_features}
    estimator = getattr(rulewright, kind)(**parameters, **kinds)
    return BoundSearch(estimator, grid) if grid else estimator


def _prepared(estimator: Any, table: Table, categorical_features: Any) -> Any:
    """The estimator, behind an encoder where it could not read the table."""
    if isinstance(estimator, Pipeline) or hasattr(estimator, "settings_class"):
        return estimator
    tags = get_tags(estimator).input_tags
    missing = any(column.missing.any() for column in table.columns)
    if (table.categorical and not (tags.categorical or tags.string)) or (
        missing and not tags.allow_nan
    ):
        encoder = TableEncoder(categorical_features=categorical_features)
        return Pipeline([("encoder", encoder), ("classifier", estimator)])
    return estimator


def with_costs(estimator: Any, class_costs: Mapping[Any, float] | None) -> Any:
    """The estimator with costs of the classes, where it has a parameter for them."""
    if class_costs is None:
        return estimator
    known = estimator.get_params()
    for name in ("class_costs", "class_weight"):
        found = [full for full in known if full == name or full.endswith(f"__{name}")]
        if found:
            return estimator.set_params(**{found[0]: dict(class_costs)})
    return estimator
