"""The report of any model with a certificate, from Python."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from rulewright import SetCoveringMachine, TreeClassifier, from_sklearn
from rulewright.errors import InputError
from rulewright.report import report_model

IRIS = load_iris(as_frame=True)
SPECIES = IRIS.target_names[IRIS.target]


def test_a_tree_of_scikit_learns_has_a_report(tmp_path):
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(IRIS.data, SPECIES)
    model = from_sklearn(tree, IRIS.data, SPECIES)
    report_model(model, IRIS.data, SPECIES, tmp_path / "r.html", title="Irises & more")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Irises &amp; more" in text
    assert "<svg" in text
    assert "virginica" in text


def test_estimators_have_reports_with_their_path(tmp_path):
    tree = TreeClassifier(pruning="bound").fit(IRIS.data, SPECIES)
    report_model(tree.model_, IRIS.data, SPECIES, tmp_path / "t.html", sizes=tree.path_)
    two = IRIS.target.to_numpy() > 0
    machine = SetCoveringMachine().fit(IRIS.data[two], SPECIES[two])
    report_model(machine.model_, IRIS.data[two], SPECIES[two], tmp_path / "m.html")
    assert "versicolor" in (tmp_path / "m.html").read_text(encoding="utf-8")


def test_a_model_without_a_certificate_has_none(tmp_path):
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(IRIS.data, SPECIES)
    model = from_sklearn(tree, IRIS.data)
    with pytest.raises(InputError, match="give from_sklearn the labels y"):
        report_model(model, IRIS.data, SPECIES, tmp_path / "r.html")
    assert not np.any([path.exists() for path in tmp_path.iterdir()])
