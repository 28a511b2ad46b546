"""Rules that a person wrote: every documented form, in lists and votes, with every certificate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import EIGHTH

from rulewright import BoundSearch, RuleListClassifier, RuleVoteClassifier, load_model
from rulewright.certificates import combinations_in
from rulewright.data import Field
from rulewright.rules import AllOf, literals_of, parse_rule

pytestmark = pytest.mark.filterwarnings("ignore:Column '")
LEARNERS = [RuleListClassifier, RuleVoteClassifier]
FORMS = [
    "a > 30 or b > 45 -> ill",
    "not (a > 20 and b > 20) -> well",
    "(a > 20 or b > 40) and c = x -> ill",
    "at least 2 of (a > 30; b > 30; c = x) -> ill",
    "at least 2 of (a > 30 or b > 45; not (b > 30); c = x and d) -> ill",
    "b > 45 or not d and (c = x or c = y) -> well",
    "a < 3 or a > 40 or missing or b = 3 -> ill",
    "not (c = x) -> well",
]


def table(rows=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 50, rows).astype(float),
            "b": rng.integers(0, 50, rows).astype(float),
            "c": rng.choice(["x", "y", "z"], rows),
            "d": rng.random(rows) > 0.5,
        }
    )
    frame.loc[::17, "a"] = np.nan
    ill = (frame["a"] > 25) | (frame["b"] > 40) & (frame["c"] == "x")
    return frame, np.where(ill, "ill", "well")


def written(text, frame):
    kinds = {"float64": "numeric", "bool": "boolean"}
    fields = [Field(name, kinds.get(str(kind), "text"), 3) for name, kind in frame.dtypes.items()]
    return parse_rule(text, fields, ["ill", "well"])


def conditions(body):
    return [(rule.condition, rule.output) for rule in body.children]


@pytest.mark.parametrize("form", ["compression", "split", "holdout"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_form_of_a_rule_is_kept_and_certified(learner, form, tmp_path):
    frame, y = table()
    rules = [written(text, frame) for text in FORMS]
    fitted = learner(rules=FORMS, max_rules=1, certificate=form, n_splits=2).fit(frame, y)
    body = fitted.model_.body
    assert {(rule.condition, rule.output) for rule in rules} <= {*conditions(body)}
    fitted.certificate_.verify(fitted.model_, frame, y)
    fitted.save_model(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    loaded.certificate.verify(loaded, frame, y)
    new, _ = table(seed=1)
    assert loaded.predict(new).tolist() == fitted.predict(new).tolist()
    assert fitted.explain(new.head(20))["why"].str.len().min() > 0


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_message_pays_for_the_combinations_of_a_written_rule(learner):
    frame, y = table()
    plain, combined = (
        learner(rules=[text], max_rules=1).fit(frame, y).path_[0].certificate
        for text in ("a > 30 and b > 45 -> ill", "a > 30 or b > 45 -> ill")
    )
    assert plain.combinations == ("all",) and combined.combinations == ("all", "any")
    assert combined.message_nats > plain.message_nats > 0


@EIGHTH
@given(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), st.integers(0, 10**6))
def test_a_list_answers_as_its_written_rules_do_in_their_order(texts, seed):
    frame, y = table(40, seed)
    model = RuleListClassifier(rules=texts, max_rules=1).fit(frame, y).path_[0].model
    expected = np.full(len(frame), model.body.default)
    data = model.table(frame)
    for rule in [written(text, frame) for text in reversed(texts)]:
        expected[rule.condition.holds(data)] = rule.output
    assert model.predict(frame).tolist() == np.array(["ill", "well"])[expected].tolist()


@pytest.mark.parametrize("form", ["compression", "split", "holdout"])
@pytest.mark.parametrize("text", ["a > 30 -> well", "never -> ill", "a > 99 -> ill"])
def test_a_vote_keeps_a_rule_that_the_rows_do_not_support_and_says_so(text, form):
    frame, y = table()
    rule = written(text, frame)
    fitted = RuleVoteClassifier(rules=[text], max_rules=2, certificate=form, n_splits=2)
    fitted.fit(frame, y)
    kept = [v for v in fitted.model_.body.voters if v.condition == rule.condition]
    assert [voter.weight for voter in kept] == [1 / 16]
    assert any("do not support the rule" in notice for notice in fitted.notices_)
    fitted.certificate_.verify(fitted.model_, frame, y)


def test_a_supported_rule_has_no_notice_and_its_own_weight():
    frame, y = table()
    fitted = RuleVoteClassifier(rules=["a > 30 -> ill", "a > 30 -> ill"], max_rules=1)
    fitted.fit(frame, y)
    assert fitted.model_.body.voters[0].weight > 1
    assert not any("do not support" in notice for notice in fitted.notices_)


def test_a_rule_that_no_candidate_needs_is_named_when_it_is_left_out():
    frame, y = table()
    listed = RuleListClassifier(rules=["always -> ill"], certificate="split", n_splits=2)
    listed.fit(frame, y)
    assert listed.model_.body.listed == ()
    assert "'always -> ill' is left out" in listed.notices_[0]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_search_by_certificate_keeps_written_rules(learner):
    frame, y = table()
    text = "not (a > 2 and b > 2) -> well"
    one = learner(rules=[text], max_rules=1, certificate="split", n_splits=2)
    search = BoundSearch(one, {"max_terms": [1, 2]}).fit(frame, y)
    condition = written(text, frame).condition
    assert condition in [rule.condition for rule in search.model_.body.children]


def test_polishing_leaves_written_rules_as_they_are():
    frame, y = table()
    for learner in LEARNERS:
        fitted = learner(rules=FORMS[:3], max_rules=2, polish=True).fit(frame, y)
        expected = [written(text, frame).condition for text in FORMS[:3]]
        assert [rule.condition for rule in fitted.model_.body.children[:3]] == expected
        fitted.certificate_.verify(fitted.model_, frame, y)


def test_combinations_without_parts_are_not_counted():
    frame, _ = table()
    assert combinations_in([written("always -> ill", frame), written("never -> ill", frame)]) == ()
    rule = written("(a > 1 or b > 2) and not (c = x) -> ill", frame)
    assert combinations_in([rule]) == ("all", "any", "not")
    assert isinstance(rule.condition, AllOf) and len([*literals_of(rule)]) == 3
