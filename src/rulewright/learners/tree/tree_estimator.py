"""Base of the estimators of both kinds of trees."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from rulewright.data import Table
from rulewright.kernels import LEAF
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.table_estimator import TableEstimator
from rulewright.learners.tree.grown_tree import GrownTree
from rulewright.learners.tree.growth_settings import warn_of_time
from rulewright.learners.tree.pruning import cost_path
from rulewright.render import MAX_DEPTH, MAX_LEAVES


class TreeEstimator(TableEstimator):
    """Base of the trees for classes and for numbers."""

    def plot(
        self,
        ax: Any = None,
        *,
        missing: Collection[str] | None = None,
        max_depth: int | None = MAX_DEPTH,
        max_leaves: int | None = MAX_LEAVES,
    ) -> Any:
        """Draw the tree by matplotlib; see ``Model.plot``.

        ``missing`` are the columns that can have missing values; by default those of training.
        """
        check_is_fitted(self)
        known = self._missing if missing is None else missing
        return self.model_.plot(ax, missing=known, max_depth=max_depth, max_leaves=max_leaves)

    def _training_table(self, X: Any, y: Any) -> Table:
        table = super()._training_table(X, y)
        self._missing = tuple(column.name for column in table.columns if column.missing.any())
        return table


def pruning_path(grown_tree: GrownTree, deadline: Deadline) -> Bunch:
    """Prices at which subtrees are removed, and the impurity that is left, as in scikit-learn."""
    warn_of_time(deadline, int((grown_tree.grown.tree.kind == LEAF).sum()))
    path = cost_path(grown_tree)
    return Bunch(ccp_alphas=path.alphas, impurities=path.impurities)
