"""Documents of PMML: what they say and refuse. The conformance suite runs them in JPMML."""

from xml.etree import ElementTree

import pytest
from exports.hard_rows import hard_table
from exports.test_hostile_names import HOSTILE, hostile_model
from golden import make

from rulewright import load_model
from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.exports import ENGINES, Job, check_export, compare, model_answers
from rulewright.models import Model
from rulewright.rules import (
    Category,
    Leaf,
    Not,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
)

FOLDER = make.FOLDER / "0.1"
SPACE = {"": "http://www.dmg.org/PMML-4_4"}
CONTROL = "\x01\x1b[31mred"


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def parsed(model, **options):
    return ElementTree.fromstring(model.export("pmml", **options))


def all_of(root, path):
    return root.findall(f".//{path}", SPACE)


def model_of(*conditions, columns, classes=("no", "yes")):
    body = RuleList(tuple(Rule(condition, 1) for condition in conditions), 0)
    return Model(columns, classes, body, ((1.0, 2.0),) * (len(conditions) + 1))


def test_a_document_has_a_header_without_a_date_and_is_the_same_each_time():
    model = golden("RipperClassifier")
    text = model.export("pmml")
    assert text == model.export("pmml")
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<PMML xmlns=')
    root = ElementTree.fromstring(text)
    header = root.find("Header", SPACE)
    assert header.get("description").startswith("Rulewright model: list of")
    assert [note.text for note in header.findall("Annotation", SPACE)] == [
        'Target: "outcome".',
        'Classes: "ill", "well".',
        f"Certificate: {model.certificate.sentence}",
        "Check: rulewright export MODEL --to pmml --check DATA",
    ]
    assert root.get("version") == "4.4"
    assert all_of(root, "Timestamp") == []


def test_a_document_states_what_missing_and_invalid_values_do():
    root = parsed(golden("RipperClassifier"))
    (tree,) = all_of(root, "TreeModel")
    assert tree.get("missingValueStrategy") == "none"
    *inputs, target = all_of(root, "MiningField")
    assert target.attrib == {"name": "outcome", "usageType": "target"}
    assert {field.get("missingValueTreatment") for field in inputs} == {"asIs"}
    assert {field.get("invalidValueTreatment") for field in inputs} == {"asMissing"}
    *fields, answer = all_of(root, "DataField")
    assert [value.get("value") for value in answer] == ["ill", "well"]
    assert all(len(field) == 0 for field in fields)  # every category is valid


def test_outputs_are_the_class_the_rule_the_probabilities_and_the_reason():
    model = golden("RipperClassifier")
    root = parsed(model)
    outputs = {field.get("name"): field for field in all_of(root, "OutputField")}
    shares = ["probability", "probability_1", "probability_2"]
    assert list(outputs) == ["prediction", "rule", *shares, "reason"]
    assert outputs["prediction"].get("feature") == "predictedValue"
    assert outputs["rule"].get("feature") == "entityId"
    for place in (0, 1):
        cells = [float(cell.text) for cell in all_of(outputs[shares[place + 1]], "value")]
        assert cells == model.probabilities[:, place].tolist()
    reasons = [cell.text for cell in all_of(outputs["reason"], "value")]
    assert reasons == [model.rule_headline(rule) for rule, _ in enumerate(model.body.outputs)]
    assert "reason" not in model.export("pmml", reasons=False)


def test_a_column_that_is_named_as_an_output_keeps_its_name():
    columns = tuple(Field(name, "numeric") for name in ("rule", "prediction", "target"))
    tests = [Threshold(field.name, True, 1.0) for field in columns]
    root = parsed(model_of(*tests, columns=columns))
    names = [field.get("name") for field in all_of(root, "DataField")]
    assert names == ["rule", "prediction", "target", "target_"]
    outputs = [field.get("name") for field in all_of(root, "OutputField")]
    assert outputs[:2] == ["prediction_", "rule_"]
    pairs = {pair.get("field") for pair in all_of(root, "FieldColumnPair")}
    assert pairs == {"rule_"}


def test_names_and_values_are_read_back_as_they_are():
    texts = tuple(text for text in HOSTILE if text != CONTROL)
    root = parsed(hostile_model((*texts, "", "a\rb\r\nc")))
    names = {field.get("name") for field in all_of(root, "DataField")}
    values = {test.get("value") for test in all_of(root, "SimplePredicate")}
    assert {f"t {text}" for text in texts} <= names
    assert {*texts, "", "a\rb\r\nc"} <= values
    assert {f"n {text}" for text in texts} <= names


