"""Rules from trees, as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.tree_rules.settings import TreeRulesSettings


def _votes(estimator: TreeRulesClassifier) -> bool:
    """Whether the model is a vote: a single round makes a list."""
    return bool(estimator.n_rounds != 1)


@estimator_of(TreeRulesSettings)
class TreeRulesClassifier(VotingMixin, RuleClassifier):
    """A list of rules from a tree, or a vote of rules from several trees, with a certificate.

    Numbers, categories and missing values as they are; any number of classes.

    {parameters}

    {attributes}

    Notes
    -----
    J. R. Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5. A tree is grown as
    ``TreeClassifier(preset="c4.5")`` does and not pruned. Every path becomes a rule, which loses
    conditions while its expected error does not rise. For each class the chosen rules are those
    that, together with their exceptions, take the fewest bits (all subsets of up to ten rules, else
    by hill-climbing). Classes with fewer false alarms come first. Rules that do more harm than good
    are deleted, and so are rules that change no answer. The default is the most frequent class
    among the examples that no rule covers. A test fails on a missing value, except ``x is missing``
    (``missing_tests``), which C4.5 does not have.

    The chosen list is the one that takes the fewest bits together with its exceptions, which the
    code expects to be at most half of the examples. Where a list or a vote loses more on the
    training rows, costs and weights included, than a constant answer, that answer is the model.

    Costs weigh the examples in the search for rules, by the average over the other classes where
    they depend on the answer; then leaves, and the default, answer with the class of the least
    expected cost.

    C5.0 differs: all rules of a set that hold vote for their classes, and its rounds answer one by
    one, each with its confidence. Here the rules of all rounds vote together, by half the logarithm
    of their odds, and a round does not vote where none of its rules holds.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import TreeRulesClassifier
    >>> X = np.array([[148, 33], [85, 26], [183, 23], [89, 35], [137, 43], [116, 25], [110, 37]])
    >>> y = ["ill", "well", "ill", "well", "ill", "well", "well"]
    >>> print(TreeRulesClassifier().fit(X, y).model_)
    the first of these that holds:
      1. ill if x0 > 116
    otherwise well
    """

    _path_text = "The one model that was learnt."
    _attributes_text = """
    kept_columns_ : list of str
        Columns that rules could test: those that ``winnow`` left, or all.
    """

    @available_if(_votes)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Votes of several rounds; see ``RuleVoteClassifier.decision_function``."""
        return super().decision_function(X)
