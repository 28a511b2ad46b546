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
from rulewright.rules import Conjunction, Threshold, spaces_of

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
    assert (probabilities > 0).all()
    explained = model.explain(table)
    assert explained["prediction"].tolist() == model.predict(table).tolist()
    assert explained["rule"].tolist() == (answers + 1).tolist()
    assert all(why for why in explained["why"])


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
    assert model.rule_headline(19_999) == "x > 19998 and x <= 19999"
