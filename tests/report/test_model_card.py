"""Model cards, and what a notebook shows of a model."""

import re

import numpy as np
import pandas as pd
import pytest
from report.reading import EVIL, check_drawings, read

from rulewright import RuleListClassifier, TreeRegressor
from rulewright.errors import InputError
from rulewright.report import model_card

RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.integers(18, 80, 300), EVIL: RNG.choice(["own", EVIL], 300)})
Y = np.where((X["age"] > 40) & (X[EVIL] == EVIL) ^ (RNG.random(300) < 0.1), "paid", EVIL)
FITTED = RuleListClassifier(certificate="split", max_rules=3).fit(X, Y)


def test_a_card_has_the_established_sections_and_leaves_the_owner_his():
    text = model_card(FITTED.model_, name="loans", checks=["rulewright certify m d"]).markdown()
    titles = re.findall(r"(?m)^## (.*)$", text)
    assert titles[:3] == ["Model details", "Intended use", "Rules"]
    for wanted in ("Training data", "Performance on new cases", "Costs", "Groups"):
        assert wanted in titles
    assert titles[-1] == "How to check the certificate"
    assert text.endswith("\n\n    rulewright certify m d\n")  # as it is typed, without escapes
    assert "\n- The rows are independent draws" in text
    assert text.count("To be written by the owner") == 5
    assert FITTED.certificate_.sentence.split(".")[0] in text
    assert f"{X['age'].min()} to {X['age'].max()}" in text


def test_names_and_values_in_a_card_are_data():
    card = model_card(FITTED.model_)
    assert "<script" not in card.markdown() and "<script" not in card.html()
    read(card.html().replace("<br>", ""))


def test_a_model_without_a_certificate_has_a_card_that_says_so():
    model = FITTED.model_.edited(drop=[1])
    text = model_card(model).markdown()
    assert "has no certificate: nothing is known of new cases" in text
    assert "How to check" not in text


def test_a_regression_model_has_no_card():
    tree = TreeRegressor().fit(X[["age"]], X["age"])
    with pytest.raises(InputError, match="A model card describes a classifier"):
        model_card(tree.model_)


def test_a_notebook_shows_rules_and_chart_without_the_network():
    for shown in (FITTED, FITTED.model_):
        html = shown._repr_html_()
        assert html.count("<svg") == 1 and "certified: at most" in html
        assert "<script" not in html and "http" not in html and "src=" not in html
        assert "age &gt;" in html or "age &lt;=" in html
        check_drawings(html)
    alone = FITTED.certificate_._repr_html_()
    assert alone.count("<svg") == 1 and alone in FITTED._repr_html_()
