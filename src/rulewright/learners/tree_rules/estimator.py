"""Rules from trees, as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.tree_rules.settings import Settings
from rulewright.models import PathEntry


def _votes(estimator: TreeRulesClassifier) -> bool:
    """Whether the model is a vote: a single trial makes a list."""
    return estimator.trials != 1


class TreeRulesClassifier(VotingMixin, RuleClassifier):
    """Rules made of a tree's paths, in a list, or of several trees in a vote, with a certificate.

    Numbers, categories and missing values as they are; any number of classes.

    Parameters
    ----------
    trials : int, default 1
        With 1, C4.5's rules: a list, of which the first rule that holds answers. With more, so many
        rulesets are made, each for what those before got wrong, and all rules vote, as in C5.0's
        boosting: fewer errors, many more rules.
    base : {"rules", "trees"}, default "rules"
        What the trials make: rulesets, or pruned trees, of which each leaf has a weight.
    winnow : bool, default False
        Whether columns are left out beforehand that a tree of half of the examples can do without.
    subsets : bool, default False
        Whether a test may be for a set of categories, rather than for a single one.
    confidence : float, default 0.25
        C4.5's confidence of the errors to be expected: less makes rules more general.
    min_leaf : float, default 2.0
        The least weight of a branch of the tree.
    costs : dict, "balanced" or None, default None
        What mistakes cost, 1 where not said: ``{label: cost}`` of misjudging an example of a class,
        or ``{(label, answer): cost}`` of answering with another class, as in C5.0's costs files.
    class_weight : dict, "balanced" or None, default None
        scikit-learn's name for ``costs``: set one of them. "balanced" makes all classes weigh
        the same.
    time_budget : float or None, default None
        Seconds after which the search ends with what there is, and says so.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The rules are the same for any number.
    random_state : int, generator or None, default None
        Seed of the halves of ``winnow``; None is 0.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as rules, predicts, explains, saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        The model, alone.
    kept_columns_ : list of str
        The columns that rules could test: those that ``winnow`` left, or all.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

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

    C5.0 differs: it lets all rules of a set that hold vote for their classes, and its trials answer
    one by one, each as sure as it is. Here the rules of all trials speak in one vote, by half the
    logarithm of their odds, and where a trial's rules do not hold it is silent.

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

    _many_classes = True

    def __init__(
        self,
        trials: int = 1,
        base: str = "rules",
        winnow: bool = False,
        subsets: bool = False,
        confidence: float = 0.25,
        min_leaf: float = 2.0,
        costs: Any = None,
        time_budget: float | None = None,
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.trials = trials
        self.base = base
        self.winnow = winnow
        self.subsets = subsets
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.costs = costs
        self.time_budget = time_budget
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    def _search(self, sample: Sample) -> list[PathEntry]:
        learnt = Settings(**self._said()).learn(sample)
        self.kept_columns_ = learnt.kept
        return [learnt.entry]

    @available_if(_votes)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the votes of several trials; see ``RuleVoteClassifier.decision_function``."""
        return super().decision_function(X)
