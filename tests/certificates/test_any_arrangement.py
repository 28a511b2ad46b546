"""Certificates of arrangements that are told by their structure: rule lists, votes, trees."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from rulewright import load_model, save_model
from rulewright.bounds import compression_tail
from rulewright.certificates import Code, certify, from_json
from rulewright.data import detect_table
from rulewright.errors import CertificateError, ModelFileError
from rulewright.families import as_families
from rulewright.models import Model, to_json
from rulewright.rules import (
    AllOf,
    AtLeast,
    Category,
    Conjunction,
    Leaf,
    Not,
    Rule,
    RuleList,
    RuleVote,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

CANCER = load_breast_cancer(as_frame=True)
X = CANCER.data[["worst radius", "worst texture", "worst concave points"]].assign(
    site=np.where(np.arange(569) % 3 == 0, "left", "right")
)
Y = CANCER.target.to_numpy()
TABLE = detect_table(X)
ALL = ("all", "at least", "not")


def above(column, row):
    return Threshold(column, True, float(X[column].iloc[row]), anchored_on=(row,))


LARGE, ROUGH, DENTED = (
    above("worst radius", 148),
    above("worst texture", 20),
    above("worst concave points", 225),
)
LEFT = Category("site", ("left",))
BODIES = {
    "list": RuleList((Rule(AllOf((LARGE, DENTED)), 0), Rule(AllOf((ROUGH, LARGE)), 0)), 1),
    "syndrome": RuleList((Rule(AtLeast(2, (LARGE, ROUGH, DENTED)), 0),), 1),
    "negation": RuleList((Rule(Not(AllOf((LARGE, Not(LEFT)))), 1),), 0),
    "conjunction": Conjunction((Not(LARGE), Not(AllOf((ROUGH, DENTED)))), then=1, otherwise=0),
    "vote": RuleVote(
        (WeightedRule(LARGE, 0, 1.5), WeightedRule(DENTED, 0, 1.0), WeightedRule(AllOf(), 1, 1.25)),
        1,
    ),
    "tree": Tree(
        (
            Split((LARGE,), (1, 2)),
            Leaf(0),
            Split((DENTED, LEFT), (3, 4, 5)),
            Leaf(0),
            Leaf(1),
            Leaf(1),
        )
    ),
    "sharing tree": Tree(
        (
            Split((LARGE,), (1, 2), (6, 10)),
            Leaf(0),
            Split((DENTED, LEFT), (3, 4, 5), (3, 3, 10)),
            Leaf(0),
            Leaf(1),
            Leaf(1),
        )
    ),
}


def model_of(body, combinations=ALL, settings=1):
    code = Code(as_families("auto"), 2, settings, combinations=combinations)
    certificate = certify(body, TABLE, Y.astype(np.int32), code)
    answers = body.answer(TABLE)
    evidence = np.zeros((len(body.rules), 2))
    np.add.at(evidence, (answers, Y), 1)
    rows = tuple(map(tuple, evidence.tolist()))
    return Model(TABLE.fields, (0, 1), body, rows, certificate=certificate)


@pytest.mark.parametrize("name", BODIES)
def test_any_arrangement_has_a_certificate_that_verifies(name, tmp_path):
    model = model_of(BODIES[name])
    c = model.certificate
    assert c.bound == compression_tail(569, [len(c.examples)], c.errors, c.message_nats, 0.05)
    assert c.bound < 0.4
    assert c.printed_bound is None
    c.verify(model, X, Y)
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.certificate == c
    loaded.certificate.verify(loaded, X, Y)


def test_rules_that_make_no_difference_are_left_out_of_the_message():
    never_reached = Rule(ROUGH, 1)
    longer = RuleList((*BODIES["list"].listed, never_reached), 1)
    model = model_of(longer)
    assert model.certificate.examples == (20, 148, 225)  # the row of ROUGH is used elsewhere
    assert model.certificate.message == model_of(BODIES["list"]).certificate.message
    model.certificate.verify(model, X, Y)
    tree = BODIES["tree"]
    assert model_of(tree).certificate.examples == (148, 225)


def test_settings_and_combinations_are_paid_for():
    plain = model_of(BODIES["list"], ("all",)).certificate
    more = model_of(BODIES["list"], ALL).certificate
    several = model_of(BODIES["list"], ("all",), settings=5).certificate
    assert plain.message_nats < more.message_nats
    assert several.message_nats == pytest.approx(plain.message_nats + np.log(5))


def test_a_model_without_a_message_is_refused():
    with pytest.raises(CertificateError, match="combines parts by 'at least'"):
        model_of(BODIES["syndrome"], ("all",))
    made_up = RuleList((Rule(Threshold("worst radius", True, 17.0, anchored_on=()), 0),), 1)
    with pytest.raises(CertificateError, match="do not make the rule"):
        model_of(made_up)
    with pytest.raises(CertificateError, match="with combinations"):
        model_of(BODIES["tree"], combinations=None)


def forged(model, **changes):
    return dataclasses.replace(model, **changes)


def test_a_changed_threshold_is_caught():
    moved = dataclasses.replace(LARGE, cut=LARGE.cut + 1e-9)
    for name in ("list", "vote", "tree"):
        model = model_of(BODIES[name])
        data = json.loads(json.dumps(to_json(model)).replace(repr(LARGE.cut), repr(moved.cut)))
        other = from_json(data)
        with pytest.raises(CertificateError, match="was changed"):
            other.certificate.verify(other, X, Y)


def test_a_changed_weight_shape_or_answer_is_caught():
    vote = model_of(BODIES["vote"])
    voters = (WeightedRule(LARGE, 0, 1.5 + 2**-20), *BODIES["vote"].voters[1:])
    with pytest.raises(CertificateError, match="message is not the one"):
        vote.certificate.verify(forged(vote, body=RuleVote(voters, 1)), X, Y)
    tree = model_of(BODIES["tree"])
    swapped = Tree((Split((LARGE,), (1, 2)), Leaf(1), Split((DENTED,), (3, 4)), Leaf(0), Leaf(1)))
    evidence = tuple(map(tuple, np.ones((3, 2)).tolist()))
    with pytest.raises(CertificateError, match="counting again gives"):
        tree.certificate.verify(forged(tree, body=swapped, evidence=evidence), X, Y)


def test_shares_that_were_taken_away_are_caught():
    model = model_of(BODIES["sharing tree"])
    root, *others = BODIES["sharing tree"].nodes
    other = forged(model, body=Tree((dataclasses.replace(root, shares=()), *others)))
    with pytest.raises(CertificateError, match="message is not the one"):
        other.certificate.verify(other, X, Y)


def test_changed_labels_rows_bounds_and_words_are_caught():
    model = model_of(BODIES["list"])
    c = model.certificate
    with pytest.raises(CertificateError, match="another data set|label differs|training examples"):
        c.verify(model, X.head(500), Y[:500])
    labels = Y.copy()
    labels[0] = 1 - labels[0]
    with pytest.raises(CertificateError, match="label differs"):
        c.verify(model, X, labels)
    with pytest.raises(CertificateError, match="claims a bound"):
        dataclasses.replace(c, bound=0.01).verify(model, X, Y)
    with pytest.raises(CertificateError, match="anchored on rows"):
        dataclasses.replace(c, roles={"anchors": (20, 149, 225)}).verify(model, X, Y)
    with pytest.raises(CertificateError, match="gives the examples the roles"):
        dataclasses.replace(c, roles={"anchors": (148, 225)}).verify(model, X, Y)
    with pytest.raises(CertificateError, match="message is not the one"):
        dataclasses.replace(c, combinations=("all",)).verify(model, X, Y)


def test_a_file_with_unknown_combinations_is_refused():
    data = to_json(model_of(BODIES["list"]))
    data["certificate"]["combinations"] = ["all", "some"]
    with pytest.raises(ModelFileError, match="combinations must be of all, any, at least, not"):
        from_json(data)


def test_rows_of_weight_zero_are_absent():
    weight = np.ones(570)
    weight[0] = 0
    wider = pd.concat([X.head(1), X], ignore_index=True)
    labels = np.append(1 - Y[0], Y)
    model = model_of(BODIES["list"])
    rows = {"anchors": tuple(row + 1 for row in model.certificate.examples)}
    shifted = json.loads(json.dumps(to_json(model)))

    def renumber(node):
        if isinstance(node, dict):
            if "anchored_on" in node:
                node["anchored_on"] = [row + 1 for row in node["anchored_on"]]
            for part in node.values():
                renumber(part)
        elif isinstance(node, list):
            for part in node:
                renumber(part)

    renumber(shifted["body"])
    other = from_json(shifted)
    certificate = dataclasses.replace(model.certificate, roles=rows)
    certificate.verify(other, wider, labels, sample_weight=weight)
