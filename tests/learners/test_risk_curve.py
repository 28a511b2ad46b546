"""The curve from totals to risks, against a general minimiser."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize

from rulewright.learners.scorecard import RiskCurve, fitted_curve

START = RiskCurve(1.0, 0.0)
weights = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8)


@given(weights, st.sampled_from([0.01, 1.0, 30.0]), st.integers(-6, 6))
@example([(0, 0), (0, 4)], 0.01, 5)  # falls along the totals, so that the best slope is 0
def test_no_curve_has_a_lower_loss(pairs, penalty, lowest):
    own, other = np.array(pairs, float).T
    total = np.arange(lowest, lowest + own.size, dtype=float)
    every = own + other
    if not own.any() or not other.any():
        own[0], every[0], every[-1] = 1.0, own[0] + 1.0, every[-1] + 1.0  # both classes occur

    def loss(values):
        return RiskCurve(*values).loss(total, own, every, penalty)

    found = fitted_curve(total, own, every, penalty, START)
    best = min(
        minimize(loss, start, method="L-BFGS-B", bounds=[(0, None), (None, None)]).fun
        for start in ([1.0, 0.0], [0.0, 0.0])
    )
    assert found.slope >= 0
    assert loss((found.slope, found.intercept)) <= best + 1e-6 * (1 + best)


@pytest.mark.parametrize("total", [np.zeros(3), np.full(3, 1e9)])
def test_equal_totals_have_the_share_of_the_class(total):
    found = fitted_curve(total, np.ones(3), np.full(3, 4.0), 1.0, RiskCurve(0.0, 0.0))
    assert found(total) == pytest.approx(0.25, abs=1e-6)
