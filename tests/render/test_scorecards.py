"""The risks of a scorecard are printed with exact intervals of the training cases of each line."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from rulewright import ScorecardClassifier
from rulewright.render import BandCases, arrangement_text


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 3)).round(2), columns=["a", "b", "c"])
    y = np.where(X["a"] + X["b"] + rng.normal(size=300) > 0, "yes", "no")
    return ScorecardClassifier(4, certificate=None).fit(X, y).model_


@given(st.data(), st.integers(1, 2000))
def test_an_interval_is_that_of_clopper_and_pearson_rounded_outwards(data, cases):
    own = data.draw(st.integers(0, cases))
    exact = binomtest(own, cases).proportion_ci(0.95, "exact")
    low, high = map(float, BandCases(cases * 1.0, own * 1.0).interval[:-2].split(" to "))
    assert low <= 100 * exact.low + 1e-6 and 100 * exact.low < low + 0.1 + 1e-6
    assert high >= 100 * exact.high - 1e-6 and 100 * exact.high > high - 0.1 - 1e-6


def test_weights_that_are_no_numbers_of_cases_have_no_interval():
    assert BandCases(10.0, 2.5).interval == BandCases(0.0, 0.0).interval == ""


def test_an_interval_is_of_the_second_class_whatever_the_answer():
    assert BandCases.of(0, (10.0, 7.0)) == BandCases.of(1, (10.0, 3.0)) == BandCases(10.0, 3.0)


@pytest.mark.parametrize("form", ["text", "html", "markdown", "english"])
def test_every_form_has_an_interval_for_each_risk(model, form):
    wanted = [BandCases(float(sum(counts)), float(counts[1])).interval for counts in model.evidence]
    shown = re.findall(r"\d+\.\d to \d+\.\d %", model.export(form))
    assert shown == wanted
    assert "which also chose the points" in model.export(form)


def test_a_card_without_training_cases_has_no_intervals(model):
    text = arrangement_text(model.body, ["no", "yes"])
    assert " to " in str(model) and "%  no" in text
    assert "interval" not in text
