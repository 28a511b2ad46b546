"""Models that answer with numbers: prediction, printing, rounding, what they refuse."""

import dataclasses
import html
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from oracles.trees import leaf_of_row
from strategies.mixed import tables
from strategies.nodes import ON_COLUMNS
from strategies.regressions import FIELDS, regression_models

from rulewright.errors import InputError
from rulewright.models import RegressionModel
from rulewright.rules import Category, Leaf, Split, Threshold, Tree, spaces_of

BODY = Tree(
    (
        Split((Threshold("a", False, 17.55),), (1, 2)),
        Leaf(0),
        Split((Category("colour", ("red", "blue")),), (3, 4)),
        Leaf(1),
        Leaf(2),
    )
)
MODEL = RegressionModel(FIELDS, BODY, (12.5, 0.1 + 0.2, -3.0), ((6.0, 1.5), (3.0, 0.0), (1.0, 0.0)))
DATA = pd.DataFrame({"a": [17.55, 17.57, np.nan, 40.0], "colour": ["red", "red", "green", None]})


@given(regression_models(), tables())
def test_predictions_are_those_of_a_walk_row_by_row(model, table):
    if any(table.missing(name).any() for name in spaces_of(model.body)):
        with pytest.raises(InputError, match="Input X contains NaN: column"):
            model.predict(table)
        return
    leaves = [leaf_of_row(model.body, table, row) for row in range(table.rows)]
    predicted = model.predict(table)
    assert predicted.dtype == np.float64
    assert predicted.tolist() == [model.values[leaf] for leaf in leaves]
    explained = model.explain(table)
    assert explained["prediction"].tolist() == predicted.tolist()
    assert explained["rule"].tolist() == [leaf + 1 for leaf in leaves]
    assert all(why for why in explained["why"])
    listed = model.get_rules()
    assert listed["value"].tolist() == list(model.values)
    assert listed["value"].to_numpy()[explained["rule"] - 1].tolist() == predicted.tolist()


def in_print(tree):
    """The outputs of the leaves, from the top of the page to its end."""
    waiting, outputs = [0], []
    while waiting:
        node = tree.nodes[waiting.pop()]
        if isinstance(node, Leaf):
            outputs.append(node.output)
        else:
            waiting += reversed(node.branches)
    return outputs


def read_back(text):
    lines = [line for line in text.splitlines() if not line.endswith(":")]
    return [float(line.rpartition(": ")[2].removeprefix("always ")) for line in lines]


@given(regression_models(ON_COLUMNS, most=6))
def test_what_is_printed_reads_back_as_what_is_predicted(model):
    values = [model.values[output].hex() for output in in_print(model.body)]
    assert [value.hex() for value in read_back(str(model))] == values
    fragment = model._repr_html_().removeprefix("<pre>").removesuffix("</pre>")
    assert html.unescape(fragment) == str(model)


def test_a_tree_is_printed_with_its_values():
    assert str(MODEL) == (
        "if a <= 17.55: 12.5\nelse:\n  if colour in {blue, red}: 0.30000000000000004\n  else: -3"
    )
    assert str(RegressionModel(FIELDS, Tree((Leaf(0),)), (12.5,), ((1.0, 0.0),))) == "always 12.5"


def test_the_rules_are_listed_with_their_support_and_spread():
    listed = MODEL.get_rules()
    assert list(listed.columns) == [
        "number", "rule", "value", "support", "coverage", "spread", "literals",
    ]  # fmt: skip
    assert listed["rule"][0] == "a <= 17.55"
    assert listed["support"].tolist() == [6.0, 3.0, 1.0]
    assert listed["coverage"].tolist() == [0.6, 0.3, 0.1]
    assert listed["spread"].tolist() == [1.5, 0.0, 0.0]
    assert listed["literals"].tolist() == [1, 2, 2]
    assert isinstance(MODEL.get_rules("polars"), pl.DataFrame)
    alone = RegressionModel(FIELDS, Tree((Leaf(0),)), (1.0,), ((0.0, 0.0),)).get_rules()
    assert alone["rule"][0] == "otherwise"
    assert math.isnan(alone["coverage"][0])


