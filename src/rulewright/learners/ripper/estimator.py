"""RIPPER as an estimator."""

from __future__ import annotations

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.ripper.settings import RipperSettings


@estimator_of(RipperSettings)
class RipperClassifier(RuleClassifier):
    """RIPPER: rules grown, pruned and optimised class by class, with a certificate.

    Numbers, categories and missing values as they are; any number of classes. The rarest class has
    the first rules, and the most frequent is the answer where no rule holds.

    {parameters}

    {attributes}

    Notes
    -----
    W. Cohen (1995), Fast Effective Rule Induction. A condition is ``x <= v``, ``x > v`` or ``x =
    category``, which fail on a missing value, and with ``missing_tests`` also ``x is missing`` or
    ``x is not missing``, which the paper does not have. Rules are grown by FOIL's gain until they
    cover no example of a later class, and pruned to the first conditions with the largest ``(p - n)
    / (p + n)`` on the examples set aside. Rules are added until the description is 64 bits longer
    than the shortest so far, until a rule is more often wrong than right on the examples set aside,
    or none is left to cover; then rules that make it longer are deleted. What the paper leaves
    open: a pruned rule that covers none of the examples set aside is worth 0, nothing over nothing;
    examples are divided class by class; variants of a rule are grown from what the rules before it
    leave; of equally good prunings the shortest wins, of equal gains the first by column, relation
    (<=, >, =) and value. Rules that change no answer on the training rows are deleted. Where the
    list loses more there, costs and weights included, than the most frequent class alone, the model
    is that answer.

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

    _path_text = "The one list that was learnt."
