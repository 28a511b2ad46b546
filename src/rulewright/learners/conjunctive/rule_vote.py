"""Weighted votes of conjunctive rules."""

from __future__ import annotations

from typing import Any

from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.conjunctive.estimating import RuleInducer
from rulewright.learners.conjunctive.settings import VoteSettings


class RuleVoteClassifier(VotingMixin, RuleInducer):
    """Rules of several terms that vote, weighed by boosting, with a certificate.

    Numbers, categories and missing values as they are; any number of classes in one vote.

    Parameters
    ----------
    criterion : str or function, default "boosting_normalised"
        What makes a rule good, of the weights that boosting gives the examples; see
        ``RuleListClassifier``.
    max_rules : int or None, default 20
        At most so many rules are learnt, the same rule again making its weight louder.
    correction, default, max_terms, width, conditions, family, min_precision, min_support, \
max_p_value, min_gain, min_rise, size, eta, rules, keep, forbid, force, monotone, class_costs, \
delta, categorical_features, n_jobs, random_state
        As in ``RuleListClassifier``. ``default`` answers where no rule holds.

    Attributes
    ----------
    model_, certificate_, path_, feature_importances_, classes_, n_features_in_, \
feature_names_in_
        As in ``RuleListClassifier``.

    Notes
    -----
    The weighted voting of K. Vorontsov and A. Ivahnenko (2011), without (WV) and with
    ``correction="sc"`` (WV+CS): rules of every class, each with the weight and the weighing of
    W. Cohen and Y. Singer (1999). A weight is a multiple of 1/16. Where all rules vote for the
    class that is answered anyway, ``path_`` has the vote without rules. The model loses
    no more on the training rows than the majority answer; see ``RuleListClassifier``.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import RuleVoteClassifier
    >>> X = np.array([[148, 33], [85, 26], [183, 23], [89, 35], [137, 43], [116, 25], [110, 37]])
    >>> y = ["ill", "well", "well", "well", "ill", "well", "well"]
    >>> print(RuleVoteClassifier(max_rules=2).fit(X, y).model_)
    the class with the most votes:
      1. 1.125 for well if x0 <= 116
      2. 0.8125 for ill if 116 < x0 <= 148
    well where nothing votes
    """

    _settings = VoteSettings

    def __init__(
        self,
        criterion: Any = "boosting_normalised",
        correction: Any = None,
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
