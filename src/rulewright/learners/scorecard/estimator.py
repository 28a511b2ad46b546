"""Scorecards as an estimator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.estimator_class import estimator_of
from rulewright.learners.scorecard.settings import ScorecardSettings
from rulewright.rules import Arrangement, Scorecard


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

        For two classes it is above 0 where the answer is the second class: costs, which move the
        cut, move the odds by the same amount.

        Returns
        -------
        array of shape (rows,) for two classes, otherwise (rows, classes)
        """
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            logarithm = np.log(self.predict_proba(X))
        finite: NDArray[np.float64] = np.maximum(logarithm, -700.0)
        if finite.shape[1] != 2:
            return finite
        return finite[:, 1] - finite[:, 0] - _odds_at_cut(self.model_.body)


def _odds_at_cut(body: Arrangement) -> float:
    """Logarithm of the odds between the bands on either side of the cut; 0 if it separates them."""
    if not isinstance(body, Scorecard) or body.cut is None:
        return 0.0
    below = max(band.risk for band in body.bands if band.low < body.cut)
    above = min(band.risk for band in body.bands if band.low >= body.cut)
    if below < 0.5 < above:
        return 0.0
    return sum(math.log(risk / (1 - risk)) for risk in (below, above)) / 2
