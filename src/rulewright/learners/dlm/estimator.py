"""The decision list machine as an estimator."""

from __future__ import annotations

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.dlm.settings import DlmSettings


@estimator_of(DlmSettings)
class DecisionListMachine(RuleClassifier):
    """A short list of rules, each with one test, chosen greedily, with a certificate.

    The first rule that holds answers. Any number of classes, in one list.

    {parameters}

    {attributes}

    Notes
    -----
    The search is BuildDLM of Sokolova, Marchand, Japkowicz and Shawe-Taylor (2003), The Decision
    List Machine, section 2; the paper's machine has ``family="balls"``. Centres and borders are
    examples that no earlier rule answers. Where no rule holds, the answer is the other class than
    the last rule's (two classes), or the majority of what remains; with ``consistent``, the class
    of the last border. Ties in usefulness go to the rule of the later class (``ties="class"``): of
    two classes the positive one, as in the paper's Figure 1, which then appends (h, 1). Of one
    class they go to the rule that covers more, then as in ``SetCoveringMachine``.

    With penalties of 1 the path ends with the last list that loses no more on the training rows,
    costs and weights included, than the majority answer; without one, that answer is the model.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import DecisionListMachine
    >>> X = np.array([[1.0], [2.0], [3.0], [6.0], [7.0], [8.0]])
    >>> y = ["low", "low", "low", "high", "high", "high"]
    >>> machine = DecisionListMachine().fit(X, y)
    >>> print(machine.model_)
    the first of these that holds:
      1. low if x0 <= 3
    otherwise high
    """

    _path_text = (
        "The list at every size, from the same run; the last is ``model_``. A size is left out "
        "where its last rule answers as the default does."
    )
