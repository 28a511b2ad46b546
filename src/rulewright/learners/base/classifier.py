"""What every rule classifier shares: the border to scikit-learn."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rulewright.data import frame_library, is_missing
from rulewright.errors import InputError, preview
from rulewright.learners.base.parameters import read_class_weight
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.table_estimator import (
    TableEstimator,
    checked_weight,
    left_out_of,
    name_of,
)
from rulewright.models import Certificate, Model, PathEntry, category_cautions, cautions
from rulewright.models.certificate import kept_rows
from rulewright.models.importance import feature_importances
from rulewright.models.model import with_abstention
from rulewright.models.sample_weight import normalised_weight

AnyClassifier = TypeVar("AnyClassifier", bound="RuleClassifier")


class RuleClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """Base of all rule classifiers.

    A subclass writes ``_search`` and nothing else: ``fit`` validates, codes the labels once, makes
    the table, and drops the rows of weight zero, which count as absent.
    """

    _many_classes = False

    model_: Model
    certificate_: Certificate
    path_: list[PathEntry]
    classes_: NDArray[Any]
    feature_importances_: NDArray[np.float64]

    @abstractmethod
    def _search(self, sample: Sample) -> list[PathEntry]:
        """Learn a path of models, of which ``_chosen`` is the model."""

    def fit(self: AnyClassifier, X: Any, y: Any, sample_weight: Any = None) -> AnyClassifier:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : array, sparse matrix, dataframe (pandas, polars, Arrow) or Table
            Numbers, text or Booleans; missing values are NaN, None or null. A sparse matrix may
            take at most 2 GiB as dense columns.
        y : array of labels
        sample_weight : array of weights of 0 or more
            Weights are relative: multiplying all of them by a number changes nothing. Whole
            numbers without a common factor count as that number of equal rows, where the least
            positive weight is at most 10 and the largest at most 10,000. Other weights are scaled
            to mean 1. A weight of 0 counts as no row. The certificate counts each row of positive
            weight once.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            del self.model_  # a fit that fails leaves no model behind
        sample = self._sample(X, y, sample_weight)
        self._costs = self._class_costs(sample)
        ordered = self._ordered(sample)
        path = self._search(ordered)
        chosen = self._chosen(path)
        model = path[chosen].model
        for caution in category_cautions(model, sample.table):
            warnings.warn(caution, UserWarning, stacklevel=2)
        order = np.searchsorted(sample.rows, ordered.rows)
        found = cautions(model, sample.table, sample.y, order=order)
        path[chosen] = path[chosen].cautioned(found)
        self.path_ = [entry.restored(ordered.rows, ordered.names) for entry in path]
        self.model_ = self.path_[chosen].model
        self.certificate_ = self.path_[chosen].certificate
        self.feature_importances_ = feature_importances(self.model_, sample.table, sample.weight)
        self._library = frame_library(X)
        return self

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        table = self._training_table(X, y)
        self.classes_, codes = self._coded_labels(y, table.rows)
        weight = checked_weight(sample_weight, table.rows)
        kept = kept_rows(weight, table.rows)
        if kept.size < table.rows:
            table, codes, weight = table.take(kept), codes[kept], weight[kept]
        self._check_classes(codes)
        weight = normalised_weight(weight)
        labels, left_out = (
            tuple(self.classes_.tolist()),
            left_out_of(table, self.categorical_features, stacklevel=4),
        )
        return Sample.of(
            table, codes, labels, weight=weight, rows=kept, target=name_of(y), left_out=left_out
        )

    def _ordered(self, sample: Sample) -> Sample:
        """Put a sample in canonical order, except precomputed columns, which stand for its rows."""
        return sample if self.__sklearn_tags__().input_tags.pairwise else sample.canonical()

    def _said(self) -> dict[str, Any]:
        """Give the parameters as the settings of a search take them, which know no tables."""
        said: dict[str, Any] = self.get_params(deep=False)
        for name in ("n_jobs", "categorical_features", "class_weight"):
            said.pop(name, None)
        return {**said, self._costs_name: self._costs, "threads": self._threads()}

    @property
    def _costs_name(self) -> str:
        return "costs" if hasattr(self, "costs") else "class_costs"

    def _class_costs(self, sample: Sample) -> Any:
        """Return what misjudging the classes costs, from class_weight or the learner's own name."""
        costs = getattr(self, self._costs_name, None)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is None and not isinstance(costs, str):
            return costs
        if class_weight is not None and costs is not None:
            raise InputError(
                f"class_weight and {self._costs_name} mean the same: set one of them, and leave "
                "the other at None."
            )
        weights = np.bincount(sample.y, sample.weight, len(sample.classes))
        name, value = ("class_weight", class_weight) if costs is None else (self._costs_name, costs)
        return read_class_weight(value, sample.classes, weights.tolist(), name)

    def _chosen(self, path: list[PathEntry]) -> int:
        """Say which entry of a path is the model."""
        return len(path) - 1

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the label of each row; see ``Model.abstain_label`` for those without an answer."""
        check_is_fitted(self)
        model, labels = self.model_, self.classes_
        if model.abstains:
            labels = with_abstention(labels, model.abstain_label)
        found: NDArray[Any] = labels[model.body.classify(self._new_table(X))]
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the share of rows that are answered rightly; no answer is not right."""
        check_is_fitted(self)
        if not self.model_.abstains:
            return float(super().score(X, y, sample_weight))
        right = self.predict(X) == np.asarray(y)  # scikit-learn refuses Booleans beside a text
        return float(np.average(right, weights=sample_weight))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class, in the order of ``classes_``.

        It is the share of the class among the training rows that the same rule answers, each count
        raised by one (Laplace). A penalty other than 1, or a limit on the rules, can make a rule
        answer against these odds: its class is then given a hair more than the likeliest. A row
        that a tree shares out for missing values has the mixture of its leaves' probabilities. Of
        a vote it follows the votes; see ``Model.predict_proba``.
        """
        check_is_fitted(self)
        return self.model_.chances(self._new_table(X))

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._many_classes
        return tags


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