def test_a_prediction_is_explained_by_the_values_of_the_row():
    explained = MODEL.explain(DATA)
    assert list(explained.columns) == ["prediction", "rule", "why"]
    assert explained["prediction"].tolist() == [12.5, 0.1 + 0.2, -3.0, -3.0]
    assert explained["why"][0] == "a = 17.55 (<= 17.55)"
    assert explained["why"][2].startswith("a is missing; colour = green")
    assert isinstance(MODEL.explain(pl.from_pandas(DATA)), pl.DataFrame)


def test_rounding_changes_the_cuts_and_not_the_values():
    rounded = MODEL.rounded(1, DATA)
    assert rounded.model.body.nodes[0].tests[0].cut == 17.6  # 17.57 is no longer above
    assert rounded.model.values == MODEL.values
    assert (rounded.changed, rounded.rows) == (1, 4)
    assert str(rounded).endswith("(rounded to 1 decimal: 1 of 4 answers change)")
    equal = dataclasses.replace(MODEL, values=(7.0, 7.0, 1.0))
    assert equal.rounded(1, DATA).changed == 0  # another leaf, the same answer
    with pytest.raises(InputError, match="decimals must be a whole number from 0 to 17"):
        MODEL.rounded(-1, DATA)


def test_only_some_columns_are_needed_and_arrays_need_all():
    assert MODEL.kinds == {"a": "numeric", "colour": "text"}
    assert MODEL.predict(DATA[["colour", "a"]]).tolist() == MODEL.predict(DATA).tolist()
    with pytest.raises(InputError, match="2 columns without names"):
        MODEL.predict(np.zeros((1, 2)))
    with pytest.raises(InputError, match="needs column 'colour'"):
        MODEL.predict(DATA[["a"]])


def test_it_has_no_certificate_unless_one_is_given():
    assert MODEL.certificate is None


def test_minus_zero_is_answered_as_it_is_printed():
    model = RegressionModel(FIELDS, Tree((Leaf(0),)), (-0.0,), ((1.0, 0.0),))
    assert math.copysign(1.0, model.predict(DATA)[0]) == 1.0
    assert str(model) == "always 0"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": ()}, "use column 'a'"),
        ({"columns": FIELDS + FIELDS}, "column is listed twice"),
        ({"values": (1.0, 2.0)}, "one value each"),
        ({"body": Tree((*BODY.nodes[:3], Leaf(2), Leaf(1)))}, "numbered 0, 1, 2"),
        ({"body": Tree((*BODY.nodes[:3], Leaf(1), Leaf(1)))}, "numbered 0, 1, 2"),
        ({"values": (1.0, 2.0, math.nan)}, "finite number"),
        ({"values": (1.0, 2.0, -math.inf)}, "finite number"),
        ({"evidence": MODEL.evidence[:2]}, "a weight and a spread"),
        ({"evidence": ((1.0,), (1.0,), (1.0,))}, "a weight and a spread"),
        ({"evidence": ((1.0, 1.0), (1.0, -1.0), (1.0, 1.0))}, "of 0 or more"),
        ({"evidence": ((1.0, 1.0), (math.inf, 1.0), (1.0, 1.0))}, "of 0 or more"),
        ({"evidence": ((1.0, math.nan), (1.0, 1.0), (1.0, 1.0))}, "of 0 or more"),
    ],
)
def test_parts_that_do_not_fit_make_no_model(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(MODEL, **change)


def test_a_tree_that_shares_missing_values_out_answers_with_no_single_value():
    root = Split(BODY.nodes[0].tests, BODY.nodes[0].branches, (4, 12))
    with pytest.raises(ValueError, match="down one branch"):
        dataclasses.replace(MODEL, body=Tree((root, *BODY.nodes[1:])))
