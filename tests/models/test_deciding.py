"""Decisions by costs that were not known when the model was learnt."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulewright import DecisionListMachine, RuleListClassifier, RuleVoteClassifier, TreeClassifier
from rulewright.errors import InputError

RNG = np.random.default_rng(5)
X = pd.DataFrame(RNG.normal(size=(240, 3)), columns=["a", "b", "c"])
X.loc[RNG.random(240) < 0.1, "a"] = np.nan
Y = np.select([X["a"] + RNG.normal(size=240) > 0.5, X["b"] > 0.3], ["high", "mid"], "low")
MODELS = [
    RuleListClassifier(max_rules=4, certificate="compression").fit(X, Y),
    RuleVoteClassifier(max_rules=4, certificate="compression").fit(X, Y),
    TreeClassifier(preset="c4.5", max_depth=3, certificate="compression").fit(X, Y),
    DecisionListMachine(max_rules=3, certificate="compression").fit(X, Y),
]
COSTS = st.integers(1, 50)


def expected_cost(chances, classes, costs, answer):
    return sum(
        chances[k] * costs.get((label, answer), costs.get(label, 1))
        for k, label in enumerate(classes)
        if label != answer
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@given(st.dictionaries(st.sampled_from(["high", "low", "mid"]), COSTS))
def test_a_decision_has_the_smallest_expected_cost(model, costs):
    check_decisions(model, costs)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@given(st.dictionaries(st.permutations(["high", "low", "mid"]).map(lambda p: tuple(p[:2])), COSTS))
def test_costs_may_depend_on_the_answer(model, costs):
    check_decisions(model, costs)


def check_decisions(model, costs):
    rows = X.head(40)
    decided = model.decide(rows, costs)
    assert decided.tolist() == model.model_.decide(rows, costs).tolist()
    chances = model.predict_proba(rows)
    for i, label in enumerate(decided):
        spent = {c: expected_cost(chances[i], model.classes_, costs, c) for c in model.classes_}
        assert spent[label] <= min(spent.values()) * (1 + 1e-12)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_with_equal_costs_a_decision_is_the_prediction(model):
    for costs in ({}, {"high": 2, "low": 2, "mid": 2}):
        assert (model.decide(X, costs) == model.predict(X)).all()


def test_a_class_that_is_dear_to_miss_is_answered_more_often():
    model = MODELS[0]
    counts = [(model.decide(X, {"high": cost}) == "high").sum() for cost in (1, 3, 10, 1000)]
    assert counts == sorted(counts)
    assert counts[-1] == len(X)


def test_a_row_without_an_answer_stays_without_one():
    model = RuleListClassifier(default="abstain", max_rules=1, certificate="compression").fit(X, Y)
    none = ~model.model_.answered(X)
    assert none.any()
    assert ((model.decide(X, {"high": 1000}) == "abstain") == none).all()


def test_costs_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="class_costs must be a dict"):
        MODELS[0].decide(X, {"unknown": 2})
    with pytest.raises(InputError, match="numbers above 0"):
        MODELS[0].decide(X, {"high": -1})
