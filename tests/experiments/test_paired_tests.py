"""The corrected test keeps its level with equal learners; the plain one does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rulewright.experiments import corrected_test, holm, make_folds

ROWS, FOLDS, REPEATS = 60, 10, 3


def stump_errors(x, y, folds):
    """Errors of a least-squares line on one column, for each fold."""
    errors = []
    for fold in folds:
        a, b = x[fold.train], y[fold.train]
        slope = np.cov(a, b)[0, 1] / a.var()
        answers = slope * (x[fold.test] - a.mean()) + b.mean() > 0
        errors.append((answers != (y[fold.test] > 0)).mean())
    return np.array(errors)


def rejections(runs, seed):
    """Share of runs in which each test finds a difference between two equal learners.

    The learners use one column each, and the columns are exchangeable.
    """
    rng = np.random.default_rng(seed)
    ratio = 1 / (FOLDS - 1)
    corrected = plain = 0
    for run in range(runs):
        X = rng.normal(size=(ROWS, 2))
        y = np.where(X.sum(axis=1) + 2 * rng.normal(size=ROWS) > 0, 1.0, -1.0)
        folds = make_folds(y, folds=FOLDS, repeats=REPEATS, seed=run)
        difference = stump_errors(X[:, 0], y, folds) - stump_errors(X[:, 1], y, folds)
        corrected += corrected_test(difference, ratio).p_value <= 0.05
        plain += corrected_test(difference, 0.0).p_value <= 0.05
    return corrected / runs, plain / runs


def highest(runs):
    """Share of rejections that a test of level 5 % exceeds with a chance of 1 in 10,000."""
    return stats.binom.isf(1e-4, runs, 0.05) / runs


@pytest.mark.slow
def test_the_corrected_test_keeps_its_level():
    corrected, plain = rejections(60, seed=0)
    assert corrected <= highest(60)
    assert plain > highest(60)


@pytest.mark.simulations
def test_the_corrected_test_keeps_its_level_in_many_runs():
    corrected, plain = rejections(2000, seed=1)
    print(f"\nequal learners: corrected test {corrected:.3f}, plain test {plain:.3f} of 2,000 runs")
    assert corrected <= highest(2000)
    assert plain > highest(2000)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.floats(0, 1))
def test_without_correction_it_is_the_t_test(differences, ratio):
    values = np.array(differences)
    found = corrected_test(differences, 0.0)
    if values.std() < 1e-9:
        return
    wanted = stats.ttest_1samp(values, 0.0)
    assert found.p_value == pytest.approx(wanted.pvalue, abs=1e-9)
    interval = wanted.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    more = corrected_test(differences, ratio)
    assert more.p_value >= found.p_value - 1e-12 and more.low <= found.low + 1e-12


def test_equal_losses_are_no_difference():
    assert corrected_test([0.0, 0.0, 0.0], 0.1).p_value == 1.0
    assert corrected_test([0.1, 0.1, 0.1], 0.1).p_value < 1e-20
    assert corrected_test([0.1], 0.1).p_value == 1.0


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_between_the_p_value_and_bonferroni(p_values):
    for one, corrected in zip(p_values, holm(p_values), strict=True):
        assert one <= corrected <= min(1.0, len(p_values) * one) + 1e-12 or corrected == max(
            holm(p_values)
        )
    ranked = sorted(range(len(p_values)), key=lambda place: p_values[place])
    found = [holm(p_values)[place] for place in ranked]
    assert found == sorted(found)
    if p_values:
        assert found[0] == min(1.0, len(p_values) * min(p_values))
