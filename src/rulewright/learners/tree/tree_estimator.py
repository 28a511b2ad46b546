"""What trees of both kinds share: how their parameters are read, and their columns laid out."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import Any

from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from rulewright.data import Table
from rulewright.families import SpaceOptions, Training
from rulewright.learners.base.parameters import read_max_candidates, read_seed
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.table_estimator import TableEstimator, tagged_by
from rulewright.learners.tree.grown_tree import GrownTree, Scoring
from rulewright.learners.tree.layout import Layout, lay_out, tell_left_out
from rulewright.learners.tree.presets import (
    Preset,
    Splits,
    read_amount,
    read_count,
    read_monotone,
    read_splits,
)
from rulewright.learners.tree.pruning import cost_path
from rulewright.render import MAX_DEPTH, MAX_LEAVES


class TreeEstimator(TableEstimator):
    """Base of the trees for classes and for numbers."""

    splits: Any
    max_depth: int | None
    max_leaves: int | None
    min_split: Any
    min_leaf: Any
    min_gain: float
    monotone: Any
    metric: Any
    kernel: Any
    gamma: float
    degree: int
    coef0: float
    scale: str
    max_candidates: Any
    random_state: Any

    def plot(
        self,
        ax: Any = None,
        *,
        missing: Collection[str] | None = None,
        max_depth: int | None = MAX_DEPTH,
        max_leaves: int | None = MAX_LEAVES,
    ) -> Any:
        """Draw the tree by matplotlib; see ``Model.plot``.

        ``missing`` are the columns in which values can be missing: those of training where not
        said.
        """
        check_is_fitted(self)
        known = self._missing if missing is None else missing
        return self.model_.plot(ax, missing=known, max_depth=max_depth, max_leaves=max_leaves)

    def _training_table(self, X: Any, y: Any) -> Table:
        table = super()._training_table(X, y)
        self._given = table.names
        self._missing = tuple(column.name for column in table.columns if column.missing.any())
        return table

    @abstractmethod
    def _usual(self) -> Preset:
        """Say what the parts are that are left at "auto"."""

    def _laid_out(
        self,
        sample: Sample,
        *,
        criterion: str,
        missing: str,
        scoring: Scoring | None = None,
    ) -> Layout:
        """Read the parameters that decide how the tree grows, and lay out the columns."""
        most, seed = read_max_candidates(self.max_candidates), read_seed(self.random_state)
        splits = self._splits()
        layout = lay_out(
            Training(
                sample.searched(splits.families),
                sample.y,
                sample.rows,
                self._threads(),
                most,
                seed,
            ),
            splits,
            criterion,
            missing,
            self._limits(),
            directions=read_monotone(self.monotone, sample.table.select(self._given)),
            scoring=scoring,
        )
        tell_left_out(layout.tree_columns, stacklevel=6)
        return layout

    def _splits(self) -> Splits:
        options = SpaceOptions(
            self.metric, self.kernel, self.gamma, self.degree, self.coef0, self.scale
        )
        return read_splits(self.splits, self._usual().splits, options)

    def _limits(self) -> dict[str, float]:
        min_leaf = read_amount(self.min_leaf, "min_leaf", self._usual().min_leaf, above=True)
        return {
            "max_depth": read_count(self.max_depth, "max_depth"),
            "max_leaves": read_count(self.max_leaves, "max_leaves"),
            "min_leaf": min_leaf,
            "min_split": read_amount(self.min_split, "min_split", 2 * min_leaf),
            "min_gain": read_amount(self.min_gain, "min_gain"),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            return tagged_by(self._splits().families, tags)
        except ValueError:
            return tags  # a parameter that makes no sense is fit's to refuse


def pruning_path(grown_tree: GrownTree) -> Bunch:
    """List the prices at which subtrees go, and the impurity that is left, as scikit-learn does."""
    path = cost_path(grown_tree)
    return Bunch(ccp_alphas=path.alphas, impurities=path.impurities)
