"""Models: prediction, rounding, what they refuse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from strategies.drawn import chain
from strategies.mixed import tables
from strategies.nodes import ARRANGEMENTS, trees

from rulewright.data import Field
from rulewright.errors import InputError
from rulewright.models import Model
from rulewright.render import headline_text
from rulewright.rules import (
    AllOf,
    Category,
    Conjunction,
    Disjunction,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Scorecard,
    Threshold,
    WeightedRule,
    spaces_of,
)

FIELDS = (
    Field("a", "numeric"),
    Field("b", "numeric"),
    Field("colour", "text", 3),
    Field("flag", "boolean", 2),
)


def model_of(body, classes=("x", "y", "z"), fields=FIELDS, **options):
    evidence = tuple((float(i), 2.0, 1.0)[: len(classes)] for i in range(len(body.rules)))
    return Model(fields, classes, body, evidence, **options)


ADULT = model_of(
    Conjunction((Threshold("a", True, 17.55),), then=1, otherwise=0), ("child", "adult")
)


@given(ARRANGEMENTS, tables())
def test_labels_probabilities_and_explanations_agree(body, table):
    model = model_of(body)
    if any(table.missing(name).any() for name in spaces_of(body)):
        with pytest.raises(InputError, match="Input X contains NaN: column"):
            model.predict(table)
        return
    answers = body.answer(table)
    labels = [*model.classes, "abstain"]
    assert model.predict(table).tolist() == [labels[body.rules[a].output] for a in answers]
    assert (model.answered(table) == (model.predict(table) != "abstain")).all()
    probabilities = model.predict_proba(table)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(table.rows))
    # A scorecard of two classes gives nothing to a third one, which it never answers with.
    known = probabilities[:, :2] if isinstance(body, Scorecard) else probabilities
    assert (known > 0).all()
    explained = model.explain(table)
    certain = explained["probability"].to_numpy()
    answered = model.answered(table)
    codes = body.classify(table)[answered]
    assert (certain[answered] == probabilities[answered, codes]).all()
    assert np.isnan(certain[~answered]).all()
    runners = body.runner_up(table, answers)
    assert [bool(text) for text in explained["runner_up"]] == (runners >= 0).tolist()
    if not isinstance(body, RuleVote):
        assert all(
            text.startswith(f"rule {runner + 1}: ")
            for text, runner in zip(explained["runner_up"], runners, strict=True)
            if runner >= 0
        )
    assert explained["prediction"].tolist() == model.predict(table).tolist()
    assert explained["rule"].tolist() == (answers + 1).tolist()
    assert all(why for why in explained["why"])


PATIENTS = pd.DataFrame({"a": [140.0, 140.0, 90.0, np.nan], "colour": ["red", "blue", "red", None]})
HIGH, RED = Threshold("a", True, 127.0), Category("colour", ("red",))


def test_the_next_rule_of_a_list_is_its_runner_up():
    body = RuleList((Rule(AllOf((HIGH, RED)), 1), Rule(HIGH, 2), Rule(RED, 1)), 0)
    assert model_of(body).explain(PATIENTS)["runner_up"].tolist() == [
        "rule 2: z, a = 140 (> 127)",
        "rule 4: x, otherwise",
        "rule 4: x, otherwise",
        "",
    ]
    silent = RuleList((Rule(HIGH, 1),), None)
    assert model_of(silent).explain(PATIENTS)["runner_up"].tolist() == [
        "rule 2: no answer, otherwise",
        "rule 2: no answer, otherwise",
        "",
        "",
    ]


def test_what_else_decides_a_junction_is_its_runner_up():
    either = model_of(Disjunction((HIGH, RED), 1, 0)).explain(PATIENTS)
    assert either["runner_up"].tolist() == [
        "rule 2: y, colour = red",
        "rule 3: x, otherwise",
        "rule 3: x, otherwise",
        "",
    ]
    both = model_of(Conjunction((HIGH, RED), 1, 0)).explain(PATIENTS)
    assert both["runner_up"].tolist() == [
        "",
        "rule 3: y, otherwise",
        "rule 3: y, otherwise",
        "rule 2: x, colour is missing",
    ]


def test_a_vote_is_explained_by_all_that_spoke():
    voters = (
        WeightedRule(HIGH, 1, 0.75),
        WeightedRule(AllOf((HIGH, RED)), 1, 1.5),
        WeightedRule(RED, 2, 1.25),
        WeightedRule(Missing("a", False), 0, 0.5),
    )
    explained = model_of(RuleVote(voters, 0)).explain(PATIENTS)
    assert explained["prediction"].tolist() == ["y", "y", "z", "x"]
    assert explained["why"].tolist() == [
        "1.5 by rule 2: a = 140 (> 127) and colour = red; 0.75 by rule 1: a = 140 (> 127); "
        "against: 1.25 for z by rule 3: colour = red; 0.5 for x by rule 4: a is not missing",
        "0.75 by rule 1: a = 140 (> 127); against: 0.5 for x by rule 4: a is not missing",
        "1.25 by rule 3: colour = red; against: 0.5 for x by rule 4: a is not missing",
        "a is missing; colour is missing",
    ]
    assert explained["runner_up"].tolist() == [
        "z: 1.25 votes against 2.25",
        "x: 0.5 votes against 0.75",
        "x: 0.5 votes against 1.25",
        "",
    ]


def test_a_rule_that_always_votes_is_said_to():
    model = model_of(RuleVote((WeightedRule(HIGH, 1, 0.75), WeightedRule(AllOf(), 0, 0.5)), 0))
    assert model.get_rules()["rule"].tolist()[1:] == ["always", "otherwise"]
    assert model.explain(PATIENTS)["why"].tolist()[2:] == ["0.5 by rule 2: always"] * 2


def test_of_many_voices_the_weightiest_give_their_reasons():
    voters = tuple(WeightedRule(Threshold("a", True, float(i)), 1, 1.0 + i) for i in range(7))
    why = model_of(RuleVote(voters, 0)).explain(PATIENTS)["why"][0]
    assert why == (
        "7 by rule 7: a = 140 (> 6); 6 by rule 6: a = 140 (> 5); 5 by rule 5: a = 140 (> 4); "
        "4 by rule 4: a = 140 (> 3); 3 by rule 3: a = 140 (> 2); 2 by rule 2; 1 by rule 1"
    )


def test_why_none_of_very_many_rules_holds_is_not_told_one_by_one():
    tests = [Threshold("a", True, 1000.0 + i) for i in range(21)]
    listed = RuleList(tuple(Rule(AllOf((test, RED)), 1) for test in tests), None)
    vote = RuleVote(tuple(WeightedRule(AllOf((t, RED)), 1, 1.0) for t in tests), 0)
    for body in (listed, vote):
        assert set(model_of(body).explain(PATIENTS)["why"]) == {"none of the 21 rules holds"}
    fewer = RuleList(listed.listed[:20], None)
    assert "a = 140 (<= 1000)" in model_of(fewer).explain(PATIENTS)["why"][0]


@given(ARRANGEMENTS)
def test_every_model_can_be_printed_listed_and_shown(body):
    model = model_of(body)
    assert str(model)
    assert len(model.get_rules()) == len(body.rules)
    assert model._repr_html_().startswith("<")


def test_rounding_makes_another_model_and_counts_its_other_answers():
    data = pd.DataFrame({"a": [17.55, 17.57, 17.5, 18.0]})
    rounded = ADULT.rounded(1, data)
    assert rounded.model.body.parts[0].cut == 17.6  # 17.57 is no longer above
    assert rounded.changed == 1
    assert rounded.rows == 4
    assert rounded.model.certificate is None
    assert str(rounded).endswith("(rounded to 1 decimal: 1 of 4 answers change)")
    assert (rounded.model.predict(data) != ADULT.predict(data)).sum() == 1


@pytest.mark.parametrize("decimals", [None, 1.5, -1, 18, True])
def test_decimals_that_make_no_sense(decimals):
    with pytest.raises(InputError, match="decimals must be a whole number from 0 to 17"):
        ADULT.rounded(decimals, pd.DataFrame({"a": [1.0]}))


def test_print_shows_the_numbers_that_decide():
    cut = 0.1 + 0.2
    model = model_of(Conjunction((Threshold("a", True, cut),), 1, 0), ("no", "yes"))
    assert repr(cut) in str(model)


def test_only_some_columns_are_needed_and_arrays_need_all():
    assert ADULT.predict(pd.DataFrame({"a": [3.0, 40.0]})).tolist() == ["child", "adult"]
    with pytest.raises(InputError, match="2 columns without names"):
        ADULT.predict(np.zeros((1, 2)))
    with pytest.raises(InputError, match="needs column 'a'"):
        ADULT.predict(pd.DataFrame({"b": [1.0]}))


def test_labels_that_training_did_not_have_are_named():
    with pytest.raises(
        InputError, match="hold 'teen', but the model's classes are 'child', 'adult'"
    ):
        ADULT.codes(["adult", "teen"])
    with pytest.raises(InputError, match=r"single column; found shape \(1, 1\)"):
        ADULT.codes([["adult"]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": ()}, "use column 'a'"),
        ({"columns": FIELDS + FIELDS}, "column is listed twice"),
        ({"classes": ("child", "child")}, "class is listed twice"),
        ({"classes": ("only",), "evidence": ((1.0,), (1.0,))}, "answers with a class"),
        ({"evidence": ((1.0, 1.0),)}, "one row a rule"),
        ({"evidence": ((1.0,), (1.0,))}, "one number a class"),
    ],
)
def test_parts_that_do_not_fit_make_no_model(change, message):
    parts = {
        "columns": FIELDS,
        "classes": ("child", "adult"),
        "body": ADULT.body,
        "evidence": ADULT.evidence,
    }
    with pytest.raises(ValueError, match=message):
        Model(**{**parts, **change})


@given(trees(most=6))
def test_the_headline_of_a_leaf_is_its_rule_in_fewer_words(tree):
    model = model_of(tree)
    for number in range(len(tree.outputs)):
        headline, rule = model.rule_headline(number), headline_text(tree.rules[number].condition)
        assert headline == ("otherwise" if rule == "always" else headline)
        assert len(headline) <= max(len(rule), len("otherwise"))
        brief = model.rule_headline(number, 20)
        assert len(brief) <= len(headline) + len(" and …")
        assert brief == headline or len(headline) > 20


def test_no_rule_of_a_deep_tree_is_made_for_the_headline_of_one():
    tree = chain(20_000)
    model = Model((Field("x", "numeric"),), ("a", "b"), tree, ((0.0, 1.0),) * 20_001)
    assert model.rule_headline(20_000) == "x > 19999 or missing"
    assert model.rule_headline(19_999) == "19998 < x <= 19999"
