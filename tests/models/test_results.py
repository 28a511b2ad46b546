"""Frames that models and estimators return: their library, their rows and their index."""

import subprocess
import sys

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from rulewright import (
    BoundSearch,
    RuleVoteClassifier,
    SetCoveringMachine,
    TreeClassifier,
    TreeRegressor,
)
from rulewright.data import Records, frame
from rulewright.errors import InputError

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
ESTIMATORS = [
    SetCoveringMachine(),
    BoundSearch(SetCoveringMachine(), {"penalty": [1, 2]}),
    RuleVoteClassifier(max_rules=3),
    TreeClassifier(max_leaf_nodes=4),
    TreeRegressor(max_leaf_nodes=4),
]
INDEXES = {
    "text": [f"patient {i}" for i in range(len(X))],
    "duplicates": np.arange(len(X)) // 3,
    "dates": pd.date_range("2020-01-01", periods=len(X), freq="h"),
    "several levels": pd.MultiIndex.from_arrays(
        [np.arange(len(X)) % 7, np.arange(len(X))], names=["ward", "bed"]
    ),
}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("name", INDEXES)
def test_an_explanation_has_the_index_of_its_rows(estimator, name):
    rows = X.set_axis(INDEXES[name], axis=0)
    filtered = rows[rows["mean radius"] > 15].iloc[::-1]
    estimator.fit(rows, Y)
    for explained in (estimator.explain(filtered), estimator.model_.explain(filtered)):
        assert explained.index.equals(filtered.index)
        assert explained.index.names == filtered.index.names
        assert explained["prediction"].tolist() == estimator.predict(filtered).tolist()


def test_an_explanation_joins_the_rows_that_it_explains():
    machine = SetCoveringMachine().fit(X, Y)
    few = X[X["mean radius"] > 20]
    joined = few.join(machine.explain(few))
    assert joined["prediction"].tolist() == machine.predict(few).tolist()


def test_an_explanation_of_a_narwhals_frame_is_of_its_library(make_frame):
    rows = make_frame({name: X[name].tolist() for name in X.columns})
    machine = SetCoveringMachine().fit(X, Y)
    explained = machine.explain(nw.from_native(rows))
    assert type(explained) is type(rows)


def test_records_print_as_a_table_that_says_how_long_it_is():
    records = frame({"rule": ["x" * 100] * 30, "support": [1 / 3] * 30}, "records")
    lines = repr(records).splitlines()
    assert lines[0].split() == ["rule", "support"]
    assert len(lines) == 22 and lines[-1] == "  ... (30 rows in all)"
    assert "0.333333" in lines[1] and "..." in lines[1] and len(lines[1]) < 90
    assert records[29] == {"rule": "x" * 100, "support": 1 / 3}
    assert records.columns == ["rule", "support"]
    assert repr(Records()) == "Records([])"


def test_records_escape_what_they_show_in_html():
    assert "a &lt; 1" in frame({"rule": ["a < 1"]}, "records")._repr_html_()


def test_a_library_must_be_known():
    with pytest.raises(InputError, match="library must be one of pandas, polars, .* got 'excel'"):
        SetCoveringMachine().fit(X, Y).model_.get_rules("excel")


PROGRAM = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None
import json
from sklearn.datasets import load_breast_cancer
from rulewright import *
from rulewright.errors import InputError
X, y = load_breast_cancer(return_X_y=True)
for estimator in [
    BoundSearch(SetCoveringMachine(), {{"penalty": [1, 2]}}),
    TreeClassifier(max_leaf_nodes=4),
    TreeRegressor(max_leaf_nodes=4),
]:
    estimator.fit(X, y)
    rules, explained = estimator.get_rules(), estimator.explain(X[:3])
    assert type(rules).__module__.split(".")[0] == {library!r}, type(rules)
    assert type(explained) is type(rules)
    assert len(explained) == 3
    estimator._library = {blocked!r}[0]  # fitted elsewhere, and moved here
    assert type(estimator.get_rules()) is type(rules)
    if {library!r} == "rulewright":
        assert json.loads(json.dumps(explained)) == explained
        assert explained[0]["prediction"] == estimator.predict(X)[0]
        assert rules[0]["rule"] in str(rules)
    if hasattr(estimator, "results_"):
        assert type(estimator.results_) is type(rules)
try:
    estimator.model_.get_rules("pandas")
except InputError as error:
    assert "not installed" in str(error) and "library='records'" in str(error), error
else:
    raise AssertionError
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blocked", "library"),
    [(["pandas"], "polars"), (["pandas", "polars", "pyarrow"], "rulewright")],
    ids=["without pandas", "without any"],
)
def test_rules_and_explanations_need_no_dataframe_library(blocked, library):
    program = PROGRAM.format(blocked=blocked, library=library)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
