"""The decision tree for numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rulewright.data import Table, canonical_rows, canonical_table, frame_library
from rulewright.errors import InputError
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.preparation import restricted
from rulewright.learners.base.sample import Sample, taken
from rulewright.learners.base.settings import option
from rulewright.learners.base.table_estimator import (
    checked_weight,
    declared_categories,
    left_out_of,
    name_of,
    tagged_by,
)
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.growth_settings import GrowthSettings, warn_of_time
from rulewright.learners.tree.presets import Preset
from rulewright.learners.tree.pruning import cost_path
from rulewright.learners.tree.tree_builder import Cutting
from rulewright.learners.tree.tree_estimator import TreeEstimator, pruning_path
from rulewright.models import RegressionModel, feature_importances, kept_rows, normalised_weight
from rulewright.rules import Leaf, Tree, reanchored

CRITERIA = {"variance": "variance", "squared_error": "variance", "absolute_error": "absolute"}
PRUNINGS = ("none", "cost-complexity")
CART = Preset("variance", ("thresholds", "subsets"), "side", "cost-complexity")

Floats = NDArray[np.float64]
AnyRegressor = TypeVar("AnyRegressor", bound="TreeRegressor")


@dataclass(frozen=True, kw_only=True)
class TreeRegressorSettings(GrowthSettings):
    """Settings of a decision tree for numbers."""

    first: ClassVar[str] = "criterion"

    criterion: str = option(
        "variance",
        "Criterion of splits: variance or absolute_error.",
        choices=tuple(CRITERIA),
        details='"variance" is squares about the mean ("squared_error" is the same). '
        '"absolute_error" is distances from the median, which a leaf then answers; intervals, '
        "multiway and categories are not available with it.",
    )
    pruning: str = option(
        "auto",
        "Pruning: none, or cost-complexity by ccp_alpha (auto).",
        choices=("auto", *PRUNINGS),
    )

    def usual(self) -> Preset:
        return CART


@estimator_of(TreeRegressorSettings)
class TreeRegressor(RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """A readable regression tree: CART for numbers.

    {parameters}

    Attributes
    ----------
    model_ : RegressionModel
        The model: it prints, predicts, explains and saves itself.
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
    """

    settings_class: ClassVar[type[TreeRegressorSettings]]

    def fit(self: AnyRegressor, X: Any, y: Any, sample_weight: Any = None) -> AnyRegressor:
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
            to mean 1. A weight of 0 counts as no row.

        Returns
        -------
        self
        """
        if hasattr(self, "model_"):
            del self.model_  # a fit that fails leaves no model behind
        settings = self.settings()
        table, target, weight, rows = self._examples(X, y, sample_weight)
        given = table.select(self._given).fields
        deadline = Deadline(settings.time_budget)
        grown_tree = self._grown(settings, deadline, table, target, weight, rows)
        removed = np.zeros(grown_tree.grown.value.size, np.bool_)
        if settings.pruning != "none" and settings.ccp_alpha > 0.0:
            removed = cost_path(grown_tree).removed_at <= settings.ccp_alpha
        numbers = np.arange(removed.size, dtype=np.int32)
        body = grown_tree.tree(Cutting.to(grown_tree.grown.tree, numbers, removed))
        warn_of_time(deadline, len(body.outputs))
        found = self._model(_renumbered(body), table, target, weight, rows, name_of(y))
        self.model_ = replace(found, columns=given)
        self.feature_importances_ = feature_importances(self.model_, table, weight)
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
        settings, examples = self.settings(), self._examples(X, y, sample_weight)
        deadline = Deadline(settings.time_budget)
        return pruning_path(self._grown(settings, deadline, *examples), deadline)

    def _examples(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Table, Floats, Floats, NDArray[np.intp]]:
        table = self._training_table(X, y)
        target = _checked_target(y, table.rows)
        weight = checked_weight(sample_weight, table.rows)
        kept = kept_rows(weight, table.rows)
        if kept.size < table.rows:
            table, target, weight = table.take(kept), target[kept], weight[kept]
        table, weight = table.observed(), normalised_weight(weight)
        if self.__sklearn_tags__().input_tags.pairwise:  # the columns stand for the rows
            return table, target, weight, kept
        table = canonical_table(table)
        order = canonical_rows(table, target, weight)
        return taken(table, order), target[order], weight[order], kept[order]

    def _grown(
        self,
        settings: TreeRegressorSettings,
        deadline: Deadline,
        table: Table,
        target: Floats,
        weight: Floats,
        rows: NDArray[np.intp],
    ) -> GrownTree:
        criterion = CRITERIA[settings.criterion]
        halves = (target > np.median(target)).astype(np.int32)
        names, left_out = (
            tuple(self._given),
            left_out_of(table, declared_categories(table, self.categorical_features)),
        )
        sample = Sample(table, halves, weight, (0, 1), rows, names=names, left_out=left_out)
        sample = restricted(sample, settings)
        setup = settings.prepared_setup(
            sample, self._threads(), criterion=criterion, missing="side"
        )
        options = setup.plan.options
        sided = options.intervals or options.categories in ("single", "multiway")
        if criterion == "absolute" and sided:
            raise InputError(
                "By absolute error a tree splits by thresholds and subsets; intervals, multiway "
                "and categories need criterion='variance'."
            )
        # Sums of differences from a central number keep their digits.
        everywhere = np.zeros(target.size, np.int32)
        centred = target - _medians(everywhere, target, weight, 1)
        return GrownTree.of(setup.tree_columns, setup.plan, centred, weight, 1, deadline=deadline)

    def _model(
        self,
        body: Tree,
        table: Table,
        target: Floats,
        weight: Floats,
        rows: NDArray[np.intp],
        name: str | None,
    ) -> RegressionModel:
        answers = body.answer(table)
        leaves = len(body.outputs)
        total = np.bincount(answers, weight, leaves)
        if CRITERIA[self.settings().criterion] == "absolute":
            values = _medians(answers, target, weight, leaves)
            spread = np.bincount(answers, weight * np.abs(target - values[answers]), leaves) / total
        else:
            values = _means(answers, target, weight, leaves)
            squares = np.bincount(answers, weight * (target - values[answers]) ** 2, leaves)
            spread = np.sqrt(squares / total)
        return RegressionModel(
            columns=table.fields,
            body=reanchored(body, rows),
            values=tuple(values.tolist()),
            evidence=tuple(zip(total.tolist(), spread.tolist(), strict=True)),
            target=name,
            named=table.named,
        )

    def _training_table(self, X: Any, y: Any) -> Table:
        table = super()._training_table(X, y)
        self._given = table.names
        return table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            return tagged_by(self.settings().families(), tags)
        except ValueError:
            return tags  # fit refuses parameters that make no sense