@pytest.mark.parametrize("text", [CONTROL, "\0", "\ufffe", "\ud800"])
def test_a_character_that_xml_cannot_hold_is_refused_by_name(text):
    model = model_of(Category("x", (text,)), columns=(Field("x", "text", 2),))
    with pytest.raises(UnrenderableError, match=r"U\+[0-9A-F]{4}, which XML cannot hold"):
        model.export("pmml")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("node-dates", "holds instants, which pmml has no exact type for"),
        ("TreeClassifier-c45", "holds durations, which pmml has no exact type for"),
        ("node-function", "calls the function 'heavy_dose' of its user"),
        ("node-ball_precomputed", "has a precomputed metric"),
        ("node-half_space_rbf", "RBF kernel. Its exponential has no exact equal in pmml"),
    ],
)
def test_what_pmml_cannot_say_exactly_is_refused(name, reason):
    with pytest.raises(UnrenderableError, match=reason):
        golden(name).export("pmml")


def test_a_tree_that_is_too_deep_is_refused():
    nodes = []
    for level in range(500):
        nodes += [Split((Threshold("x", True, level),), (2 * level + 1, 2 * level + 2)), Leaf(0)]
    body = Tree((*nodes, Leaf(1)))
    model = Model((Field("x", "numeric"),), ("no", "yes"), body, ((1.0, 2.0),) * 501)
    with pytest.raises(UnrenderableError, match="The tree has a depth of 500"):
        model.export("pmml")


@pytest.mark.parametrize(
    ("above", "cut_above", "border"),
    [(True, False, "0.0"), (True, True, "-0.0"), (False, False, "0.0"), (False, True, "-0.0")],
)
def test_zero_has_the_sign_that_is_right_where_minus_zero_is_lower(above, cut_above, border):
    test = Threshold("x", above, 0.0, cut_above=cut_above)
    root = parsed(model_of(test, columns=(Field("x", "numeric"),)))
    (predicate,) = all_of(root, "SimplePredicate")
    assert predicate.get("value") == border


def test_a_negation_is_true_on_missing_values():
    test = Not(Category("x", ("a", "b")))
    root = parsed(model_of(test, columns=(Field("x", "text", 2),)))
    (outer, inner) = all_of(root, "CompoundPredicate")
    assert (outer.get("booleanOperator"), inner.get("booleanOperator")) == ("or", "and")
    operators = [each.get("operator") for each in all_of(root, "SimplePredicate")]
    assert operators == ["notEqual", "notEqual", "isMissing"]


EMPTY = (RuleList((), None), RuleVote((), None), RuleVote((), 1))
"""Arrangements without rules; two of them never answer."""


def empty_model(body):
    evidence = ((1.0, 2.0),) * len(body.outputs)
    return Model((Field("x", "numeric"),), ("no", "yes"), body, evidence)


@pytest.mark.parametrize("body", EMPTY, ids=repr)
def test_a_model_without_rules_has_a_document(body):
    """A table without rows is not valid, and a missing value is said by a constant."""
    root = parsed(empty_model(body))
    assert all(len(table) for table in all_of(root, "InlineTable"))
    absent = [each for each in all_of(root, "Constant") if each.get("missing") == "true"]
    assert bool(absent) == (body.abstains or isinstance(body, RuleVote))


@pytest.mark.exports
def test_models_without_rules_answer_in_jpmml():
    engine = ENGINES["pmml"]
    if absent := engine.absent():
        pytest.skip(f"{absent[0]} is not installed")
    jobs = [Job(model, hard_table(model, 50)) for model in map(empty_model, EMPTY)]
    for job, found in zip(jobs, engine.run(jobs), strict=True):
        assert compare("JPMML", model_answers(job.model, job.table), found).differing == ()


def test_labels_keep_their_types():
    columns = (Field("x", "numeric"),)
    for classes, kind in [
        ((False, True), "boolean"),
        ((0, 1), "integer"),
        ((0.5, 1.5), "double"),
        (("0", "1"), "string"),
    ]:
        root = parsed(model_of(Threshold("x", True, 1.0), columns=columns, classes=classes))
        assert all_of(root, "DataField")[-1].get("dataType") == kind


def test_an_evaluator_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(ENGINES["pmml"], "programs", (), raising=False)
    packages = (("no_such_package", "engines"),)
    monkeypatch.setattr(ENGINES["pmml"], "packages", packages, raising=False)
    model = golden("node-threshold")
    with pytest.raises(Exception, match="needs the package no_such_package. Install it with"):
        check_export(model, model.table(make.inputs()), "pmml")
