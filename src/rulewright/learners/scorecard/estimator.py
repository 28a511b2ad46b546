"""Scorecards as an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.scorecard.settings import ScorecardSettings


@estimator_of(ScorecardSettings)
class ScorecardClassifier(RuleClassifier):
    """Scorecard: small whole-number points for few conditions, with a certificate.

    The points of the conditions that hold are summed. For two classes, a table gives the risk for
    each total, and a cut the answer. For more classes, each has its own points, and the largest
    total answers.

    {parameters}

    {attributes}

    Notes
    -----
    Supports, coefficients and points are found in the way of J. Liu, C. Zhong, B. Li, M. Seltzer
    and C. Rudin (2022), FasterRisk: Fast and Accurate Interpretable Risk Scores, NeurIPS. What
    differs: the slope and the intercept of the risk are fitted for each choice of points, so that
    no multiplier has to be chosen; points are changed one by one and in pairs until no change
    lowers the loss; conditions are swapped for each size.
    """

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the odds of the second class, or of each class's probability.

        Returns
        -------
        array of shape (rows,) for two classes, otherwise (rows, classes)
        """
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            logarithm = np.log(self.predict_proba(X))
        finite: NDArray[np.float64] = np.maximum(logarithm, -700.0)
        return finite[:, 1] - finite[:, 0] if finite.shape[1] == 2 else finite
