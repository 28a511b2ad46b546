"""Base of the rule classifiers: the interface to scikit-learn."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rulewright.certificates import ORDER_OF_ROWS, Certificate, PathEntry, row_values
from rulewright.data import LazyTable, frame_library, is_lazy, separated
from rulewright.errors import InputError
from rulewright.families import Family
from rulewright.learners.base.labels import check_classes, code_labels
from rulewright.learners.base.lazy_learning import learn_lazily
from rulewright.learners.base.lazy_samples import IMPORTANCES
from rulewright.learners.base.learning import learn
from rulewright.learners.base.remarks import remarks
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.settings import Path, Settings
from rulewright.learners.base.split_search import Units
from rulewright.learners.base.table_estimator import (
    TableEstimator,
    checked_weight,
    declared_categories,
    left_out_of,
    name_of,
    tagged_by,
)
from rulewright.models import (
    Model,
    feature_importances,
    kept_rows,
    normalised_weight,
    with_abstention,
)

AnyClassifier = TypeVar("AnyClassifier", bound="RuleClassifier")


def units_of(groups: Any, times: Any, keys: Any, rows: NDArray[np.intp], count: int) -> Units:
    """Units of the rows that count, from the groups, times or keys of all ``count`` rows."""
    given = {"groups": groups, "times": times, "keys": keys}
    known = {name: values for name, values in given.items() if values is not None}
    column = next((name_of(values) for values in known.values()), None)
    arrays = {name: row_values(values, name, count)[rows] for name, values in known.items()}
    return Units(**arrays, column=column)


class RuleClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """Base of all rule classifiers: a scikit-learn interface to the settings of a learner.

    ``fit`` validates, codes the labels once, makes the table, and drops the rows of weight zero,
    which count as absent. ``estimator_of`` adds the parameters to a subclass.
    """

    settings_class: ClassVar[type[Settings]]

    model_: Model
    certificate_: Certificate
    path_: list[PathEntry]
    alternatives_: list[PathEntry]
    notices_: list[str]
    classes_: NDArray[Any]
    feature_importances_: NDArray[np.float64]

    def fit(
        self: AnyClassifier,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        times: Any = None,
        *,
        target: str | None = None,
        key: str | None = None,
        order_by: str | None = None,
    ) -> AnyClassifier:
        """Learn from a table and its labels.

        Parameters
        ----------
        X : array, sparse matrix, dataframe (pandas, polars, Arrow), lazy frame or Table
            Numbers, text, Booleans or dates; missing values are NaN, None or null. A sparse matrix
            may take at most 2 GiB as dense columns. The rows of a lazy frame (a DuckDB relation, a
            Polars LazyFrame) stay where they are (docs/scale.md).
        y : array of labels
            None with ``target``.
        sample_weight : array of weights of 0 or more
            Weights are relative: multiplying all of them by a number changes nothing. Whole
            numbers without a common factor count as that number of equal rows, where the smallest
            positive weight is at most 10 and the largest at most 10,000. Other weights are scaled
            to mean 1. A weight of 0 counts as no row. The certificate counts each row of positive
            weight once.
        groups : array, one value for each row
            Rows of one group, such as the visits of a patient, depend on each other. A split
            certificate keeps them together and counts groups.
        times : array, one value for each row
            A split certificate checks the model on the latest rows.
        target : str
            Column of ``X`` with the labels, where ``X`` is a dataframe or a lazy frame.
        key : str
            Column of ``X`` with whole numbers that identify the rows, where ``X`` is a dataframe or
            a lazy frame. A split certificate divides the rows by a hash of it, and RIPPER divides
            rows into those that rules are grown from and those that they are pruned on. Nothing is
            learnt about it.
        order_by : str
            Column of a lazy frame with numbers, dates or times, along which classes and errors may
            change: a caution of the certificate says if they do. Nothing is learnt about it. Rows
            in memory are examined in their order.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            del self.model_  # a fit that fails leaves no model behind
        if is_lazy(X):
            return self._fit_lazily(X, y, target, key, order_by, (sample_weight, groups, times))
        if order_by is not None:
            raise InputError(ORDER_OF_ROWS)
        if target is not None:
            X, y = separated(X, y, target)
        X, keys = (X, None) if key is None else separated(X, None, key, "key")
        sample = self._sample(X, y, sample_weight)
        path = self._learn(sample, units_of(groups, times, keys, sample.rows, self._rows_given))
        self.path_ = [entry.renumbered(sample.rows) for entry in path.entries]
        self.model_ = self.path_[path.chosen].model
        self.certificate_ = self.model_.certificate
        self.notices_ = [*path.notices, *self._remarks(path)]
        self.feature_importances_ = feature_importances(self.model_, sample.table, sample.weight)
        for name, value in path.attributes.items():
            setattr(self, name, value)
        if path.alternatives:
            self.alternatives_ = [entry.renumbered(sample.rows) for entry in path.alternatives]
        self._library = frame_library(X)
        return self

    def _fit_lazily(
        self: AnyClassifier,
        X: Any,
        y: Any,
        target: str | None,
        key: str | None,
        order_by: str | None,
        arrays: tuple[Any, ...],
    ) -> AnyClassifier:
        """Learn from a lazy frame by counts."""
        if target is None or y is not None or any(one is not None for one in arrays):
            raise InputError(
                f"A {type(X).__name__} holds no rows yet. Call its collect() first and use the "
                "result, or learn from counts of its rows: fit(X, target='column of labels'), "
                "without y, sample_weight, groups and times."
            )
        if self.categorical_features is not None:
            raise InputError(
                "categorical_features does not apply to a lazy frame. Cast the columns to text "
                "in the frame instead."
            )
        with LazyTable(X, target, key=key, drop=[order_by] if order_by else ()) as table:
            self.classes_ = np.array(table.classes)
            check_classes(
                self.classes_,
                np.arange(self.classes_.size, dtype=np.int32),
                type(self).__name__,
                self._max_classes,
                "Use DecisionListMachine, or merge classes.",
            )
            self.n_features_in_ = len(table.fields)
            self.feature_names_in_ = np.array(table.table.names, dtype=object)
            path = learn_lazily(self.settings(), table, order_by=order_by)
        self.path_ = path.entries
        self.model_ = self.path_[path.chosen].model
        self.certificate_ = self.model_.certificate
        self.notices_ = [*path.notices]
        attributes = dict(path.attributes)
        if IMPORTANCES not in attributes:
            importances = feature_importances(self.model_, table.table, np.empty(0))
            attributes[IMPORTANCES] = importances
        for name, value in attributes.items():
            setattr(self, name, value)
        self._library = None
        self._missing = tuple(name for name, rows in table.missing.items() if rows)
        return self

    def _learn(self, sample: Sample, units: Units) -> Path:
        return learn(self.settings(), sample, threads=self._threads(), units=units)

    def _remarks(self, path: Path) -> tuple[str, ...]:
        return remarks(path, self.settings())

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        table = self._training_table(X, y)
        self._rows_given = table.rows
        self.classes_, codes = self._coded_labels(y, table.rows)
        weight = checked_weight(sample_weight, table.rows)
        kept = kept_rows(weight, table.rows)
        if kept.size < table.rows:
            table, codes, weight = table.take(kept), codes[kept], weight[kept]
        name = type(self).__name__
        way_out = (
            "Use DecisionListMachine, or wrap it: "
            f"sklearn.multiclass.OneVsRestClassifier({name}())."
        )
        check_classes(self.classes_, codes, name, self._max_classes, way_out)
        categorical = declared_categories(table, self.categorical_features)
        return Sample.of(
            table,
            codes,
            tuple(self.classes_.tolist()),
            weight=normalised_weight(weight),
            rows=kept,
            target=name_of(y),
            left_out=left_out_of(table, categorical),
            categorical=categorical,
        )

    @property
    def _max_classes(self) -> int | None:
        return self.settings_class.max_classes

    def _families(self) -> tuple[Family, ...]:
        found: tuple[Family, ...] = self.settings().families()
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each row; ``Model.abstain_label`` where the model abstains."""
        check_is_fitted(self)
        model, labels = self.model_, self.classes_
        if model.abstains:
            labels = with_abstention(labels, model.abstain_label)
        return model.body.labelled(self._new_table(X), labels[list(model.body.outputs)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows that are answered correctly; an abstention counts as wrong."""
        check_is_fitted(self)
        if not self.model_.abstains:
            return float(super().score(X, y, sample_weight))
        right = self.predict(X) == np.asarray(y)  # scikit-learn refuses Booleans beside a text
        return float(np.average(right, weights=sample_weight))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, in the order of ``classes_``.

        It is the share of the class among the training rows that the same rule answers, each count
        raised by one (Laplace). A penalty other than 1, or a limit on the rules, can make a rule
        answer against these odds: its class then gets a slightly larger probability than the
        likeliest. A row with missing values that a tree sends down several branches gets the
        mixture of the leaves' probabilities. The probabilities of a vote follow the votes; see
        ``Model.predict_proba``.
        """
        check_is_fitted(self)
        return self.model_.chances(self._new_table(X))

    def decide(self, X: Any, class_costs: Any) -> NDArray[Any]:
        """Label of the smallest expected cost for each row, without learning again.

        See ``Model.decide``. ``class_costs`` of ``fit`` make rules for these costs, which is better
        where they are known beforehand. The certificate is about the answers of ``predict``.
        """
        check_is_fitted(self)
        model, labels = self.model_, self.classes_
        if model.abstains:
            labels = with_abstention(labels, model.abstain_label)
        found: NDArray[Any] = labels[model.decided(self._new_table(X), class_costs)[0]]
        return found

    def _coded_labels(self, y: Any, rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
        labels = column_or_1d(y, warn=True)
        classes, codes = code_labels(labels)
        check_classification_targets(labels)
        if labels.size != rows:
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: {rows} rows, "
                f"{labels.size} labels."
            )
        return classes, codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._max_classes is None
        try:
            families = self._families()
        except ValueError:
            return tags  # fit refuses parameters that make no sense
        return tagged_by(families, tags) if families else tags
