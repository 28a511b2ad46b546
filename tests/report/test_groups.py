"""Groups on the page, rows in it, and the report of a model by its own method."""

import numpy as np
import pandas as pd
import pytest
from report.reading import read

from rulewright import RuleListClassifier
from rulewright.errors import InputError

RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.integers(18, 80, 300), "home": RNG.choice(["own", "rent"], 300)})
Y = np.where((X["age"] > 40) ^ (RNG.random(300) < 0.1), "paid", "lost")


def words_of(tmp_path, form, **options):
    model = RuleListClassifier(certificate=form, max_rules=2).fit(X, Y).model_
    model.report(X, Y, tmp_path / "page.html", **options)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    return model, text, read(text)[1]


def test_a_split_certificate_gives_each_group_an_interval(tmp_path):
    model, _, words = words_of(tmp_path, "split", by="home")
    found = model.certificate.by_group(X["home"], model, X, Y)
    assert "By home" in words and found.caption in words
    for row in found.cells():
        assert " ".join(row) in words


def test_rules_of_a_split_certificate_have_a_bound_on_their_precision(tmp_path):
    model, _, words = words_of(tmp_path, "split")
    for rule in model.certificate.by_rule(model, X, Y).rules:
        assert f"{np.floor(1000 * rule.precision + 1e-9) / 10:.1f} %" in words
    assert "Right at least" in words


def test_other_certificates_have_the_counts_of_the_groups(tmp_path):
    region = np.where(np.arange(300) < 30, "north", "south")
    model, _, words = words_of(tmp_path, "compression", by={"region": region})
    wrong = int((model.predict(X) != Y)[:30].sum())
    assert f"north 30 {wrong} {wrong / 0.3:.1f} %" in words
    assert "says nothing about groups" in words and "Right at least" not in words


def test_values_are_in_the_page_only_if_they_may_be(tmp_path):
    _, text, _ = words_of(tmp_path, "split")
    assert '"values": null' in text
    _, text, _ = words_of(tmp_path, "split", embed_rows=7)
    cells = str(X["age"][:7].tolist())
    assert f'"names": ["age"], "cells": [{cells}]' in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "weight"}, "'weight' is not a column of training"),
        ({"by": {"region": ["north"]}}, "one for each of the 300 rows"),
        ({"embed_rows": -1}, "embed_rows must be a whole number"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        words_of(tmp_path, "split", **options)
