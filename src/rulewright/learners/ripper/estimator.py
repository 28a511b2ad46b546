"""RIPPER as an estimator."""

from __future__ import annotations

from typing import Any

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.sample import Sample
from rulewright.learners.ripper.settings import RipperSettings
from rulewright.models import PathEntry


class RipperClassifier(RuleClassifier):
    """RIPPER: rules grown, pruned and optimised class by class, with a certificate.

    Numbers, categories and missing values as they are; any number of classes. The rarest class has
    the first rules, and the most frequent is what is answered where no rule holds.

    Parameters
    ----------
    k : int, default 2
        Rounds of optimisation, in which every rule may be replaced by one grown anew or grown
        further, and new rules cover what is left. RIPPER2 is 2; 0 is IREP*.
    prune : bool, default True
        Whether rules are grown from two thirds of the examples and pruned on the third. Without
        pruning there is no optimisation either.
    algorithm : {"ripper", "irep"}, default "ripper"
        "irep" is the older IREP: pruned by accuracy, and stopped by the first rule that is more
        often wrong than right; it has no optimisation.
    min_covered : float, default 1
        A rule covers at least so many of the examples that it is grown from (their weight).
    max_growing : int or None, default 50,000
        Each rule is grown from about so many examples of its class at the most, and as many others:
        where there are more, some are drawn by lot and stand for several. It is pruned, counted and
        optimised on all. None grows from all, as the paper does: on a million rows several times
        slower.
    class_costs : dict of label to number, "balanced" or None, default None
        What misjudging an example of a class costs; 1 where not said.
    class_weight : dict, "balanced" or None, default None
        scikit-learn's name for ``class_costs``: set one of them. "balanced" makes all classes weigh
        the same.
    time_budget : float or None, default None
        Seconds after which the search ends with the rules that it has, and says so.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The model is the same for any number.
    random_state : int, generator or None, default None
        Seed of the parting of the examples in those to grow from and those to prune on; None is 0.
        The order of the rows and of named columns changes nothing, nor does a strictly increasing
        transformation of a numeric column.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as rules, predicts, explains, saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        The one list that was learnt.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    W. Cohen (1995), Fast Effective Rule Induction. A condition is ``x <= v``, ``x > v`` or
    ``x = category``; it fails on a missing value. Rules are grown by FOIL's gain until they cover
    no example of a later class, and pruned to the first conditions with the largest
    ``(p - n) / (p + n)`` on the examples set aside. Rules are added until the description is 64
    bits longer than the shortest so far, until a rule is more often wrong than right on the
    examples set aside, or none is left to cover; then those go that make it longer. What the paper
    leaves open: a pruned rule that covers none of the examples set aside is worth 0, nothing over
    nothing; examples are parted class by class; variants of a rule are grown from what the
    rules before it leave; of equally good prunings the shortest wins, of equal gains the first by
    column, relation (<=, >, =) and value. Rules that change no answer on the training rows go.
    Where the list loses more there, costs and weights included, than the most frequent class alone,
    the model is that answer.

    Weka's JRip differs from the paper, and from this, in that it prunes by
    ``(p + 1) / (p + n + 2)``; demands that a rule covers two examples; looks at all uncovered
    examples, not only at those set aside, to see whether a rule is more often wrong than right;
    expects false alarms among the errors by the class's share rather than by half when it counts
    bits; tests numbers by ``>=`` instead of ``>``; and begins with the first of equally frequent
    classes where this begins with the last, so that of 0 and 1 rules are for 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rulewright import RipperClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(RipperClassifier().fit(X, y).model_)
    the first of these that holds:
      1. class 2 if petal width (cm) > 1.6
      2. class 2 if petal length (cm) > 4.9
      3. class 1 if petal length (cm) > 1.9
    otherwise class 0
    """

    _many_classes = True

    def __init__(
        self,
        k: int = 2,
        prune: bool = True,
        algorithm: str = "ripper",
        min_covered: float = 1.0,
        max_growing: int | None = 50_000,
        class_costs: Any = None,
        time_budget: float | None = None,
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.k = k
        self.prune = prune
        self.algorithm = algorithm
        self.min_covered = min_covered
        self.max_growing = max_growing
        self.class_costs = class_costs
        self.time_budget = time_budget
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    def _search(self, sample: Sample) -> list[PathEntry]:
        return RipperSettings(**self._said()).path(sample)
