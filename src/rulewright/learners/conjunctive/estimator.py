"""Rule lists and rule votes as estimators."""

from __future__ import annotations

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.optimality import OPTIMALITY
from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.conjunctive.settings import RuleListSettings, RuleVoteSettings


@estimator_of(RuleListSettings)
class RuleListClassifier(RuleClassifier):
    """A list of rules with several terms, with a certificate; the first rule that holds answers.

    Numbers, categories and missing values as they are; any number of classes in one list.

    {parameters}

    {attributes}

    Notes
    -----
    The decision list of K. Vorontsov and A. Ivahnenko (2011), Tight Combinatorial Generalization
    Bounds for Threshold Conjunction Rules, without (DL) and with ``correction="sc"`` (DL+CS). Of
    equally good rules the one that covers more of its class wins, then the one with fewer terms,
    then the first by column, relation (<=, >, =, !=, is missing, is not missing) and value; of
    classes the first. With ``covering="weighting"``, P and N of the criterion stay those of all
    examples.

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

    _path_text = (
        "The list after each rule, without rules that change no answer on the training rows, "
        'and without lists for which a later one is as short. With ``search="optimal"``, the best '
        "list of each number of rules."
    )
    _attributes_text = OPTIMALITY


@estimator_of(RuleVoteSettings)
class RuleVoteClassifier(VotingMixin, RuleClassifier):
    """Rules with several terms that vote, weighted by boosting, with a certificate.

    Numbers, categories and missing values as they are; any number of classes in one vote.

    {parameters}

    {attributes}

    Notes
    -----
    The weighted voting of K. Vorontsov and A. Ivahnenko (2011), without (WV) and with
    ``correction="sc"`` (WV+CS): rules of every class, with rule weights and example weights as in
    W. Cohen and Y. Singer (1999). A weight is a multiple of 1/16. A rule that is found again adds
    to its weight. Where all rules vote for the class that is answered anyway, ``path_`` has the
    vote without rules. The model loses no more on the training rows than the majority answer; see
    ``RuleListClassifier``.

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

    _path_text = "The vote after each rule."
