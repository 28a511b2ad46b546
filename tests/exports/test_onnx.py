"""Files of ONNX: what they hold and refuse, and the answers of onnxruntime where it is tempted."""

import json
import sys

import numpy as np
import pytest
from exports.test_hostile_names import hostile_model
from golden import make

from rulewright import load_model
from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.errors import InputError, UnrenderableError
from rulewright.exports import ENGINES, Job, check_export, compare, model_answers
from rulewright.models import Model
from rulewright.rules import (
    Ball,
    Category,
    Conjunction,
    HalfPlane,
    Kernel,
    Leaf,
    Metric,
    Missing,
    Rule,
    RuleList,
    RuleVote,
    Scaling,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
FOLDER = make.FOLDER / "0.1"
NUMBERS = (Field("x", "numeric"), Field("y", "numeric"))


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def model_of(body, fields=NUMBERS, classes=("no", "yes")):
    evidence = tuple((1.0 + number,) * len(classes) for number, _ in enumerate(body.outputs))
    return Model(fields, classes, body, evidence)


def numbers(**columns):
    made = [NumericColumn(name, np.array(x, float)) for name, x in columns.items()]
    return Table(made, made[0].values.size)


def differing(model, table):
    (found,) = ENGINES["onnx"].run([Job(model, table)])
    return compare("onnxruntime", model_answers(model, table), found).differing


def test_a_file_says_what_it_is_and_is_the_same_each_time():
    model = golden("RuleListClassifier-three")
    content = model.export("onnx")
    assert content == model.export("onnx")
    read = onnx.load_from_string(content)
    onnx.checker.check_model(read, full_check=True)
    lines = read.doc_string.splitlines()
    assert lines[0].startswith("Rulewright model: list of")
    assert f"Certificate: {model.certificate.sentence}" in lines
    assert lines[-1] == "Check: rulewright export MODEL --to onnx --check DATA"
    about = {each.key: each.value for each in read.metadata_props}
    assert json.loads(about["classes"]) == list(model.classes)
    assert json.loads(about["missing_text"]) == "\uffff"
    rules = [model.rule_headline(number) for number in range(len(model.body.outputs))]
    assert json.loads(about["rules"]) == rules
    short = onnx.load_from_string(model.export("onnx", reasons=False))
    assert "rules" not in {each.key for each in short.metadata_props}


def test_inputs_are_the_columns_and_outputs_the_answer():
    fields = (Field("rule", "numeric"), Field("ward", "text", 3), Field("flag", "boolean", 2))
    tests = (Threshold("rule", True, 1.0), Category("ward", ("a",)), Category("flag", ("True",)))
    model = model_of(Conjunction(tests, 1, 0), fields, (7, 8))
    session = onnxruntime.InferenceSession(model.export("onnx"))
    taken = {each.name: each.type for each in session.get_inputs()}
    assert taken == {"rule": "tensor(double)", "ward": "tensor(string)", "flag": "tensor(double)"}
    given = {each.name: (each.type, each.shape) for each in session.get_outputs()}
    assert given == {
        "label": ("tensor(int64)", ["rows"]),
        "rule_": ("tensor(int64)", ["rows"]),
        "probabilities": ("tensor(double)", ["rows", 2]),
    }
    row = {"rule": np.array([2.0]), "ward": np.array(["a"]), "flag": np.array([1.0])}
    assert session.run(["label"], row)[0].tolist() == [8]


def test_a_tree_is_one_tree_ensemble_of_doubles_and_sets():
    fields = (Field("x", "numeric"), Field("ward", "text", 3))
    first = Split((Threshold("x", True, 0.1, True),), (1, 2))
    second = Split((Category("ward", ("a", "b"), True, True),), (3, 4))
    tree = Tree((first, second, Leaf(0), Leaf(1), Leaf(0)))
    nodes = onnx.load_from_string(model_of(tree, fields).export("onnx")).graph.node
    (ensemble,) = [node for node in nodes if node.op_type == "TreeEnsemble"]
    assert {each.name for each in ensemble.attribute} >= {"membership_values", "nodes_splits"}
    assert not {"Less", "Greater", "And", "Or"} & {node.op_type for node in nodes}


def test_constants_that_single_precision_takes_for_0_or_1_are_kept():
    """onnxruntime removes a product with 1 + 1e-9, and a sum with 1e-50."""
    x = np.array([1.0, -1.0, 1 + 1e-9, 1 + 2e-9, 0.0, 5e-324, 1e-50, -1e-50, 2e-50, np.nan])
    table = numbers(x=x, y=x[::-1])
    plane = HalfPlane(("x", "y"), (1 + 1e-9, 1 - 1e-12), 2.0, True, False)
    shifted = Scaling("standard", shift=(1e-50, 1e-9), unit=(1 + 1e-12, 1 - 1e-9))
    ball = Ball(("x", "y"), (0.0, 1e-50), 1e-9, scaling=shifted)
    near = Ball(("x",), (1e-50,), 1e-60)
    body = RuleList(tuple(Rule(test, 1) for test in (plane, ball, near)), 0)
    assert differing(model_of(body), table) == ()


def test_votes_beyond_the_doubles_are_clipped():
    huge = 1.7e308
    voters = tuple(
        WeightedRule(Threshold("x", True, cut), output, weight)
        for cut, output, weight in [(0, 0, huge), (1, 0, huge), (2, 1, huge), (3, 0, -huge)]
    )
    model = model_of(RuleVote(voters, None))
    assert differing(model, numbers(x=[-1, 0.5, 1.5, 2.5, 3.5, np.nan])) == ()


@pytest.mark.parametrize("rows", [0, 1])
def test_a_table_of_no_row_and_of_one_row_is_answered(rows):
    for name in ("node-rule_vote", "node-fractional_tree", "ScorecardClassifier-three"):
        model = golden(name)
        assert differing(model, model.table(make.inputs().head(rows))) == ()


def test_a_fixed_number_of_rows_changes_no_answer():
    """With one row, onnxruntime computes more of the graph before it runs."""
    model = golden("node-rule_vote")
    settings = onnxruntime.SessionOptions()
    settings.add_free_dimension_override_by_name("rows", 1)
    session = onnxruntime.InferenceSession(model.export("onnx"), settings)
    row = {"age": np.array([1.0]), "dose": np.array([6.25]), "ward": np.array(["?"])}
    table = Table(
        [
            NumericColumn("age", row["age"]),
            NumericColumn("dose", row["dose"]),
            CategoricalColumn("ward", "text", np.zeros(1, np.int32), ("?",)),
        ],
        1,
    )
    (expected,) = model.body.answered(table, model.probabilities)[1].tolist()
    assert session.run(["probabilities"], row)[0].tolist() == [expected]
    assert expected[1] > 0.5 > expected[0]


def test_a_model_without_columns_is_given_the_number_of_rows():
    model = model_of(RuleList((), 1))
    session = onnxruntime.InferenceSession(model.export("onnx"))
    labels, rules, shares = session.run(None, {"rows": np.array([3])})
    assert (labels.tolist(), rules.tolist(), shares.shape) == (["yes"] * 3, [1] * 3, (3, 2))


def deep_model(depth):
    nodes = []
    for level in range(depth):
        test = Threshold("x", False, float(level), level % 2 == 1)
        nodes += [Split((test,), (2 * level + 1, 2 * level + 2)), Leaf(level % 2)]
    return model_of(Tree((*nodes, Leaf(1))))


def test_a_deep_tree_is_answered_and_one_that_is_too_deep_is_refused():
    """onnxruntime reads a tree by recursion, and crashes where that is too deep."""
    depth = 400
    table = numbers(x=[-1, 0, 0.5, depth - 1, depth, np.nan, np.inf])
    assert differing(deep_model(depth), table) == ()
    with pytest.raises(UnrenderableError, match="a path of 1001 tests, and onnxruntime may crash"):
        deep_model(1001).export("onnx", reasons=False)


def test_a_ball_that_holds_everywhere_is_answered():
    """Distances by an RBF kernel are at most about 1.41, also of infinite squares."""
    rbf = Metric("kernel", Kernel("rbf", 1.0))
    table = numbers(x=[0.0, 1e200, -1.7e308, 3.0, np.nan, np.inf])
    for inside in (True, False):
        for if_missing in (True, False):
            ball = Ball(("x",), (0.5,), 2.0, rbf, inside=inside, if_missing=if_missing)
            model = model_of(Conjunction((ball,), 1, 0))
            assert differing(model, table) == ()
            assert check_export(model, table, "python").differing == ()


def test_the_text_of_a_missing_category_can_be_chosen():
    fields = (Field("ward", "text", 2),)
    body = RuleList((Rule(Category("ward", ("\uffff", "b")), 1), Rule(Missing("ward"), 0)), 1)
    model = model_of(body, fields)
    with pytest.raises(UnrenderableError, match="Choose another text with the option missing"):
        model.export("onnx")
    codes = np.array([-1, 0, 1], np.int32)
    table = Table([CategoricalColumn("ward", "text", codes, ("\uffff", "x"))], 3)
    found = check_export(model, table, "onnx", missing="")
    assert (found.agree, found.rows) == (3, 3)


@pytest.mark.parametrize(
    ("classes", "type_"),
    [
        ((False, True), "tensor(bool)"),
        ((0.5, 1.5), "tensor(double)"),
        ((1, 2.5), "tensor(double)"),
        ((2**62, 3), "tensor(int64)"),
    ],
)
def test_classes_keep_their_type(classes, type_):
    model = model_of(Conjunction((Threshold("x", True, 0.0),), 1, 0), classes=classes)
    session = onnxruntime.InferenceSession(model.export("onnx"))
    assert session.get_outputs()[0].type == type_
    assert differing(model, numbers(x=[-1.0, 1.0])) == ()


def test_booleans_are_texts_where_the_model_can_abstain():
    body = RuleList((Rule(Threshold("x", True, 0.0), 1),), None)
    model = model_of(body, classes=(False, True))
    assert differing(model, numbers(x=[-1.0, 1.0])) == ()


@pytest.mark.parametrize("classes", [(2**70, 1), ("no", 1)])
def test_classes_of_no_one_type_are_refused(classes):
    model = model_of(Conjunction((Threshold("x", True, 0.0),), 1, 0), classes=classes)
    with pytest.raises(UnrenderableError, match="a tensor of ONNX holds one type"):
        model.export("onnx")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("node-function", "calls the function 'heavy_dose' of its user"),
        ("node-ball_function", "by the function 'largest_gap' of its user"),
        ("node-half_space_precomputed", "has a precomputed kernel"),
        ("node-half_space_rbf", "RBF kernel. Its exponential has no exact equal in onnx"),
    ],
)
def test_what_cannot_be_exported_is_refused_by_name(name, reason):
    with pytest.raises(UnrenderableError, match=reason):
        golden(name).export("onnx")


def test_half_of_a_surrogate_pair_and_an_empty_name_are_refused():
    with pytest.raises(UnrenderableError, match="half of a surrogate pair"):
        hostile_model(("\ud800",), ("no", "yes")).export("onnx")
    model = model_of(Conjunction((Missing(""),), 1, 0), (Field("", "numeric"),))
    with pytest.raises(UnrenderableError, match="A column has no name"):
        model.export("onnx")


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(InputError, match=r"pip install rulewright\[onnx\]"):
        golden("node-threshold").export("onnx")