def _renumbered(body: Tree) -> Tree:
    """Tree whose leaves are numbered in the order of the nodes."""
    numbers = iter(range(len(body.outputs)))
    nodes = (Leaf(next(numbers)) if isinstance(node, Leaf) else node for node in body.nodes)
    return Tree(tuple(nodes))


def _means(answers: NDArray[np.int32], target: Floats, weight: Floats, leaves: int) -> Floats:
    """Mean of each leaf, computed about one of its numbers: equal numbers stay as they are."""
    first = np.zeros(leaves)
    first[answers[::-1]] = target[::-1]
    apart = np.bincount(answers, weight * (target - first[answers]), leaves)
    means: Floats = first + apart / np.bincount(answers, weight, leaves)
    return means


def _medians(answers: NDArray[np.int32], target: Floats, weight: Floats, leaves: int) -> Floats:
    """Lower weighted median of each leaf."""
    order = np.lexsort((target, answers))
    upto = np.cumsum(weight[order])
    ends = np.searchsorted(answers[order], np.arange(leaves), side="right")
    before = np.append(0.0, upto[ends[:-1] - 1])
    half = before + (upto[ends - 1] - before) / 2
    places = [
        int(np.searchsorted(upto[start:end], middle)) + start
        for start, end, middle in zip(np.append(0, ends[:-1]), ends, half, strict=True)
    ]
    medians: Floats = target[order][np.minimum(places, ends - 1)]
    return medians


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
