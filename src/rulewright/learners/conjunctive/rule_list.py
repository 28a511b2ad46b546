"""Decision lists of conjunctive rules."""

from __future__ import annotations

from typing import Any

from rulewright.learners.conjunctive.estimating import RuleInducer
from rulewright.learners.conjunctive.settings import ListSettings


class RuleListClassifier(RuleInducer):
    """A list of rules of several terms, the first that holds answers, with a certificate.

    Numbers, categories and missing values as they are; any number of classes in one list.

    Parameters
    ----------
    criterion : str or function, default "boosting_normalised"
        What makes a rule good: the name of a function in ``rulewright.criteria`` or any function
        ``f(p, n, P, N)`` of what it covers of its class and of the others, higher being better.
    correction : {None, "sc"}, default None
        "sc": the counts are corrected for the choice of the cuts by the splitting-and-connectivity
        bound (docs/sc-bound.md): fewer and shorter rules where examples are few.
    covering : {"removal", "weighting"}, default "removal"
        What becomes of examples that a rule covers: later rules are sought without them, or with
        those of the rule's class counting ``shrink`` times as much. P and N of the criterion stay
        those of all examples.
    default : {"majority", "abstain"}, default "majority"
        What is answered where no rule holds: the majority of what is left, or nothing. ``predict``
        then says "abstain", or -1 where classes are numbers, and the certificate counts an answer
        that was not given as wrong.
    max_rules : int or None, default 20
        At most so many rules are learnt; None for as many as there are.
    max_terms : int or None, default 7
        At most so many terms a rule.
    width : int or None, default 5
        How many unfinished rules are kept after each term; 1 is a greedy search. None tries every
        rule that could be better than the best so far: exact with few terms, and slow.
    conditions : {"conjunctions", "syndromes"}, default "conjunctions"
        Whether all terms of a rule must hold, or at least so many.
    family : str, Family, or list of these, default "auto"
        What terms are: "thresholds", "intervals" (two bounds of a column are one term),
        "categories", "missing"; "auto" is all but intervals.
    min_precision, min_support, max_p_value, min_gain : float, default 0.0, 0.0, None, None
        What a rule must be to be taken (``rulewright.criteria.Filters``): the share of its class in
        what it covers; the share of all examples that it covers rightly, or their number; Fisher's
        exact test; information gain in bits. It must cover more of its class than of all others in
        any case.
    min_rise : float, default 0.02
        By which share of the score a longer rule must be better than a shorter one: terms that
        hardly matter only make rules harder to read.
    size : {"all", "bound"}, default "all"
        Which list is the model: the longest, or of those with rules the one with the best
        certificate. ``path_`` has all of them.
    eta : float, default 0.5
        With ``correction``: how likely counts are to mislead by more than is corrected.
    shrink : float, default 0.5
        With ``covering="weighting"``.
    rules : list of str, default None
        Rules to begin with, as ``"glucose > 127 and bmi > 29.9 -> positive"``. They are kept, and
        the certificate charges nothing for their numbers: write them before looking at the data.
    keep, forbid, force : list of column names, default None
        Columns that rules may test, must not test, and must test, all of them.
    monotone : dict of column name to 1 or -1, default None
        For two classes: whether larger values speak for the second class only, or against it.
    class_costs : dict of label to number, "balanced" or None, default None
        What misjudging an example of a class costs; 1 where not said. "balanced" makes all
        classes weigh the same.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The model is the same for any number.
    random_state : int, generator or None, default None
        Seed of the examples that are drawn where ``correction`` looks at some of them only.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as rules, predicts, explains, saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        The list after each rule, without rules that change no answer on the training rows, and
        without lists for which a later one is as short.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The decision list of K. Vorontsov and A. Ivahnenko (2011), Tight Combinatorial Generalization
    Bounds for Threshold Conjunction Rules, without (DL) and with ``correction="sc"`` (DL+CS). Of
    equally good rules the one that covers more of its class wins, then the one with fewer terms,
    then the first by column, relation (<=, >, =, !=, is missing, is not missing) and value; of
    classes the first.

    The model loses no more on the training rows, costs and weights included, than the majority
    answer. Where every list would, the model has no rules. That does not hold for a list that
    begins with ``rules`` or may abstain.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import RuleListClassifier
    >>> X = np.array([[148, 33], [85, 26], [183, 23], [89, 35], [137, 43], [116, 25], [110, 37]])
    >>> y = ["ill", "well", "well", "well", "ill", "well", "well"]
    >>> print(RuleListClassifier().fit(X, y).model_)
    the first of these that holds:
      1. ill if 116 < x0 <= 148
    otherwise well
    """

    _settings = ListSettings

    def __init__(
        self,
        criterion: Any = "boosting_normalised",
        correction: Any = None,
        covering: str = "removal",
        default: str = "majority",
        max_rules: int | None = 20,
        max_terms: int | None = 7,
        width: int | None = 5,
        conditions: str = "conjunctions",
        family: Any = "auto",
        min_precision: float = 0.0,
        min_support: float = 0.0,
        max_p_value: float | None = None,
        min_gain: float | None = None,
        min_rise: float = 0.02,
        size: str = "all",
        eta: float = 0.5,
        shrink: float = 0.5,
        rules: Any = None,
        keep: Any = None,
        forbid: Any = None,
        force: Any = None,
        monotone: Any = None,
        class_costs: Any = None,
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.correction = correction
        self.covering = covering
        self.default = default
        self.max_rules = max_rules
        self.max_terms = max_terms
        self.width = width
        self.conditions = conditions
        self.family = family
        self.min_precision = min_precision
        self.min_support = min_support
        self.max_p_value = max_p_value
        self.min_gain = min_gain
        self.min_rise = min_rise
        self.size = size
        self.eta = eta
        self.shrink = shrink
        self.rules = rules
        self.keep = keep
        self.forbid = forbid
        self.force = force
        self.monotone = monotone
        self.class_costs = class_costs
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
