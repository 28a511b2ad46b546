"""Base of the estimators: tables in, models out, and the interface to scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from html import escape
from typing import Any, ClassVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from rulewright.data import (
    Field,
    Table,
    detect_table,
    frame_like,
    installed,
    is_frame,
    keep_known,
    key_columns,
    key_notice,
    refuse_lazy,
)
from rulewright.errors import InputError
from rulewright.families import Family, Spatial
from rulewright.learners.base.notices import warn
from rulewright.learners.base.settings import Parameters
from rulewright.models import save_model

CATEGORIES = Field("categories", "text", 2)


class TableEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of all estimators: turns its input into tables, and predicts by its model."""

    settings_class: ClassVar[type[Parameters]]
    categorical_features: Any
    n_jobs: int | None

    model_: Any
    n_features_in_: int

    def settings(self) -> Any:
        """Settings of the learner, checked."""
        names = [one.name for one in fields(self.settings_class)]
        return self.settings_class(**{name: getattr(self, name) for name in names})

    def get_rules(self) -> Any:
        """Dataframe of the rules, one row for each rule, in the order in which they answer.

        The dataframe is of the same library as the training data; see ``Model.get_rules``.
        """
        check_is_fitted(self)
        return self.model_.get_rules(installed(self._library))

    def explain(self, X: Any) -> Any:
        """Explain each row's prediction; see ``Model.explain``."""
        check_is_fitted(self)
        table = self._new_table(X)
        return frame_like(X, self.model_.explained(table))

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its certificate to a JSON file."""
        check_is_fitted(self)
        save_model(self.model_, path)

    def _training_table(self, X: Any, y: Any) -> Table:
        if isinstance(X, Table):
            self.n_features_in_ = len(X.columns)
            self.feature_names_in_ = np.array(X.names, dtype=object)
            return detect_table(X, self.categorical_features)
        X = _checked_array(self, X)
        table = detect_table(X, self.categorical_features)
        validate_data(self, X, y, reset=True, skip_check_array=True)
        if not table.rows or not table.columns:
            check_array(np.empty((table.rows, len(table.columns))), estimator=self)
        return table

    def _new_table(self, X: Any) -> Table:
        if not isinstance(X, Table):
            X = keep_known(_checked_array(self, X), getattr(self, "feature_names_in_", ()))
            validate_data(self, X, reset=False, skip_check_array=True)
        table: Table = self.model_.table(X)
        return table

    def _threads(self) -> int:
        return int(joblib.effective_n_jobs(self.n_jobs))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags

    def _repr_html_inner(self) -> str:
        return self._fitted_html() or str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._fitted_html() or bundle["text/html"]
        return bundle

    def _fitted_html(self) -> str | None:
        if not hasattr(self, "model_"):
            return None
        model = replace(self.model_, certificate=getattr(self, "certificate_", None))
        return f"<div><p><code>{escape(repr(self))}</code></p>{model._repr_html_()}</div>"


def _checked_array(estimator: TableEstimator, X: Any) -> Any:
    """Array whose shape and type, not values, scikit-learn has checked; dataframes as they are."""
    if is_frame(X):
        return X
    refuse_lazy(X)
    return check_array(
        X,
        accept_sparse="csc",
        dtype=None,
        ensure_all_finite=False,
        estimator=estimator,
        input_name="X",
    )


def tagged_by(families: Sequence[Family], tags: Any) -> Any:
    """scikit-learn's tags, with the input types that the families support."""
    spaces = [family for family in families if isinstance(family, Spatial)]
    inputs = tags.input_tags
    inputs.allow_nan = inputs.allow_nan and all(family.handles_missing for family in spaces)
    inputs.pairwise = any(family.precomputed for family in spaces)
    inputs.categorical = any(family.options(CATEGORIES) for family in families)
    return tags


def name_of(y: Any) -> str | None:
    """Name of the column of labels, if it has one."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


def declared_categories(table: Table, declared: Any) -> tuple[str, ...]:
    """Names of the columns that are declared to be categories by name or position."""
    names = table.names
    return tuple(c if isinstance(c, str) else names[c] for c in declared or ())


def left_out_of(table: Table, categorical: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns that are keys of the rows; warn that nothing is learnt about them.

    Columns that are declared to be categories are kept.
    """
    keys = key_columns(table, categorical)
    for name, reason in keys.items():
        warn(key_notice(name, reason))
    return tuple(keys)


def checked_weight(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Read sample_weight: a number of 0 or more for each row; None for 1."""
    if sample_weight is None:
        return np.ones(rows)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold numbers of 0 or more: {error}.") from error
    if weight.ndim == 0:
        weight = np.full(rows, float(weight))
    if weight.shape != (rows,):
        raise InputError(f"sample_weight.shape == {weight.shape}, expected {(rows,)}: one a row.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise InputError("sample_weight must hold finite numbers of 0 or more.")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not total <= 1e300:
        raise InputError("sample_weight sums to over 1e300: divide all weights by a large number.")
    if rows and not weight.any():
        raise InputError("All weights in sample_weight are zero: there is no row to learn from.")
    return weight
