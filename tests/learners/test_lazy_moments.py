"""Models of dates, times and ordered categories from counts: the file of the rows in memory."""

from dataclasses import replace

import pytest
from lazy_frames import ENGINES, PartsRunner, timed_frame, written

from rulewright import (
    DecisionListMachine,
    RuleListClassifier,
    SetCoveringMachine,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import LazyTable

pytestmark = pytest.mark.filterwarnings("ignore")
LEARNERS = {
    "tree": TreeClassifier(certificate=None, max_depth=4),
    "c4.5": TreeClassifier("c4.5", certificate=None, max_depth=3, missing="side"),
    "dlm": DecisionListMachine(certificate=None, max_rules=4),
    "scm": SetCoveringMachine(certificate=None, max_rules=3),
    "list": RuleListClassifier(certificate=None, max_rules=3, max_terms=2, beam_width=2),
}


@pytest.mark.parametrize("engine", [*ENGINES, "parts"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_lazy_frame_gives_the_model_of_the_dataframe(monkeypatch, engine, learner):
    frame = timed_frame().drop("key")
    monkeypatch.setattr(LazyTable, "exact_rows", 20)
    if engine == "parts":
        monkeypatch.setattr("rulewright.data.lazy_table.spark_runner", PartsRunner)
    lazy = ENGINES.get(engine, ENGINES["polars"])(frame)
    expected = LEARNERS[learner].fit(frame, target="y").model_
    assert written(LEARNERS[learner].fit(lazy, target="y").model_) == written(expected)
    assert any(column.order for column in expected.columns)


def test_trees_test_orders_and_dates_from_counts():
    text = str(LEARNERS["tree"].fit(timed_frame().drop("key").lazy(), target="y").model_)
    assert 'size <= "it\'s"' in text
    assert "day > 1970-01-06" in text and "time > 1988-10-30 22:30:25.692259" in text


@pytest.mark.parametrize("engine", ENGINES)
def test_rules_from_trees_test_orders_and_dates_from_counts(engine):
    frame = timed_frame(300).drop_nulls()
    rules = TreeRulesClassifier(certificate="split", n_splits=1)
    expected = rules.fit(frame, target="y", key="key").model_
    assert 'size <= "it\'s"' in str(expected) and "day <=" in str(expected)
    assert rules.fit(ENGINES[engine](frame), target="y", key="key").model_.body == expected.body


@pytest.mark.parametrize("engine", ENGINES)
def test_a_certificate_by_key_is_that_of_memory(engine):
    frame = timed_frame()
    tree = TreeClassifier(certificate="split", max_depth=3, n_splits=1)
    expected = tree.fit(frame, target="y", key="key").model_
    plain = replace(expected, certificate=replace(expected.certificate, cautions=()))
    lazy = ENGINES[engine](frame)
    found = tree.fit(lazy, target="y", key="key").model_
    assert written(found) == written(plain)
    assert found.certificate.verify(found, lazy).holds
