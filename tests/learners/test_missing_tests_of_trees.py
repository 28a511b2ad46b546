"""Trees with fractional examples, and rules from trees, may test whether a value is missing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies.effort import QUARTER
from strategies.missing import caused, samples

from rulewright import TreeClassifier, TreeRulesClassifier, load_model
from rulewright.learners import SETTINGS, recipe_of, settings_of
from rulewright.rules import Missing, literals_of

FIXED = {"certificate": "compression", "random_state": 0}


def c45(**options):
    return TreeClassifier(**{"preset": "c4.5", **FIXED, **options})


def rules(**options):
    return TreeRulesClassifier(**{**FIXED, **options})


LEARNERS = [c45, rules]


def with_indicators(frame):
    """Say by 1 and 0 in columns of their own, after all others, whether a value is missing."""
    gone = frame.isna()
    some = [name for name in frame if gone[name].any()]
    return frame.assign(**{f"z{name}": gone[name].astype(float) for name in some})


def missing_tests(learner):
    return [test for test in literals_of(learner.model_.body) if isinstance(test, Missing)]


WAYS = [
    (c45, {"pruning": "none"}),
    (c45, {}),
    (c45, {"family": ["thresholds", "subsets"], "max_leaf_nodes": 5}),
    (c45, {"pruning": "reduced-error"}),
    (c45, {"preset": "cart", "missing": "fractional"}),
    (rules, {}),
    (rules, {"subsets": True}),
    (rules, {"n_rounds": 3}),
    (rules, {"n_rounds": 3, "base": "trees"}),
]


@pytest.mark.cross_section(4)
@pytest.mark.filterwarnings("ignore::UserWarning")  # of small and odd samples
@pytest.mark.parametrize(("learner", "options"), WAYS)
@given(samples())
@QUARTER
def test_answers_are_those_of_columns_that_say_what_is_missing(learner, options, sample):
    frame, y = sample
    tested = learner(**options).fit(frame, y)
    told = with_indicators(frame)
    plain = learner(missing_tests=False, **options).fit(told, y)
    assert not missing_tests(plain)
    assert tested.predict(frame).tolist() == plain.predict(told).tolist()
    assert tested.model_.body.literals == plain.model_.body.literals
    assert tested.certificate_.verify(tested.model_, frame, y)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("learner", LEARNERS)
@given(samples())
@QUARTER
def test_complete_tables_give_the_models_of_before(learner, sample):
    frame, y = sample
    full = frame.assign(a=frame["a"].fillna(9), b=frame["b"].fillna("s"), c=frame["c"].fillna(9))
    found = learner().fit(full, y)
    assert str(found.model_) == str(learner(missing_tests=False).fit(full, y).model_)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("certificate", ["compression", "split"])
def test_values_that_are_missing_for_a_cause_are_found(learner, certificate, tmp_path):
    X, y = caused()
    assert learner(missing_tests=False, certificate=certificate).fit(X, y).score(X, y) < 0.75
    found = learner(certificate=certificate).fit(X[:300], y[:300])
    assert found.score(X[300:], y[300:]) > 0.85
    assert missing_tests(found)
    assert found.certificate_.bound < 0.3
    assert found.certificate_.verify(found.model_, X[:300], y[:300])
    found.save_model(tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.predict(X).tolist() == found.predict(X).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_values_that_are_missing_at_random_do_no_harm(learner):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(800, 4)), columns=list("abcd"))
    y = np.where((frame["a"] > 0) & (frame["b"] > -0.5), "ill", "well")
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    scores = [
        learner(missing_tests=tests).fit(frame[:400], y[:400]).score(frame[400:], y[400:])
        for tests in (True, False)
    ]
    assert scores[0] > scores[1] - 0.02


@pytest.mark.parametrize("learner", [c45, rules, lambda **o: rules(n_rounds=3, base="trees", **o)])
def test_constraints_hold_for_tests_of_missing_values_too(learner):
    X, y = caused()
    positive = learner(positive_tests=True).fit(X, y)
    assert missing_tests(positive)
    assert all(test.missing for test in missing_tests(positive))
    assert positive.certificate_.verify(positive.model_, X, y)
    single = learner(max_columns=1).fit(X, y)
    assert set(single.model_.body.columns) == {"a"}
    groups = learner(interactions=[["a", "b"], ["c"]]).fit(X, y)
    assert missing_tests(groups)


@pytest.mark.parametrize("learner", LEARNERS)
def test_exports_and_explanations_know_the_tests(learner):
    X, y = caused(120)
    found = learner().fit(X, y)
    code = found.model_.export("python")
    space = {"__name__": "model"}
    exec(compile(code, "model", "exec"), space)
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    assert [space["predict"](row)["class"] for row in rows] == found.predict(X).tolist()


@pytest.mark.parametrize("name", ["tree", "tree-rules"])
def test_recipes_of_earlier_versions_do_not_test_for_missing_values(name):
    recipe = recipe_of(SETTINGS[name]())
    assert recipe["parameters"].pop("missing_tests") is True
    assert settings_of(recipe, SETTINGS)[0].missing_tests is False
