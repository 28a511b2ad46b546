"""RIPPER and SLIPPER may test whether a value is missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import QUARTER
from strategies.missing import caused, samples

from rulewright import RipperClassifier, SlipperClassifier
from rulewright.learners import SETTINGS, recipe_of, settings_of
from rulewright.rules import Missing, literals_of

LEARNERS = [RipperClassifier, SlipperClassifier]
NAMES = ["ripper", "slipper"]


def with_indicators(frame):
    """Say in columns of their own, after all others, whether a value is missing."""
    gone = frame.isna()
    some = [name for name in frame if gone[name].any() and not gone[name].all()]
    return frame.assign(**{f"z{name}": np.where(gone[name], "absent", "held") for name in some})


@pytest.mark.filterwarnings("ignore::UserWarning")  # of small and odd samples
@pytest.mark.parametrize("learner", LEARNERS)
@given(samples(), st.booleans())
@QUARTER
def test_rules_are_those_of_columns_that_say_what_is_missing(learner, sample, prune):
    frame, y = sample
    fixed = {"certificate": "compression", "random_state": 0, "prune": prune}
    if learner is SlipperClassifier:
        fixed["n_rounds"] = 3
    tested = learner(**fixed).fit(frame, y)
    told = with_indicators(frame)
    plain = learner(missing_tests=False, **fixed).fit(told, y)
    assert tested.predict(frame).tolist() == plain.predict(told).tolist()
    assert tested.certificate_.verify(tested.model_, frame, y)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("certificate", ["compression", "split"])
def test_values_that_are_missing_for_a_cause_are_found(learner, certificate):
    X, y = caused()
    options = {"certificate": certificate, "random_state": 0}
    assert learner(missing_tests=False, **options).fit(X, y).score(X, y) < 0.75
    found = learner(**options).fit(X, y)
    assert found.score(X, y) > 0.85
    assert any(isinstance(literal, Missing) for literal in literals_of(found.model_.body))
    assert found.certificate_.bound < 0.25
    assert found.certificate_.verify(found.model_, X, y)


@pytest.mark.parametrize("learner", LEARNERS)
def test_constraints_hold_for_tests_of_missing_values_too(learner):
    X, y = caused()
    rows = {"certificate": "compression", "random_state": 0}
    positive = learner(positive_tests=True, **rows).fit(X, 1 * (y == "well"))
    tests = [part for part in literals_of(positive.model_.body) if isinstance(part, Missing)]
    assert all(part.missing for part in tests)
    forbidden = learner(forbid=["a"], **rows).fit(X, y)
    assert "a" not in forbidden.model_.body.columns
    single = learner(max_columns=1, **rows).fit(X, y)
    assert set(single.model_.body.columns) == {"a"}


@pytest.mark.parametrize("name", NAMES)
def test_recipes_of_earlier_versions_do_not_test_for_missing_values(name):
    recipe = recipe_of(SETTINGS[name]())
    assert recipe["parameters"].pop("missing_tests") is True
    assert settings_of(recipe, SETTINGS)[0].missing_tests is False
