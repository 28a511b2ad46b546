"""Ordered categories: ``size <= medium`` in searches, certificates, files, texts and exports."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import QUARTER

from rulewright import (
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRulesClassifier,
    load_model,
)
from rulewright.data import CategoricalColumn, CategoryOrder, Field, Table
from rulewright.errors import InputError, ModelFileError
from rulewright.exports import check_export
from rulewright.families import Categories, Examples, Question, Site, Training
from rulewright.render import predicate_text
from rulewright.rules import Category, parse_condition

LABELS = ("tiny", "small", "medium", "large", "huge")
ORDER = CategoryOrder(LABELS)
SIZE = Field("size", "text", 5, ORDER)
LEARNERS = [
    RuleListClassifier(max_rules=2),
    RuleVoteClassifier(max_rules=2),
    RuleListClassifier(max_rules=2, certificate="split", n_splits=2),
    SetCoveringMachine(),
    DecisionListMachine(),
    TreeClassifier(max_depth=3),
    TreeClassifier("c4.5"),
    TreeClassifier(search="optimal", max_depth=2),
    RipperClassifier(random_state=0),
    SlipperClassifier(random_state=0),
    TreeRulesClassifier(),
]


def products(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 5, rows)
    size = pd.Categorical([LABELS[i] for i in place], categories=LABELS, ordered=True)
    frame = pd.DataFrame({"size": size, "weight": rng.integers(0, 50, rows).astype(float)})
    sold = (place <= 2) & (frame["weight"] > 20)
    frame.loc[::17, "size"] = None
    return frame, np.where(sold, "sold", "kept")


def parsed(text):
    return parse_condition(text, [SIZE])


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_learners_test_the_order_with_certificates_and_files(learner, tmp_path):
    frame, y = products()
    fitted = learner.fit(frame, y)
    text = str(fitted.model_)
    assert "size <= medium" in text or "size > medium" in text
    fitted.certificate_.verify(fitted.model_, frame, y)
    fitted.save_model(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert str(loaded) == text
    loaded.certificate.verify(loaded, frame, y)
    new, _ = products(seed=1)
    plain = new.astype({"size": object})  # texts, without an order
    assert loaded.predict(plain).tolist() == fitted.predict(new).tolist()


def test_the_order_of_rows_and_of_unused_labels_changes_nothing():
    frame, y = products()
    some = frame["size"].isin(["tiny", "large", "huge"]) | frame["size"].isna()
    fitted = TreeClassifier(max_depth=2).fit(frame[some], y[some])
    assert "size = tiny" in str(fitted.model_) and fitted.model_.columns[0] == SIZE
    again = TreeClassifier(max_depth=2).fit(frame[some].iloc[::-1], y[some][::-1])
    assert str(again.model_) == str(fitted.model_)


@pytest.mark.parametrize("form", ["python", "sql", "c"])
def test_exports_answer_alike_where_values_are_new_or_missing(form):
    frame, y = products()
    model = TreeClassifier(max_depth=3).fit(frame, y).model_
    rows = pd.DataFrame({"size": [*LABELS, "vast", None] * 2, "weight": [5.0] * 7 + [30.0] * 7})
    assert check_export(model, model.table(rows), form).agree == 14


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-5, 5)), min_size=1, max_size=12),
    st.booleans(),
    st.booleans(),
)
@QUARTER
def test_the_heaviest_test_is_the_best_of_all(rows, side, negation):
    codes = np.array([code for code, _ in rows], np.int32)
    weight = np.array([w for _, w in rows], np.int64)
    column = CategoricalColumn("size", "text", codes, LABELS, True)
    table, family = Table([column], len(rows)), Categories(negation=negation)
    y = (weight > 0).astype(np.int32)
    examples = Examples.of(Training(table, y))
    choices = family.choices(column)
    assert choices.count == family.options(column.field) == (5 + 5 * negation) + 6
    totals = []
    for number in range(choices.count):
        site = Site("size", choices.option(number))
        test = family.build(site, examples, ())
        assert family.site(test) == site
        totals.append(int(weight[test.holds(table) == side].sum()))
    found = family.prepare(Training(table, y)).heaviest(Question(weight, side=side))
    assert found.total == max(totals)
    assert found.total == int(weight[found.predicate.holds(table) == side].sum())


@given(st.sets(st.sampled_from(LABELS), min_size=1), st.booleans(), st.booleans())
@QUARTER
def test_a_printed_test_reads_back_as_the_same(values, among, if_missing):
    node = Category("size", tuple(values), among, if_missing, ORDER)
    assert parsed(predicate_text(node)) == node


@pytest.mark.parametrize(
    ("text", "values", "printed"),
    [
        ("size <= small", LABELS[:2], "size <= small"),
        ("size < medium", LABELS[:2], "size <= small"),
        ("size > small", LABELS[2:], "size > small"),
        ("size >= 'medium'", LABELS[2:], "size > small"),
        ("size between small and large", LABELS[1:4], "size between small and large"),
        ("size <= tiny", LABELS[:1], "size = tiny"),
        ("size <= huge", LABELS, "size <= huge"),
        ("size > large or missing", ("huge",), "size = huge or missing"),
    ],
)
def test_comparisons_are_read_and_printed_by_name(text, values, printed):
    node = parsed(text)
    assert set(node.values) == set(values) and node.among
    assert predicate_text(node) == printed


def test_exports_for_readers_name_the_order():
    frame, y = products()
    model = TreeClassifier(max_depth=3).fit(frame, y).model_
    assert "size is at most medium" in model.export("english")
    assert "size &lt;= medium" in model.export("html")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("size <= vast", "has no category 'vast'"),
        ("size < tiny", "No category is in this range"),
        ("size between large and small", "No category is in this range"),
    ],
)
def test_wrong_comparisons_are_refused(text, said):
    with pytest.raises(InputError, match=said):
        parsed(text)


def test_unordered_categories_have_no_comparisons():
    with pytest.raises(InputError, match="which have no order"):
        parse_condition("size <= small", [Field("size", "text", 5)])


def test_new_and_missing_values_pass_neither_side():
    column = CategoricalColumn("size", "text", np.array([0, -1], np.int32), ("vast",))
    table = Table([column], 2)
    assert not parsed("size <= medium").holds(table).any()
    assert not parsed("size > medium").holds(table).any()
    assert parsed("size > medium or missing").holds(table).tolist() == [False, True]


@pytest.mark.parametrize("learner", [RuleListClassifier, RuleVoteClassifier])
def test_written_rules_may_compare_ordered_categories(learner):
    frame, y = products()
    rules = ["size <= medium and weight > 20 -> sold", "size between small and large -> kept"]
    fitted = learner(rules=rules, max_rules=1).fit(frame, y)
    assert "size between small and large" in str(fitted.model_)
    fitted.certificate_.verify(fitted.model_, frame, y)


@pytest.mark.parametrize("order", [["a", "b"], ["tiny"] * 5, "tiny", [1, 2, 3, 4, 5]])
def test_a_file_with_a_wrong_order_is_refused(order, tmp_path):
    frame, y = products(60)
    path = tmp_path / "model.json"
    TreeClassifier(max_depth=2).fit(frame, y).save_model(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    data["columns"][0]["order"] = order
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ModelFileError, match="'order' must hold each category"):
        load_model(path)


def test_simplified_models_keep_the_order():
    frame, y = products()
    fitted = RuleListClassifier(max_rules=2, rules=["size > tiny and size <= medium -> sold"])
    text = str(fitted.fit(frame, y).model_.simplified())
    assert "size between small and medium" in text
