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
    """Rules made of a tree's paths, in a list, or of several trees in a vote, with a certificate.

    Numbers, categories and missing values as they are; any number of classes.

    {parameters}

    {attributes}

    Notes
    -----
    J. R. Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5. A tree is grown as
    ``TreeClassifier(preset="c4.5")`` does and not pruned. Every path becomes a rule, which loses
    conditions while the errors to be expected do not rise. For each class the rules are chosen that
    together with their exceptions are told in the fewest bits (all subsets of up to ten rules, else
    by hill-climbing). Classes with fewer false alarms come first; rules that do more harm than good
    go, and rules that change no answer; the default is the most frequent class of what no rule
    covers. A test fails on a missing value.

    Of several lists the one is taken that is told in the fewest bits with its exceptions, which the
    code expects to be at most half of the examples. Where a list or a vote loses more on the
    training rows, costs and weights included, than a single answer for all, that answer is the
    model.

    Costs weigh the examples while rules are sought, by the average over the other classes where
    they depend on the answer; then leaves, and the default, answer with the class of the least
    expected cost.

    C5.0 differs: it lets all rules of a set that hold vote for their classes, and its rounds answer
    one by one, each as sure as it is. Here the rules of all rounds speak in one vote, by half the
    logarithm of their odds, and where the rules of a round do not hold it is silent.

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
