"""What every rule classifier shares: the border to scikit-learn."""

from __future__ import annotations

import os
import warnings
from abc import abstractmethod
from html import escape
from typing import Any, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rulewright.data import (
    Table,
    detect_table,
    frame_library,
    is_frame,
    is_missing,
    keep_known,
    refuse_lazy,
)
from rulewright.errors import InputError, preview
from rulewright.learners.sample import Sample
from rulewright.models import Certificate, Model, PathEntry, category_cautions, cautions, save_model
from rulewright.models.certificate import kept_rows

AnyClassifier = TypeVar("AnyClassifier", bound="RuleClassifier")


class RuleClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all rule classifiers.

    A subclass writes ``_search`` and nothing else: ``fit`` validates, codes the labels once, makes
    the table, and drops the rows of weight zero, which count as absent.
    """

    _many_classes = False

    categorical_features: Any
    n_jobs: int | None

    model_: Model
    certificate_: Certificate
    path_: list[PathEntry]
    classes_: NDArray[Any]
    n_features_in_: int

    @abstractmethod
    def _search(self, sample: Sample) -> list[PathEntry]:
        """Learn a path of models; the last entry is the model."""

    def fit(self: AnyClassifier, X: Any, y: Any, sample_weight: Any = None) -> AnyClassifier:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : array, dataframe (pandas, polars, Arrow) or Table
            Numbers, text or Booleans; missing values are NaN, None or null.
        y : array of labels
        sample_weight : array of weights of 0 or more
            A weight of 2 counts as the same row twice, a weight of 0 as no row. The certificate
            counts each row of positive weight once.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            del self.model_  # a fit that fails leaves no model behind
        table = self._training_table(X, y)
        self.classes_, codes = self._coded_labels(y, table.rows)
        weight = _checked_weight(sample_weight, table.rows)
        kept = kept_rows(weight, table.rows)
        if kept.size < table.rows:
            table, codes, weight = table.take(kept), codes[kept], weight[kept]
        self._check_classes(codes)
        labels = tuple(self.classes_.tolist())
        sample = Sample.of(table, codes, labels, weight=weight, rows=kept, target=_name_of(y))
        path = self._search(sample)
        for caution in category_cautions(path[-1].model, sample.table):
            warnings.warn(caution, UserWarning, stacklevel=2)
        path[-1] = path[-1].cautioned(cautions(path[-1].model, sample.table, sample.y))
        self.path_ = [entry.renumbered(kept) for entry in path]
        self.model_ = self.path_[-1].model
        self.certificate_ = self.path_[-1].certificate
        self._library = frame_library(X)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the label of each row."""
        check_is_fitted(self)
        codes = self.model_.body.classify(self._new_table(X))
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of ``classes_``.

        It is the share of the class among the training rows that the same rule answers, each count
        raised by one (Laplace). A penalty other than 1, or a limit on the rules, can make a rule
        answer against these odds: its class is then given a hair more than the likeliest.
        """
        check_is_fitted(self)
        table = self._new_table(X)
        return self.model_.probabilities[self.model_.body.answer(table)]

    def get_rules(self) -> Any:
        """List the rules in a dataframe, one row a rule, in the order in which they answer.

        The dataframe is of the library that the fit was given; see ``Model.get_rules``.
        """
        check_is_fitted(self)
        return self.model_.get_rules(self._library)

    def explain(self, X: Any) -> Any:
        """Say which rule answered each row, and why; see ``Model.explain``."""
        check_is_fitted(self)
        self._new_table(X)
        return self.model_.explain(X)

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
        if isinstance(X, Table):
            return self.model_.table(X)
        X = keep_known(_checked_array(self, X), getattr(self, "feature_names_in_", ()))
        validate_data(self, X, reset=False, skip_check_array=True)
        return self.model_.table(X)

    def _coded_labels(self, y: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
        labels = column_or_1d(y, warn=True)
        _refuse_missing(labels)
        check_classification_targets(labels)
        if labels.size != rows:
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: {rows} rows, "
                f"{labels.size} labels."
            )
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)

    def _check_classes(self, codes: NDArray[np.int32]) -> None:
        present = self.classes_[np.unique(codes)]
        if present.size < 2:
            raise InputError(
                f"{type(self).__name__} needs two classes to tell apart, but all rows (of positive "
                f"weight) are of one class: {preview(present.tolist())}."
            )
        if self.classes_.size > 2 and not self._many_classes:
            raise InputError(
                f"Only binary classification is supported. {type(self).__name__} was given y with "
                f"{self.classes_.size} classes: {preview(self.classes_.tolist())}. For more "
                "classes use DecisionListMachine, or wrap it: "
                f"sklearn.multiclass.OneVsRestClassifier({type(self).__name__}())."
            )

    def _threads(self) -> int:
        return int(joblib.effective_n_jobs(self.n_jobs))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.multi_class = self._many_classes
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
        return (
            f"<div><p><code>{escape(repr(self))}</code></p>{self.model_._repr_html_()}"
            f"<p><i>{escape(str(self.certificate_))}</i></p></div>"
        )


def _checked_array(estimator: RuleClassifier, X: Any) -> Any:
    """Let scikit-learn look at what is not a dataframe: its shape and type, not its values."""
    if is_frame(X):
        return X
    refuse_lazy(X)
    return check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")


def _name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None


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
        raise InputError(
            "Input y contains infinity: a label must be a class, not an infinite number."
        )


def _checked_weight(sample_weight: Any, rows: int) -> NDArray[np.float64]:
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
