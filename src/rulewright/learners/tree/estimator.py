"""The decision tree for classes as an estimator."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Bunch

from rulewright.certificates import PathEntry
from rulewright.errors import InputError
from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.deadline import Deadline
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.optimality import OPTIMALITY
from rulewright.learners.base.preparation import in_search_order, restricted
from rulewright.learners.tree.search import grow
from rulewright.learners.tree.settings import TreeSettings
from rulewright.learners.tree.tree_estimator import TreeEstimator, pruning_path


@estimator_of(TreeSettings)
class TreeClassifier(RuleClassifier, TreeEstimator):
    """A decision tree with a certificate: CART, C4.5, ID3, or a tree of any other parts.

    {parameters}

    {attributes}

    Notes
    -----
    A split on more than two categories pays for the impurity that it would save by chance: for each
    category beyond two, the impurity of an average example. It is chosen before a split on another
    column only if it is better by more than that. The gain ratio has its own correction.

    Of splits that are equally good the first column wins, numeric ones before categorical ones,
    then the lower cut. Named columns count by name, so that the order of the table changes nothing;
    columns of an array are known by their positions.

    A cut lies at the largest training value up to the middle between its sides, as in C4.5. A
    strictly increasing transformation of a column moves that middle: it keeps the splits and the
    answers on the training rows, but the answers for new values between the two sides may change.

    A tree that loses more on the training rows, costs and weights included, than the majority
    answer becomes a single leaf: answers from some of the examples ("reduced-error"), or examples
    in several branches ("fractional"), can have that effect.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import TreeClassifier
    >>> X = np.array([[148, 33.6], [85, 26.6], [183, 23.3], [89, 28.1], [137, 43.1], [116, 25.6]])
    >>> y = ["ill", "well", "ill", "well", "ill", "well"]
    >>> print(TreeClassifier().fit(X, y).model_)
    if x0 <= 116: well
    else: ill
    """

    _path_text = (
        'With ``pruning="bound"``, for each number of leaves the subtree with the fewest errors '
        '(beyond 32 leaves some sizes, and those around the best); with ``search="optimal"``, the '
        "best tree of each number of leaves; otherwise one entry."
    )
    _attributes_text = OPTIMALITY

    def smallest(self, bound: float) -> PathEntry:
        """Return the smallest tree of ``path_`` whose certificate promises at most this error.

        Examples
        --------
        The smallest tree that is certified within 2 points of the best::

            tree.smallest(tree.certificate_.bound + 0.02).model
        """
        for entry in self.path_:
            if entry.certificate.bound <= bound:
                return entry
        best = min(entry.certificate.bound for entry in self.path_)
        raise InputError(
            f"No tree of the path has a certificate of {bound} or less; the best is {best:.4f}."
        )

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """Values of ``ccp_alpha`` at which subtrees are removed, and the impurity that is left.

        Returns
        -------
        Bunch with ``ccp_alphas`` and ``impurities``, as in scikit-learn.
        """
        settings = self.settings()
        assert isinstance(settings, TreeSettings)
        sample = restricted(self._sample(X, y, sample_weight), settings)
        sample = in_search_order(sample, settings.families())
        setup = settings.tree_setup(sample, self._threads())
        deadline = Deadline(settings.time_budget)
        grown_tree = grow(sample, setup, settings.worth(sample), deadline=deadline)
        return pruning_path(grown_tree, deadline)
