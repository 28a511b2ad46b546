"""Options of the report on the command line, and models that the report writes."""

import json

import numpy as np
import pandas as pd
import pytest

from rulewright import load_model


@pytest.fixture
def fitted(rulewright, tmp_path):
    """A data file, the model learnt from it, and its report."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 300), "sex": rng.choice(["f", "m"], 300)})
    frame["y"] = np.where((frame["age"] > 40) ^ (rng.random(300) < 0.1), "paid", "lost")
    data, model, report = tmp_path / "d.csv", tmp_path / "m.json", tmp_path / "r.html"
    frame.to_csv(data, index=False)
    options = ["--learner", "rule-list", "--max-rules", "2", "--drop", "sex", "--by", "sex"]
    command = ["fit", data, "--target", "y", "--out", model, "--report", report]
    done = rulewright(*command, *options, "--embed-rows", "5", "--quiet")
    assert done.code == 0, done.err
    return data, model, report


def test_groups_and_rows_are_in_the_report(fitted):
    text = fitted[2].read_text(encoding="utf-8")
    assert "By sex" in text and '"names": ["age"], "cells": [[' in text


def test_a_model_file_without_a_certificate_is_certified_as_a_rules_file(
    rulewright, fitted, tmp_path
):
    data, model, _ = fitted
    edited, out = tmp_path / "edited.json", tmp_path / "out.json"
    whole = json.loads(model.read_text(encoding="utf-8")) | {"certificate": None}
    edited.write_text(json.dumps(whole), encoding="utf-8")
    done = rulewright("certify", edited, data, "--out", out)
    assert done.code == 0, done.err
    made = load_model(out)
    assert made.certificate.form == "written"
    assert made.body == load_model(model).body
