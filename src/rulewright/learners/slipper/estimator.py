"""SLIPPER as an estimator."""

from __future__ import annotations

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.base.voting_mixin import VotingMixin
from rulewright.learners.slipper.settings import SlipperSettings


@estimator_of(SlipperSettings)
class SlipperClassifier(VotingMixin, RuleClassifier):
    """SLIPPER: few rules, grown and pruned one by one and boosted into a vote, with a certificate.

    Numbers, categories and missing values as they are; any number of classes in one vote.

    {parameters}

    {attributes}

    Notes
    -----
    W. Cohen and Y. Singer (1999), A Simple, Fast, and Effective Rule Learner, AAAI. A rule has the
    weight ``ln((W+ + 1/2n) / (W- + 1/2n)) / 2``, W+ and W- being the weights that it covers of its
    class and of the others, n the examples; it votes for the rarer class. The default rule holds
    always, and may vote for the other. Tests of a column are false where its value is missing,
    except ``x is missing`` (``missing_tests``), which the paper does not have.

    What differs from the paper, or is not settled there:

    - Rule weights are encoded in sixteenths, and the examples are weighed by the encoded values.
    - Examples are set aside class by class, so that both parts have some of a rare class.
    - A rule keeps at least one term when it is pruned; the default rule is considered after that.
    - Equal rules are merged, with the sum of their weights, and so are the default rules.
    - Of several classes each is boosted against the rest, and the largest sum of weights answers
      (E. Allwein, R. Schapire and Y. Singer 2000, Reducing Multiclass to Binary). A default that
      votes against a class is encoded as a vote for all others: the lowest is set to zero. All
      classes have the same number of rounds, or each has the number that best separates it from the
      rest, whichever has fewer errors in cross-validation.
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

    _path_text = "The one vote that was learnt."
    _attributes_text = """
    rounds_ : dict
        Number of rounds for each class that has rules. Of two classes it is the rarer, by the sum
        of weights times costs.
    """
