"""The set covering machine as an estimator."""

from __future__ import annotations

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.scm.settings import ScmSettings


@estimator_of(ScmSettings)
class SetCoveringMachine(RuleClassifier):
    """A short conjunction or disjunction of predicates, chosen greedily, with a certificate.

    {parameters}

    {attributes}

    Notes
    -----
    The search is BuildSCM of Marchand, Shah, Shawe-Taylor and Sokolova (2003), The Set Covering
    Machine with Data-Dependent Half-Spaces, section 2. Ties in usefulness go to the predicate that
    loses less (``ties="losses"``) or covers more (``ties="coverage"``), then to the earlier family
    and, in it, to the earlier candidate: by column, operator (``<=`` before ``>``, ``=`` before
    ``!=``) and value, or by its examples in canonical order, which is the order of their values
    (``rulewright.data``), not of their row numbers. Named columns count by name. So the order of
    the table changes nothing. Columns of an array are known by their positions.

    With a penalty of 1 the path ends with the last machine that loses no more on the training rows,
    costs and weights included, than the majority answer; without one, that answer is the model.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import SetCoveringMachine
    >>> X = np.array([[148, 33.6], [85, 26.6], [183, 23.3], [89, 28.1], [137, 43.1], [116, 25.6]])
    >>> y = ["ill", "well", "ill", "well", "ill", "well"]
    >>> machine = SetCoveringMachine().fit(X, y)
    >>> print(machine.model_)
    well if all of these hold, otherwise ill:
      1. x0 <= 116
    """

    _path_text = "The machine at every size, from the same run; the last is ``model_``."
