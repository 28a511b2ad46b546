"""SLIPPER as an estimator."""

from __future__ import annotations

from typing import Any

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.sample import Sample
from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.slipper.settings import SlipperSettings
from rulewright.models import PathEntry


class SlipperClassifier(VotingMixin, RuleClassifier):
    """SLIPPER: few rules, grown and pruned one by one and boosted into a vote, with a certificate.

    Numbers, categories and missing values as they are; any number of classes in one vote.

    Parameters
    ----------
    max_rounds : int, default 100
        At most so many rounds of boosting, each of which gives a rule or lets the default speak.
    rounds : int or None, default None
        Make so many rounds; None chooses their number by cross-validation.
    folds : int, default 5
        The folds of that cross-validation.
    prune : bool, default True
        Grow each rule from two thirds of the examples, drawn anew in every round, and prune it on
        the others. False grows it from all, and prunes nothing.
    class_costs : dict, "balanced" or None
        What misjudging a case of each class costs, 1 for those not named: it multiplies their
        weight.
    class_weight : dict, "balanced" or None, default None
        scikit-learn's name for ``class_costs``: set one of them. "balanced" makes all classes weigh
        the same.
    time_budget : float or None
        Seconds after which the rounds end, with a warning; the model is the best so far.
    delta : float, default 0.05
        The certificate fails with at most this probability.
    categorical_features : list of names or numbers of columns, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int or None
        Threads, for more than some thousands of examples; the model is the same for any number.
    random_state : int, generator or None
        For the examples that are put aside, and the folds; None is 0. The order of the rows and of
        named columns changes nothing, nor does a strictly increasing transformation of a numeric
        column. A weight of 2 is the same row twice.

    Attributes
    ----------
    model_, certificate_, path_, feature_importances_, classes_, n_features_in_, feature_names_in_
        As in ``RuleListClassifier``; the path has one entry.
    rounds_ : dict
        How many rounds there were for each class that has rules. Of two it is the rarer, by the
        sum of weights times costs.

    Notes
    -----
    W. Cohen and Y. Singer (1999), A Simple, Fast, and Effective Rule Learner, AAAI. A rule has the
    weight ``ln((W+ + 1/2n) / (W- + 1/2n)) / 2``, W+ and W- being the weights that it covers of its
    class and of the others, n the examples; it votes for the rarer class. The default rule holds
    always, and may vote for the other. All tests of a column are false where its value is missing.

    What differs from the paper, or is not settled there:

    - Weights are told in sixteenths, and the examples are weighed by what is told.
    - Examples are put aside class by class, so that both parts have some of a rare class.
    - A rule keeps at least one term when it is pruned; the default rule is considered after that.
    - Equal rules are one, with the sum of their weights, and so are the default rules.
    - Of several classes each is boosted against the rest, and the largest sum of weights answers
      (E. Allwein, R. Schapire and Y. Singer 2000, Reducing Multiclass to Binary). A default that
      speaks against a class is told as one for all others: the lowest is put to zero. Rounds are
      as many for all classes, or for each as many as tell it best from the rest, whichever has
      fewer errors in cross-validation.
    - Where the vote loses more on the training rows, costs and weights included, than the most
      frequent class alone, the model is that answer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rulewright import SlipperClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X.set_axis(["sepal length", "sepal width", "petal length", "petal width"], axis=1)
    >>> slipper = SlipperClassifier().fit(X[50:], y[50:])
    >>> print(slipper.model_)
    the class with the most votes:
      1. 2.125 for class 2 if petal length > 5.1
      2. 3.0625 for class 2 if petal width > 1.8
      3. 1.375 for class 2 if petal width > 1.6
      4. 1.9375 for class 2 if petal length > 4.9 and petal width <= 1.5
      5. 2.125 for class 2 if petal width > 1.7 and sepal width <= 3.1
      6. 1.625 for class 1 always
    >>> slipper.rounds_
    {2: 9}
    """

    _many_classes = True

    rounds_: dict[Any, int]

    def __init__(
        self,
        max_rounds: int = 100,
        rounds: int | None = None,
        folds: int = 5,
        prune: bool = True,
        class_costs: Any = None,
        time_budget: float | None = None,
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.max_rounds = max_rounds
        self.rounds = rounds
        self.folds = folds
        self.prune = prune
        self.class_costs = class_costs
        self.time_budget = time_budget
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    def _search(self, sample: Sample) -> list[PathEntry]:
        entry, self.rounds_ = SlipperSettings(**self._said()).learnt(sample)
        return [entry]
