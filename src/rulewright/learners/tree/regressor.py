"""The decision tree for numbers."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rulewright.certificates import RegressionCertificate, RegressionRows
from rulewright.data import frame_library
from rulewright.errors import InputError
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.table_estimator import (
    checked_weight,
    declared_categories,
    left_out_of,
    name_of,
    tagged_by,
)
from rulewright.learners.tree.growth_settings import warn_of_time
from rulewright.learners.tree.regression_search import (
    RegressionSample,
    grown_regression,
    pruned_regression,
    regression_model,
)
from rulewright.learners.tree.regression_splits import learn_regression_with_splits
from rulewright.learners.tree.regressor_settings import TreeRegressorSettings
from rulewright.learners.tree.tree_estimator import TreeEstimator, pruning_path
from rulewright.models import RegressionModel, feature_importances, kept_rows, normalised_weight

Floats = NDArray[np.float64]
AnyRegressor = TypeVar("AnyRegressor", bound="TreeRegressor")


@estimator_of(TreeRegressorSettings)
class TreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    r"""A readable regression tree: CART for numbers.

    {parameters}

    Attributes
    ----------
    model_ : RegressionModel
        The model: it prints, predicts, explains and saves itself.
    certificate_ : RegressionCertificate or None
        Bound on the mean error of the model on new cases, with ``certificate="split"``.
    feature_importances_ : array
        Contribution of each column to the answers on the training rows, with a sum of 1; see
        ``rulewright.models.importance``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Missing values go to the side that fits the training rows best. Without missing values in
    training they go down the larger branch, and so do new categories.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import TreeRegressor
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> print(TreeRegressor(max_leaf_nodes=2).fit(X, [1.0, 1.0, 5.0, 6.0]).model_)
    if x0 <= 2: 1
    else: 5.5

    With a certificate:

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = TreeRegressor(certificate="split").fit(X, y)
    >>> print(*tree.certificate_.sentence.split(". "), sep="\n")
    On average a new case is off by at most 77.7 (95 % confidence; errors above 293 count as 293)
    Mean error 48.8 on the 221 rows that were not used to learn it.
    >>> tree.certificate_.verify(tree.model_, X, y).holds
    True
    """

    settings_class: ClassVar[type[TreeRegressorSettings]]
    model_: RegressionModel
    certificate_: RegressionCertificate | None
    feature_importances_: Floats

    def fit(
        self: AnyRegressor,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        groups: Any = None,
        times: Any = None,
    ) -> AnyRegressor:
        """Learn from a table and its numbers.

        Parameters
        ----------
        X : array, sparse matrix, dataframe (pandas, polars, Arrow) or Table
            Numbers, text or Booleans; missing values are NaN, None or null. A sparse matrix may
            take at most 2 GiB as dense columns.
        y : array of finite numbers
        sample_weight : array of weights of 0 or more
            Weights are relative: multiplying all of them by a number changes nothing. Whole
            numbers without a common factor count as that number of equal rows, where the least
            positive weight is at most 10 and the largest at most 10,000. Other weights are scaled
            to mean 1. A weight of 0 counts as no row. A certificate counts each row of positive
            weight once.
        groups, times : None
            Not supported: the certificate of a regression tree is from independent rows.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            del self.model_  # a fit that fails leaves no model behind
        if groups is not None or times is not None:
            raise InputError(
                "TreeRegressor takes no groups and no times: its certificate is from independent "
                "rows. Leave them out, and keep one row of each group."
            )
        settings = self.settings()
        rows = self._rows(X, y, sample_weight)
        if settings.certificate is None:
            self.model_ = self._learnt(settings, rows, name_of(y))
        else:
            categorical = declared_categories(rows.table, self.categorical_features)
            left_out_of(rows.table.observed(), categorical)
            self.model_ = learn_regression_with_splits(
                settings, rows, categorical, self._threads(), name_of(y)
            )
        self.model_ = self.model_.profiled(rows.table)
        self.certificate_ = self.model_.certificate
        weight = normalised_weight(rows.weight)
        self.feature_importances_ = feature_importances(self.model_, rows.table, weight)
        self._library = frame_library(X)
        return self

    def predict(self, X: Any) -> Floats:
        """Prediction of the tree for each row."""
        check_is_fitted(self)
        table = self._new_table(X)
        found: Floats = np.array(self.model_.values)[self.model_.body.answer(table)]
        return found

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Values of ``ccp_alpha`` at which subtrees are removed, and the impurity that is left.

        Returns
        -------
        Bunch with ``ccp_alphas`` and ``impurities``, as in scikit-learn.
        """
        settings, deadline = self.settings(), Deadline(self.settings().time_budget)
        sample = self._sample(settings, self._rows(X, y, sample_weight))
        return pruning_path(grown_regression(settings, sample, deadline, self._threads()), deadline)

    def _learnt(
        self, settings: TreeRegressorSettings, rows: RegressionRows, target: str | None
    ) -> RegressionModel:
        """Tree of all rows, without a certificate."""
        sample, deadline = self._sample(settings, rows), Deadline(settings.time_budget)
        grown_tree = grown_regression(settings, sample, deadline, self._threads())
        body = pruned_regression(settings, grown_tree)
        warn_of_time(deadline, len(body.outputs))
        return regression_model(settings, body, sample, target)

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> RegressionRows:
        """Rows of positive weight, in the user's order."""
        table = self._training_table(X, y)
        target = _checked_target(y, table.rows)
        weight = checked_weight(sample_weight, table.rows)
        kept = kept_rows(weight, table.rows)
        rows = RegressionRows(table, target, weight, np.arange(table.rows))
        return rows if kept.size == table.rows else rows.take(kept)

    def _sample(self, settings: TreeRegressorSettings, rows: RegressionRows) -> RegressionSample:
        categorical = declared_categories(rows.table, self.categorical_features)
        left_out = left_out_of(rows.table.observed(), categorical)
        return RegressionSample.of(rows, settings.families(), left_out)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            return tagged_by(self.settings().families(), tags)
        except ValueError:
            return tags  # fit refuses parameters that make no sense


def _checked_target(y: Any, rows: int) -> Floats:
    values = column_or_1d(y, warn=True)
    try:
        target = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"A regression tree predicts numbers; y holds something else: {error}. For classes use "
            "TreeClassifier."
        ) from error
    if target.size != rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: {rows} rows, "
            f"{target.size} numbers to predict."
        )
    if not np.isfinite(target).all():
        first = int(np.flatnonzero(~np.isfinite(target))[0])
        raise InputError(
            f"Input y contains NaN or infinity, the first in row {first}. Leave these rows out of "
            "the fit."
        )
    return target
