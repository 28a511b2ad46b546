"""Counts are printed in full, however large they are."""

import json

import numpy as np
import pytest

from rulewright import load_model
from rulewright.render import cost_text, weight_text
from rulewright.report.plots import axis_text
from rulewright.report.rule_table import rule_fit

MANY = 1_413_880


@pytest.fixture
def large(model):
    """A model whose first rule answers more than a million cases."""
    data = json.loads(model.read_text(encoding="utf-8"))
    data["evidence"][0] = [MANY - 1.0, 1.0]
    model.write_text(json.dumps(data), encoding="utf-8")
    return model


def test_a_large_model_is_shown_with_all_digits(rulewright, large):
    shown = rulewright("show", large).out
    assert "1,413,880 cases" in shown
    assert "e+" not in shown


def test_a_large_report_has_all_digits():
    assert rule_fit(0, np.array([MANY, 0.0]))["cases"] == "1,413,880"
    assert axis_text(1234567.0) == "1,234,567"


def test_unanswered_cases_are_counted_with_all_digits(rulewright, table, tmp_path):
    path = tmp_path / "list.json"
    options = ("--target", "class", "--drop", "id", "--default", "abstain", "--out", path)
    assert rulewright("fit", table, *options, "--learner", "rule-list").code == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    data["evidence"][-1] = [float(MANY), 0.0]
    path.write_text(json.dumps(data), encoding="utf-8")
    model = load_model(path)
    assert "1,413,880 of 1,414," in str(model)
    assert "1,413,880 of 1,414," in model._repr_html_()


def test_weights_that_are_not_whole_stay_short():
    assert weight_text(0.1 + 0.2) == "0.3"
    assert weight_text(12345.678) == "12,345.7"
    assert weight_text(2.5e6 + 0.25) == "2,500,000"
    assert cost_text(1_234_567.0) == "1240000"
